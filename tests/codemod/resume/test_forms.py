"""Every form of recovery by hand around ``fit`` stays whole, behind a recovery that is asked first."""

import re
from collections import Counter

import pytest

from migrate.findings.finding import Fidelity
from tests.codemod.programs import migrate

_IMPORTS = {"glob.": "import glob\n", "re.": "import re\n", "Path(": "from pathlib import Path\n"}
_HEAD = """\
import os
import tensorflow as tf

folder = "out"
path = os.path.join(folder, "w-{epoch:02d}.h5")
model = build()
model.compile("adam", "mse")
"""
_TAIL = """\
saver = tf.keras.callbacks.ModelCheckpoint(path, save_weights_only=True)
model.fit(x, y, epochs=5, callbacks=[saver]{})
"""
_FIRST = ", initial_epoch=first"

FORMS = {
    "latest_checkpoint": (
        "latest = tf.train.latest_checkpoint(folder)\nif latest:\n    model.load_weights(latest)\n",
        "",
    ),
    "latest_checkpoint in the test": (
        "if tf.train.latest_checkpoint(folder) is not None:\n"
        "    model.load_weights(tf.train.latest_checkpoint(folder))\n",
        "",
    ),
    "try": ("try:\n    model.load_weights(path)\nexcept (OSError, ValueError):\n    print('new')\n", ""),
    "newest of a glob, epoch from its name": (
        'files = sorted(glob.glob(os.path.join(folder, "*.h5")))\nfirst = 0\nif len(files) > 0:\n'
        "    newest = files[-1]\n    model.load_weights(newest)\n"
        '    first = int(re.search("-([0-9]+)", newest).group(1))\n    print("resumed at", first)\n',
        _FIRST,
    ),
    "newest by time, else branch": (
        'files = glob.glob(folder + "/*")\nif files:\n    newest = max(files, key=os.path.getctime)\n'
        '    model.load_weights(newest)\n    first = int(newest.split("-")[-1].split(".")[0])\n'
        "else:\n    first = 0\n    print('from scratch')\n",
        _FIRST,
    ),
    "try, told of in its else": (
        "try:\n    model.load_weights(path)\nexcept:\n    print('new')\nelse:\n    print('old')\n",
        "",
    ),
    "a list that is sorted in place": (
        'files = glob.glob("out/*.h5")\nfiles.sort()\nif files:\n    model.load_weights(files[-1])\n',
        "",
    ),
    "pathlib": (
        'files = sorted(Path("out").glob("w-*.h5"))\nfirst = 0\nif files:\n    newest = files[-1]\n'
        '    model.load_weights(str(newest))\n    first = int(newest.stem.split("-")[1])\n',
        _FIRST,
    ),
    "a loop that looks for the newest": (
        "first, newest = 0, None\nfor name in os.listdir(folder):\n    number = int(name.split('-')[1][:2])\n"
        "    if number > first:\n        first = number\n        newest = os.path.join(folder, name)\n"
        "if newest is not None:\n    model.load_weights(newest)\n",
        _FIRST,
    ),
    "listdir": (
        "first = len(os.listdir(folder))\nif os.listdir(folder):\n    model.load_weights(path.format(epoch=first))\n",
        _FIRST,
    ),
    "whole model": (
        'files = sorted(glob.glob("out/*.h5"))\nif files:\n    model = tf.keras.models.load_model(files[-1])\n'
        "    first = int(model.optimizer.iterations.numpy()) // 10\nelse:\n    first = 0\n",
        _FIRST,
    ),
    "iterations set by hand": (
        "if os.path.exists(path.format(epoch=done)):\n    model.load_weights(path.format(epoch=done))\n"
        "    model.optimizer.iterations.assign(30)\n",
        "",
    ),
}

AT_EACH_START = {"try", "try, told of in its else", "iterations set by hand"}
"""Forms without a test that a load alone stands below: the old code loads at each start."""


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text))


@pytest.mark.parametrize("recovery", ["checkpoint-manager", "backup-and-restore"])
@pytest.mark.parametrize("form", FORMS)
def test_the_recovery_is_asked_first_and_nothing_of_the_idiom_is_deleted(form: str, recovery: str) -> None:
    load, argument = FORMS[form]
    imports = "".join(line for use, line in _IMPORTS.items() if use in load)
    source = imports + _HEAD + load + _TAIL.format(argument)
    text, findings = migrate(source, recovery=recovery)
    if recovery == "backup-and-restore" and form in AT_EACH_START:
        assert text == source and "would load it at each start" in findings[0].message
        return
    assert [finding.rewritten for finding in findings if finding.code == "FT201"] == [True]
    assert all(finding.rewritten and finding.code in ("FT201", "FT206") for finding in findings)
    assert words(source) <= words(text.replace("load_compiled_model", "keras.models.load_model"))
    assert 'recovery_dir = os.path.join(folder, "w_recovery")\n' in text
    assert ("not has_checkpoint(recovery_dir)" in text) == (form not in AT_EACH_START)
    if recovery == "backup-and-restore":
        assert "backup = tf.keras.callbacks.BackupAndRestore(recovery_dir, delete_checkpoint=False)\n" in text
    else:
        assert ("first = recovery.restore(first)\n" if argument else "initial_epoch=recovery.restore()") in text
    assert migrate(text, recovery=recovery) == (text, [])


