"""Code that loads and counts stays for an old job's file, and is asked only where the new recovery has nothing."""

from pathlib import Path

import pytest

from migrate.findings.finding import Fidelity
from migrate.pipeline.run import run
from migrate.settings import Settings
from tests.codemod.programs import migrate

SHAPES = Path(__file__).parents[2] / "interruption" / "resume" / "shapes"
_HEAD = """\
import glob
import os
import tensorflow as tf

path = "out/w-{epoch:02d}.weights.h5"
model = build()
first = 0
"""
_FIT = """\
saver = tf.keras.callbacks.ModelCheckpoint(path, save_weights_only=True)
model.fit(x, y, epochs=9, initial_epoch=first, callbacks=[saver])
"""
_LOAD = """\
files = sorted(glob.glob("out/*.h5"))
if files:
    model.load_weights(files[-1])
    freeze(model)
    first = int(files[-1][6:8])
"""


LOOPS = {
    *("a_loop_of_batches", "a_loop_of_fits", "checkpoint_of_its_own", "stacked_gan", "two_models", "two_tapes"),
    "counted_by_a_variable",
}
"""Programs whose loop saves by itself: the old code loads at each start."""
AT_EACH_START = LOOPS | {
    *("format_of_the_name", "listed_directory", "loaded_above_the_function", "loaded_in_a_function"),
    *("loaded_to_predict_too", "model_and_epoch", "regular_expression", "trainer_class"),
}
"""These, and those whose load no test keeps from being made alone."""


def kept(source: str, **settings: str) -> str:
    """The new text of a program whose own code stays."""
    text, findings = migrate(source, **settings)
    told = [finding.message for finding in findings]
    assert [finding.rewritten for finding in findings if finding.code == "FT201"] == [True], told
    assert all(finding.rewritten and finding.code in ("FT201", "FT206") for finding in findings), told
    assert migrate(text, **settings) == (text, [])
    return text


def left(source: str, **settings: str) -> str:
    """Why a program is left, which it is byte for byte."""
    text, findings = migrate(source, **settings)
    assert text == source
    assert {finding.fidelity for finding in findings} == {Fidelity.MANUAL}
    return findings[0].message


@pytest.mark.parametrize("recovery", ["checkpoint-manager", "backup-and-restore"])
@pytest.mark.parametrize("shape", sorted(path.stem for path in SHAPES.glob("*.py") if path.stem != "job"))
def test_whatever_finds_the_file_and_the_epoch_the_recovery_is_asked_first(shape: str, recovery: str) -> None:
    source = (SHAPES / f"{shape}.py").read_text()
    if recovery == "backup-and-restore" and shape in {"resume_flag", *AT_EACH_START}:
        assert left(source, recovery=recovery)
        return
    text = kept(source, recovery=recovery)
    assert (" has_checkpoint(" in text) == (shape not in AT_EACH_START)
    loads = ("load_weights(", "load_model(", "load_compiled_model(")
    assert sum(map(text.count, loads)) == sum(map(source.count, loads))
    assert ("recovery.restore(" in text) == (recovery == "checkpoint-manager")


def test_the_load_is_made_at_each_start_where_other_work_stands_beside_it() -> None:
    assert f"{_LOAD}saver = " in kept(_HEAD + _LOAD + _FIT)


def test_the_epoch_that_the_program_counted_is_where_a_job_without_a_checkpoint_begins() -> None:
    assert "\nfirst = recovery.restore(first)\n" in kept(_HEAD + _LOAD + _FIT)
    inline = _FIT.replace("initial_epoch=first", "initial_epoch=first + 1")
    assert "initial_epoch=recovery.restore(first + 1)" in kept(_HEAD + _LOAD + inline)


def test_epochs_of_each_start_stay_epochs_of_each_start() -> None:
    text = kept(_HEAD + _LOAD + _FIT.replace("epochs=9", "epochs=first + 9"))
    assert "epochs=first + 9, initial_epoch=recovery.restore(first)" in text


