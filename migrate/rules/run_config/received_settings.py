"""The settings of a RunConfig that estimators receive, after any ``replace``, and their description (FT152)."""

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
from migrate.rules.rule import EstimatorFile, Verdict, exact
from migrate.rules.run_config.configured_estimators import LONGEST_SHOWN

_PARAMETERS = {"custom": CUSTOM_PARAMETERS, "keras": KERAS_PARAMETERS, "tpu": TPU_PARAMETERS}
_PREMADE_PARAMETERS = ("", "", "")
"""No premade estimator has its config among the first three parameters."""
_OTHER_INTERVAL = {"save_checkpoints_steps": "save_checkpoints_secs", "save_checkpoints_secs": "save_checkpoints_steps"}

MANAGER_PARAMETERS = {
    "keep_checkpoint_max": "max_to_keep",
    "save_checkpoints_steps": "checkpoint_interval",
    "save_checkpoints_secs": "save_secs",
    "keep_checkpoint_every_n_hours": "keep_checkpoint_every_n_hours",
}
"""The parameter of ``ModelCheckpoints`` for each setting, in the order of its signature."""
INTERVALS = ("save_checkpoints_steps", "save_checkpoints_secs")


class ReceivedSettings(NamedTuple):
    """The settings that one estimator receives from a RunConfig.

    Attributes:
      made: the call that makes the RunConfig.
      settings: the expressions by parameter name, each with its file, without an interval that ``replace`` clears.
      is_keras: whether ``model_to_estimator`` receives them, which always keeps five checkpoints.
    """

    made: ast.Call
    settings: Mapping[str, tuple[Module, ast.expr]]
    is_keras: bool = False


class _Unknown(Exception):
    """The settings cannot be determined."""


def received_settings(tree: Tree, modules: Sequence[Module], made: ast.Call) -> list[ReceivedSettings]:
    """Returns the settings that estimators receive from a RunConfig; empty where not all of them are known."""
    values, found = Values(tree), list[ReceivedSettings]()
    sites = [(module, site) for module in modules for site in module.sites if site.kind == "estimator"]
    try:
        for module, site in sites:
            kind = estimator_kind(site.symbol) or ""
            config = bind(site.node, _PARAMETERS.get(kind, _PREMADE_PARAMETERS)).get("config")
            received = _settings_of_config(values, module, config) if config is not None and not is_none(config) else ()
            found += [one._replace(is_keras=kind == "keras") for one in received]
    except (_Unknown, Unbindable):
        return []
    return [one for one in found if one.made is made]


def _settings_of_config(values: Values, module: Module, config: ast.expr, depth: int = 0) -> Iterator[ReceivedSettings]:
    """Yields the settings of each value that a config may have; nothing for None."""
    if depth > MAX_STEPS:
        raise _Unknown
    for case in values.of(module, config):
        call = case.node
        if isinstance(call, ast.Constant) and call.value is None:
            continue
        if not isinstance(call, ast.Call):
            raise _Unknown
        found = symbol_of(case.module.names, call.func)
        if found is not None and found.tail in RUN_CONFIGS and not found.is_contrib_learn:
            is_tpu = found.tail.startswith("estimator.tpu.")
            yield ReceivedSettings(call, _arguments_by_name(case.module, call, () if is_tpu else RUN_CONFIG_PARAMETERS))
        elif isinstance(call.func, ast.Attribute) and call.func.attr == "replace" and not call.args:
            changes = _arguments_by_name(case.module, call, ())
            for one in _settings_of_config(values, case.module, call.func.value, depth + 1):
                yield ReceivedSettings(one.made, _replace_settings(one.settings, changes))
        else:
            raise _Unknown


def _arguments_by_name(module: Module, call: ast.Call, parameters: Sequence[str]) -> dict[str, tuple[Module, ast.expr]]:
    return {name: (module, value) for name, value in bind(call, parameters).items()}


def _replace_settings(
    settings: Mapping[str, tuple[Module, ast.expr]], changes: Mapping[str, tuple[Module, ast.expr]]
) -> dict[str, tuple[Module, ast.expr]]:
    """Returns the settings after a ``replace``, which clears steps where it sets seconds, and the other way round."""
    cleared = {other for name, other in _OTHER_INTERVAL.items() if name in changes and not is_none(changes[name][1])}
    return {**{name: value for name, value in settings.items() if name not in cleared}, **changes}


def describe_kept_config(file: EstimatorFile, config: ast.Call, reason: str) -> Verdict:
    """Returns the verdict on a RunConfig that keeps its settings, with those of the manager at run time."""
    why = f" ({reason})" if reason else ""
    descriptions = list(dict.fromkeys(map(_describe_manager, received_settings(file.tree, file.modules, config))))
    settings = " or ".join(descriptions) if descriptions else "its settings"
    message = f"kept as RunConfig{why}; the new Estimator saves by a tf.train.CheckpointManager with {settings}"
    return exact(config, message, file.module)


def _describe_manager(config: ReceivedSettings) -> str:
    """Returns the manager's settings as text."""
    given = {name: value for name, value in config.settings.items() if name in MANAGER_PARAMETERS}
    if config.is_keras:
        given = {name: value for name, value in given.items() if name in INTERVALS}
    is_set = {name: not (name in INTERVALS and is_none(value)) for name, (_, value) in given.items()}
    shown = {MANAGER_PARAMETERS[name]: _short(*value) for name, value in given.items() if is_set[name]}
    if not any(name in config.settings for name in INTERVALS):
        shown["save_secs"] = "600"
    shown = {"max_to_keep": "5", **shown}
    return ", ".join(f"{name}={shown[name]}" for name in MANAGER_PARAMETERS.values() if name in shown)


def _short(module: Module, value: ast.expr) -> str:
    text = " ".join(module.source.text(value).split())
    return text if len(text) <= LONGEST_SHOWN else "…"
