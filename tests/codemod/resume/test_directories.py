"""The directory of a recovery: one for each job, the same at each start, of the files that the job saves."""

import os
from pathlib import Path

import pytest

from migrate.pipeline.run import run
from migrate.recovery.without_recovery import without_recovery
from migrate.rewrite.recovery_directory import directory_of, folder_of, quoted
from migrate.settings import Settings
from tests.codemod.programs import migrate
from tests.codemod.resume.test_old_way_in import kept, left

_LOOP = """\
import glob
import tensorflow as tf

last = None
model = build()


class Note(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        self.note(logs)

    def note(self, logs):
        global last
        last = logs


files = sorted(glob.glob("out/m_*.h5"))
if files:
    model.load_weights(files[-1])
for epoch in range(9):
    model.fit(x, y, callbacks=[Note()])
    model.save_weights("out/m_%f_%d.h5" % (last["loss"], epoch))
"""


@pytest.mark.parametrize(
    ("noted", "read"),
    [
        ("global last\n        last = logs", 'last["loss"]'),
        ("global last\n        last = logs['loss']", "last"),
        ("last['loss'] = logs['loss']", "last['loss']"),
        ("last.loss = logs['loss']", "last.loss"),
    ],
)
def test_what_a_callback_notes_is_no_part_of_the_directory(noted: str, read: str) -> None:
    text = _LOOP.replace("global last\n        last = logs", noted).replace('last["loss"]', read)
    assert 'drop_empty_checkpoint_list("out/m_recovery")\n' in kept(text)


def test_an_optimizer_that_the_turns_of_a_loop_set_is_not_held_from_before_it() -> None:
    text = _LOOP.replace("    model.fit", "    model.optimizer = choose()\n    model.fit")
    assert "line 21 makes, in a turn of the loop, what it trains" in left(text)


@pytest.mark.parametrize("path", [r"out\\m_%d.h5", r"out\\m.weights.h5"])
def test_a_separator_of_windows_is_one_in_the_directory_on_each_system(path: str) -> None:
    text = _LOOP.replace('out/m_*.h5"', f'{path.replace("%d", "*")}"')
    text = text.replace('"out/m_%f_%d.h5" % (last["loss"], epoch)', f'"{path}"' + " % epoch" * ("%" in path))
    assert 'drop_empty_checkpoint_list("out/m_recovery")\n' in kept(text)


@pytest.mark.parametrize(
    ("name", "directory"),
    [
        ("SA-RRDB(Step {epoch}).h5", "SA-RRDB_Step_recovery"),
        ("m [{epoch}].h5", "m_recovery"),
        ("m[a].h5", "m_a_recovery"),
        ("m(1) - {epoch}.h5", "m(1)_recovery"),
    ],
)
def test_a_directory_has_no_bracket_of_a_pattern_and_none_that_is_cut_from_its_other_half(
    name: str, directory: str
) -> None:
    source = f'''import os
import keras

model = build()
if args.weights:
    model.load_weights(args.weights)
model.fit(x, y, epochs=5, callbacks=[keras.callbacks.ModelCheckpoint(os.path.join(PLACE, "{name}"))])
'''
    assert f'drop_empty_checkpoint_list("out/{directory}")\n' in kept(source.replace("PLACE", '"out"'))
    assert f'os.path.join(args.out, "{directory}")\n' in kept(source.replace("PLACE", "args.out"))


_CHOSEN = """\
import os
from keras.callbacks import ModelCheckpoint

name = "fcn"
model = {}
path = {}
if os.path.exists(path):
    model.load_weights(path)
"""
_TRAINS = (
    "model.fit(x, y, callbacks=[ModelCheckpoint({}, save_weights_only=True)])\n",
    "for epoch in range(9):\n    model.train_on_batch(x, y)\n    model.save_weights({})\n",
)


@pytest.mark.parametrize("chooses", ['fcn() if name == "fcn" else unet()', "MODELS[name]()"])
@pytest.mark.parametrize("training", _TRAINS)
@pytest.mark.parametrize("path", ['"out/" + name + ".weights.h5"', 'os.path.join("out", name, "w.weights.h5")'])
def test_a_constant_that_the_user_edits_to_choose_keeps_its_name_in_the_directory(
    chooses: str, training: str, path: str
) -> None:
    text = kept(_CHOSEN.format(chooses, path) + training.format(path))
    made = text.partition("drop_empty_checkpoint_list(")[0].rpartition("recovery_dir = ")[2].partition("\n")[0]
    assert made in (f"directory_beside({path})", path.replace("w.weights.h5", "w_recovery"))