@pytest.mark.parametrize(
    ("asked", "then"),
    [
        ("if args.resume and files:", "if args.resume:\n    first = recovery.restore(first)\n"),
        ("if files and not args.fresh:", "if not args.fresh:\n    first = recovery.restore(first)\n"),
    ],
)
def test_a_flag_still_decides(asked: str, then: str) -> None:
    source = "import settings\n\nargs = settings.parse_args()\n" + _HEAD + _LOAD.replace("if files:", asked) + _FIT
    assert then in kept(source)


def test_a_flag_that_ends_a_loading_function_decides_too() -> None:
    source = (
        _HEAD.replace("first = 0\n", "args = settings.parse_args()\n")
        + "\n\ndef load():\n    files = glob.glob('out/*.h5')\n    if args.fresh or not files:\n        return 0\n"
        + "    model.load_weights(max(files))\n    freeze(model)\n    return len(files)\n\n\nfirst = load()\n"
    )
    assert "if not args.fresh:\n    first = recovery.restore(first)\n" in kept(source + _FIT)


def test_a_load_is_made_at_each_start_where_the_model_may_be_used_without_training() -> None:
    fit = "if args.train:\n    " + _FIT.replace("\n", "\n    ").rstrip() + "\nelse:\n    model.predict(x)\n"
    assert _LOAD in kept(_HEAD + _LOAD + fit)
    function = "def main():\n" + "".join(f"    {line}\n" for line in (_HEAD[46:] + _LOAD).splitlines())
    early = "    if args.predict:\n        model.predict(x)\n        return\n"
    body = function + early + "".join(f"    {line}\n" for line in _FIT.splitlines()) + "\n\nmain()\n"
    text = kept(_HEAD[:46] + body)
    assert "has_checkpoint" not in text
    assert "\n    first = recovery.restore(first)\n" in text


def test_a_maker_of_models_that_another_file_uses_keeps_loading(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "predict.py").write_text("from train import make_or_restore\n")
    source = (SHAPES / "model_and_epoch.py").read_text()
    (tmp_path / "train.py").write_text(source)
    outcome = run([str(tmp_path / "train.py")], Settings(), jobs=1, progress=None)
    text = next(change.after for change in outcome.changes if change.path.endswith("train.py"))
    assert "has_checkpoint" not in text
    assert "which it loads at each start" in outcome.findings[0].message


@pytest.mark.parametrize("folder", ["out", "."])
def test_the_recovery_is_in_the_directory_of_the_old_files_and_the_programs_listings_pass_it_by(folder: str) -> None:
    load = f"names = os.listdir('{folder}')\nif names:\n    first = int(max(names)[2:4])\n"
    load += "    model.load_weights(path.format(epoch=first))\n    freeze(model)\n"
    head = _HEAD.replace("out/w", "out/w" if folder == "out" else "w")
    text = kept(head + load + _FIT)
    assert "recovery_dir = directory_beside(path)\n" in text
    assert f"\nnames = without_recovery(os.listdir({folder!r}))\n" in text.replace('"' + folder + '"', repr(folder))
    selected = load.replace("os.listdir('out')", "[n for n in os.listdir('out') if n.endswith('.h5')]")
    assert folder == "." or "without_recovery" not in kept(_HEAD + selected + _FIT)


@pytest.mark.parametrize(
    ("load", "text"),
    [
        (
            "if os.listdir('out'):\n    model.load_weights(path.format(epoch=len(os.listdir('out'))))\n",
            "if without_recovery(os.listdir('out')) and not ",
        ),
        (
            "for one in os.listdir('out'):\n    model.load_weights(one)\n",
            "for one in without_recovery(os.listdir('out'))",
        ),
        ("files = glob.glob('out/*')\nif files:\n    model.load_weights(files[-1])\n", "without_recovery(glob.glob("),
    ],
)
def test_a_listing_passes_the_recovery_by_wherever_it_is_written(load: str, text: str) -> None:
    assert text in kept(_HEAD + load + _FIT).replace('"out"', "'out'").replace('"out/*"', "'out/*'")


def test_a_directory_that_is_opened_to_be_listed_is_left() -> None:
    load = "with os.scandir('out') as found:\n    first = len(list(found))\n"
    load += "if first:\n    model.load_weights(path.format(epoch=first))\n"
    assert "lists the directory where the new checkpoints would be" in left(_HEAD + load + _FIT)


