"""What an ``input_fn`` argument stands for: a numpy or pandas helper, or a function that returns a Dataset."""

import ast
from dataclasses import dataclass

from migrate.analysis.datasets import is_dataset
from migrate.analysis.module import Module
from migrate.analysis.scopes import FunctionNode
from migrate.analysis.symbols import INPUT_FNS, Symbol, symbol_of
from migrate.analysis.tree import Tree
from migrate.analysis.values.values import Values

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
    """Reads the ``input_fn`` behind an expression.

    Args:
      module: the file that it stands in.
      tree: the files around it.
    """

    def __init__(self, module: Module, tree: Tree) -> None:
        self._module, self._values = module, Values(tree)
        self.names = module.names

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
        if not self._returns_dataset(function):
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

    def _returns_dataset(self, function: FunctionNode) -> bool:
        if isinstance(function, ast.Lambda):
            values: list[ast.expr | None] = [function.body]
        else:
            values = [node.value for node in self.names.returns(function)]
        if function in self.names.yielding:
            return False
        module = self._module
        return bool(values) and all(
            value is not None and is_dataset(self._values, module, value, only_in=module) for value in values
        )

    def _is_plain(self, function: FunctionNode) -> bool:
        """Whether calling a function runs it as it stands."""
        return not isinstance(function, ast.AsyncFunctionDef) and not getattr(function, "decorator_list", None)


def _parameters(function: FunctionNode) -> list[str]:
    arguments = function.args
    return [argument.arg for argument in arguments.posonlyargs + arguments.args + arguments.kwonlyargs]


def _required(function: FunctionNode) -> list[str]:
    arguments = function.args
    positional = arguments.posonlyargs + arguments.args
    without_default = positional[: len(positional) - len(arguments.defaults)]
    keyword_only = [a for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is None]
    return [argument.arg for argument in without_default + keyword_only]