@pytest.mark.parametrize("training", _TRAINS)
@pytest.mark.parametrize(
    ("constant", "path", "where"),
    [
        ("out/run1.weights.h5", "name", "directory_beside(name)"),
        ("run1-{epoch}.hdf5", "name", "directory_beside(name)"),
        ("run1.h5", 'os.path.join("out", name)', 'directory_beside(os.path.join("out", name))'),
    ],
)
def test_a_constant_that_is_a_files_name_is_read_for_the_directory_where_that_has_the_same_name(
    constant: str, path: str, where: str, training: str
) -> None:
    """An edit makes another one, and a job that an earlier release has rewritten finds its own again."""
    text, _ = migrate(_CHOSEN.format("build(size)", path).replace('"fcn"', f'"{constant}"') + training.format(path))
    assert where in text.partition("model = ")[2]


@pytest.mark.parametrize(
    ("constant", "where"),
    [
        ("out/run1.ckpt", 'os.path.splitext(name)[0] + "_recovery"'),
        ("out/run1", 'name + "_recovery"'),
        ("run1.keras.h5", 'os.path.splitext(name)[0] + "_recovery"'),
        ("run-{epoch}.ckpt", '"run_recovery"'),
    ],
)
def test_so_it_is_with_another_ending(constant: str, where: str) -> None:
    text, _ = migrate(_CHOSEN.format("build(size)", "name").replace("fcn", constant) + _TRAINS[0].format("name"))
    assert f"recovery_dir = {where}\n" in text or f"list({where})" in text
    made = eval(where, {"os": os, "name": constant})
    assert quoted(made) == directory_of(constant)


def test_a_constant_that_chooses_nothing_is_part_of_the_directorys_text() -> None:
    path = '"out/" + name + ".weights.h5"'
    assert '("out/fcn_recovery")' in kept(_CHOSEN.format("build(name)", path) + _TRAINS[0].format(path))


_STAGES = """import os
import tensorflow as tf
from settings import args

model = build()
if os.path.exists(args.weights):
    model.load_weights(args.weights)
saver = tf.keras.callbacks.ModelCheckpoint({}, save_weights_only=True)
model.fit(x, y, epochs=3, callbacks=[saver])
unfreeze(model)
model.fit(x, y, epochs=9, initial_epoch=3, callbacks=[saver])
"""


@pytest.mark.parametrize("path", ["args.weights", 'args.weights + "-{epoch}"'])
def test_a_later_stage_has_a_directory_of_its_own_where_the_file_is_named_at_the_start(path: str) -> None:
    text, _ = migrate(_STAGES.format(path))
    assert f"recovery_dir = directory_beside({path})\n" in text
    assert f'recovery_dir_2 = directory_beside({path}) + "_2"\n' in text


_NO_ENDING = """\
import os
import keras

model = build()
if {}:
    model.load_weights('weights')
for epoch in range(9):
    model.fit(x, y, epochs=1)
    model.{}
"""


@pytest.mark.parametrize("test", ["os.path.isfile('weights')", "args.resume and os.path.exists('weights')"])
def test_a_file_that_keras_1_alone_wrote_is_cut_short_by_no_kill(test: str) -> None:
    source = _NO_ENDING.format(test, "save_weights('weights')")
    assert 'drop_empty_checkpoint_list("weights_recovery")\n' in migrate(source)[0]


@pytest.mark.parametrize(
    ("test", "save"),
    [
        ("os.path.exists('weights.index')", "save_weights('weights')"),  # of TensorFlow's
        ("os.path.isfile('weights')", "save_weights('weights', save_format='h5')"),
        ("again or os.path.isfile('weights')", "save_weights('weights')"),
        ("os.path.isfile('other')", "save_weights('weights')"),
    ],
)
def test_what_a_kill_may_cut_short_is_loaded_at_no_start(test: str, save: str) -> None:
    source = _NO_ENDING.format(test, save)
    text, findings = migrate(source)
    assert text == source and "trains what it loads" in findings[0].message


_OWN = """\
import os
import tensorflow as tf
from settings import args


class Keeper(tf.keras.callbacks.ModelCheckpoint):
    def __init__(self, {takes}):
        super().__init__({gives})


model = build()
if os.path.exists(args.weights):
    model.load_weights(args.weights)
model.fit(x, y, epochs=9, callbacks=[Keeper({given})])
"""


