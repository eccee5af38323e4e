"""A program in object form saves, evaluates and is configured as under its Estimator."""

import os
import sys

import pytest

from migrate.pipeline.run import run, write
from migrate.recovery.estimator.run_config import RunConfig
from migrate.settings import Settings
from tests import nursery

PROGRAM = """\
import sys

import tensorflow as tf


def model_fn(features, labels, mode, params, config):
    weight = tf.compat.v1.get_variable("w", [], initializer=tf.compat.v1.zeros_initializer())
    loss = tf.square(weight - labels) * params["scale"]
    optimizer = tf.compat.v1.train.GradientDescentOptimizer(0.1)
    train_op = optimizer.minimize(loss, global_step=tf.compat.v1.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op, predictions=weight)


def input_fn():
    return tf.data.Dataset.from_tensors((0.0, 1.0)).repeat(20)


class Runner:
    def __init__(self, folder, every):
        config = tf.estimator.RunConfig(keep_checkpoint_max=2, save_checkpoints_steps=every or None)
        if every > 5:
            config = config.replace(save_checkpoints_secs=600)
        self.estimator = tf.estimator.Estimator(model_fn, folder, config, params={"scale": 1.0})

    def fit(self, steps):
        self.estimator.train(input_fn, max_steps=steps)
        if len(sys.argv) > 3:  # a checkpoint to wait for
            train = tf.estimator.TrainSpec(input_fn, steps)
            test = tf.estimator.EvalSpec(input_fn, steps=1)
            tf.estimator.train_and_evaluate(self.estimator, train, test)
        print(self.estimator.latest_checkpoint(), self.estimator.evaluate(input_fn, steps=1)["global_step"])


if __name__ == "__main__":
    Runner(sys.argv[1], int(sys.argv[2])).fit(7)
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """The program, migrated; the old one stands beside it as old.py."""
    folder = tmp_path_factory.mktemp("program")
    program, old = folder / "program.py", folder / "old.py"
    program.write_text(PROGRAM)
    outcome = run([str(program)], Settings(), jobs=1, progress=None)
    assert all(finding.rewritten for finding in outcome.findings)
    assert write(outcome) == []
    old.write_text(PROGRAM)
    return program


def _run(python, program, *arguments):
    return nursery.run([python, program, *map(str, arguments)], os.environ.copy())


def _steps(folder):
    return sorted(int(name.stem.split("-")[1]) for name in folder.glob("*.index"))


@pytest.mark.parametrize(("every", "kept"), [(3, [6, 7]), (9, [0, 7])])
def test_a_program_whose_estimator_is_handed_on_keeps_the_checkpoints_that_it_kept(tmp_path, program, every, kept):
    printed = _run(sys.executable, program, tmp_path, every).stdout.split()
    assert printed[0].endswith("-7")
    assert printed[1] == "7"
    assert _steps(tmp_path) == kept


def test_a_program_without_an_interval_trains_and_saves_nothing_and_says_so(tmp_path, program, old_python):
    for python, file in ((old_python, program.with_name("old.py")), (sys.executable, program)):
        done = _run(python, file, tmp_path / file.stem, 0)
        assert done.stdout.split() == ["None", "0"], done.stderr[-2000:]
        assert _steps(tmp_path / file.stem) == []
    assert "No checkpoints: no interval between saves is set." in done.stderr


def test_a_program_without_an_interval_restores_what_is_there_and_leaves_it(tmp_path, program):
    _run(sys.executable, program, tmp_path, 3)
    before = {path.name: path.read_bytes() for path in tmp_path.glob("model.ckpt-*")}
    assert _run(sys.executable, program, tmp_path, 0).stdout.split()[1] == "7"
    assert {path.name: path.read_bytes() for path in tmp_path.glob("model.ckpt-*")} == before


def test_evaluating_on_the_way_without_an_interval_is_an_error_as_it_was(tmp_path, program, old_python):
    for python, file in ((old_python, program.with_name("old.py")), (sys.executable, program)):
        done = _run(python, file, tmp_path / file.stem, 0, "evaluate")
        assert done.returncode != 0
        assert "ValueError" in done.stderr
        assert "save_checkpoints_steps or " in done.stderr


def test_a_config_with_what_is_no_strategy_is_refused():
    with pytest.raises(ValueError, match="strategy"):
        RunConfig(save_checkpoints_steps=5, train_distribute=object())
