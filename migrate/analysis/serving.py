"""The functions behind a ``serving_input_receiver_fn``, which an export runs in a graph."""

import ast
from collections.abc import Iterator

from migrate.analysis.arguments import Unbindable, bind
from migrate.analysis.module import Module
from migrate.analysis.names import Names
from migrate.analysis.symbols import symbol_of
from migrate.analysis.tree import Tree
from migrate.analysis.values.values import Unfollowable, Values

RECEIVERS = ("estimator.export.ServingInputReceiver", "estimator.export.TensorServingInputReceiver")
BUILDERS = (
    "estimator.export.build_parsing_serving_input_receiver_fn",
    "estimator.export.build_raw_serving_input_receiver_fn",
)
_PLACEHOLDERS = ("placeholder", "placeholder_with_default", "sparse_placeholder")

FunctionNode = ast.FunctionDef | ast.Lambda


def receiver_functions(tree: Tree, module: Module, expression: ast.expr) -> list[ast.AST]:
    """The code of a ``serving_input_receiver_fn``: functions that run in a graph, and calls of TensorFlow's builders.

    Raises:
      Unbindable: it is not seen to be carried over, with the reason.
    """
    found: list[ast.AST] = []
    _follow(Values(tree), module, expression, found)
    for code in [*found]:
        found += [one for one in _helpers(module.names, code) if one not in found]
    for code in found:
        _check(module.names, code, found)
    return found


def _follow(values: Values, module: Module, expression: ast.expr, found: list[ast.AST]) -> None:
    shown = ast.unparse(expression)[:60]
    refused = Unbindable(f"`{shown}` is not seen to be a function of this file that returns a ServingInputReceiver")
    for end in values.ends(module, expression):
        symbol = symbol_of(end.module.names, end.node.func) if isinstance(end.node, ast.Call) else None
        if end.module is module and symbol is not None and symbol.tail in BUILDERS:
            found.append(end.node)
            continue
        try:
            functions = values.functions_of(end)
        except Unfollowable as reason:
            raise refused from reason
        for function in functions:
            node = function.node
            if function.module is not module or isinstance(node, ast.AsyncFunctionDef):
                raise refused
            if node in found:
                continue
            _add(node, found)
            made = node.body if isinstance(node, ast.Lambda) else None
            if isinstance(made, ast.Call) and not _is_receiver(module.names, made):
                _follow(values, module, made.func, found)


def _add(function: FunctionNode, found: list[ast.AST]) -> None:
    if isinstance(function, ast.FunctionDef) and function.decorator_list:
        raise Unbindable(f"`{function.name}` is no plain function")
    found.append(function)


def _helpers(names: Names, code: ast.AST) -> Iterator[ast.AST]:
    """The functions of the file that make placeholders for a receiver function."""
    for node in ast.walk(code):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            called = names.definition(node.func)
            if isinstance(called, ast.FunctionDef) and any(True for _ in _placeholders(names, called)):
                yield called


def _placeholders(names: Names, code: ast.AST) -> Iterator[ast.expr]:
    for node in ast.walk(code):
        symbol = symbol_of(names, node) if isinstance(node, ast.Name | ast.Attribute) else None
        if symbol is not None and symbol.tail in _PLACEHOLDERS and isinstance(node, ast.expr):
            yield node


def _is_receiver(names: Names, call: ast.Call) -> bool:
    symbol = symbol_of(names, call.func)
    return symbol is not None and symbol.tail in RECEIVERS


def _check(names: Names, code: ast.AST, all_of_them: list[ast.AST]) -> None:
    if isinstance(code, ast.Call) and any(True for _ in _placeholders(names, code)):
        raise Unbindable("a placeholder is outside of the function that an export runs in a graph")
    receivers = [node for node in ast.walk(code) if isinstance(node, ast.Call) and _is_receiver(names, node)]
    if any(
        len(bind(node, ("features", "receiver_tensors", "receiver_tensors_alternatives"))) > 2 for node in receivers
    ):
        raise Unbindable("receiver_tensors_alternatives are not carried over")
    for placeholder in _placeholders(names, code):
        symbol = symbol_of(names, placeholder)
        if symbol is not None and symbol.tail == "sparse_placeholder":
            raise Unbindable("a sparse placeholder is no input of a function's signature")
    if isinstance(code, ast.FunctionDef):
        for use in names.uses(code.name, names.scope_of(code)):
            call = names.parent(use)
            is_called = isinstance(call, ast.Call) and call.func is use
            if is_called and not any(one in all_of_them for one in names.ancestors(use)):
                raise Unbindable(f"`{code.name}` is called at line {use.lineno} too, where it would not run in a graph")
