"""What an ``input_fn`` argument stands for: a numpy or pandas helper, or a function that returns a Dataset."""

import ast
from dataclasses import dataclass

from migrate.analysis.names import Names
from migrate.analysis.scopes import FunctionNode
from migrate.analysis.symbols import INPUT_FNS, Symbol, symbol_of

_FILLED_IN = {"mode", "params", "config", "input_context"}
"""Parameters that the Estimator passes to an input function, those with a default too."""
_UNSEEN = "is not seen to return a tf.data.Dataset"


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

    @property
    def is_function(self) -> bool:
        """Whether the user's expression is called for the examples, in the new code too."""
        return self.helper is None


class Inputs:
    """Reads the ``input_fn`` behind an expression."""

    def __init__(self, names: Names) -> None:
        self.names = names

    def behind(self, expression: ast.expr) -> Input:
        """The input that an estimator's method gets by ``input_fn=expression``."""
        if isinstance(expression, ast.Name):
            value = self.names.only_value(expression)
            if isinstance(value, ast.Call) and self._is_helper(value):
                statement, found = self.names.statement_of(value), self.names.scope_of(expression).lookup(expression.id)
                if (
                    found is None
                    or found[0] is not self.names.scope_of(statement)
                    or isinstance(found[0].node, ast.ClassDef)
                ):
                    return Input(expression, problem=f"`{expression.id}` is a global name or an attribute of a class")
                return self._helper(expression, value, statement, expression.id)
        if isinstance(expression, ast.Call) and self._is_helper(expression):
            return self._helper(expression, expression, None, None)
        return Input(expression, problem=self._why_not_a_dataset_function(expression))

    def _is_helper(self, call: ast.Call) -> bool:
        found = symbol_of(self.names, call.func)
        return found is not None and found.tail in INPUT_FNS

    def _helper(self, node: ast.expr, call: ast.Call, statement: ast.stmt | None, name: str | None) -> Input:
        return Input(node, call, symbol_of(self.names, call.func), statement, name)

    def _why_not_a_dataset_function(self, expression: ast.expr) -> str | None:
        """None if calling ``expression`` with no arguments is seen to return a Dataset, else the reason."""
        function = self.function(expression)
        if function is None:
            return f"`{ast.unparse(expression)}` is not a function of this file, so what it returns cannot be told"
        filled_in = [name for name in _parameters(function) if name in _FILLED_IN] + _required(function)
        if filled_in:
            return f"the input function takes `{filled_in[0]}`, which the estimator fills in"
        name = getattr(function, "name", "lambda")
        if not self._is_plain(function):
            return f"`{name}` is no plain function"
        if not self._returns_dataset(function, set()):
            return f"`{name}` {_UNSEEN}"
        return None

    def function(self, expression: ast.expr) -> FunctionNode | None:
        """The function of the file, or the lambda, that an expression is."""
        if isinstance(expression, ast.Lambda):
            return expression
        definition = self.names.definition(expression) if isinstance(expression, ast.Name) else None
        if isinstance(definition, FunctionNode):
            return definition
        value = self.names.only_value(expression) if isinstance(expression, ast.Name) else None
        return value if isinstance(value, ast.Lambda) else None

    def _returns_dataset(self, function: FunctionNode, seen: set[ast.AST]) -> bool:
        if function in seen:  # by its other returns, then
            return True
        seen.add(function)
        if isinstance(function, ast.Lambda):
            return self.is_dataset(function.body, seen)
        values = [node.value for node in self.names.returns(function)]
        if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in ast.walk(function)):
            return False
        return bool(values) and all(value is not None and self.is_dataset(value, seen) for value in values)

    def _is_plain(self, function: FunctionNode) -> bool:
        """Whether calling a function runs it as it stands."""
        return not isinstance(function, ast.AsyncFunctionDef) and not getattr(function, "decorator_list", None)

    def is_dataset(self, value: ast.expr, seen: set[ast.AST] | None = None) -> bool:
        """Whether an expression is seen to be a Dataset."""
        seen = set() if seen is None else seen
        if isinstance(value, ast.Subscript):
            made = self.names.value(value.value)
            return self._loads(made, has_split=False)
        if self._loads(value, has_split=True):
            return True
        if isinstance(value, ast.Call):
            found = symbol_of(self.names, value.func)
            if found is not None:
                return found.tail.startswith("data.") and "iterator" not in found.tail.lower()
            if isinstance(value.func, ast.Attribute):
                is_iterator = "iterator" in value.func.attr or value.func.attr == "get_next"
                return not is_iterator and self.is_dataset(value.func.value, seen)
            if isinstance(value.func, ast.Name) and (functions := self.names.definitions(value.func)):
                return all(self._is_plain(one) and self._returns_dataset(one, seen) for one in functions)
            function = self.function(value.func)
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
            return None not in values and bool(first) and all(self.is_dataset(v, seen) for v in first)
        return False

    def _loads(self, value: ast.expr | None, *, has_split: bool) -> bool:
        """Whether an expression is a Dataset of TensorFlow Datasets, or without a split a dict of them."""
        if not isinstance(value, ast.Call) or self.names.qualified(value.func) != "tensorflow_datasets.load":
            return False
        given = {keyword.arg: keyword.value for keyword in value.keywords}
        if len(value.args) > 1 or None in given or not given.keys().isdisjoint({"with_info", "batch_size"}):
            return False
        split = given.get("split")
        if not has_split:
            return split is None
        split = split and self.names.value(split)
        return isinstance(split, ast.Attribute) or (isinstance(split, ast.Constant) and isinstance(split.value, str))


def _is_method_of(value: ast.expr, name: str) -> bool:
    """Whether ``value`` is a chain of method calls that begins at the variable ``name``."""
    while isinstance(value, ast.Call | ast.Attribute):
        if isinstance(value, ast.Attribute) and ("iterator" in value.attr or value.attr == "get_next"):
            return False
        value = value.func if isinstance(value, ast.Call) else value.value
    return isinstance(value, ast.Name) and value.id == name


def _parameters(function: FunctionNode) -> list[str]:
    arguments = function.args
    return [argument.arg for argument in arguments.posonlyargs + arguments.args + arguments.kwonlyargs]


def _required(function: FunctionNode) -> list[str]:
    arguments = function.args
    positional = arguments.posonlyargs + arguments.args
    without_default = positional[: len(positional) - len(arguments.defaults)]
    keyword_only = [a for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is None]
    return [argument.arg for argument in without_default + keyword_only]