@pytest.mark.parametrize(
    "beside",
    ["print('Loading the weights of', path)", "import re", "notify('resumed')", "logging.info(newest('out'))"],
)
def test_a_statement_beside_the_load_stays(beside: str) -> None:
    load = f"if os.path.exists(path):\n    {beside}\n    model.load_weights(path)\n"
    text, (finding,) = migrate(_HEAD + load + _TAIL.format(""))
    assert finding.rewritten
    assert words(_HEAD + load) <= words(text)


def test_a_function_that_only_the_resumption_calls_stays() -> None:
    source = """\
import os
import tensorflow as tf


def newest(folder):
    names = os.listdir(folder)
    return os.path.join(folder, max(names)) if names else None


def main():
    model = build()
    latest = newest("out")
    if latest:
        model.load_weights(latest)
    model.fit(x, y, callbacks=[tf.keras.callbacks.ModelCheckpoint("out/{epoch}.weights.h5")])
"""
    text, (finding,) = migrate(source)
    assert finding.rewritten
    assert words(source) <= words(text)


@pytest.mark.parametrize("best", ["save_best_only=True", "save_best_only=args.best"])
def test_a_callback_that_keeps_the_best_stays_and_recovery_is_added_before_it(best: str) -> None:
    source = _HEAD + FORMS["latest_checkpoint"][0] + _TAIL.format("").replace("save_weights_only=True", best)
    text, _ = migrate(source)
    assert "saver = tf.keras.callbacks.ModelCheckpoint(path, " in text
    assert "callbacks=[recovery, saver]" in text
    assert "savers=[saver]" in text


@pytest.mark.parametrize("given", ["callbacks", "made()"])
def test_callbacks_made_elsewhere_that_keep_the_best_go_on_from_it_where_a_variable_holds_them(given: str) -> None:
    made = "def made():\n    return [tf.keras.callbacks.ModelCheckpoint(path, save_best_only=True)]\n\n\n"
    source = _HEAD + made + FORMS["latest_checkpoint"][0] + "callbacks = made()\n"
    text, (finding,) = migrate(source + f"model.fit(x, y, epochs=5, callbacks={given})\n")
    assert ("savers=callbacks" in text) == (given == "callbacks")
    assert ("best value starts anew" in finding.message) == (given != "callbacks")
    plain, _ = migrate(source.replace(", save_best_only=True", "") + f"model.fit(x, y, epochs=5, callbacks={given})\n")
    assert "savers=" not in plain


def test_so_do_those_of_a_list_whose_file_has_a_name_that_is_not_seen() -> None:
    text, _ = migrate("""\
import os
import tensorflow as tf

path = "w.h5"
if os.path.exists("/mnt"):
    path = "/mnt/" + path
model = build()
callbacks = [tf.keras.callbacks.ModelCheckpoint(path, save_best_only=True, save_weights_only=True)]
if os.path.exists(path):
    model.load_weights(path)
model.fit(x, y, epochs=5, callbacks=callbacks)
""")
    assert "directory_beside(callbacks)" in text and "savers=callbacks" in text


def test_a_callback_without_a_name_that_keeps_the_best_is_said_to_begin_anew() -> None:
    callback = "tf.keras.callbacks.ModelCheckpoint(path, save_best_only=True)"
    source = _HEAD + FORMS["latest_checkpoint"][0] + f"model.fit(x, y, epochs=5, callbacks=[{callback}])\n"
    text, (finding,) = migrate(source)
    assert "savers=" not in text
    assert "give it initial_value_threshold" in finding.message


def test_arguments_that_keras_3_refuses_go_unless_keras_2_is_the_target() -> None:
    saver = "save_best_only=True, period=2, options=o"
    source = _HEAD + FORMS["latest_checkpoint"][0] + _TAIL.format("").replace("save_weights_only=True", saver)
    text, findings = migrate(source)
    assert "ModelCheckpoint(path, save_best_only=True)" in text
    assert "period is removed" in findings[0].message
    assert saver in migrate(source, target="keras2")[0]


