"""What decides that a start goes on, and which trainings do: a start from scratch or one that plays is none of them."""

from pathlib import Path

import pytest

from migrate.pipeline.run import run
from migrate.settings import Settings
from tests.codemod.programs import migrate
from tests.codemod.resume.test_old_way_in import kept, left

_PLAYS = """\
import sys
import tensorflow as tf

model = build()
mode = sys.argv[1]
if mode == "play":
    {never}
    model.load_weights("m.weights.h5")
else:
    {trains}
steps = 0
while True:
    if {test}:
        model.train_on_batch(x, y)
    steps += 1
    if steps % 1000 == 0:
        model.save_weights("m.weights.h5")
"""
_WAYS = {"never": "observe = 999999999", "trains": "observe = 100", "test": "steps > observe"}


@pytest.mark.parametrize("given", [_WAYS, {"never": "train = False", "trains": "train = True", "test": "train"}])
def test_a_start_that_loads_to_play_and_never_trains_does_not_go_on(given: dict[str, str]) -> None:
    assert migrate(_PLAYS.format(**given)) == (_PLAYS.format(**given), [])


def test_a_start_that_trains_later_goes_on() -> None:
    text = _PLAYS.format(never="train = False", trains="train = True", test="train")
    assert 'if mode == "play":\n    steps = recovery.restore(steps)\n' in kept(text + "    train = steps > 9\n")


def test_of_several_ways_those_decide_that_load_to_train() -> None:
    text = _PLAYS.format(**_WAYS).replace(
        "else:\n", 'elif mode == "anew":\n    observe = 100\nelse:\n    model.load_weights("m.weights.h5")\n'
    )
    assert 'if not (mode == "play") and not (mode == "anew"):\n    recovery.restore()\n' in kept(text)


def test_a_number_of_steps_after_which_each_start_begins_to_train_begins_anew() -> None:
    """What the steps before have filled is not held: a batch of it could not be drawn."""
    text = _PLAYS.format(**_WAYS).replace('if mode == "play":\n    observe = 999999999\n', "try:\n")
    text = text.replace("else:\n    observe = 100\n", "except OSError:\n    pass\nobserve = 100\n")
    assert "\nrecovery.restore()\nwhile True:\n" in kept(text)
    assert "recovery.save()\n" in kept(text)
    counted = text.replace("steps = 0\nwhile True:", "for steps in range(90):").replace("    steps += 1\n", "")
    assert "line 12 trains after the first turns of each start alone" in left(counted)


_LED = """\
import os
import tensorflow as tf


def step(model, x):
    return model.train_on_batch(x, x)


model = build()
if os.path.exists("m.weights.h5"):
    model.load_weights("m.weights.h5")
for epoch in range(90):
    step(model, data(epoch))
    model.save_weights("m.weights.h5")
"""


def test_what_a_function_trains_for_a_loop_is_told_with_the_loop() -> None:
    assert "for epoch in range(recovery.restore(), 90):" in kept(_LED)


_TWO = """\
import argparse
import os
import keras
from keras.callbacks import ModelCheckpoint

parser = argparse.ArgumentParser()
parser.add_argument("--hard", action="store_true")
parser.add_argument("--resume", default="")
args = parser.parse_args()
model = build()
if args.resume:
    model.load_weights(os.path.join("out", args.resume))
saver = ModelCheckpoint("out/w{epoch}.weights.h5", save_weights_only=True)
if args.hard:
    model.fit(hard, epochs=9, callbacks=[saver])
else:
    model.fit(plain, epochs=9, callbacks=[saver])
"""


def test_both_trainings_of_a_test_go_on_from_the_file_that_is_noted() -> None:
    text, findings = migrate(_TWO)
    assert {one.rewritten for one in findings} == {True}
    assert text.count(".restore(named=begun_from())") == 2
    assert text.count("begin_from(os") == 1


