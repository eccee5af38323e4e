"""What a start goes on from may be a flag that says nothing by itself, an epoch, or the one file that it saves."""

import pytest

from tests.codemod.programs import migrate
from tests.codemod.resume.test_old_way_in import SHAPES, kept, left

_HEAD = """\
import argparse
import os
import tensorflow as tf
from keras.callbacks import ModelCheckpoint

path = "out/model.weights.h5"
"""
_PARSED = 'parser = argparse.ArgumentParser()\nparser.add_argument("--{}")\nargs = vars(parser.parse_args())\n'
_FIT = "saver = ModelCheckpoint(path, save_weights_only=True)\nmodel.fit(x, y, epochs=5, callbacks=[saver])\n"


@pytest.mark.parametrize("flag", ["pretrained", "weights", "model"])
def test_a_file_of_the_very_model_that_is_trained_is_a_way_in_where_the_user_may_name_none(flag: str) -> None:
    load = f'given = args["{flag}"]\nmodel = build()\nif given is not None:\n    model.load_weights(given)\n'
    text = kept(_HEAD + _PARSED.format(flag) + load + _FIT)
    assert "initial_epoch=recovery.restore(named=given)" in text
    assert load in text


def test_a_name_that_the_user_fills_in_in_the_text_is_a_way_in_also_through_a_call() -> None:
    load = 'def load(model, name):\n    model.load_weights("nets/" + name)\n\n\n'
    text = kept(_HEAD + f'NAME = ""\n{load}model = build()\nif NAME:\n    load(model, NAME)\n' + _FIT)
    assert 'model.load_weights(begin_from("nets/" + name))' in text
    assert "recovery.restore(named=begun_from())" in text


def test_a_file_that_may_not_be_named_is_noted_where_it_is() -> None:
    run = (
        "class Run:\n    def __init__(self, settings):\n        self.settings = settings\n\n    def model(self):\n"
        "        model = build()\n        try:\n            model.load_weights(self.settings['file'])\n"
        "        except KeyError:\n            pass\n        return model\n\n    def train(self):\n"
        "        model = self.model()\n        saver = ModelCheckpoint(path, save_weights_only=True)\n"
        "        model.fit(x, epochs=9, initial_epoch=self.settings['done'], callbacks=[saver])\n"
    )
    text = kept(_HEAD + run).replace("'", '"')
    assert 'recovery.restore(self.settings["done"], named=begun_from())' in text
    assert 'model.load_weights(begin_from(self.settings["file"]))' in text


_TWO = "parser = argparse.ArgumentParser()\nparser.add_argument(FLAG)\nargs = parser.parse_args()\n"


@pytest.mark.parametrize(
    ("beside", "noted"),
    [
        ("if args.first:\n    model.load_weights(args.first)\n", "model.load_weights(begin_from(args.first))"),
        ("base = keras.models.load_model(args.base)\nbase.trainable = False\n", ""),
        ("base = build()\nbase.load_weights(args.base)\n", ""),
        ("if os.path.exists(path):\n    model.load_weights(path)\n", ""),
    ],
    ids=["a second flag", "a frozen model", "another model", "what the program saves itself"],
)
def test_of_several_loads_those_are_noted_that_a_user_names_for_the_model_that_is_trained(
    beside: str, noted: str
) -> None:
    load = "model = build()\n" + beside + "if args.resume:\n    model.load_weights(os.path.join('old', args.resume))\n"
    text = kept(_HEAD + "import keras\n" + _TWO + load + _FIT)
    assert "model.load_weights(begin_from(os.path.join('old', args.resume)))" in text
    assert "restore(named=begun_from())" in text
    assert text.count("begin_from(") == 1 + bool(noted)
    assert noted in text