_NAMED = "import settings\nimport keras\n\nargs = settings.parse_args()\n"


@pytest.mark.parametrize(
    ("load", "restored"),
    [
        ("if args.weights:\n    model.load_weights(args.weights)\n", "restore(args.epoch, named=args.weights)"),
        ("model.load_weights(args.weights)\n", "restore(args.epoch, named=args.weights)"),
        ("name = args.weights\nif name:\n    model.load_weights(name)\n", "restore(args.epoch, named=name)"),
        ("if args.weights:\n    model = keras.models.load_model(args.weights)\n", "named=args.weights)"),
        ("if args.weights not in (None, ''):\n    model.load_weights(args.weights)\n", "named=args.weights)"),
        ("if os.path.exists(args.weights) == True:\n    model.load_weights(args.weights)\n", "named=args.weights)"),
    ],
)
def test_a_file_that_the_user_names_is_loaded_by_the_program_and_the_same_again_is_resumed(
    load: str, restored: str
) -> None:
    text = kept(_NAMED + _HEAD + load + _FIT.replace("=first", "=args.epoch"))
    assert load.replace("keras.models.load_model", "load_compiled_model") in text
    assert restored in text
    assert "has_checkpoint" not in text


@pytest.mark.parametrize(
    ("load", "path"),
    [
        ("if args.resume:\n    model.load_weights(args.weights)\n", "args.weights"),
        (
            "if args.resume:\n    model.load_weights(os.path.join(args.out, args.weights))\n",
            "os.path.join(args.out, args.weights)",
        ),
        ("if wanted(args.out):\n    model.load_weights(args.weights)\n", "args.weights"),
        ("if args.weights != 'NONE':\n    model.load_weights(args.weights)\n", "args.weights"),
        ("if args.weights.lower() not in ('', 'none'):\n    model.load_weights(args.weights)\n", "args.weights"),
        (
            "def start(options):\n    path = options.out + '/' + options.weights\n"
            "    if options.resume:\n        model.load_weights(path)\n\n\nstart(args)\n",
            "path",
        ),
    ],
)
def test_a_file_that_more_than_its_name_decides_on_is_noted_where_it_is_loaded(load: str, path: str) -> None:
    text = kept(_NAMED + _HEAD + load + _FIT.replace("=first", "=args.epoch"))
    assert load.replace(f"load_weights({path})", f"load_weights(begin_from({path}))") in text
    assert "restore(args.epoch, named=begun_from())" in text
    assert "import begin_from, begun_from" in text


@pytest.mark.parametrize(
    ("load", "is_found"),
    [
        ("if args.resume_from:\n    model.load_weights(args.resume_from)\n", True),
        ("RESUME = 'w.h5'\nif RESUME:\n    model.load_weights(RESUME)\n", True),
        ("def continue_training():\n    model.load_weights(args.file)\n\n\ncontinue_training()\n", True),
        ("if args.weights:\n    model.load_weights(args.weights)\n", True),
        ("if args.pretrained:\n    model.load_weights(args.pretrained)\n", False),
        ("model.load_weights('imagenet_checkpoint.h5', by_name=True)\n", False),
    ],
)
def test_without_an_epoch_a_file_that_the_user_may_leave_out_is_a_way_in_but_none_of_another_job(
    load: str, is_found: bool
) -> None:
    source = _NAMED + _HEAD + load + _FIT.replace("initial_epoch=first, ", "")
    text, found = migrate(source)
    assert ("initial_epoch=recovery.restore(named=" in text) == is_found
    assert is_found or (text, found) == (source, [])


