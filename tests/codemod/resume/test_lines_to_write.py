"""The lines that a finding tells where a resumption is not rewritten: they name what is there, at a place."""

import ast
import re
from pathlib import Path

import pytest

from migrate.pipeline.run import run
from migrate.settings import Settings

_FIT = """\
import os

import tensorflow as tf


def make(path):
    model = build()
    if os.path.exists(path):
        model.load_weights(path)
    return model


def train(model, state):
    model.fit(x, epochs=9, callbacks=[Saver("m.h5")])


class Saver(tf.keras.callbacks.Callback):
    def __init__(self, path):
        self.path = path

    def on_epoch_end(self, epoch, logs=None):
        self.model.save_weights(self.path)


train(make("m.h5"), 1)
"""

_LOOP = """\
import os

import keras

model = build()
if os.path.exists("m.h5"):
    model.load_weights("m.h5")
{head}
    model.train_on_batch(x, y)
    {save}
"""


def told(text: str, directory: Path) -> tuple[str, list[str]]:
    """What the one finding says is to write, and the code in it, each piece of which must be Python."""
    (directory / "train.py").write_text(text)
    outcome = run([str(directory)], Settings(select=("FT201",)), jobs=1, progress=None)
    assert not outcome.changes
    (finding,) = outcome.findings
    code = re.findall(r"`([^`]+)`", finding.help)
    for one in code:
        ast.parse(one + " pass" if one.endswith(":") else one.replace("(..., ", "("))
    return finding.help, code


def test_they_stand_above_the_line_that_trains_which_may_be_another_than_the_one_that_loads(tmp_path: Path) -> None:
    text, _ = told(_FIT, tmp_path)
    assert f"Above line {1 + _FIT[: _FIT.index('model.fit')].count(chr(10))} write `state_2 = " in text


def test_they_take_no_name_that_the_program_has(tmp_path: Path) -> None:
    _, code = told(_FIT, tmp_path)
    assert code[0].startswith("state_2 = ") and "CheckpointManager(state_2," in code[1]
    assert not any(one.startswith("checkpoint = ") for one in code)


@pytest.mark.parametrize("imported", ["import tensorflow as tf\n", ""])
def test_they_import_tensorflow_where_the_program_does_not(imported: str, tmp_path: Path) -> None:
    text = imported + _LOOP.format(head="for data in feed:", save='model.save_weights("m.h5")')
    assert ("import tensorflow as tf" in told(text, tmp_path)[1]) is not bool(imported)


@pytest.mark.parametrize(
    ("head", "written", "number"),
    [
        ("for data in feed:", "for data in itertools.islice(feed, int(state.epoch.numpy()), None):", "state.epoch + 1"),
        (
            "for i, (x, y) in enumerate(feed):",
            "for i, (x, y) in itertools.islice(enumerate(feed), int(state.epoch.numpy()), None):",
            "state.epoch + 1",
        ),
    ],
)
def test_a_loop_begins_at_the_turn_that_was_saved(head: str, written: str, number: str, tmp_path: Path) -> None:
    _, code = told(_LOOP.format(head=head, save='model.save_weights("m.h5")'), tmp_path)
    assert written in code
    assert f"state.epoch.assign({number})" in code


def test_a_range_that_counts_by_no_name_is_given_one(tmp_path: Path) -> None:
    save = "if better():\n        model.save_weights('m.h5')"
    text = _LOOP.format(head="for _ in range(9):", save=save)
    _, code = told(text, tmp_path)
    assert "for epoch in range(int(state.epoch.numpy()), 9):" in code
    assert "state.epoch.assign(epoch + 1)" in code


def test_a_loop_saves_as_rarely_as_it_did(tmp_path: Path) -> None:
    save = 'if step % 100 == 0:\n        model.save_weights("m.h5")'
    text, _ = told(_LOOP.format(head="for step, data in enumerate(feed):", save=save), tmp_path)
    assert "at the end of its turns, under `if step % 100 == 0:` as line 11 has it" in text


def test_a_model_that_is_compiled_in_the_loop_has_no_optimizer_before_it(tmp_path: Path) -> None:
    save = 'model.compile("adam", "mse")\n    model.save_weights("m.h5")'
    _, code = told(_LOOP.format(head="for data in feed:", save=save), tmp_path)
    assert "state = tf.train.Checkpoint(model=model, epoch=tf.Variable(0))" in code


def test_a_fit_begins_where_the_program_says_until_a_checkpoint_is_there(tmp_path: Path) -> None:
    text = _FIT.replace("epochs=9, ", "epochs=9, initial_epoch=number_in(pick()), ")
    assert (
        "initial_epoch=int(state_2.epoch.numpy()) if manager.latest_checkpoint else number_in(pick()),"
        in (told(text, tmp_path)[0])
    )


_OWN = """\
class Net(tf.keras.Model):
    def compile(self, {parameters}):
        super().compile({given})
        self.own = tf.keras.optimizers.get(optimizer)


model = Net()
model.compile("adam", loss="mse")
if os.path.exists("m.h5"):
    model.load_weights("m.h5")
model.fit(x, samples_per_epoch=9, callbacks=[Saver("m.h5")])
"""


@pytest.mark.parametrize(
    ("parameters", "given", "is_held"),
    [
        ("optimizer, **kwargs", "**kwargs", False),
        ("optimizer, **kwargs", "optimizer=optimizer, **kwargs", True),
        ("optimizer, **kwargs", "optimizer, **kwargs", True),
        ("**kwargs", "**kwargs", True),
    ],
)
def test_an_optimizer_that_a_class_keeps_from_keras_is_held_with_its_model(
    parameters: str, given: str, is_held: bool, tmp_path: Path
) -> None:
    head, saver = _FIT[: _FIT.index("def make")], _FIT[_FIT.index("class Saver") : _FIT.index("train(make")]
    _, code = told(head + saver + _OWN.format(parameters=parameters, given=given), tmp_path)
    assert ("optimizer=model.optimizer, " in code[0]) is is_held