def test_beside_what_the_program_saves_itself_the_file_that_the_user_names_is_the_one_that_is_named() -> None:
    own = "if os.path.exists(path):\n    model.load_weights(path)\n"
    named = "if args.resume:\n    model.load_weights(args.resume)\n"
    text = kept(_HEAD + _TWO + "model = build()\n" + own + named + _FIT)
    assert "restore(named=args.resume)" in text
    assert own + named in text


def test_a_file_that_may_be_the_users_or_the_programs_own_is_left_with_the_lines_to_write() -> None:
    own = "given = args.start\nif given == 'last':\n    given = path\nmodel = build()\n"
    assert "what names it is not seen" in left(_HEAD + _TWO + own + "# resume\nmodel.load_weights(given)\n" + _FIT)


def test_where_two_flags_may_name_a_file_each_load_tells_of_its_own() -> None:
    loads = "".join(f"if args.{flag}:\n    model.load_weights(args.{flag})\n" for flag in ("first", "resume"))
    text = kept(_HEAD + _TWO + "model = build()\n" + loads + _FIT)
    assert "restore(named=begun_from())" in text
    assert "model.load_weights(begin_from(args.first))" in text
    assert "model.load_weights(begin_from(args.resume))" in text


@pytest.mark.parametrize("form", ["'out/m-%d.weights.h5' % {}", "'out/m-{{}}.weights.h5'.format({})"])
def test_the_number_of_a_file_that_the_user_says_names_it(form: str) -> None:
    path, first = form.format("args.resume_epoch"), "initial_epoch=args.resume_epoch + 1"
    load = f"model = build()\nif args.resume_epoch >= 0:\n    model.load_weights({path})\n"
    saver = _FIT.replace("path", "'out/m-{epoch}.weights.h5'").replace("epochs=5", f"{first}, epochs=5")
    text = kept(_HEAD + _TWO + load + saver)
    assert f"    model.load_weights(begin_from({path}))\n" in text
    assert "restore(args.resume_epoch + 1, named=begun_from())" in text


def test_a_folder_that_the_user_says_names_no_file_of_those_that_the_program_saves() -> None:
    given = _HEAD.replace("path = ", "name = ") + _TWO + "path = os.path.join(args.out, name)\nmodel = build()\n"
    load = "if args.out and os.path.exists(path):\n    model.load_weights(path)\n"
    text = kept(given + load + _FIT)
    assert "if args.out and os.path.exists(path) and not has_checkpoint(" in text
    assert "named=" not in text


def test_where_nothing_but_the_epoch_is_known_at_the_training_the_load_tells_of_its_file() -> None:
    source = (
        _HEAD
        + "def train(model, first):\n    saver = ModelCheckpoint(path, save_weights_only=True)\n"
        + "    model.fit(x, y, epochs=9, initial_epoch=first, callbacks=[saver])\n\n\n"
        + "def main():\n    args = parser.parse_args()\n    model = build()\n    if args.resume:\n"
        + "        model.load_weights(args.file)\n    train(model, args.initial_epoch)\n\n\nmain()\n"
    )
    text = kept(source)
    assert "first = recovery.restore(first, named=begun_from())\n" in text
    assert "model.load_weights(begin_from(args.file))" in text


@pytest.mark.parametrize(
    ("first", "restored"),
    [("", "initial_epoch=recovery.restore(saved=path)"), ("initial_epoch=3, ", "recovery.restore(3, saved=path)")],
)
def test_the_one_file_that_is_saved_is_loaded_at_each_start_and_restored_over(first: str, restored: str) -> None:
    fit = _FIT.replace("epochs=5", f"{first}epochs=5")
    text = kept(_HEAD + "model = build()\nmodel.load_weights(path)\n" + fit)
    assert "model = build()\nmodel.load_weights(path)\n" in text and "has_checkpoint" not in text
    assert restored in text


def test_a_file_that_each_start_writes_before_it_trains_tells_nothing_of_another_training() -> None:
    text = kept(_HEAD + "model = build()\nmodel.load_weights(path)\nmodel.save_weights(path)\n" + _FIT)
    assert "initial_epoch=recovery.restore()" in text