def test_what_the_parser_says_of_a_flag_counts_and_a_function_of_another_scope_notes_the_file() -> None:
    source = (
        "import argparse\nimport tensorflow as tf\n\n\ndef train(options, model):\n"
        "    saver = tf.keras.callbacks.ModelCheckpoint('w.keras')\n"
        "    model.fit(x, y, epochs=9, callbacks=[saver])\n\n\ndef main():\n"
        "    parser = argparse.ArgumentParser()\n"
        "    parser.add_argument('--file', help='resume training from this file')\n"
        "    args = parser.parse_args()\n    model = build()\n    if args.file:\n"
        "        model.load_weights(args.file)\n    train(args, model)\n\n\nmain()\n"
    )
    text = kept(source)
    assert "model.load_weights(begin_from(args.file))" in text
    assert "restore(named=begun_from())" in text
    said = source.replace("resume training from this file", "the weights of imagenet")
    assert migrate(said) == (said, [])


def test_an_epoch_to_begin_at_that_is_worked_out_beside_a_load_is_told_of() -> None:
    load = "START_EPOCH = stage(args)\nmodel.load_weights('weights.h5', by_name=True)\n"
    again = "for _ in range(2):\n    " + _FIT.replace("=first", "=START_EPOCH").replace("\n", "\n    ").rstrip() + "\n"
    assert "fit is in a loop" in left(_NAMED + _HEAD + load + again)


def test_fit_may_have_arguments_that_keras_3_does_not_take() -> None:
    source = _HEAD + _LOAD + _FIT.replace("epochs=9", "epochs=9, workers=4, use_multiprocessing=True")
    text, (finding,) = migrate(source)
    assert "workers" not in text
    assert "workers, use_multiprocessing go" in finding.message
    assert "workers=4, use_multiprocessing=True," in migrate(source, target="keras2")[0]


def test_a_name_that_the_function_of_the_callbacks_fills_in_is_asked_of_them() -> None:
    source = (
        "import os\nimport keras\n\n\ndef callbacks_of(model, args):\n"
        "    name = '{}-{{epoch}}.h5'.format(args.name)\n"
        "    return [Redirect(keras.callbacks.ModelCheckpoint(os.path.join(args.out, name)), model)]\n\n\n"
        "def main(options):\n    options = parse_args(options)\n    model = build()\n    if options.resume:\n"
        "        model.load_weights(options.resume)\n    callbacks = callbacks_of(model, options)\n"
        "    model.fit(x, y, epochs=9, callbacks=callbacks)\n"
    )
    assert "recovery_dir = directory_beside(callbacks)\n" in kept(source)  # jobs of other names have others


def test_callbacks_that_save_under_a_name_of_each_start_are_left_with_the_lines_to_write() -> None:
    load = "if args.resume:\n    model.load_weights(args.resume)\n"
    made = "def made():\n    path = time.ctime() + '.h5'\n    return [tf.keras.callbacks.ModelCheckpoint(path)]\n\n\n"
    fit = "model.fit(x, y, epochs=9, initial_epoch=args.epoch, callbacks=made())\n"
    source = f"import time\n{_NAMED}{_HEAD}{made}{load}{fit}"
    assert "each start saves under a name of its own" in left(source)
    _, (finding,) = migrate(source)
    assert "tf.train.CheckpointManager(state" in finding.help
    assert "callbacks=[save_epoch, ...]" in finding.help


def test_backup_and_restore_is_not_given_a_file_that_the_user_names() -> None:
    load = "if args.weights:\n    model.load_weights(args.weights)\n"
    source = _NAMED + _HEAD + load + _FIT.replace("=first", "=args.epoch")
    assert "BackupAndRestore restores its own in any case" in left(source, recovery="backup-and-restore")


def test_fit_generator_may_name_its_generator() -> None:
    fit = _FIT.replace("fit(x, y, ", "fit_generator(generator=batches, steps_per_epoch=4, ")
    assert "model.fit(x=batches, steps_per_epoch=4, epochs=9, initial_epoch=first, " in kept(_HEAD + _LOAD + fit)