@pytest.mark.parametrize(
    ("takes", "gives", "given"),
    [
        ("filepath, verbose=1", "filepath, verbose=verbose", "args.weights"),
        ("other, path", "filepath=path, save_weights_only=True", "model, args.weights"),
        ("other, *rest, **others", "*rest, **others", "model, args.weights, save_weights_only=True"),
    ],
)
def test_a_callback_of_the_programs_own_class_saves_where_it_gives_on_that_it_does(
    takes: str, gives: str, given: str
) -> None:
    source = _OWN.format(takes=takes, gives=gives, given=given)
    assert "recovery_dir = directory_beside(args.weights)\n" in migrate(source)[0]


def test_a_callback_that_is_given_folder_and_name_apart_is_not_guessed_from_one_of_them() -> None:
    source = _OWN.format(takes="folder, name", gives='""', given="args.folder, args.name")
    assert "no one ModelCheckpoint of this file tells where it saves" in left(source)


_ANEW = """\
import os
from datetime import datetime
import tensorflow as tf
from settings import args


def paths(args):
    day = datetime.now().strftime("%Y-%m-%d")
    folder = os.path.join("out", "{{}}_{{}}".format(day, args.kind))
    return folder, folder + "_log"


model = build()
if args.resume:
    model.load_weights(args.resume)
{}
model.fit(x, y, epochs=9, callbacks=[tf.keras.callbacks.ModelCheckpoint({} + "_{{epoch}}.h5")])
"""


@pytest.mark.parametrize(
    ("named", "path"),
    [
        ("folder, log = paths(args)", "os.path.join(folder, 'm')"),
        ("name = datetime.now().isoformat()\nname += args.kind", "name"),
    ],
)
def test_files_that_each_start_names_by_its_time_are_left_with_that_reason(named: str, path: str) -> None:
    assert "each start saves under a name of its own" in left(_ANEW.format(named, path))


_IN_FOLDER = """\
import os
import tensorflow as tf

model = build()
folder = "out/weights/"


def load(model):
    {}


{}
saver = tf.keras.callbacks.ModelCheckpoint(folder + "w-{{epoch}}.h5", save_weights_only=True)
model.fit(x, y, epochs=9, callbacks=[saver])
"""
_NEWEST = "newest = tf.train.latest_checkpoint(folder)\n        model.load_weights(newest)"


@pytest.mark.parametrize(
    ("body", "line"),
    [
        (f"if os.path.exists(folder):\n        {_NEWEST}", 9),
        (f'if os.path.isdir("out"):\n        {_NEWEST}', 9),
        (f"if not os.path.isdir(folder):\n        pass\n    else:\n        {_NEWEST}", 9),
        (f"if os.path.exists(folder):\n        {_NEWEST}".replace("(newest)", '(folder + "w-1.h5")'), 9),
        (f"if os.path.exists(folder):\n        {_NEWEST}".replace("(newest)", '(os.path.join(folder, "w-1.h5"))'), 9),
        (
            "model.load_weights(tf.train.latest_checkpoint(folder))\n\n\nif os.path.exists(folder):\n    load(model)\n",
            12,
        ),
    ],
)
def test_a_folder_that_the_recovery_makes_is_no_sign_that_there_is_a_file(body: str, line: int) -> None:
    source = _IN_FOLDER.format(body, "" if "load(model)" in body else "load(model)")
    assert f"line {line} asks for a folder, which the recovery makes before a file is in it" in left(source)


@pytest.mark.parametrize(
    "body",
    [
        f"if os.path.exists(folder):\n        {_NEWEST}".replace("model.load", "if newest: model.load"),
        f'if os.path.exists("other"):\n        {_NEWEST}',
        'if os.path.exists(folder + "w-1.h5"):\n        model.load_weights(folder + "w-1.h5")',
        "if os.path.exists(folder) and os.listdir(folder):\n"
        "        model.load_weights(folder + sorted(os.listdir(folder))[-1], by_name=True)\n        print(folder)",
    ],
)
def test_a_folder_beside_which_another_test_asks_for_the_file_may_be_made(body: str) -> None:
    assert "EpochRecovery" in kept(_IN_FOLDER.format(body, "load(model)"))


