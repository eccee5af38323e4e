"""Nothing is deleted that is not recovery: a statement beside a load stays, whatever it does."""

import pytest

from tests.codemod.programs import migrate

HEAD = """\
import logging
import os
import tensorflow as tf
from tensorflow import keras

model = keras.Sequential([keras.layers.Dense(1)])
model.compile("adam", "mse")
"""
LATEST = """\
latest = tf.train.latest_checkpoint("ckpt")
if latest:
    {before}
    model.load_weights(latest)
    {after}
{other}model.fit(x, y, epochs=9, callbacks=[keras.callbacks.ModelCheckpoint("ckpt/w{{epoch}}", save_weights_only=True)])
"""
EXISTS = """\
if os.path.exists("w.weights.h5"):
    {before}
    model.load_weights("w.weights.h5")
    {after}
{other}model.fit(x, y, epochs=9, callbacks=[keras.callbacks.ModelCheckpoint("w.weights.h5", save_weights_only=True)])
"""
TRIED = """\
try:
    {before}
    model.load_weights("w.weights.h5")
    {after}
except OSError:
    {after}
{other}model.fit(x, y, epochs=9, callbacks=[keras.callbacks.ModelCheckpoint("w.weights.h5", save_weights_only=True)])
"""
FUNCTION = """\
def resume(model):
    if os.path.exists("w.weights.h5"):
        {before}
        model.load_weights("w.weights.h5")
        {after}


{other}resume(model)
model.fit(x, y, epochs=9, callbacks=[keras.callbacks.ModelCheckpoint("w.weights.h5", save_weights_only=True)])
"""
STATEMENTS = (
    'print("Loading the weights of", model.name)',
    'logging.info("Loading the weights")',
    'tf.print("Loading the weights")',
    'notify("Loading the weights")',
    'seen["Loading the weights"] = 1',
)


@pytest.mark.parametrize("statement", STATEMENTS)
@pytest.mark.parametrize("shape", [LATEST, EXISTS, TRIED, FUNCTION], ids=["latest", "exists", "tried", "function"])
def test_a_statement_beside_the_loading_of_weights_stays(shape: str, statement: str) -> None:
    places = {"before": "pass", "after": "pass", "other": ""}
    for place in ("before", "after"):
        text = HEAD + shape.format(**{**places, place: statement})
        output, _ = migrate(text)
        assert output.count("Loading the weights") == text.count("Loading the weights")


@pytest.mark.parametrize("statement", STATEMENTS)
@pytest.mark.parametrize("shape", [LATEST, EXISTS], ids=["latest", "exists"])
def test_a_statement_of_a_first_start_stays(shape: str, statement: str) -> None:
    text = HEAD + shape.format(before="pass", after="pass", other=f"else:\n    {statement}\n")
    output, _ = migrate(text)
    assert output.count("Loading the weights") == 1


def test_arguments_of_a_fit_that_the_models_class_defines_keep_their_names() -> None:
    own = "class Own:\n    def fit(self, x, nb_epoch):\n        pass\n\n\nother = Own()\nother.fit(x, nb_epoch=3)\n"
    source = HEAD + EXISTS.format(before="", after="", other=own)
    assert "other.fit(x, nb_epoch=3)" in migrate(source)[0]


@pytest.mark.parametrize("loads", ["model.load_weights({})", "model = keras.models.load_model({})"])
def test_the_newest_file_of_the_folder_it_saves_in_is_its_own_without_a_test(loads: str) -> None:
    newest = 'sorted(glob.glob("ckpt/*.{}"))[-1]'.format("weights.h5" if "weights" in loads else "keras")
    saver = 'keras.callbacks.ModelCheckpoint("ckpt/w{epoch}.weights.h5", save_weights_only=True)'
    saver = saver if "weights" in loads else 'keras.callbacks.ModelCheckpoint("ckpt/w{epoch}.keras")'
    source = f"import glob\n{HEAD}{loads.format(newest)}\nmodel.fit(x, y, epochs=9, callbacks=[{saver}])\n"
    text, findings = migrate(source, select=("FT201",))
    assert "initial_epoch=recovery.restore()" in text and loads.format(newest) in text
    assert "loads at each start, before the checkpoint is restored" in findings[0].message
    other = source.replace('glob("ckpt/', 'glob("other/')
    assert migrate(other, select=("FT201",))[0] == other