def test_a_training_that_counts_samples_as_keras_1_did_is_left_and_its_other_names_are_written_anew() -> None:
    fit = _FIT.replace("fit(x, y, ", "fit_generator(batches, steps_per_epoch=4, ").replace("epochs=9", "nb_epoch=9")
    assert "of Keras 1" in left(_HEAD + _LOAD + fit.replace("steps_per_epoch", "samples_per_epoch"))
    old = fit.replace("nb_epoch=9", "nb_epoch=9, max_q_size=5, pickle_safe=True, nb_worker=2")
    assert "model.fit(batches, steps_per_epoch=4, epochs=9, initial_epoch" in kept(_HEAD + _LOAD + old)
    text = kept(_HEAD + _LOAD + old, target="keras2")
    assert "epochs=9, max_queue_size=5, use_multiprocessing=True, workers=2, initial_epoch" in text
    text = kept(_HEAD + _LOAD + _FIT.replace("epochs=9", "nb_epoch=9"))
    assert "epochs=9, initial_epoch=first, callbacks=[recovery, saver])" in text


def test_a_flag_that_is_a_parameter_still_decides_in_its_function() -> None:
    body = (
        "def train(path, resume=False):\n    model = build()\n    if resume:\n        model.load_weights(path)\n"
        "    model.fit(x, epochs=9, callbacks=[tf.keras.callbacks.ModelCheckpoint(path, save_weights_only=True)])\n"
    )
    source = f"import sys\nimport tensorflow as tf\n\n\n{body}\n\nif __name__ == '__main__':\n"
    text = kept(f"{source}    resume = '--resume' in sys.argv\n    train('out/w.weights.h5', resume=resume)\n")
    assert "recovery.restore() if resume else 0" in text


def test_a_function_that_selects_names_does_not_speak_for_a_test_whether_the_directory_is_empty() -> None:
    source = (
        "import os\nimport tensorflow as tf\n\n\ndef newest(folder):\n"
        "    names = [name for name in os.listdir(folder) if name.endswith('.h5')]\n"
        "    return tf.keras.models.load_model(folder + '/' + max(names)), int(max(names)[2:4])\n\n\n"
        "if not os.listdir(args.folder):\n    model, first = build(), 0\n"
        "else:\n    model, first = newest(args.folder)\n"
        "saver = tf.keras.callbacks.ModelCheckpoint(args.folder + '/m-{epoch:02d}.h5')\n"
        "model.fit(x, y, epochs=9, initial_epoch=first, callbacks=[saver])\n"
    )
    text, _ = migrate("args = parse()\n" + source)
    assert "if not without_recovery(os.listdir(args.folder)):\n" in text
    assert "for name in os.listdir(folder) if name.endswith('.h5')" in text


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("cp-{epoch:04d}", "Keras 3 does not load weights in TensorFlow's format"),
        ("w-{epoch}.weights.h5", ""),
    ],
)
def test_what_keras_3_cannot_load_of_an_old_job_is_said(name: str, said: str) -> None:
    source = _HEAD.replace("w-{epoch:02d}.weights.h5", name) + _LOAD + _FIT
    _, (finding,) = migrate(source)
    assert finding.rewritten
    assert said in finding.message
    assert ("Keras 3 does not load" in finding.message) == bool(said)
    assert "does not load" not in migrate(source, target="keras2")[1][0].message


def test_a_whole_model_of_keras_2_is_said_to_need_keras_2() -> None:
    source = (SHAPES / "newest_by_time.py").read_text().replace("-8:-6", "-5:-3").replace('.keras"', '.h5"')
    said = "Keras 3 may not load a whole model that Keras 2 saved"
    for text in (source, (SHAPES / "newest_by_time.py").read_text()):
        assert any(said in finding.message for finding in migrate(text)[1])


def test_state_that_the_recovery_does_not_hold_is_said() -> None:
    source = _HEAD + _LOAD + _FIT.replace("save_weights_only=True", "save_best_only=True")
    source = source.replace("[saver]", "[saver, tf.keras.callbacks.ReduceLROnPlateau()]")
    source += "tf.keras.layers.Dropout(0.5)\n"
    _, (finding,) = migrate(source)
    for said in ("ReduceLROnPlateau starts anew", "Dropout's random state is not held"):
        assert said in finding.message


def test_a_job_of_horovod_is_left() -> None:
    assert "Horovod" in left("import horovod.tensorflow.keras as hvd\n" + _HEAD + _LOAD + _FIT)


