"""Of the files that a program loads before it trains, those are noted that a user names, all of them, and no others."""

from pathlib import Path

import pytest

from migrate.pipeline.run import run
from migrate.settings import Settings
from tests.codemod.resume.test_old_way_in import kept, left

_HEAD = """\
import argparse
import glob
import os
import sys
import keras
from keras.callbacks import ModelCheckpoint

parser = argparse.ArgumentParser()
parser.add_argument("--weights", help="begin with pretrained weights")
parser.add_argument("--whole", action="store_true")
parser.add_argument("--first", type=int, default=0)
args = parser.parse_args()
"""
_FIT = (
    'saver = ModelCheckpoint("out/w{epoch}.weights.h5", save_weights_only=True)\n'
    "model.fit(x, y, epochs=9, initial_epoch=args.first, callbacks=[saver])\n"
)
_BACKBONE = """\
from keras.utils import get_file


def network(weights="imagenet"):
    model = build()
    if weights == "imagenet":
        weights_path = get_file("net.h5", "https://example.org/net.h5")
        model.load_weights(weights_path)
    elif weights is not None:
        model.load_weights(weights)
    return model
"""


def test_the_load_that_the_user_names_is_noted_and_no_download_that_a_function_makes(tmp_path: Path) -> None:
    train = "def train(model):\n    " + _FIT.replace("\n", "\n    ").rstrip() + "\n\n\n"
    main = (
        "def main(options):\n    model = network(weights=None)\n    if options.weights:\n"
        "        model.load_weights(options.weights, by_name=True)\n    train(model)\n\n\nmain(args)\n"
    )
    (tmp_path / "backbone.py").write_text(_BACKBONE)
    (tmp_path / "train.py").write_text(_HEAD + "from backbone import network\n\n\n" + train + main)
    outcome = run([str(tmp_path)], Settings(), jobs=1, progress=None)
    new = {Path(change.path).stem: change.after for change in outcome.changes}
    assert "model.load_weights(begin_from(options.weights), by_name=True)" in new["train"]
    assert "named=begun_from())" in new["train"]
    assert "backbone" not in new


def test_all_loads_of_the_file_that_the_user_names_are_noted_whichever_branch_makes_them() -> None:
    load = (
        "if args.whole:\n    model = keras.models.load_model(args.weights)\nelse:\n    model = build()\n"
        "    if args.weights:\n        model.load_weights(args.weights, by_name=True)\n"
    )
    text = kept(_HEAD + load + _FIT)
    assert "(begin_from(args.weights))" in text
    assert "model.load_weights(begin_from(args.weights), by_name=True)" in text


def test_they_are_where_one_builder_is_given_it_in_several_branches(tmp_path: Path) -> None:
    builder = "def network(size, weights=None):\n    model = build(size)\n    if weights:\n"
    load = "if args.whole:\n    model = network(9, args.weights)\nelse:\n    model = network(3, weights=args.weights)\n"
    (tmp_path / "backbone.py").write_text(builder + "        model.load_weights(weights)\n    return model\n")
    (tmp_path / "train.py").write_text(_HEAD + "from backbone import network\n\n" + load + _FIT)
    outcome = run([str(tmp_path)], Settings(), jobs=1, progress=None)
    new = {Path(change.path).stem: change.after for change in outcome.changes}
    assert "model = network(9, begin_from(args.weights))" in new["train"]
    assert "model = network(3, weights=begin_from(args.weights))" in new["train"]


def test_they_are_also_where_another_function_makes_one_of_them() -> None:
    load = (
        "def network(options):\n    model = build()\n    if options.weights:\n"
        "        model.load_weights(options.weights, by_name=True)\n    return model\n\n\n"
        "if args.whole:\n    model = keras.models.load_model(args.weights)\nelse:\n    model = network(args)\n"
    )
    text = kept(_HEAD + load + _FIT)
    assert "(begin_from(args.weights))" in text
    assert "model.load_weights(begin_from(options.weights), by_name=True)" in text


def test_a_file_of_another_argument_of_the_command_line_than_the_one_it_saves_in_is_the_user_s() -> None:
    load = (
        "path = os.path.join(sys.argv[{}] + 'best.weights.h5')\nmodel = build()\n"
        "try:\n    model.load_weights(path)\nexcept OSError:\n    pass\n"
    )
    fit = (
        "saved = os.path.join(sys.argv[1] + 'best.weights.h5')\n"
        "saver = ModelCheckpoint(saved, save_weights_only=True)\nmodel.fit(x, y, epochs=9, callbacks=[saver])\n"
    )
    text = kept(_HEAD + load.format(2) + fit)
    assert "model.load_weights(begin_from(path))" in text
    assert "recovery.restore(named=begun_from())" in text
    assert "begin_from" not in kept(_HEAD + load.format(1) + fit)


_SEARCHED = """\
def newest(folder):
    found = glob.glob(folder + "/*.weights.h5")
    found = [
        one.replace(".index", "")
        for one in found
    ]
    return max(found) if found else None


def train(model, folder, file=None, again=False):
    if file is not None:
        model.load_weights(file)
    first = 0
    if again:
        path = newest(folder)
        if path is not None:
            model.load_weights(path)
            first = int(path.split("_")[1])
    saver = ModelCheckpoint(folder + "/w_{epoch}_.weights.h5", save_weights_only=True)
    model.fit(x, y, epochs=9, initial_epoch=first, callbacks=[saver])
"""


def test_a_file_that_the_program_searches_for_is_none_that_a_user_names() -> None:
    """Each start names another one: nothing would ever be restored over it."""
    assert "the user may name a file at the start" in left(_HEAD + _SEARCHED)
    alone = _SEARCHED.replace("    if file is not None:\n        model.load_weights(file)\n", "")
    assert "begin_from" not in kept(_HEAD + alone)


