"""The functions behind a ``serving_input_receiver_fn``, which an export runs in a graph."""

import ast
from collections.abc import Iterator

from migrate.analysis.arguments import Unbindable, bind
from migrate.analysis.names import Names
from migrate.analysis.symbols import symbol_of

RECEIVERS = ("estimator.export.ServingInputReceiver", "estimator.export.TensorServingInputReceiver")
BUILDERS = (
    "estimator.export.build_parsing_serving_input_receiver_fn",
    "estimator.export.build_raw_serving_input_receiver_fn",
)
_PLACEHOLDERS = ("placeholder", "placeholder_with_default", "sparse_placeholder")
_MOST = 8

FunctionNode = ast.FunctionDef | ast.Lambda


def receiver_functions(names: Names, expression: ast.expr) -> list[ast.AST]:
    """The code of a ``serving_input_receiver_fn``: functions that run in a graph, and calls of TensorFlow's builders.

    Raises:
      Unbindable: it is not seen to be carried over, with the reason.
    """
    found: list[ast.AST] = []
    _follow(names, expression, found, 0)
    for code in [*found]:
        found += [one for one in _helpers(names, code) if one not in found]
    for code in found:
        _check(names, code, found)
    return found


def _follow(names: Names, expression: ast.expr | None, found: list[ast.AST], depth: int) -> None:
    shown = ast.unparse(expression)[:60] if expression is not None else "None"
    refused = Unbindable(f"`{shown}` is not seen to be a function of this file that returns a ServingInputReceiver")
    if expression is None or depth > _MOST:
        raise refused
    value = expression
    if isinstance(expression, ast.Name):
        defined = names.definition(expression)
        if isinstance(defined, FunctionNode):
            _add(defined, found)
            return
        only = names.only_value(expression)
        if only is None:
            raise refused
        value = only
    if isinstance(value, ast.Lambda):
        found.append(value)
        if isinstance(value.body, ast.Call) and not _is_receiver(names, value.body):
            _follow(names, value.body.func, found, depth + 1)
        return
    if isinstance(value, ast.Name):
        _follow(names, value, found, depth + 1)
        return
    if not isinstance(value, ast.Call):
        raise refused
    symbol = symbol_of(names, value.func)
    if symbol is not None and symbol.tail in BUILDERS:
        found.append(value)
        return
    if names.qualified(value.func) == "functools.partial" and value.args:
        _follow(names, value.args[0], found, depth + 1)
        return
    maker = names.definition(value.func) if isinstance(value.func, ast.Name) else None
    returns = names.returns(maker) if isinstance(maker, ast.FunctionDef) and not maker.decorator_list else []
    if not returns:
        raise refused
    for one in returns:
        _follow(names, one.value, found, depth + 1)


def _add(function: FunctionNode, found: list[ast.AST]) -> None:
    if isinstance(function, ast.FunctionDef) and function.decorator_list:
        raise Unbindable(f"`{function.name}` is no plain function")
    if function not in found:
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
        found = names.scope_of(code).lookup(code.name)
        for use in names.uses(code.name, found[0]) if found is not None else ():
            call = names.parent(use)
            is_called = isinstance(call, ast.Call) and call.func is use
            if is_called and not any(one in all_of_them for one in names.ancestors(use)):
                raise Unbindable(f"`{code.name}` is called at line {use.lineno} too, where it would not run in a graph")