_BUILT = """\
import configparser
import keras
from keras.callbacks import ModelCheckpoint


def network(weights=None):
    model = build()
    if weights == "":
        weights = None
    if weights is not None:
        model.load_weights(weights)
    return model


def main():
    settings = configparser.ConfigParser()
    settings.read("job.ini")
    goes_on = settings["TRAIN"].getboolean("goes_on")
    {given}
    model = network(weights=path)
    saver = ModelCheckpoint("out/m.weights.h5", save_weights_only=True)
    model.fit(x, y, epochs=9, callbacks=[saver])
"""


@pytest.mark.parametrize(
    "given",
    [
        'path = "out/m.weights.h5" if goes_on else None',
        'path = None\n    if goes_on:\n        path = "out/m.weights.h5"',
        'if goes_on:\n        path = "out/m.weights.h5"\n    else:\n        path = None',
    ],
)
def test_a_flag_by_which_a_builder_is_given_no_file_decides(given: str) -> None:
    assert "recovery.restore() if goes_on else 0" in kept(_BUILT.replace("{given}", given))


_ON_OR_NAMED = """\
import argparse
import keras

parser = argparse.ArgumentParser()
parser.add_argument("--restore", nargs="?", default=False, const=True)
parser.add_argument("--path", default="out/m.keras")
args = parser.parse_args()
if args.restore:
    name = args.path if args.restore is True else args.restore
    model = keras.models.load_model(name)
else:
    model = build()
model.fit(x, y, epochs=9, callbacks=[keras.callbacks.ModelCheckpoint(args.path)])
"""


def test_a_flag_that_is_on_or_names_a_file_begins_from_scratch_where_it_is_off() -> None:
    assert "what names it is not seen" in left(_ON_OR_NAMED)


def test_a_total_of_epochs_that_an_old_file_settles_is_left() -> None:
    text = (
        "import os\nimport keras\nfrom keras.callbacks import ModelCheckpoint\n\nwarmup, file = 3, 'm.weights.h5'\n"
        "if os.path.exists(file):\n    warmup = 0\ntotal = 9 + warmup\nmodel = build(warmup)\n"
        "if os.path.exists(file):\n    model.load_weights(file)\n"
        "saver = ModelCheckpoint(file, save_weights_only=True)\nmodel.fit(x, y, epochs=total, callbacks=[saver])\n"
    )
    assert "line 6 sets the total of epochs by whether an old file is there" in left(text)
    kept(text.replace("    warmup = 0\n", "    rate = 0\n"))
    text = text.replace("if os.path.exists(file):\n    warmup = 0\n", "model = build()\n")
    text = text.replace("total = 9 + warmup\nmodel = build(warmup)\n", "")
    kept(text.replace("weights(file)\n", "weights(file)\n    warmup = 0\n").replace("total,", "9 + warmup,"))


_ACTOR = """\
class Actor:
    def __init__(self, session, model):
        self.session, self.model = session, model

    def train(self, x):
        {step}
"""
_CRITIC = """\
import tensorflow as tf
from actor import Actor

critic, actor = build(), Actor(session(), build())
try:
    actor.model.load_weights("actor.weights.h5")
    critic.load_weights("critic.weights.h5")
except OSError:
    pass
for epoch in range(90):
    critic.train_on_batch(x, y)
    actor.train(x)
    actor.model.save_weights("actor.weights.h5")
    critic.save_weights("critic.weights.h5")
"""


