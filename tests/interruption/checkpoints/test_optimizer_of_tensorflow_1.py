"""A Keras model that was compiled with an optimizer of TensorFlow 1 goes on with the slots of its Estimator."""

import pytest

from migrate.pipeline.run import run as codemod
from migrate.settings import Settings
from tests.interruption.checkpoints.test_there_and_back import copy_job, run, start
from tests.kept_runs import kept_run
from tests.pairs import put

PROGRAM = """\
import argparse

import numpy as np
import tensorflow as tf


def input_fn():
    x = np.sin(np.arange(60)).reshape(20, 3).astype(np.float32)
    y = np.cos(np.arange(20)).reshape(20, 1).astype(np.float32)
    return tf.data.Dataset.from_tensor_slices((x, y)).repeat().batch(4)


def main(model_dir, max_steps):
    layers = [tf.keras.Input((3,), name="x"), tf.keras.layers.Dense(4, activation="tanh"), tf.keras.layers.Dense(1)]
    model = tf.keras.Sequential(layers)
    model.compile(optimizer=tf.compat.v1.train.{}, loss="mse")
    estimator = tf.keras.estimator.model_to_estimator(keras_model=model, model_dir=model_dir)
    estimator.train(input_fn, max_steps=max_steps)
    print("loss", estimator.evaluate(input_fn, steps=5)["loss"])


parser = argparse.ArgumentParser()
parser.add_argument("--model_dir")
parser.add_argument("--max_steps", type=int)
main(**vars(parser.parse_args()))
"""
OPTIMIZERS = [
    "AdamOptimizer(0.05)",
    "MomentumOptimizer(0.1, 0.9)",
    "GradientDescentOptimizer(0.1)",
    "AdagradOptimizer(0.1)",
    "AdadeltaOptimizer(0.5)",
    "FtrlOptimizer(0.1)",
]


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_it_goes_on_as_the_estimator_would(optimizer, tmp_path):
    legacy, migrated = tmp_path / "program.py", tmp_path / "migrated" / "program.py"
    legacy.write_text(PROGRAM.format(optimizer))
    put(codemod([str(legacy)], Settings(), jobs=1, progress=None).changes, tmp_path, migrated.parent)

    def alone(place):
        run("MIGRATE_OLD_PYTHON", legacy, "--model_dir", place / "job", "--max_steps", 10)
        copy_job(place / "job", place / "at_10")
        (place / "loss").write_text(trained("MIGRATE_OLD_PYTHON", legacy, place / "job"))

    jobs = kept_run(f"optimizer_of_tensorflow_1-{optimizer}", [legacy, __file__], alone)
    expected = float((jobs / "loss").read_text())
    for interpreter in ("MIGRATE_OLD_PYTHON", "MIGRATE_NEW_PYTHON"):
        new = tmp_path / interpreter
        run(interpreter, "-m", "migrate", "checkpoint", "--for", migrated, jobs / "at_10", new)
        assert float(trained(interpreter, migrated, new)) == pytest.approx(expected, rel=2e-6)


def trained(interpreter, program, directory):
    """The loss, as text, of a job that a program trains to step 20."""
    done = start(interpreter, program, "--model_dir", directory, "--max_steps", 20)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.split("loss ")[1].split()[0]