@pytest.mark.parametrize(
    "name", ["w.weights.h5", "net-ckpt-{epoch}.h5", "ckpt_", "w=", "", "{epoch}.keras", "w_recovery"]
)
def test_a_listing_passes_by_each_directory_that_is_made_beside_a_file_and_of_each_stage(name: str) -> None:
    text, _ = migrate(_STAGES.format(f'"out/{name}"'))
    made = [line.partition('"')[2].rstrip('")') for line in text.splitlines() if "drop_empty_checkpoint_list(" in line]
    assert [one.rpartition("/")[2] for one in made] == [folder_of(name), f"{folder_of(name)}_2"]
    assert without_recovery([*made, "out/recovered", "out/w_recovery_h5"]) == ["out/recovered", "out/w_recovery_h5"]


@pytest.mark.parametrize(
    ("clears", "is_each"),
    [
        ("shutil.rmtree('out', ignore_errors=True)", True),
        ("if os.path.exists('out'):\n    shutil.rmtree('out')", True),
        ("if args.anew:\n    shutil.rmtree('out')", False),
        ("shutil.rmtree('out/plots')", False),
    ],
)
def test_a_folder_that_each_start_removes_holds_no_recovery(clears: str, is_each: bool) -> None:
    source = f"""\
import os
import shutil
import keras
from settings import args

{clears}
model = build()
if args.weights:
    model.load_weights(args.weights)  # resume training
saver = keras.callbacks.ModelCheckpoint("out/w-{{epoch}}.weights.h5", save_weights_only=True)
model.fit(x, y, epochs=9, callbacks=[saver])
"""
    text, findings = migrate(source, select=("FT201",))
    assert is_each != ("restore(named=args.weights)" in text)
    assert is_each == ("each start removes the folder where the recovery would be, by line" in findings[0].message)


_TWO = """\
import os
import tensorflow as tf

PATH = {path}
model = build()
if os.path.exists("out/m.weights.h5"):
    model.load_weights("out/m.weights.h5")
saver = tf.keras.callbacks.ModelCheckpoint({path}, save_weights_only=True)
model.fit(x, y, epochs=9, callbacks=[saver])
"""
_LOOPED = """\
import os
import tensorflow as tf

model = build()
if os.path.exists("out/m.weights.h5"):
    model.load_weights("out/m.weights.h5")
for epoch in range(9):
    model.train_on_batch(x, y)
    model.save_weights("out/m.weights.h5")
"""
_M = '"out/m.weights.h5"'


@pytest.mark.parametrize(
    ("other", "directory"),
    [
        (_TWO.format(path=_M), "out/m_digits_recovery"),
        (_LOOPED, "out/m_digits_recovery"),
        (_TWO.format(path='"out/other.weights.h5"'), "out/m_recovery"),  # it only begins with what this one saves
        (_LOOPED.replace("train_on_batch", "test_on_batch"), "out/m_recovery"),
    ],
)
@pytest.mark.parametrize("own", [_TWO.format(path=_M), _LOOPED])
def test_another_program_that_trains_the_same_file_has_a_directory_of_its_own(
    own: str, other: str, directory: str, tmp_path: Path
) -> None:
    assert f'drop_empty_checkpoint_list("{directory}")' in _beside({"digits": own, "letters": other}, tmp_path)


@pytest.mark.parametrize("other", ["copy/digits", "main"])
def test_a_copy_of_a_program_and_what_starts_it_are_no_other_program(other: str, tmp_path: Path) -> None:
    (tmp_path / "copy").mkdir()
    files = {"digits": _TWO.format(path=_M), other: f"import digits\n{_LOOPED}" if other == "main" else _LOOPED}
    assert 'drop_empty_checkpoint_list("out/m_recovery")' in _beside(files, tmp_path)


def test_where_the_file_is_known_when_the_program_runs_its_directory_is_told_the_program(tmp_path: Path) -> None:
    chosen = _TWO.format(path="PATH").replace("PATH = PATH", 'NAME = "a"\nPATH = "out/" + NAME + ".weights.h5"')
    own = chosen.replace("build()", 'a() if NAME == "a" else b()').replace(_M, "PATH")
    text = _beside({"digits": own, "letters": own}, tmp_path)
    assert 'recovery_dir = directory_beside(PATH, "digits")' in text


def _beside(files: dict[str, str], directory: Path) -> str:
    """The first of some programs, rewritten beside the others."""
    for name, text in files.items():
        (directory / f"{name}.py").write_text(text)
    outcome = run([str(directory / "digits.py")], Settings(select=("FT201",)), jobs=1, progress=None)
    return "".join(one.after for one in outcome.changes if one.path.endswith("digits.py"))