@pytest.mark.parametrize("often", ["100", "2 * steps", "args.save_freq"])
def test_batches_between_two_saves_stay_as_many(often: str) -> None:
    source = _HEAD + FORMS["latest_checkpoint"][0] + _TAIL.format("")
    assert "save_freq" not in migrate(source)[0]
    source = source.replace("save_weights_only=True", f"save_weights_only=True, save_freq={often}")
    text, (finding,) = migrate(source)
    assert "epoch=tf.Variable(0), batch=tf.Variable(0)" in " ".join(text.split())
    assert text.count(f"save_freq={often}") == 2
    assert f"saved after {often} batches too" in finding.message
    assert "save_freq=" not in migrate(source.replace(f"={often}", "='epoch'"))[0].replace("save_freq='epoch'", "")
    assert "resumes after a whole epoch" in migrate(source, recovery="backup-and-restore")[1][0].message


@pytest.mark.parametrize("given", ["9.0", "5000.0 // size", "np.ceil(n / 8)"])
@pytest.mark.parametrize("call", ["fit(x, y, ", "fit_generator(x, "])
def test_steps_that_may_be_a_float_are_made_whole_because_keras_3_counts_to_no_float(given: str, call: str) -> None:
    source = _HEAD + FORMS["latest_checkpoint"][0] + _TAIL.format("").replace("fit(x, y, ", call)
    source = source.replace("epochs=5", f"steps_per_epoch={given}, validation_steps={given}, epochs=5")
    text, (finding,) = migrate(source)
    assert f"steps_per_epoch=int({given})" in text
    assert f"validation_steps=int({given})" in text
    assert "steps_per_epoch is made an int" in finding.message
    assert f"steps_per_epoch={given}" in migrate(source, target="keras2")[0]


@pytest.mark.parametrize("steps", ["9", "n // 8", "math.ceil(n / 8)", "int(n / 8)", "args.steps"])
def test_steps_that_are_whole_stay_as_they_are(steps: str) -> None:
    source = _HEAD + FORMS["latest_checkpoint"][0] + _TAIL.format(f", steps_per_epoch={steps}")
    assert f"steps_per_epoch={steps}" in migrate(source)[0]


@pytest.mark.parametrize("target", ["portable", "keras2", "keras3"])
@pytest.mark.parametrize(
    ("name", "only_weights", "taken"),
    [
        ("best.hdf5", True, ".weights.h5"),
        ("best.h5", True, ".weights.h5"),
        ("best.weights.h5", True, ""),
        ("best.hdf5", False, ".keras"),
        ("best.h5", False, ""),
        ("best.keras", False, ""),
    ],
)
def test_a_file_that_the_program_saves_is_never_renamed_and_a_name_that_keras_3_refuses_is_said(
    name: str, only_weights: bool, taken: str, target: str
) -> None:
    source = f"""\
import os
import tensorflow as tf

path = "{name}"
model = build()
if os.path.exists(path):
    model.load_weights(path)
saver = tf.keras.callbacks.ModelCheckpoint(path, save_best_only=True, save_weights_only={only_weights})
model.fit(x, y, callbacks=[saver])
"""
    text, (finding,) = migrate(source, target=target)
    assert f'path = "{name}"\n' in text
    assert "ModelCheckpoint(path," in text
    said = f"file only if it ends in {taken}:" if taken and target != "keras2" else ""
    assert said in finding.message
    assert bool(said) == ("file only if it ends" in finding.message)


def test_total_epochs_are_said_where_each_start_trained_as_many_more() -> None:
    _, findings = migrate(_HEAD + FORMS["try"][0] + _TAIL.format(""))
    assert "epochs is now the total over all starts" in findings[0].message
    _, findings = migrate(_HEAD + FORMS["newest of a glob, epoch from its name"][0] + _TAIL.format(_FIRST))
    assert "total over all starts" not in findings[0].message


def test_the_state_of_other_callbacks_is_said_and_csv_logger_appends() -> None:
    callbacks = "[saver, tf.keras.callbacks.EarlyStopping(), tf.keras.callbacks.CSVLogger('l.csv')]"
    source = _HEAD + FORMS["try"][0] + _TAIL.format("").replace("[saver]", callbacks)
    text, findings = migrate(source)
    assert "CSVLogger('l.csv', append=True)" in text
    assert "EarlyStopping starts anew" in findings[0].message


def test_a_csv_logger_that_says_not_to_append_appends_and_one_that_a_variable_decides_is_told() -> None:
    callbacks = "[saver, tf.keras.callbacks.CSVLogger('l.csv', append=False)]"
    source = _HEAD + FORMS["try"][0] + _TAIL.format("").replace("[saver]", callbacks)
    assert "CSVLogger('l.csv', append=True)" in migrate(source)[0]
    text, findings = migrate(source.replace("append=False", "append=args.more"))
    assert "append=args.more" in text
    assert "CSVLogger empties its file at a start where `args.more` is false" in findings[0].message


