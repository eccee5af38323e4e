"""A model_fn and a config may be given by callers in other files: those are migrated with the program, or none is."""

from pathlib import Path

import pytest

from migrate.pipeline.run import run, write
from migrate.results.outcome import Outcome
from migrate.settings import Settings

TRAINER = """\
import tensorflow as tf


def fit(model_fn, config):
    est = tf.estimator.Estimator(model_fn, config=config)
    est.train(input_fn, max_steps=10)


class Runner:
    def __init__(self, model_fn, config):
        self.config = config
        self.est = tf.estimator.Estimator(model_fn, config=self.config)

    def fit(self):
        self.est.train(input_fn, max_steps=10)


def input_fn():
    return tf.data.Dataset.from_tensors((0, 1)).repeat()
"""
MODEL = """\
import tensorflow as tf


def model_fn(features, labels, mode):
    return tf.estimator.EstimatorSpec(mode, loss=tf.reduce_sum(labels))
"""
CALLER = """\
import tensorflow as tf

from model import model_fn
import trainer

config = tf.estimator.RunConfig("/tmp/m", save_checkpoints_steps=5)
trainer.{used}
"""
FUNCTION = TRAINER[: TRAINER.index("class Runner")] + TRAINER[TRAINER.index("def input_fn") :]
# The config alone comes from outside where a class takes it; a model_fn of a method's parameter is not followed.
CLASS = TRAINER[: TRAINER.index("def fit(")] + TRAINER[TRAINER.index("class Runner") :]
CLASS = CLASS.replace("as tf\n", "as tf\n\nfrom model import model_fn\n", 1).replace("self, model_fn, ", "self, ")
FLOWS = {
    "function": (FUNCTION, CALLER.format(used="fit(model_fn, config)")),
    "class": (CLASS, CALLER.format(used="Runner(config).fit()")),
}


def put(folder: Path, flow: str, **more: str) -> None:
    trainer, caller = FLOWS[flow]
    for name, text in {"trainer": trainer, "model": MODEL, "caller": caller, **more}.items():
        (folder / f"{name}.py").write_text(text)


def migrated(folder: Path) -> Outcome:
    return run([str(folder)], Settings(), jobs=1, progress=None)


@pytest.mark.parametrize("flow", FLOWS)
def test_the_caller_is_migrated_with_the_program_and_a_second_run_changes_nothing(tmp_path: Path, flow: str) -> None:
    put(tmp_path, flow)
    outcome = migrated(tmp_path)
    assert all(finding.rewritten for finding in outcome.findings), outcome.findings
    assert write(outcome) == []
    for name in ("trainer", "model", "caller"):
        assert "tf.estimator" not in (tmp_path / f"{name}.py").read_text()
    assert "config = RunConfig(" in (tmp_path / "caller.py").read_text()
    assert migrated(tmp_path).changes == []


@pytest.mark.parametrize("flow", FLOWS)
def test_a_caller_that_is_not_given_leaves_the_program(tmp_path: Path, flow: str) -> None:
    put(tmp_path, flow)
    outcome = run(
        [str(tmp_path / "trainer.py"), str(tmp_path / "model.py")],
        Settings(),
        jobs=1,
        progress=None,
    )
    assert outcome.changes == []
    assert any("caller.py, which is not among the given files" in finding.message for finding in outcome.findings)


@pytest.mark.parametrize("flow", FLOWS)
def test_a_caller_with_an_estimator_of_its_own_is_migrated_too(tmp_path: Path, flow: str) -> None:
    put(tmp_path, flow, caller=FLOWS[flow][1] + "print(tf.estimator.Estimator(model_fn, '/tmp/o').model_dir)\n")
    outcome = migrated(tmp_path)
    assert all(finding.rewritten for finding in outcome.findings), outcome.findings
    assert {"trainer.py", "caller.py"} <= {Path(change.path).name for change in outcome.changes}