def test_a_file_that_the_first_start_alone_writes_before_it_trains_tells_of_another_training() -> None:
    made = "model = build()\nif not os.path.exists(path):\n    model.save_weights(path)\n"
    text = kept(_HEAD + made + "model.load_weights(path)\n" + _FIT)
    assert "initial_epoch=recovery.restore(saved=path)" in text


def test_the_old_file_is_loaded_at_each_start_where_only_the_training_knows_where_it_saves() -> None:
    parts = (
        "def made(weights):\n    model = build()\n    if os.path.exists(weights):\n"
        "        model.load_weights(weights)\n"
        "    return model\n\n\ndef callbacks_for(weights):\n"
        "    return [ModelCheckpoint(weights)]\n\n\n"
    )
    main = (
        "def main():\n    args = parser.parse_args()\n    model = made(args.file)\n"
        "    callbacks = callbacks_for(args.file)\n"
        "    model.fit(x, epochs=5, callbacks=callbacks)\n\n\nmain()\n"
    )
    text = kept(_HEAD + parts + main)
    assert parts in text
    assert "callbacks=[recovery, *(callbacks or [])], initial_epoch=recovery.restore())" in text


@pytest.mark.parametrize("begun", ["range(9)", "range(1, 9)", "trange(9)"])
def test_a_loop_of_a_given_number_ends_at_the_total_over_all_starts(begun: str) -> None:
    loop = (
        "model = build()\nif os.path.isfile(path):\n    model.load_weights(path)\n"
        f"for i in {begun}:\n    model.fit(x, y, epochs=2)\n    model.save_weights(path)\n"
    )
    first = "1" if "1" in begun else ""
    text = kept(_HEAD + loop)
    assert f"for i in {begun.partition('(')[0]}(recovery.restore({first}), 9):" in text
    assert "    model.save_weights(path)\n    recovery.save(i + 1)\n" in text
    assert "model.fit(x, y, epochs=2)" in kept(_HEAD + loop.replace("epochs=2", "nb_epoch=2"))
    inner = loop.replace("for i", "    for i").replace("    model.fit", "        model.fit")
    inner = inner.replace("    model.save", "        model.save").replace("    for i", "while True:\n    for i")
    text = kept(_HEAD + inner)
    assert "recovery.restore()\nwhile True:\n" in text
    assert "        model.save_weights(path)\n        recovery.save()\n" in text


def test_both_branches_of_a_test_that_train_are_recovered() -> None:
    fit = "    model.fit(x, y, epochs=5, callbacks=[saver])\n"
    source = (
        _HEAD
        + _PARSED.format("resume")
        + 'model = build()\nif args["resume"]:\n    model.load_weights(args["resume"])\n'
        + f"saver = ModelCheckpoint(path)\nif wanted:\n{fit}else:\n{fit}"
    )
    text, findings = migrate(source)
    assert [one.rewritten for one in findings] == [True]  # of one load
    assert text.count("restore(named=args[") == 2
    assert migrate(text) == (text, [])


def test_a_generator_that_is_fitted_to_its_data_trains_nothing() -> None:
    source = (
        _HEAD
        + "model = build()\ngenerator.fit(x, seed=0)\nif os.path.exists(path):\n    model.load_weights(path)\n"
        + "saver = ModelCheckpoint(path, save_weights_only=True)\nmodel.fit(x, y, epochs=5, callbacks=[saver])\n"
    )
    assert "initial_epoch=recovery.restore()" in migrate(source)[0]