def test_a_list_of_callbacks_stays_as_it_is_laid_out() -> None:
    callbacks = "[\n    # first\n    saver,\n    tf.keras.callbacks.CSVLogger('l.csv',\n        ','),  # log\n]"
    source = _HEAD + FORMS["try"][0] + _TAIL.format("").replace("[saver]", callbacks)
    text, _ = migrate(source)
    assert "[\n    recovery,\n    # first\n    saver,\n    tf.keras.callbacks.CSVLogger('l.csv',\n" in text
    assert "        ',', append=True),  # log\n]" in text.replace("\n        append", " append")


def test_a_list_of_callbacks_with_a_name_keeps_its_name() -> None:
    source = _HEAD + FORMS["try"][0] + _TAIL.format("").replace("[saver]", "callbacks")
    source = source.replace("model.fit", "callbacks = [saver, log]\nmodel.fit")
    text, _ = migrate(source)
    assert "callbacks = [saver, log]\n" in text
    assert "callbacks=[recovery, *callbacks]" in text
    added = source.replace("[saver, log]", "[saver]\nif args.log:\n    callbacks += [log]")
    assert "callbacks=[recovery, *callbacks]" in migrate(added)[0]
    given = source.replace("[saver, log]", "[saver] if args.log else None")
    assert "callbacks=[recovery, *(callbacks or [])]" in migrate(given)[0]
    source = source.replace("[saver, log]", "[log]\ncallbacks.append(saver)")
    text, _ = migrate(source)
    assert "callbacks = [log]\ncallbacks.append(saver)\n" in text
    assert "callbacks=[recovery, *callbacks]" in text


PROBLEMS = {
    "a loop": (
        _HEAD + "for fold in folds:\n" + "    " + FORMS["try"][0].replace("\n", "\n    ").rstrip(" ")
        + "    model.fit(x, y, callbacks=[tf.keras.callbacks.ModelCheckpoint(path)])\n",
        "fit is in a loop",
    ),
    "an epoch that cannot be followed": (
        _HEAD + "first, model = load_model(folder)\n" + _TAIL.format(_FIRST),
        "what loads it is not seen",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("source", "reason"), PROBLEMS.values(), ids=PROBLEMS.keys())
def test_a_recovery_that_cannot_be_followed_is_left_whole_with_its_reason(source: str, reason: str) -> None:
    text, findings = migrate(source)
    assert text == source
    assert [finding.fidelity for finding in findings] == [Fidelity.MANUAL]
    assert reason in findings[0].message


@pytest.mark.parametrize(
    ("path", "directory"),
    [
        ('"out/w.weights.h5"', '"out/w_recovery"'),
        ('"it\'s.weights.h5"', '"it\'s_recovery"'),
        ('"out/{epoch}/w.h5"', '"out/recovery"'),
        ("args.weights", "directory_beside(args.weights)"),
        ('args.folder + "/w.h5"', 'os.path.join(args.folder, "w_recovery")'),
        ('f"{args.folder}/w-{{epoch}}.h5"', 'os.path.join(args.folder, "w_recovery")'),
        ('os.path.join(args.folder, "w-{epoch:02d}.h5")', 'os.path.join(args.folder, "w_recovery")'),
        (
            'os.path.join(args.folder, "{epoch}", "w.h5")',
            'directory_beside(os.path.join(args.folder, "{epoch}", "w.h5"))',
        ),
        (
            'os.path.join(args.folder, args.name + ".h5")',
            'directory_beside(os.path.join(args.folder, args.name + ".h5"))',
        ),
        ('f"out/{args.name}{{epoch}}.h5"', 'directory_beside(f"out/{args.name}{{epoch}}.h5")'),
        ('f"out/{args.name}-{{epoch}}"', 'directory_beside(f"out/{args.name}-{{epoch}}")'),
    ],
)
def test_files_of_another_name_get_a_directory_of_another_name(path: str, directory: str) -> None:
    source = f"""\
import os
import tensorflow as tf


def train(args, model):
    if os.path.exists({path}):
        model.load_weights({path})
    model.fit(x, y, epochs=5, callbacks=[tf.keras.callbacks.ModelCheckpoint({path}, save_weights_only=True)])
"""
    text, _ = migrate(source)
    assert "".join(directory.split()) in "".join(text.split()), text


def test_a_name_that_the_function_is_given_stays_in_the_name_of_the_directory() -> None:
    source = """\
import os
import tensorflow as tf


def train(model, name):
    path = os.path.join("out", name, "w-{epoch}.h5")
    newest = tf.train.latest_checkpoint(os.path.dirname(path))
    if newest:
        model.load_weights(newest)
    model.fit(x, y, epochs=5, callbacks=[tf.keras.callbacks.ModelCheckpoint(path, save_weights_only=True)])


train(build(), "first")
"""
    text, _ = migrate(source)
    assert "recovery_dir = directory_beside(path)\n" in text
