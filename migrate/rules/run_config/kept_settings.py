"""What is said of a RunConfig that keeps its checkpoint settings (FT152)."""

import ast

from migrate.analysis.source.arguments import is_none
from migrate.analysis.source.module import Module
from migrate.rules.rule import ObjectFile, Verdict, exact
from migrate.rules.run_config.received_settings import ReceivedSettings, received_settings
from migrate.rules.run_config.takers import LONGEST

MANAGER_NAMES = {
    "keep_checkpoint_max": "max_to_keep",
    "save_checkpoints_steps": "checkpoint_interval",
    "save_checkpoints_secs": "save_secs",
    "keep_checkpoint_every_n_hours": "keep_checkpoint_every_n_hours",
}
"""What a ``CheckpointManager`` calls each setting, in the order of ``ModelCheckpoints``."""


INTERVALS = ("save_checkpoints_steps", "save_checkpoints_secs")


def describe_kept_config(file: ObjectFile, made: ast.Call, reason: str) -> Verdict:
    """What is said of a RunConfig that keeps its settings: those of the manager that the object makes of it."""
    why = f" ({reason})" if reason else ""
    told = list(dict.fromkeys(map(_describe_manager, received_settings(file.tree, file.modules, made))))
    settings = " or ".join(told) if told else "its settings"
    message = f"kept as RunConfig{why}; the new Estimator saves by a tf.train.CheckpointManager with {settings}"
    return exact(made, message, file.module)


def _describe_manager(config: ReceivedSettings) -> str:
    """The settings of the manager of an object, in words."""
    given = {name: value for name, value in config.settings.items() if name in MANAGER_NAMES}
    if config.is_keras:
        given = {name: value for name, value in given.items() if name in INTERVALS}
    shown = {
        MANAGER_NAMES[name]: _short(*value) for name, value in given.items() if not _is_no_interval(name, value[1])
    }
    if not any(name in config.settings for name in INTERVALS):
        shown["save_secs"] = "600"
    shown = {"max_to_keep": "5", **shown}
    return ", ".join(f"{name}={shown[name]}" for name in MANAGER_NAMES.values() if name in shown)


def _is_no_interval(name: str, value: ast.expr) -> bool:
    return name in INTERVALS and is_none(value)


def _short(module: Module, value: ast.expr) -> str:
    text = " ".join(module.source.text(value).split())
    return text if len(text) <= LONGEST else "…"