APART = {
    "two values of one mode": "if mode == 't':\n    train()\nif mode == 'c':\n    train(True)\n",
    "two branches of a test": "if new:\n    train()\nelse:\n    train(True)\n",
    "functions that stand in two branches": (
        "def begin():\n    train()\n\n\ndef go_on():\n    train(True)\n\n\nif new:\n    begin()\nelse:\n    go_on()\n"
    ),
}
AGAIN = {
    "two values of two modes": "if mode == 't':\n    train()\nif other == 'c':\n    train(True)\n",
    "two tests": "if new:\n    train()\nif old:\n    train(True)\n",
}
_TRAIN = (
    "def train(resume=False):\n    model = build()\n    if resume:\n        model.load_weights(path)\n"
    "    saver = ModelCheckpoint(path, save_weights_only=True)\n    model.fit(x, y, epochs=5, callbacks=[saver])\n\n\n"
)


@pytest.mark.parametrize("calls", APART.values(), ids=APART.keys())
def test_a_function_that_is_called_in_ways_that_exclude_each_other_trains_once(calls: str) -> None:
    text, findings = migrate(f"{_HEAD}\n\n{_TRAIN}{calls}")
    assert [one.rewritten for one in findings] == [True]
    assert "recovery.restore() if resume else 0" in text


@pytest.mark.parametrize("calls", AGAIN.values(), ids=AGAIN.keys())
def test_a_function_that_may_run_twice_is_left(calls: str) -> None:
    _, (finding,) = migrate(f"{_HEAD}\n\n{_TRAIN}{calls}")
    assert "the function that calls fit runs more than once" in finding.message


def test_a_file_of_the_settings_that_is_loaded_where_it_is_there_is_one_that_a_start_leaves() -> None:
    source = (
        _HEAD
        + "import settings\n\nconfig = settings.parse()\nmodel = build()\nif os.path.exists(config.old):\n"
        + "    model.load_weights(config.old)\nsaver = ModelCheckpoint(config.new, save_weights_only=True)\n"
        + "model.fit(x, y, epochs=5, callbacks=[saver])\n"
    )
    assert "restore(named=config.old)" in migrate(source)[0]
    assert migrate(source.replace("config.old", "config.vgg_weights")) == (
        source.replace("config.old", "config.vgg_weights"),
        [],
    )


def test_a_part_of_what_is_saved_in_several_files_is_not_loaded_at_each_start() -> None:
    source = (
        "import os\nimport tensorflow as tf\n\nmodel = build()\n# resume\n"
        "model.load_weights('out/ckpt/variables/variables')\n"
        "model.fit(x, epochs=5, callbacks=[tf.keras.callbacks.ModelCheckpoint('out/ckpt')])\n"
    )
    text, (finding,) = migrate(source)
    assert text == source
    assert "line 6 would load it at each start" in finding.message


def test_branches_that_train_otherwise_have_checkpoints_of_their_own() -> None:
    fit = "    model.fit(x, y, epochs={}, callbacks=[saver])\n"
    source = (
        _HEAD
        + _PARSED.format("resume")
        + 'model = build()\nif args["resume"]:\n    model.load_weights(args["resume"])\n'
        + f"saver = ModelCheckpoint(path)\nif wanted:\n{fit.format(5)}else:\n{fit.format(9)}"
    )
    text, _ = migrate(source)
    assert text.count("restore(named=args[") == 2
    assert text.count("recovery_dir = directory_beside(path)") == 1
    assert text.count('recovery_dir_2 = directory_beside(path) + "_2"') == 1


def test_the_file_that_a_callback_of_the_program_saves_is_known_by_the_name_that_is_loaded() -> None:
    saver = (
        "class Saver(tf.keras.callbacks.Callback):\n    def __init__(self, path):\n        self.path = path\n\n"
        "    def on_epoch_end(self, epoch, logs=None):\n        self.model.save_weights(self.path)\n\n\n"
    )
    load = "model = build()\nif os.path.exists(path):\n    model.load_weights(path)\n"
    text = kept(_HEAD + saver + load + "model.fit(x, y, epochs=5, initial_epoch=0, callbacks=[Saver(path)])\n")
    assert "if os.path.exists(path) and not has_checkpoint(recovery_dir):" in text
    assert "initial_epoch=recovery.restore()" in text