_JOINED = """\
import os
import keras

folder = "logs"
model = build()
if os.path.exists("./logs/net.weights.h5"):
    model.load_weights("./logs/net.weights.h5")


def save(net):
    path = os.path.join(folder, "net.weights.h5")
    net.save_weights(path)


for epoch in range(9):
    model.train_on_batch(x, y)
    save(model)
"""


def test_a_file_that_a_function_joins_of_a_folder_and_a_name_is_the_one_that_is_loaded_and_none_of_the_users() -> None:
    text = kept(_JOINED)
    assert "begin_from" not in text
    assert "range(recovery.restore(), 9)" in text


def test_the_names_of_layers_and_losses_of_a_model_say_nothing_of_its_file() -> None:
    load = "model = keras.models.load_model(args.weights, custom_objects={'vgg_loss': vgg_loss})\n"
    other = "critic = keras.models.load_model(args.critic)\n"
    loop = "for epoch in range(9):\n    model.train_on_batch(x, y)\n    critic.train_on_batch(x, y)\n"
    saves = "    model.save('out/model%d.keras' % epoch)\n    critic.save('out/critic%d.keras' % epoch)\n"
    text = kept(_HEAD + "# resume\n" + load + other + loop + saves, target="keras2")
    assert "load_model(begin_from(args.weights), custom_objects" in text
    assert "load_model(begin_from(args.critic))" in text


def test_a_file_of_the_series_that_is_saved_is_the_one_that_the_user_picks_whatever_its_number() -> None:
    for loaded, saved in (("net4", "net40%d' % epoch + '"), ("net_25", "net_5"), ("net_03_0.51", "net_{:02d}_{:.2f}")):
        loop = "for epoch in range(9):\n    model.train_on_batch(x, y)\n"
        loop += f"    model.save_weights('out/{saved}.weights.h5')\n"
        text = kept(f"import keras\n\nmodel = build()\nmodel.load_weights('out/{loaded}.weights.h5')\n{loop}")
        assert f"model.load_weights(begin_from('out/{loaded}.weights.h5'))" in text


def test_a_constant_that_names_one_of_the_files_that_are_saved_is_the_users_whatever_asks_for_it() -> None:
    load = "weights = 'out/w03.weights.h5'\nmodel = build()\nif len(weights) > 0:\n    model.load_weights(weights)\n"
    text = kept(_HEAD + load + _FIT)
    assert "model.load_weights(begin_from(weights))" in text or "named=weights)" in text
    assert "has_checkpoint" not in text


_KINDS = """\
import os
import keras
from keras.callbacks import ModelCheckpoint


class Job:
    def __init__(self, settings):
        self.settings = settings

    def model(self):
        {}

    def run(self):
        model = self.model()
        saver = ModelCheckpoint("out/w{{epoch}}.weights.h5", save_weights_only=True)
        model.fit(x, y, epochs=9, initial_epoch=self.settings["done"], callbacks=[saver])


class Sized(Job):
    size = 32


class Masks(Sized):
    def model(self):
        model = build_masks()
        if self.settings["file"]:
            model.load_weights(self.settings["file"])
        return model


class Net(keras.Model):
    def model(self):
        model = build()
        if self.settings["net"]:
            model.load_weights(self.settings["net"])
        return model


Masks(settings).run()
"""


@pytest.mark.parametrize("base", ["return build()", "raise NotImplementedError"])
def test_a_method_is_also_that_of_each_class_derived_from_its_own(base: str) -> None:
    text = kept(_KINDS.format(base))
    assert 'model.load_weights(begin_from(self.settings["file"]))' in text
    assert 'initial_epoch=recovery.restore(self.settings["done"], named=begun_from())' in text
    assert 'model.load_weights(self.settings["net"])' in text


def test_a_class_of_keras_is_no_class_of_the_program_with_its_name() -> None:
    text = (
        _KINDS.format("return build()").replace("class Job:", "class Model(keras.Model):").replace("(Job)", "(Model)")
    )
    assert 'model.load_weights(self.settings["net"])' in kept(text)


def test_a_class_derived_from_one_of_keras_has_no_method_of_the_programs_class_of_that_name() -> None:
    source = """\
import os
import keras


class Model:
    def fit(self, data):
        print(data)


class Net(keras.Model):
    def call(self, inputs):
        return inputs


model = Net()
if os.path.exists("w.weights.h5"):
    model.load_weights("w.weights.h5")
model.fit(x, y, epochs=9, callbacks=[keras.callbacks.ModelCheckpoint("w.weights.h5", save_weights_only=True)])
"""
    assert "initial_epoch=recovery.restore())" in kept(source)


def test_an_attribute_is_also_what_a_class_derived_from_its_own_gives_it() -> None:
    others = "".join(f"class Other{each}:\n    def begin(self):\n        pass\n\n\n" for each in range(6))
    source = """\
class Net:
    def begin(self):
        self.model = build()
        if os.path.exists("w.weights.h5"):
            self.model.load_weights("w.weights.h5")


class Job:
    def run(self):
        self.net.begin()
        saver = keras.callbacks.ModelCheckpoint("w.weights.h5", save_weights_only=True)
        self.net.model.fit(x, y, epochs=9, callbacks=[saver])


class Small(Job):
    def __init__(self):
        self.net = Net()


Small().run()
"""
    assert 'recovery.restore(saved="w.weights.h5"))' in kept(f"import os\nimport keras\n\n\n{others}{source}")
