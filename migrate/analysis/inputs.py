"""What an ``input_fn`` argument stands for: a numpy or pandas helper, or a function that returns a Dataset."""

import ast
from dataclasses import dataclass

from migrate.analysis.names import FunctionNode, Names
from migrate.analysis.symbols import INPUT_FNS, Symbol, symbol_of


@dataclass(frozen=True)
class Input:
    """Where the examples of one train, evaluate or predict call come from.

    Attributes:
      node: the expression given as ``input_fn``.
      helper: the ``numpy_input_fn`` or ``pandas_input_fn`` call behind it, else None.
      symbol: the helper's symbol.
      statement: the assignment that binds the helper to ``name``; None when the helper stands inline.
      name: the variable that holds the helper.
      problem: why the input cannot be told; None when it can.
    """

    node: ast.expr
    helper: ast.Call | None = None
    symbol: Symbol | None = None
    statement: ast.stmt | None = None
    name: str | None = None
    problem: str | None = None


class Inputs:
    """Reads the ``input_fn`` behind an expression."""

    def __init__(self, names: Names) -> None:
        self.names = names

    def behind(self, expression: ast.expr) -> Input:
        """The input that an estimator's method gets by ``input_fn=expression``."""
        if isinstance(expression, ast.Name):
            value = self.names.only_value(expression)
            if isinstance(value, ast.Call) and self._is_helper(value):
                found = self.names.scope_of(expression).lookup(expression.id)
                assert found is not None
                statement = found[1][0].node
                if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
                    return Input(expression, problem=f"`{expression.id}` is bound together with other names")
                return self._helper(expression, value, statement, expression.id)
        if isinstance(expression, ast.Call) and self._is_helper(expression):
            return self._helper(expression, expression, None, None)
        problem = self._why_not_a_dataset_function(expression)
        return Input(expression, problem=problem)

    def _is_helper(self, call: ast.Call) -> bool:
        found = symbol_of(self.names, call.func)
        return found is not None and found.tail in INPUT_FNS

    def _helper(self, node: ast.expr, call: ast.Call, statement: ast.stmt | None, name: str | None) -> Input:
        return Input(node, call, symbol_of(self.names, call.func), statement, name)

    def _why_not_a_dataset_function(self, expression: ast.expr) -> str | None:
        """None if calling ``expression`` with no arguments is seen to return a Dataset, else the reason."""
        function, arguments = self._function(expression)
        if function is None:
            return f"`{ast.unparse(expression)}` is not a function of this file, so what it returns cannot be told"
        if arguments is None and _required(function):
            return f"the input function takes `{_required(function)[0]}`, which the estimator fills in"
        if not self._returns_dataset(function, set()):
            name = getattr(function, "name", "lambda")
            return f"`{name}` is not seen to return a tf.data.Dataset"
        return None

    def _function(self, expression: ast.expr) -> tuple[FunctionNode | None, ast.Call | None]:
        """The function that ``expression`` evaluates to, and the call that fixes its arguments, if any."""
        if isinstance(expression, ast.Lambda):
            return expression, None
        if isinstance(expression, ast.Name):
            definition = self.names.definition(expression)
            if isinstance(definition, FunctionNode):
                return definition, None
            value = self.names.only_value(expression)
            return self._function(value) if isinstance(value, ast.Call) else (None, None)
        if isinstance(expression, ast.Call):
            if self.names.qualified(expression.func) == "functools.partial" and expression.args:
                function, _ = self._function(expression.args[0])
                return function, expression
            factory, _ = self._function(expression.func)
            inner = _only_return(factory) if factory is not None else None
            if isinstance(inner, ast.Name | ast.Lambda):
                return self._function(inner)
        return None, None

    def _returns_dataset(self, function: FunctionNode, seen: set[ast.AST]) -> bool:
        if function in seen:
            return False
        seen.add(function)
        if isinstance(function, ast.Lambda):
            return self._is_dataset(function.body, seen)
        returns = [node for node in ast.walk(function) if isinstance(node, ast.Return)]
        values = [node.value for node in returns if self.names.scope_of(node).node is function]
        return bool(values) and all(value is not None and self._is_dataset(value, seen) for value in values)

    def _is_dataset(self, value: ast.expr, seen: set[ast.AST]) -> bool:
        if isinstance(value, ast.Call):
            found = symbol_of(self.names, value.func)
            if found is not None:
                return found.tail.startswith("data.") and "Iterator" not in found.tail
            if isinstance(value.func, ast.Attribute):
                is_iterator = "iterator" in value.func.attr or value.func.attr == "get_next"
                return not is_iterator and self._is_dataset(value.func.value, seen)
            function, _ = self._function(value.func)
            return function is not None and self._returns_dataset(function, seen)
        if isinstance(value, ast.Name):
            if value in seen:
                return False
            seen.add(value)
            found_name = self.names.scope_of(value).lookup(value.id)
            if found_name is None:
                return False
            values = [binding.value for binding in found_name[1]]
            # `dataset = dataset.batch(8)` says nothing new: what it began as counts.
            first = [v for v in values if v is not None and not _is_method_of(v, value.id)]
            return None not in values and bool(first) and all(self._is_dataset(v, seen) for v in first)
        return False


def _is_method_of(value: ast.expr, name: str) -> bool:
    """Whether ``value`` is a chain of method calls that begins at the variable ``name``."""
    while isinstance(value, ast.Call | ast.Attribute):
        if isinstance(value, ast.Attribute) and ("iterator" in value.attr or value.attr == "get_next"):
            return False
        value = value.func if isinstance(value, ast.Call) else value.value
    return isinstance(value, ast.Name) and value.id == name


def _only_return(function: FunctionNode) -> ast.expr | None:
    if isinstance(function, ast.Lambda):
        return function.body
    last = function.body[-1]
    return last.value if isinstance(last, ast.Return) else None


def _required(function: FunctionNode) -> list[str]:
    arguments = function.args
    positional = arguments.posonlyargs + arguments.args
    without_default = positional[: len(positional) - len(arguments.defaults)]
    keyword_only = [a for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is None]
    return [argument.arg for argument in without_default + keyword_only]