def test_a_loop_of_which_a_part_trains_in_a_session_is_left_whichever_file_it_is_in(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(_CRITIC)
    for step, is_left in (("self.session.run(step, {model: x})", True), ("self.model.train_on_batch(x, x)", False)):
        (tmp_path / "actor.py").write_text(_ACTOR.replace("{step}", step))
        findings = run([str(tmp_path)], Settings(), jobs=1, progress=None).findings
        found = [one for one in findings if one.code == "FT201" and one.path.endswith("train.py")]
        assert [one.rewritten for one in found] == [not is_left]
        assert ("it is written for TensorFlow 1" in found[0].message) == is_left


_TRAINS = (
    "for epoch in range(90):\n    model.train_on_batch(x, y)\n    model.save_weights('m.weights.h5')\n",
    "model.fit(x, y, callbacks=[tf.keras.callbacks.ModelCheckpoint('m.weights.h5', save_weights_only=True)])\n",
)


@pytest.mark.parametrize("training", _TRAINS)
@pytest.mark.parametrize(
    ("code", "is_left"),
    [
        ("tf.compat.v1.disable_eager_execution()", True),
        ("x = K.placeholder((2, 2))", True),
        ("data = Data(K.get_session())", True),
        ("K.set_session(tf.Session(config=tf.ConfigProto()))", False),
        ("sess = tf.Session()\nsess.run(tf.global_variables_initializer())", False),
        ("def get_session():\n    return tf.Session()\n\n\nK.set_session(get_session())", False),
        ("def export():\n    write(K.get_session())\n\n", False),
    ],
)
def test_a_training_in_a_graph_is_left_and_one_beside_the_settings_of_a_session_is_not(
    code: str, is_left: bool, training: str
) -> None:
    load = "model = build()\nif os.path.exists('m.weights.h5'):\n    model.load_weights('m.weights.h5')\n"
    text = f"import os\nimport tensorflow as tf\nfrom tensorflow.keras import backend as K\n\n{code}\n{load}{training}"
    found = [one for one in migrate(text)[1] if one.code == "FT201"]
    assert [one.rewritten for one in found] == [not is_left]
    assert ("it is written for TensorFlow 1" in found[0].message) == is_left


def test_weights_that_a_kill_cuts_short_are_told_from_others_whatever_names_the_callback() -> None:
    text = (
        "import keras\nfrom backend import tf\n\npath = 'out/cp.ckpt'\nmodel = build()\n"
        "saver = tf.keras.callbacks.ModelCheckpoint(filepath=path, save_weights_only=True)\n"
        "model.load_weights(path)\nmodel.fit(x, y, epochs=9, callbacks=[saver], initial_epoch=first)\n"
    )
    assert "line 7 would load it at each start" in left(text)


def test_the_lines_stand_above_the_loop_that_calls_the_function_again() -> None:
    text = (
        "import keras\n\n\nclass Net:\n    def __init__(self, number):\n        self.model = build()\n"
        "        if number >= 0:\n            self.model.load_weights('m%d.h5' % number)\n\n"
        "    def fit(self, x):\n        return self.model.fit(x, x, epochs=3)\n\n\nnet = Net(number)\n"
        "for turn in range(number + 1, 9):\n    net.fit(x)\n    net.model.save_weights('m%d.h5' % turn)\n"
    )
    (finding,) = (one for one in migrate(text)[1] if one.code == "FT201")
    assert "Above line 15 write" in finding.help and "model=net.model" in finding.help


def test_a_load_of_another_mode_of_the_program_is_none_that_its_training_goes_on_from() -> None:
    source = """\
import keras

mode = 2
model = build()
if mode == 1:
    model.load_weights("out/best.weights.h5")
    show(model)
if mode == 2:
    model.load_weights("out/step 50.weights.h5")
    for step in range(9):
        model.train_on_batch(x, y)
        model.save_weights("out/step %d.weights.h5" % step)
"""
    text = kept(source)
    assert 'model.load_weights(begin_from("out/step 50.weights.h5"))' in text
    assert "range(recovery.restore(named=begun_from()), 9)" in text


@pytest.mark.parametrize("read", ["load_cfg('job.json')", "json.load(open('job.json'))", "Settings().options()"])
def test_a_mode_that_the_settings_name_decides_whatever_reads_them(read: str) -> None:
    source = f"""\
import json
import keras

cfg = {read}
mode = cfg["mode"]
path = cfg["folder"] + "/m.weights.h5"
model = build()
first = 0
if mode == "resume":
    model.load_weights(path)
    first = model.optimizer.iterations // 10
saver = keras.callbacks.ModelCheckpoint(path, save_weights_only=True)
model.fit(x, y, epochs=9, initial_epoch=first, callbacks=[saver])
"""
    text = kept(source)
    assert 'if mode == "resume":\n    first = recovery.restore(first)\n' in text


_DECIDED = """\
import glob
import sys
import keras

args = parser.parse_args()
model = build()
{}
    model.load_weights("out/w.weights.h5")
saver = keras.callbacks.ModelCheckpoint("out/w.weights.h5", save_weights_only=True)
model.fit(x, y, epochs=9, callbacks=[saver])
"""


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ("if args.resume:\n    last = max(newest())\nelse:\n    last = 0\nif last > 0:", "args.resume"),
        ("last = newest() if args.resume else None\nif last is not None:", "args.resume"),
        ("last = -1\nif not args.anew:\n    last = newest()\nif last >= 0:", "not args.anew"),
        ("is_new = True\nif args.resume:\n    is_new = False\nif not is_new:", "args.resume"),
        ("files = newest() if args.resume else []\nlast = files[-1] if files else 0\nif last:", "args.resume"),
        ("goes_on = args.resume and glob.glob('out/*')\nif goes_on:", "args.resume"),
        ("goes_on = False\nif len(sys.argv) > 1:\n    goes_on = args.go\nif goes_on:", "len(sys.argv) > 1 and args.go"),
    ],
)
def test_a_flag_decides_by_what_it_gives_a_variable(given: str, asked: str) -> None:
    assert f"recovery.restore() if {asked} else 0" in kept(_DECIDED.format(given))


