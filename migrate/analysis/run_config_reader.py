"""What a ``RunConfig`` asks for: its settings, wherever it was made and however it was changed."""

import ast
from dataclasses import dataclass, field

from migrate.analysis.arguments import Unbindable, bind, defaults, is_none
from migrate.analysis.moves import why_not_movable
from migrate.analysis.names import Names
from migrate.analysis.run_config import RUN_CONFIG
from migrate.analysis.symbols import RUN_CONFIGS, Symbol, estimator_kind, symbol_of

RUN_CONFIG_PARAMETERS = tuple(setting.name for setting in RUN_CONFIG)


@dataclass
class Config:
    """The settings that reach one estimator.

    Attributes:
      settings: the expressions given, by parameter name; what is missing has RunConfig's default.
      calls: the ``RunConfig(…)`` and ``.replace(…)`` calls that gave them.
      statements: the statements that exist only to make the config, so that they go when it goes.
      problem: why the settings cannot be told, with the node that hides them; None when they can.
    """

    settings: dict[str, ast.expr] = field(default_factory=dict)
    calls: list[ast.Call] = field(default_factory=list)
    statements: list[ast.stmt] = field(default_factory=list)
    problem: tuple[ast.expr | ast.stmt, str] | None = None


class Configs:
    """Reads the ``RunConfig`` behind an expression."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self._reading: list[ast.expr] = []

    def behind(self, expression: ast.expr | None) -> Config:
        """The config that an estimator gets by its argument ``config=expression``."""
        if expression is None:
            return Config()
        try:
            return self._read(expression)
        except Unbindable as reason:
            return Config(problem=(expression, str(reason)))

    def hold_at(self, config: Config, statement: ast.stmt) -> None:
        """Sets the config's problem if one of its settings may have another value where ``statement`` stands."""
        for setting in RUN_CONFIG:
            value = config.settings.get(setting.name)
            if value is None or is_none(value) or not setting.manager:
                continue
            reason = why_not_movable(self.names, value, statement)
            if reason is not None:
                config.problem = config.problem or (value, reason)

    def _read(self, expression: ast.expr) -> Config:
        if expression in self._reading:
            raise Unbindable("the config is made from itself")
        self._reading.append(expression)
        try:
            return self._read_expression(expression)
        finally:
            self._reading.pop()

    def _read_expression(self, expression: ast.expr) -> Config:
        if is_none(expression):
            return Config()
        if isinstance(expression, ast.Name):
            return self._read_name(expression)
        if not isinstance(expression, ast.Call):
            raise Unbindable("the config comes from an expression that cannot be followed")
        found = symbol_of(self.names, expression.func)
        if found is not None and found.tail in RUN_CONFIGS:
            return Config(bind(expression, _parameters_of(found)), [expression])
        if isinstance(expression.func, ast.Attribute) and expression.func.attr == "replace":
            config = self._read(expression.func.value)
            _replace(config.settings, bind(expression, ()))
            config.calls.append(expression)
            return config
        if isinstance(expression.func, ast.Name):
            return self._read_function(expression, expression.func)
        raise Unbindable("the config comes from a call that cannot be followed")

    def _read_name(self, name: ast.Name) -> Config:
        found = self.names.scope_of(name).lookup(name.id)
        if found is None:
            raise Unbindable(f"`{name.id}` is not bound in this file")
        scope, bindings = found
        bindings = sorted(bindings, key=lambda binding: getattr(binding.node, "lineno", 0))
        first, *later = bindings
        if isinstance(first.node, ast.arg):
            raise Unbindable(f"`{name.id}` is a parameter, so the config depends on the caller")
        if first.imported is not None:
            raise Unbindable(f"`{name.id}` is imported from `{first.imported}`")
        if first.value is None or not all(self._is_own_replace(name.id, one.value) for one in later):
            raise Unbindable(f"`{name.id}` is assigned in more than one place")
        if isinstance(scope.node, ast.ClassDef):
            raise Unbindable(f"`{name.id}` is an attribute of a class, which other code may read")
        config = Config()
        for binding in bindings:
            assert binding.value is not None
            if not isinstance(binding.node, ast.Assign | ast.AnnAssign) or not _dominates(
                self.names, binding.node, name
            ):
                raise Unbindable(f"`{name.id}` is assigned under a condition")
            if binding is first:
                config = self._read(binding.value)
                continue
            assert isinstance(binding.value, ast.Call)
            if binding.node.lineno > name.lineno or self.names.scope_of(name) is not scope:
                raise Unbindable(f"`{name.id}` is changed at line {binding.node.lineno}, perhaps after it is used")
            _replace(config.settings, bind(binding.value, ()))
            config.calls.append(binding.value)
        config.statements += [binding.node for binding in bindings if isinstance(binding.node, ast.stmt)]
        own = {id(node) for statement in config.statements for node in ast.walk(statement)}
        others = [use for use in self.names.uses(name.id, scope) if use is not name and id(use) not in own]
        for use in others:
            config.problem = config.problem or self._other_use(name.id, use)
        return config

    def _other_use(self, name: str, use: ast.Name) -> tuple[ast.expr | ast.stmt, str] | None:
        """Why a further use of the config cannot go with it; another estimator's ``config=`` can."""
        keyword = self.names.parent(use)
        call = self.names.parent(keyword) if isinstance(keyword, ast.keyword) and keyword.arg == "config" else None
        found = symbol_of(self.names, call.func) if isinstance(call, ast.Call) else None
        if found is not None and estimator_kind(found):
            return None
        return use, f"`{name}` is used here too, not only as an estimator's config"

    def _is_own_replace(self, name: str, value: ast.expr | None) -> bool:
        """Whether ``value`` is ``name.replace(…)``."""
        return (
            isinstance(value, ast.Call)
            and isinstance(value.func, ast.Attribute)
            and value.func.attr == "replace"
            and isinstance(value.func.value, ast.Name)
            and value.func.value.id == name
        )

    def _read_function(self, call: ast.Call, function: ast.Name) -> Config:
        definition = self.names.definition(function)
        if not isinstance(definition, ast.FunctionDef):
            raise Unbindable(f"`{function.id}` is not a function of this file")
        if definition.decorator_list:
            raise Unbindable(f"`{function.id}` has a decorator")
        returns = [node for node in ast.walk(definition) if isinstance(node, ast.Return)]
        if len(returns) != 1 or returns[0].value is None or returns[0] is not definition.body[-1]:
            raise Unbindable(f"`{function.id}` does not end in its one return")
        config = self._read(returns[0].value)
        inside = {id(node) for node in ast.walk(definition)}
        extra = [s for s in definition.body[:-1] if s not in config.statements and not _is_docstring(s)]
        if extra:
            raise Unbindable(f"`{function.id}` does more than make the config (line {extra[0].lineno})")
        parameters = _parameters(definition)
        given = bind(call, parameters)
        left_out = defaults(definition)
        for key, value in config.settings.items():
            if isinstance(value, ast.Name) and value.id in parameters and id(value) in inside:
                argument = given.get(value.id, left_out.get(value.id))
                if argument is None:
                    raise Unbindable(f"`{function.id}` is called without `{value.id}`")
                config.settings[key] = argument
            elif any(isinstance(node, ast.Name) and self._is_local(node, definition) for node in ast.walk(value)):
                raise Unbindable(f"`{key}` is computed inside `{function.id}`")
        if all(self.names.parent(use) is call for use in self.names.uses(function.id, self.names.scope_of(definition))):
            config.statements = [*(s for s in config.statements if id(s) not in inside), definition]
        else:
            config.problem = (call, f"`{function.id}` is called in more than one place")
        return config

    def _is_local(self, name: ast.Name, function: ast.FunctionDef) -> bool:
        found = self.names.scope_of(name).lookup(name.id)
        return found is not None and found[0].node is function


def _parameters_of(found: Symbol) -> tuple[str, ...]:
    """The parameters that positional arguments of a RunConfig fill."""
    if found.is_contrib_learn:
        raise Unbindable(f"`{found.qualified}` is older than tf.estimator and has other arguments")
    return () if found.tail == "estimator.tpu.RunConfig" else RUN_CONFIG_PARAMETERS


def _parameters(function: ast.FunctionDef) -> list[str]:
    arguments = function.args
    if arguments.vararg or arguments.kwarg:
        raise Unbindable(f"`{function.name}` takes any number of arguments")
    return [argument.arg for argument in arguments.posonlyargs + arguments.args + arguments.kwonlyargs]


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


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


def _replace(settings: dict[str, ast.expr], changes: dict[str, ast.expr]) -> None:
    """``RunConfig.replace``: setting one save interval clears the other."""
    for one, other in (
        ("save_checkpoints_steps", "save_checkpoints_secs"),
        ("save_checkpoints_secs", "save_checkpoints_steps"),
    ):
        if one in changes and other not in changes and not is_none(changes[one]):
            settings[other] = ast.copy_location(ast.Constant(None), changes[one])
    settings.update(changes)