def test_a_directory_that_each_start_names_anew_would_recover_nothing() -> None:
    head = _HEAD.replace('"out/model', 'f"out/{began}/model').replace("path =", "began = str(time.time())\npath =")
    load = "model = build()\nif args.weights:\n    model.load_weights(args.weights)\n"
    flag = _PARSED.format("weights").replace("vars(parser.parse_args())", "parser.parse_args()")
    assert "a name of its own" in left("import time\n" + head + flag + load + _FIT)
    made = head.replace("began = str(time.time())", "def new():\n    return str(time.time())\n\n\nbegan = new()")
    assert "a name of its own" in left("import time\n" + made + flag + load + _FIT)


_OF_ROWS = """\
import tensorflow as tf

model = build()
{}first = len(open("out/log.csv").readlines())
saver = tf.keras.callbacks.ModelCheckpoint("out/w.weights.h5", save_weights_only=True)
model.fit(x, y, epochs=first + 9, initial_epoch=first, callbacks=[saver])
"""


def test_a_total_that_the_old_files_tell_does_not_grow_with_the_epoch_that_a_checkpoint_holds() -> None:
    text, findings = migrate(_OF_ROWS.format('model.load_weights("out/w.weights.h5")\n'))
    assert "epochs=first + 9, initial_epoch=recovery.restore(first, saved=" in text
    assert "the total of epochs is still first + 9, with the epoch that the old files tell" in findings[0].message


def test_a_total_that_no_start_with_a_checkpoint_reckons_is_told_to_grow() -> None:
    load = 'first = 0\nif args.go_on:\n    model.load_weights("out/w.weights.h5")\n    '
    text, findings = migrate(_OF_ROWS.format(load))
    assert "    first = recovery.restore(first)\n" in text
    assert "the total of epochs grows with each start" in findings[0].message


def test_an_old_checkpoint_of_the_programs_own_is_told_not_to_be_one_for_keras_3() -> None:
    source = (SHAPES / "checkpoint_of_its_own.py").read_text()
    told = "Keras 3 takes an optimizer's state in a tf.train.Checkpoint of Keras 2 for another"
    _, (finding,) = migrate(source)
    assert told in finding.message
    _, (finding,) = migrate(source, target="keras2")
    assert told not in finding.message


def test_a_load_on_a_way_that_ends_before_the_training_has_no_say() -> None:
    predict = "if args.mode == 'predict':\n    model = keras.models.load_model(args.path)\n    model.predict(x)\n"
    train = (
        "else:\n    train(args.again)\n\n\ndef train(again):\n    global model\n    if again:\n"
        "        model = keras.models.load_model(path)\n    else:\n        model = build()\n"
    )
    source = _HEAD.replace(".weights.h5", ".keras") + "import keras\n" + train.partition("\n\n\n")[2]
    source += "".join(f"    {line}\n" for line in _FIT.replace("save_weights_only=True", "").splitlines())
    text = kept(source + "\n\nargs = parse()\n" + predict + train.partition("\n\n\n")[0] + "\n")
    assert "initial_epoch=recovery.restore() if again else 0" in text


def test_weights_in_tensorflows_format_of_callbacks_that_are_made_elsewhere_are_not_loaded_at_each_start() -> None:
    source = _HEAD.replace(".weights.h5", ".ckpt") + _TWO.replace("FLAG", "'--again'")
    source += "saver = ModelCheckpoint('{}/model.ckpt'.format(args.again), save_weights_only=True)\n\n\n"
    source += "def train(path, callbacks):\n    model = build()\n    if args.again:\n        model.load_weights(path)\n"
    source += (
        "    model.fit(x, y, epochs=5, callbacks=callbacks)\n\n\ntrain('{}/model.ckpt'.format(args.again), [saver])\n"
    )
    assert "if args.again and not has_checkpoint(recovery_dir):\n        model.load_weights(path)" in kept(source)
