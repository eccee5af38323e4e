"""A program in object form saves, evaluates and is configured as under its Estimator."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import tensorflow as tf

from migrate.pipeline.run import run, write
from migrate.recovery.run_config import RunConfig
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
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, migrated; the old one stands beside it as old.py."""
    folder = tmp_path_factory.mktemp("program")
    program, old = folder / "program.py", folder / "old.py"
    program.write_text(PROGRAM)
    outcome = run([str(program)], Settings(), jobs=1, progress=None)
    assert all(finding.rewritten for finding in outcome.findings)
    assert write(outcome) == []
    old.write_text(PROGRAM)
    return program


def _run(python: str, program: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    return nursery.run([python, program, *map(str, arguments)], os.environ.copy())


def _steps(folder: Path) -> list[int]:
    return sorted(int(name.stem.split("-")[1]) for name in folder.glob("*.index"))


@pytest.mark.parametrize(("every", "kept"), [(3, [6, 7]), (9, [0, 7])])
def test_a_program_whose_estimator_is_handed_on_keeps_the_checkpoints_that_it_kept(
    tmp_path: Path, program: Path, every: int, kept: list[int]
) -> None:
    printed = _run(sys.executable, program, tmp_path, every).stdout.split()
    assert printed[0].endswith("-7")
    assert printed[1] == "7"
    assert _steps(tmp_path) == kept


def test_a_program_without_an_interval_trains_and_saves_nothing_and_says_so(
    tmp_path: Path, program: Path, old_python: str
) -> None:
    for python, file in ((old_python, program.with_name("old.py")), (sys.executable, program)):
        done = _run(python, file, tmp_path / file.stem, 0)
        assert done.stdout.split() == ["None", "0"], done.stderr[-2000:]
        assert _steps(tmp_path / file.stem) == []
    assert "No checkpoints: no interval between saves is set." in done.stderr


def test_a_program_without_an_interval_restores_what_is_there_and_leaves_it(tmp_path: Path, program: Path) -> None:
    _run(sys.executable, program, tmp_path, 3)
    before = {path.name: path.read_bytes() for path in tmp_path.glob("model.ckpt-*")}
    assert _run(sys.executable, program, tmp_path, 0).stdout.split()[1] == "7"
    assert {path.name: path.read_bytes() for path in tmp_path.glob("model.ckpt-*")} == before


def test_evaluating_on_the_way_without_an_interval_is_an_error_as_it_was(
    tmp_path: Path, program: Path, old_python: str
) -> None:
    for python, file in ((old_python, program.with_name("old.py")), (sys.executable, program)):
        done = _run(python, file, tmp_path / file.stem, 0, "evaluate")
        assert done.returncode != 0
        assert "ValueError" in done.stderr
        assert "save_checkpoints_steps or " in done.stderr


SETTINGS = [
    {},
    {"save_checkpoints_steps": 5},
    {"save_checkpoints_secs": 60, "keep_checkpoint_max": 0},
    {"save_checkpoints_steps": None, "save_checkpoints_secs": 30},
    {"save_checkpoints_steps": 5, "save_summary_steps": 7, "tf_random_seed": 3, "log_step_count_steps": None},
    {"save_checkpoints_steps": None},
    {"save_checkpoints_secs": 0},
    {"save_checkpoints_steps": None, "save_checkpoints_secs": None},
]
NAMES = ("model_dir", "tf_random_seed", "save_summary_steps", "save_checkpoints_steps", "save_checkpoints_secs",
         "keep_checkpoint_max", "keep_checkpoint_every_n_hours", "log_step_count_steps")  # fmt: skip
INTERVALS = [(None, 600), (5, None), (None, 60), (None, 30), (5, None), (None, None), (None, 0), (None, None)]
CHANGES = [
    ({}, {"save_checkpoints_steps": None}, (None, 600)),
    ({}, {"save_checkpoints_steps": 0}, (0, None)),
    ({}, {"save_checkpoints_secs": None}, (None, None)),
    ({"save_checkpoints_steps": 5}, {"save_checkpoints_steps": None}, (None, None)),
    ({"save_checkpoints_steps": 5}, {"save_checkpoints_secs": 0}, (None, 0)),
    ({"save_checkpoints_steps": 5}, {"save_checkpoints_secs": None}, (5, None)),
]


@pytest.mark.parametrize(("settings", "interval"), list(zip(SETTINGS, INTERVALS, strict=True)))
def test_a_config_has_the_intervals_of_the_old_one(settings: dict[str, int], interval: tuple[int, int]) -> None:
    config = RunConfig(**settings)
    assert (config.save_checkpoints_steps, config.save_checkpoints_secs) == interval
    if hasattr(tf, "estimator"):
        old = tf.estimator.RunConfig(**settings)
        assert {name: getattr(config, name) for name in NAMES} == {name: getattr(old, name) for name in NAMES}


@pytest.mark.parametrize(("settings", "changes", "interval"), CHANGES)
def test_replacing_an_interval_by_none_does_what_it_did(
    settings: dict[str, int], changes: dict[str, int | None], interval: tuple[int | None, int | None]
) -> None:
    for kind in (RunConfig, tf.estimator.RunConfig) if hasattr(tf, "estimator") else (RunConfig,):
        config = kind(**settings).replace(**changes)
        assert (config.save_checkpoints_steps, config.save_checkpoints_secs) == interval


@pytest.mark.parametrize(
    "settings",
    [
        {"save_checkpoints_steps": 5, "save_checkpoints_secs": 60},
        {"save_checkpoints_steps": 0, "save_checkpoints_secs": 60},
        {"save_checkpoints_steps": 5, "train_distribute": object()},
    ],
)
def test_a_config_that_would_not_recover_the_same_is_refused(settings: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"save_checkpoints_steps|strategy"):
        RunConfig(**settings)
