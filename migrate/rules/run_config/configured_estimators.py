"""Finds the estimators that get a RunConfig, and checks that its settings can move to their calls."""

import ast
from typing import NamedTuple

from migrate.analysis.source.arguments import Unbindable, bind, is_none
from migrate.analysis.source.constructors import parameters
from migrate.analysis.source.module import Site
from migrate.analysis.source.movable import is_pure, why_not_movable
from migrate.analysis.values.uses import HiddenUse, uses
from migrate.analysis.values.values import Values
from migrate.rules.rule import EstimatorFile

_FIRST_PARAMETERS = ("model_fn", "model_dir", "config", "params")

_ESTIMATOR_PARAMETERS = {
    "estimator.Estimator": (*_FIRST_PARAMETERS, "warm_start_from"),
    "estimator.EstimatorV2": (*_FIRST_PARAMETERS, "warm_start_from"),
    "estimator.tpu.TPUEstimator": (*_FIRST_PARAMETERS, "use_tpu"),
}
"""The parameters of the constructors with a ``model_fn``."""
LONGEST_SHOWN = 30
"""A longer expression is not shown in full in a message."""


class NotMovable(Exception):
    """Why the settings stay in the RunConfig."""


class ConfiguredEstimator(NamedTuple):
    """An estimator that gets the RunConfig.

    Attributes:
      arguments: its arguments by parameter name.
      directory: the expression of its ``model_dir``.
      source: the file that contains ``directory``.
      is_own: whether ``directory`` is the estimator's argument, not the RunConfig's.
    """

    file: EstimatorFile
    call: ast.Call
    arguments: dict[str, ast.expr]
    directory: ast.expr
    source: EstimatorFile
    is_own: bool


def uses_of(file: EstimatorFile, config: ast.Call) -> list[tuple[EstimatorFile, ast.expr]]:
    """Returns the uses of a RunConfig; raises NotMovable where not all of them are known."""
    names, parent = file.module.names, file.module.names.parent(config)
    if not isinstance(parent, ast.Assign) or parent.value is not config:
        return [(file, config)]
    target = parent.targets[0]
    found = names.scope_of(target).lookup(target.id) if isinstance(target, ast.Name) else None
    if len(parent.targets) > 1 or not isinstance(target, ast.Name) or found is None or len(found[1]) != 1:
        raise NotMovable("it is not kept in one variable of its own")
    if found[0] is not names.top:
        return [(file, use) for use in names.uses(target.id, found[0])]
    try:
        everywhere = uses(file.tree, file.module, target.id)
    except HiddenUse as reason:
        raise NotMovable(str(reason)) from reason
    if any(where.path not in file.files for where, _ in everywhere):
        raise NotMovable("a file that does not change uses it")
    return [(file.files[where.path], use) for where, use in everywhere]


def estimator_of_config(
    config: EstimatorFile, made: ast.Call, given: dict[str, ast.expr], file: EstimatorFile, use: ast.expr
) -> ConfiguredEstimator:
    """Returns the estimator of a use of a RunConfig; raises NotMovable where its directory is not known."""
    names, parent = file.module.names, file.module.names.parent(use)
    call = names.parent(parent) if isinstance(parent, ast.keyword) else parent
    site = next((one for one in file.module.sites if one.node is call and one.kind == "estimator"), None)
    known = _parameters(file, site) if site is not None else ()
    if site is None or not known:
        raise NotMovable(f"line {use.lineno} uses it for something else than an estimator's config")
    try:
        arguments = bind(site.node, known)
    except Unbindable as reason:
        raise NotMovable(str(reason)) from reason
    if arguments.get("config") is not use or [case.node for case in Values(file.tree).of(file.module, use)] != [made]:
        raise NotMovable("its estimator may get another one")
    own, of_config = arguments.get("model_dir"), given.get("model_dir")
    if not is_none(own) and not is_none(of_config) and ast.dump(own or use) != ast.dump(of_config or use):
        raise NotMovable("its estimator names another directory")
    directory, where = (own, file) if not is_none(own) else (of_config, config)
    if directory is None or is_none(directory):
        raise NotMovable("it names no directory")
    return ConfiguredEstimator(file, site.node, arguments, directory, where, directory is own)


def _parameters(file: EstimatorFile, site: Site) -> tuple[str, ...]:
    """Returns the parameters of a constructor that accepts ``checkpoints``; empty for others."""
    found = site.symbol
    is_v1 = found.api == "v1" or (found.api == "tf" and file.is_tf1)
    return _ESTIMATOR_PARAMETERS.get(found.tail) or parameters(found.tail.rpartition(".")[2], is_v1=is_v1)


def check_movable(file: EstimatorFile, value: ast.expr, estimator: ConfiguredEstimator) -> None:
    """Raises NotMovable where an expression may have another value at the estimator's call."""
    if all(isinstance(node, ast.Constant | ast.UnaryOp | ast.unaryop) for node in ast.walk(value)):
        return
    names = file.module.names
    shown = f"`{ast.unparse(value)[:LONGEST_SHOWN]}`"
    if estimator.file is not file:
        raise NotMovable(f"{shown} is of another file")
    reason = why_not_movable(names, value, names.statement_of(estimator.call))
    if reason is not None or not is_pure(names, value):
        raise NotMovable(reason or f"{shown} would be evaluated at another time")
