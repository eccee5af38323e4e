"""What a ``RunConfig`` that stands in an estimator's file asks for: its settings."""

import ast
from dataclasses import dataclass, field

from migrate.analysis.arguments import Unbindable, bind, is_none
from migrate.analysis.movable import why_not_movable
from migrate.analysis.names import Names
from migrate.analysis.run_config import RUN_CONFIG
from migrate.analysis.symbols import RUN_CONFIGS, Symbol, estimator_kind, symbol_of

RUN_CONFIG_PARAMETERS = tuple(setting.name for setting in RUN_CONFIG)


@dataclass
class Config:
    """The settings that reach one estimator.

    Attributes:
      settings: the expressions given, by parameter name; what is missing has RunConfig's default.
      calls: the ``RunConfig(…)`` that gave them.
      statements: the statements that exist only to make the config, so that they go when it goes.
      problem: why the settings cannot be told, with the node that hides them; None when they can.
    """

    settings: dict[str, ast.expr] = field(default_factory=dict)
    calls: list[ast.Call] = field(default_factory=list)
    statements: list[ast.stmt] = field(default_factory=list)
    problem: tuple[ast.expr | ast.stmt, str] | None = None


def config_behind(names: Names, expression: ast.expr | None) -> Config:
    """The config that an estimator gets by its argument ``config=expression``.

    Args:
      names: the file's names.
      expression: a ``RunConfig(…)``, a variable that is assigned one once, or None.
    """
    if expression is None:
        return Config()
    try:
        return _read(names, expression)
    except Unbindable as reason:
        return Config(problem=(expression, str(reason)))


def hold_at(names: Names, config: Config, statement: ast.stmt) -> None:
    """Sets the config's problem if one of its settings may have another value where ``statement`` stands."""
    for setting in RUN_CONFIG:
        value = config.settings.get(setting.name)
        if value is None or is_none(value) or not setting.manager:
            continue
        reason = why_not_movable(names, value, statement)
        if reason is not None:
            config.problem = config.problem or (value, reason)


def _read(names: Names, expression: ast.expr) -> Config:
    if is_none(expression):
        return Config()
    if isinstance(expression, ast.Name):
        return _read_name(names, expression)
    found = symbol_of(names, expression.func) if isinstance(expression, ast.Call) else None
    if not isinstance(expression, ast.Call) or found is None or found.tail not in RUN_CONFIGS:
        raise Unbindable("the config comes from an expression that cannot be followed")
    return Config(bind(expression, _parameters_of(found)), [expression])


def _read_name(names: Names, name: ast.Name) -> Config:
    found = names.scope_of(name).lookup(name.id)
    if found is None:
        raise Unbindable(f"`{name.id}` is not bound in this file")
    scope, bindings = found
    binding = bindings[0]
    if isinstance(binding.node, ast.arg):
        raise Unbindable(f"`{name.id}` is a parameter, so the config depends on the caller")
    if binding.imported is not None:
        raise Unbindable(f"`{name.id}` is imported from `{binding.imported}`")
    if binding.value is None or len(bindings) > 1:
        raise Unbindable(f"`{name.id}` is assigned in more than one place")
    if isinstance(scope.node, ast.ClassDef):
        raise Unbindable(f"`{name.id}` is an attribute of a class, which other code may read")
    if not isinstance(binding.node, ast.Assign | ast.AnnAssign) or not _dominates(names, binding.node, name):
        raise Unbindable(f"`{name.id}` is assigned under a condition")
    if isinstance(binding.value, ast.Name):
        raise Unbindable(f"`{name.id}` is another name of a config")
    config = _read(names, binding.value)
    config.statements.append(binding.node)
    for use in names.uses(name.id, scope):
        if use is not name and not _is_given(names, use):
            config.problem = config.problem or (use, f"`{name.id}` is used here too, not only as an estimator's config")
    return config


def _is_given(names: Names, use: ast.Name) -> bool:
    """Whether a use of a config is an estimator's ``config=``."""
    keyword = names.parent(use)
    call = names.parent(keyword) if isinstance(keyword, ast.keyword) and keyword.arg == "config" else None
    found = symbol_of(names, call.func) if isinstance(call, ast.Call) else None
    return found is not None and bool(estimator_kind(found))


def _parameters_of(found: Symbol) -> tuple[str, ...]:
    """The parameters that positional arguments of a RunConfig fill."""
    if found.is_contrib_learn:
        raise Unbindable(f"`{found.qualified}` is older than tf.estimator and has other arguments")
    return () if found.tail == "estimator.tpu.RunConfig" else RUN_CONFIG_PARAMETERS


def _dominates(names: Names, statement: ast.stmt, use: ast.expr) -> bool:
    """Whether ``statement`` has run wherever ``use`` is evaluated: no branch, loop or handler holds it alone."""
    parent = names.parent(statement)
    while isinstance(parent, ast.With):
        statement, parent = parent, names.parent(parent)
    if isinstance(parent, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return True
    is_top = isinstance(parent, ast.If) and isinstance(names.parent(parent), ast.Module)
    if is_top and isinstance(parent, ast.If) and "__main__" in ast.dump(parent.test):
        return True
    around = set(names.ancestors(use))
    blocks = [block for _, block in ast.iter_fields(parent) if isinstance(block, list) and statement in block]
    return any(other in around for block in blocks for other in block)
