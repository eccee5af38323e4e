"""A function that loads before ``fit`` stays, behind a recovery that is asked first."""

import re
from collections import Counter
from pathlib import Path

import pytest

from migrate.pipeline.run import run
from migrate.settings import Settings
from tests.codemod.programs import migrate
from tests.codemod.resume.test_old_way_in import left

_MAKER = """\
import os
import keras

folder = "out"


def make_or_restore_model(place):
    # What is there, or a model made anew.
    names = [place + "/" + name for name in os.listdir(place)]
    if names:
        newest = max(names, key=os.path.getctime)
        print("Restoring from", newest)
        return keras.models.load_model(newest)
    print("new")
    return build()


model = make_or_restore_model(folder)
saver = keras.callbacks.ModelCheckpoint(folder + "/m-{loss:.2f}.keras")
model.fit(x, y, epochs=3, callbacks=[saver])
"""
_PAIR = """\
import glob
import os
import re
import keras


def newest(folder):
    files = glob.glob(os.path.join(folder, "w-*.h5"))
    if not files:
        return None, 0
    last = max(files, key=os.path.getctime)
    return last, int(re.search(r"w-(\\d+)", last).group(1))


def main(args, model):
    first = 0
    if args.resume:
        path, first = newest(args.out)
        if path is not None:
            model.load_weights(path)
    saver = keras.callbacks.ModelCheckpoint(os.path.join(args.out, "w-{epoch}.h5"), save_weights_only=True)
    model.fit(x, y, epochs=9, initial_epoch=first, callbacks=[saver])
"""
_RESUMER = """\
import os
import keras


def load_newest(model, folder):
    files = [name for name in os.listdir(folder) if name.endswith(".h5")]
    if not files:
        print("none")
        return 0
    files.sort(key=lambda name: int(name.split("-")[1][:-3]))
    model.load_weights(os.path.join(folder, files[-1]))
    return int(files[-1].split("-")[1][:-3])


def main(args):
    model = build()
    first = load_newest(model, args.out)
    saver = keras.callbacks.ModelCheckpoint(os.path.join(args.out, "w-{epoch}.h5"), save_weights_only=True)
    model.fit(x, y, epochs=9, initial_epoch=first, callbacks=[saver])
"""
_ELSE = """\
import os
import keras

model = build()
if args.resume and os.path.isfile("w.h5"):
    model.load_weights("w.h5")
{}
saver = keras.callbacks.ModelCheckpoint("w.h5", save_weights_only=True)
model.fit(x, y, epochs=9, callbacks=[saver])
"""


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text))


def test_a_function_that_restores_or_makes_the_model_stays_and_is_restored_over() -> None:
    text, (finding,) = migrate(_MAKER)
    assert finding.rewritten
    assert "has_checkpoint" not in text and "initial_epoch=recovery.restore()" in text
    assert "for name in without_recovery(os.listdir(place))]" in text
    assert words(_MAKER) <= words(text)
    assert migrate(text) == (text, [])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return keras.models.load_model(newest)\n", "model = keras.models.load_model(newest)\n    else:\n        "),
        ("        return keras.models.load_model(newest)\n    print", "        model.load_weights(newest)\n    print"),
    ],
    ids=["assigned", "weights"],
)
def test_it_may_give_the_model_a_name_first(old: str, new: str) -> None:
    source = _MAKER.replace(old, new)
    if "weights" in new:
        source = source.replace("    # What", "    model = build()\n    # What").replace("return build", "return model")
        source = source.replace("return model()", "return model")
    else:
        source = source.replace('    print("new")\n    return build()', "model = build()\n    return model")
    text, (finding,) = migrate(source)
    assert finding.rewritten, finding.message
    assert words(source) <= words(text)
    assert "has_checkpoint" not in text and "initial_epoch=recovery.restore()" in text


@pytest.mark.parametrize("source", [_PAIR, _RESUMER], ids=["path and epoch", "the epoch"])
def test_a_function_that_searches_or_resumes_is_asked_where_there_is_no_checkpoint(source: str) -> None:
    text, (finding,) = migrate(source)
    assert finding.rewritten, finding.message
    asked = "    if args.resume:\n    " if "args.resume" in source else ""
    assert f"{asked}    first = recovery.restore(first)\n" in text
    assert words(source) <= words(text)
    assert migrate(text) == (text, [])


def test_where_a_function_asks_what_nobody_knows_its_load_tells_whether_it_was_made() -> None:
    source = _MAKER.replace("    if names:", "    if names and RESUME(place):")
    text, (finding,) = migrate(source)
    assert "return keras.models.load_model(begin_from(newest))" in text
    assert "initial_epoch=recovery.restore() if begun_from() else 0" in text
    assert "a start that loads nothing begins anew, as before" in finding.message