@pytest.mark.parametrize(
    "asked",
    [
        'os.environ.get("RESUME") == "1"',
        'os.getenv("RESUME", "0") == "1"',
        'int(os.environ["RESUME"]) > 0',
        'os.environ.get("RESUME", "no").lower() == "yes"',
        'args.mode.strip().startswith("r")',
    ],
)
def test_a_variable_of_the_environment_is_a_flag_also_where_its_text_is_compared(asked: str) -> None:
    assert f"recovery.restore() if {asked} else 0" in kept(f"import os\n{_DECIDED}".format(f"if {asked}:"))
    assert "recovery.restore() if goes_on else 0" in kept(
        f"import os\n{_DECIDED}".format(f"goes_on = {asked}\nif goes_on:")
    )


@pytest.mark.parametrize("last", ["newest()", "[]\nlast.append(newest())"])
def test_a_variable_that_has_a_value_without_the_flag_too_lets_files_alone_decide(last: str) -> None:
    given = f"last = {last}\nif args.best:\n    last = best()\nif last:"
    assert "initial_epoch=recovery.restore())" in kept(_DECIDED.format(given))


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ("if args.resume or args.more:", "(args.resume or args.more)"),
        ('if args.mode in ("resume", "more"):', 'args.mode in ("resume", "more")'),
        (
            'if args.resume:\n    model.load_weights("out/w.weights.h5")\nelif args.more and not args.test:',
            "(args.resume or (args.more and not args.test))",
        ),
        (
            "last = None\nif args.resume:\n    last = newest()\nelif args.more:\n    last = more()\nif last:",
            "(args.more or args.resume)",
        ),
    ],
)
def test_of_several_flags_that_let_a_start_go_on_one_is_enough(given: str, asked: str) -> None:
    assert f"recovery.restore() if {asked} else 0" in kept(_DECIDED.format(given))


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ('if len(sys.argv) > 1 and sys.argv[1] == "resume":', 'len(sys.argv) > 1 and sys.argv[1] == "resume"'),
        ('if "resume" in args and args["resume"]:', '"resume" in args and args["resume"]'),
        ('if args.get("resume"):', 'args.get("resume")'),
        ('last = 0\nif "on" in args:\n    if args["on"]:\n        last = 1\nif last:', '"on" in args and args["on"]'),
    ],
)
def test_a_flag_is_asked_where_the_test_asks_whether_it_was_given_too(given: str, asked: str) -> None:
    """A caller that gives the settings without it was stopped by a KeyError, a start without arguments by another."""
    assert f"recovery.restore() if {asked} else 0" in kept(_DECIDED.format(given))