def test_a_model_of_others_that_keras_3_never_builds_is_left_with_backup_and_restore_alone() -> None:
    gan = "class GAN(tf.keras.Model):\n    def train_step(self, data):\n        return {}\n\n\nmodel = GAN()\n"
    source = _HEAD.replace("model = build()\n", gan) + _LOAD + _FIT
    assert "recovery.restore(" in kept(source)
    assert "never builds `GAN`" in left(source, recovery="backup-and-restore")


def test_a_file_that_each_start_loads_must_not_be_one_that_a_kill_cuts_short_or_keras_3_refuses() -> None:
    fit = "if args.train:\n    " + _FIT.replace("\n", "\n    ").rstrip() + "\nelse:\n    model.predict(x)\n"
    fixed = (_HEAD + _LOAD + fit).replace("w-{epoch:02d}.weights.h5", "w.ckpt").replace("out/*.h5", "out/*.ckpt")
    assert "line 10 would load it at each start" in left(fixed)
    whole = (_HEAD + _LOAD + fit).replace(".weights.h5", ".h5")
    whole = whole.replace("model.load_weights(", "model = tf.keras.models.load_model(")
    assert "model = load_compiled_model(" in migrate(whole)[0]
    assert "Keras 3 may not load the whole model" in left(whole.replace(".h5", ""))
    assert "recovery.restore(first)" in kept(whole, target="keras2")


@pytest.mark.parametrize(
    ("number", "said"),
    [
        ("int(files[-1][6:8])", ""),
        ("int(files[-1][6:8]) + 1", "leaves an epoch out"),
        ("int(files[-1].split('-')[1][:2]) - 1", "trains an epoch twice"),
        ("count(files[-1]) + 1", ""),
        ("int(model.optimizer.iterations.numpy()) + 1", ""),
    ],
)
def test_a_number_beside_the_one_in_the_name_of_the_file_is_said_to_be_off_by_one(number: str, said: str) -> None:
    load = _LOAD.replace("int(files[-1][6:8])", number)
    _, (finding,) = migrate(_HEAD + load + _FIT)
    assert finding.rewritten
    assert said in finding.message
    assert bool(said) == ("ModelCheckpoint counts from 1" in finding.message)


def test_a_number_that_is_off_by_one_in_a_function_or_a_step_of_its_own_is_said_too() -> None:
    function = "\n\ndef epoch_of(name):\n    return int(name[6:8]) + 1\n\n\n"
    load = _LOAD.replace("int(files[-1][6:8])", "epoch_of(files[-1])")
    head, _, rest = _HEAD.partition("\npath")
    assert "leaves an epoch out" in migrate(f"{head}{function}path{rest}{load}{_FIT}")[1][0].message
    assert "leaves an epoch out" in migrate(_HEAD + _LOAD + "    first += 1\n" + _FIT)[1][0].message


@pytest.mark.parametrize(("total", "grows"), [("first + 9", True), ("args.more + first", True), ("9", False)])
def test_a_total_of_epochs_that_grows_with_each_start_is_said(total: str, grows: bool) -> None:
    _, (finding,) = migrate(_HEAD + _LOAD + _FIT.replace("epochs=9", f"epochs={total}"))
    assert finding.rewritten
    assert (f"the total of epochs is still {total}" in finding.message) == grows


BOTH_LOAD = """\
import argparse
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--gpus", type=int, default=1)
args = parser.parse_args()
if {test}:
    with tf.distribute.MirroredStrategy().scope():
        model = tf.keras.models.load_model("out/m.keras")
else:
    model = tf.keras.models.load_model("out/m.keras")
model.fit(x, y, epochs=9, callbacks=[tf.keras.callbacks.ModelCheckpoint("out/m.keras")])
"""


@pytest.mark.parametrize("test", ["args.gpus > 1", "gpus > 1"])
def test_a_test_of_which_both_branches_load_keeps_its_meaning_and_decides_on_no_recovery(test):
    text, [found] = migrate(BOTH_LOAD.format(test=test).replace("if gpus", "gpus = count\nif gpus"))
    assert found.rewritten
    assert f"if {test}:\n" in text
    assert 'initial_epoch=recovery.restore(saved="out/m.keras"))' in text