@pytest.mark.parametrize(("old", "new"), [("    return build()\n", ""), ("        print(", "        upload(")])
def test_a_function_that_does_more_loads_at_each_start_and_is_restored_over(old: str, new: str) -> None:
    assert old in _MAKER
    source = _MAKER.replace(old, new)
    text, (finding,) = migrate(source)
    assert finding.rewritten and "which it loads at each start" in finding.message
    assert words(source) <= words(text)
    assert "has_checkpoint" not in text
    assert "initial_epoch=recovery.restore()" in text


def test_a_training_function_that_is_called_again_trains_more_each_time_and_is_left() -> None:
    body = _MAKER[_MAKER.index("model = make") :].replace("\n", "\n    ").rstrip()
    head = _MAKER[: _MAKER.index("model = make")]
    for calls, is_rewritten in (
        ("run()\n", True),
        ("run()\nrun()\n", False),
        ("for fold in folds:\n    run()\n", False),
    ):
        _, findings = migrate(f"{head}def run():\n    {body}\n\n\n{calls}")
        assert findings[0].rewritten == is_rewritten
        assert is_rewritten or "runs more than once" in findings[0].message


def test_a_function_that_another_file_uses_stays(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "evaluate.py").write_text("from train import load_newest, make_or_restore_model, newest\n")
    path = tmp_path / "train.py"
    for source, name in ((_PAIR, "newest"), (_RESUMER, "load_newest"), (_MAKER, "make_or_restore_model")):
        path.write_text(source)
        outcome = run([str(path)], Settings(), jobs=1, progress=None)
        changed = {change.path: change.after for change in outcome.changes}
        assert f"def {name}(" in changed[str(path)]
        if name == "make_or_restore_model":  # the other file wants the loaded model
            assert "load_model(newest)" in changed[str(path)]
            assert "has_checkpoint" not in changed[str(path)]
            assert "which it loads at each start" in outcome.findings[0].message


def test_a_flag_that_stays_keeps_the_statement_that_makes_it() -> None:
    source = "from absl import flags\n\nFLAGS = flags.FLAGS\n" + _ELSE.replace("args", "FLAGS").format("")
    text, _ = migrate(source)
    assert "FLAGS = flags.FLAGS\n" in text
    assert "recovery.restore() if FLAGS.resume else 0" in text


@pytest.mark.parametrize(
    "branch",
    [
        "elif args.first:\n    model.load_weights(args.first)",
        "else:\n    os.mkdir('out')",
        "else:\n    model.compile('sgd')\n    model.summary()",
    ],
)
def test_what_a_start_from_scratch_does_stays_as_it_is(branch: str) -> None:
    text, (finding,) = migrate(_ELSE.format(branch))
    assert finding.rewritten, finding.message
    assert words(_ELSE.format(branch)) <= words(text)


def test_a_start_from_scratch_that_removes_files_removes_those_of_the_recovery() -> None:
    text, _ = migrate(_ELSE.format("else:\n    shutil.rmtree('out')"))
    assert 'model.load_weights(begin_from("w.h5"))' in text
    assert "recovery.restore() if begun_from() else 0" in text


def test_a_training_that_only_a_start_from_scratch_has_leaves_the_program() -> None:
    source = _ELSE.format("else:\n    history = model.fit(x)")
    text, (finding,) = migrate(source)
    assert text == source
    assert "more than one" in finding.message


@pytest.mark.parametrize("once", ["model.save_weights('w.weights.h5')", "pretrain(model)", "raise OSError"])
def test_what_a_start_from_scratch_alone_does_without_harm_to_checkpoints_stays_as_it_is(once: str) -> None:
    branch = f"else:\n    {once}"
    text, (finding,) = migrate(_ELSE.format(branch))
    assert finding.rewritten, finding.message
    assert branch.replace("'", '"') in text.replace("'", '"')
    assert "has_checkpoint" not in text


_OWN_FIT = """\
import tensorflow as tf


class Net(tf.keras.Model):
    def fit(self, data, epochs, callbacks):
        for epoch in range(epochs):
            self.step(data)


model = Net()
"""


def test_a_fit_that_the_models_class_defines_is_left_as_the_programs_own() -> None:
    training = (
        'saver = tf.keras.callbacks.ModelCheckpoint("w.h5", load_weights_on_restart=True)\n'
        "model.fit(x, epochs=3, callbacks=[saver])\n"
    )
    assert "`fit` is a method of the program's own there" in left(_OWN_FIT + training)
