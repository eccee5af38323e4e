"""A migrated Keras model continues its Estimator's job: weights, slots and step come from the old checkpoint."""

import json
import os
import re
import shutil
import sys

import pytest

from migrate.pipeline.run import run, write
from migrate.settings import Settings
from tests import nursery
from tests.kept_runs import kept_run, old_python

# Rounding grows from step to step, and Keras does not round as the Estimator.
FIRST, LAST = 10, 15
PROGRAM = """\
import sys

import numpy as np
import tensorflow as tf


def build_model():
    inputs = tf.keras.Input((3,), name="x")
    inner = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(4, activation="tanh")])
    net = tf.keras.layers.BatchNormalization()(tf.keras.layers.Dense(4, activation="tanh")(inner(inputs)))
    model = tf.keras.Model(inputs, tf.keras.layers.Dense(1, name="sum")(net))
    model.compile(optimizer=tf.OPTIMIZER, loss="mse")
    return model


def input_fn():
    x = np.random.RandomState(0).rand(64, 3).astype(np.float32)
    return tf.data.Dataset.from_tensor_slices(({"x": x}, x.sum(axis=1, keepdims=True))).repeat().batch(8)


def main(folder, steps):
    config = tf.estimator.RunConfig(folder, save_summary_steps=1, save_checkpoints_steps=5)
    estimator = tf.keras.estimator.model_to_estimator(build_model(), config=config, checkpoint_format="FORMAT")
    estimator.train(input_fn, max_steps=steps)


main(sys.argv[1], int(sys.argv[2]))
"""
OPTIMIZERS = {"Adam": "keras.optimizers.Adam(0.05)", "momentum": "keras.optimizers.SGD(0.05, momentum=0.9)"}
CASES = [("Adam", "checkpoint"), ("momentum", "saver")]


def text(name, checkpoint_format):
    return PROGRAM.replace("OPTIMIZER", OPTIMIZERS[name]).replace("FORMAT", checkpoint_format)


def train(python, program, folder, steps):
    environment = os.environ.copy()
    if program.name == "old.py":  # TensorFlow 2.15 has no tf_keras
        environment.pop("TF_USE_LEGACY_KERAS", None)
    return nursery.run([python, str(program), str(folder), str(steps)], environment)


def losses(folder):
    """Returns the loss of each step after ``FIRST``, as TensorBoard shows it."""
    import tensorflow as tf

    found = {}
    for path in folder.glob("events*"):
        for event in tf.compat.v1.train.summary_iterator(str(path)):
            for value in event.summary.value:
                if value.tag == "loss_1" and event.step > FIRST:
                    found[event.step] = value.simple_value
    return found


def of_estimator(name, checkpoint_format):
    """Returns the directory of an Estimator's job at step ``FIRST``, and the losses of its own continuation."""

    def make(place):
        program = place / "old.py"
        program.write_text(text(name, checkpoint_format))
        for folder, steps in (("at_first", FIRST), ("alone", LAST)):
            if folder == "alone":
                copy_job(place / "at_first", place / "alone")
            done = train(old_python(), program, place / folder, steps)
            assert done.returncode == 0, done.stderr[-3000:]
        (place / "losses.json").write_text(json.dumps(losses(place / "alone")))

    place = kept_run(f"continued-{name}-{checkpoint_format}".replace(" ", "_"), [__file__], make)
    expected = {int(step): loss for step, loss in json.loads((place / "losses.json").read_text()).items()}
    assert sorted(expected) == list(range(FIRST + 1, LAST + 1))
    return place / "at_first", expected


def copy_job(source, target):
    """Copies a model_dir whose list of checkpoints may have whole paths."""
    shutil.copytree(source, target)
    listed = target / "checkpoint"
    listed.write_text(listed.read_text().replace(f"{source}/", ""))
    return target


def migrated(folder, program):
    path = folder / "program.py"
    path.write_text(program)
    outcome = run([str(path)], Settings(), jobs=1, progress=None)
    assert write(outcome) == []
    assert "tf.estimator" not in path.read_text()
    return path


@pytest.mark.parametrize(("name", "checkpoint_format"), CASES, ids=[" ".join(case) for case in CASES])
def test_the_next_losses_are_those_of_the_estimators_own_continuation(name, checkpoint_format, tmp_path):
    job, expected = of_estimator(name, checkpoint_format)
    program = migrated(tmp_path, text(name, checkpoint_format))
    job = copy_job(job, tmp_path / "job")
    done = train(sys.executable, program, job, LAST)
    assert done.returncode == 0, done.stderr[-3000:]
    found = losses(job)
    assert found == pytest.approx(expected, rel=1e-5)


MISFITS = {
    "units": (
        'Dense(4, activation="tanh")(inner',
        'Dense(5, activation="tanh")(inner',
        r"dense_1/kernel has shape \[4, 5\]",
    ),
    "name": ('name="sum"', 'name="total"', "total/kernel has shape .* and is not there"),
    "optimizer": (OPTIMIZERS["Adam"], OPTIMIZERS["momentum"], "training/SGD/.*/momentum has shape .* and is not there"),
    "setting": ("Adam(0.05)", "Adam(0.05, beta_1=0.8)", "training/Adam/beta_1 is 0.8 here and 0.9 there"),
}


@pytest.mark.parametrize("misfit", MISFITS)
def test_what_does_not_fit_is_refused_before_a_step(misfit, tmp_path):
    before, after, message = MISFITS[misfit]
    job = copy_job(of_estimator("Adam", "checkpoint")[0], tmp_path / "job")
    files = sorted(path.name for path in job.glob("*ckpt*"))
    done = train(sys.executable, migrated(tmp_path, text("Adam", "checkpoint").replace(before, after)), job, LAST)
    assert done.returncode != 0
    assert re.search(f"model.ckpt-10 was written by tf.estimator and does not fit this model: .*{message}", done.stderr)
    assert sorted(path.name for path in job.glob("*ckpt*")) == files
