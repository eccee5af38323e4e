"""What a program asks of its checkpoints is the user's own expression, or the Estimator's default."""

import ast
from dataclasses import FrozenInstanceError

import pytest

from migrate.analysis.module import Module
from migrate.analysis.policy import Policy, policy_of
from migrate.analysis.programs import programs
from migrate.analysis.tree import Tree

PROGRAM = """
import tensorflow as tf


def run(columns, input_fn, args):
    model = tf.estimator.DNNRegressor([8], columns, config=tf.estimator.RunConfig({settings}))
    model.train(input_fn, max_steps=3)
"""
DEFAULTS = {
    "save_steps": None,
    "save_secs": "600",
    "keep": "5",
    "keep_hours": None,
    "log_steps": "100",
    "summary_steps": "100",
    "seed": None,
}
ASKED = {
    "": {},
    "save_checkpoints_steps=args.n": {"save_steps": "args.n", "save_secs": None},
    "save_checkpoints_secs=9": {"save_secs": "9"},
    "save_checkpoints_steps=0, save_checkpoints_secs=9": {"save_secs": "9"},
    "save_checkpoints_steps=9, save_checkpoints_secs=None": {"save_steps": "9", "save_secs": None},
    "save_checkpoints_secs=None": {"save_secs": None},
    "keep_checkpoint_max=0, keep_checkpoint_every_n_hours=2": {"keep": "0", "keep_hours": "2"},
    "log_step_count_steps=None, save_summary_steps=7": {"log_steps": "None", "summary_steps": "7"},
    "tf_random_seed=args.seed": {"seed": "args.seed"},
    "tf_random_seed=None": {},
}


def policy(settings: str) -> Policy:
    text = PROGRAM.format(settings=settings)
    (found,) = programs(Module("job.py", text, ast.parse(text)), Tree())
    return policy_of(found)


@pytest.mark.parametrize("settings", ASKED)
def test_each_setting_is_the_users_or_the_estimators_own(settings: str) -> None:
    found = {name: value and ast.unparse(value) for name, value in vars(policy(settings)).items()}
    assert found == {**DEFAULTS, **ASKED[settings]}


def test_no_rule_changes_it() -> None:
    with pytest.raises(FrozenInstanceError):
        policy("").seed = ast.Constant(1)  # type: ignore[misc]
