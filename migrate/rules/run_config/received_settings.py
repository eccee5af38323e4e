"""The settings of a RunConfig as the estimators receive them (``replace`` may change some), and in words (FT152)."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from migrate.analysis.program.tree import Tree
from migrate.analysis.source.arguments import Unbindable, bind, is_none
from migrate.analysis.source.constructors import (
    CUSTOM_PARAMETERS,
    KERAS_PARAMETERS,
    RUN_CONFIG_PARAMETERS,
    TPU_PARAMETERS,
)
from migrate.analysis.source.module import Module
from migrate.analysis.source.names import MAX_STEPS
from migrate.analysis.source.symbols import RUN_CONFIGS, estimator_kind, symbol_of
from migrate.analysis.values.values import Values
from migrate.rules.rule import ObjectFile, Verdict, exact
from migrate.rules.run_config.takers import LONGEST

_PARAMETERS = {"custom": CUSTOM_PARAMETERS, "keras": KERAS_PARAMETERS, "tpu": TPU_PARAMETERS}
_OF_PREMADE = ("", "", "")
"""What stands before the config of a premade estimator, at least."""
_OTHER_INTERVAL = {"save_checkpoints_steps": "save_checkpoints_secs", "save_checkpoints_secs": "save_checkpoints_steps"}

MANAGER_NAMES = {
    "keep_checkpoint_max": "max_to_keep",
    "save_checkpoints_steps": "checkpoint_interval",
    "save_checkpoints_secs": "save_secs",
    "keep_checkpoint_every_n_hours": "keep_checkpoint_every_n_hours",
}
"""What a ``CheckpointManager`` calls each setting, in the order of ``ModelCheckpoints``."""
INTERVALS = ("save_checkpoints_steps", "save_checkpoints_secs")


class ReceivedSettings(NamedTuple):
    """The settings that one estimator receives of a RunConfig.

    Attributes:
      settings: the expressions by parameter name, each with its file; a cleared interval is missing.
      is_keras: whether ``model_to_estimator`` receives them, which keeps five checkpoints whatever they say.
    """

    made: ast.Call
    settings: Mapping[str, tuple[Module, ast.expr]]
    is_keras: bool = False


class _Unknown(Exception):
    """The settings are not seen."""


def received_settings(tree: Tree, modules: Sequence[Module], made: ast.Call) -> list[ReceivedSettings]:
    """The settings that the estimators of some files receive of a RunConfig; none where not all of that is seen."""
    values, found = Values(tree), list[ReceivedSettings]()
    sites = [(module, site) for module in modules for site in module.sites if site.kind == "estimator"]
    try:
        for module, site in sites:
            kind = estimator_kind(site.symbol) or ""
            config = bind(site.node, _PARAMETERS.get(kind, _OF_PREMADE)).get("config")
            received = _settings_of_config(values, module, config) if config is not None and not is_none(config) else ()
            found += [one._replace(is_keras=kind == "keras") for one in received]
    except (_Unknown, Unbindable):
        return []
    return [one for one in found if one.made is made]


def _settings_of_config(values: Values, module: Module, config: ast.expr, depth: int = 0) -> Iterator[ReceivedSettings]:
    """The settings of all that a config may be; one that is None has none."""
    if depth > MAX_STEPS:
        raise _Unknown
    for end in values.ends(module, config):
        call = end.node
        if isinstance(call, ast.Constant) and call.value is None:
            continue
        if not isinstance(call, ast.Call):
            raise _Unknown
        found = symbol_of(end.module.names, call.func)
        if found is not None and found.tail in RUN_CONFIGS and not found.is_contrib_learn:
            is_tpu = found.tail.startswith("estimator.tpu.")
            yield ReceivedSettings(call, _arguments_by_name(end.module, call, () if is_tpu else RUN_CONFIG_PARAMETERS))
        elif isinstance(call.func, ast.Attribute) and call.func.attr == "replace" and not call.args:
            changes = _arguments_by_name(end.module, call, ())
            for one in _settings_of_config(values, end.module, call.func.value, depth + 1):
                yield ReceivedSettings(one.made, _replace_settings(one.settings, changes))
        else:
            raise _Unknown


def _arguments_by_name(module: Module, call: ast.Call, parameters: Sequence[str]) -> dict[str, tuple[Module, ast.expr]]:
    return {name: (module, value) for name, value in bind(call, parameters).items()}


def _replace_settings(
    settings: Mapping[str, tuple[Module, ast.expr]], changes: Mapping[str, tuple[Module, ast.expr]]
) -> dict[str, tuple[Module, ast.expr]]:
    """The settings after a ``replace``: an interval that it gives takes the place of the other one."""
    cleared = {other for name, other in _OTHER_INTERVAL.items() if name in changes and not is_none(changes[name][1])}
    return {**{name: value for name, value in settings.items() if name not in cleared}, **changes}


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
    is_set = {name: not (name in INTERVALS and is_none(value)) for name, (_, value) in given.items()}
    shown = {MANAGER_NAMES[name]: _short(*value) for name, value in given.items() if is_set[name]}
    if not any(name in config.settings for name in INTERVALS):
        shown["save_secs"] = "600"
    shown = {"max_to_keep": "5", **shown}
    return ", ".join(f"{name}={shown[name]}" for name in MANAGER_NAMES.values() if name in shown)


def _short(module: Module, value: ast.expr) -> str:
    text = " ".join(module.source.text(value).split())
    return text if len(text) <= LONGEST else "…"
