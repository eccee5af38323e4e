"""The calls that may run before a place in a program."""

import ast
from collections.abc import Iterator

from migrate.analysis.calls.branches import are_alternatives
from migrate.analysis.calls.reach import MAX_DEPTH, FunctionNode, Reach
from migrate.analysis.source.module import Module


def calls_before(
    reach: Reach, module: Module, place: ast.expr, seen: set[ast.AST] | None = None
) -> Iterator[tuple[Module, ast.Call]]:
    """Yields the calls that may run before a place: above it, in the functions called there, and above its callers.

    Args:
      seen: the functions to skip; those that are searched are added.
    """
    names, seen = module.names, set() if seen is None else seen
    around = list(names.ancestors(place))
    scope = next((one for one in around if isinstance(one, FunctionNode)), names.module)
    inside = around[: around.index(scope)] if scope in around else around
    # The iterable of a loop is evaluated once, before its iterations.
    loops = [one for one in inside if isinstance(one, ast.For | ast.While) and getattr(one, "iter", None) is not place]
    for call in reach.calls_in(module, scope):
        is_above = (call.lineno, call.col_offset) < (place.lineno, place.col_offset)
        is_again = any(loop in names.ancestors(call) for loop in loops)
        if call is place or call in around or not (is_again or is_above):
            continue
        if is_again or not are_alternatives(names, call, place):
            yield module, call
            yield from calls_within(reach, call, seen)
    if not isinstance(scope, FunctionNode) or scope in seen or len(seen) > MAX_DEPTH**3:
        return
    seen.add(scope)
    for caller in reach.callers(scope, module):
        yield from calls_before(reach, reach.module_of(caller), caller, seen)
    owner = names.parents.get(scope)
    for one in reach.bases(reach.note(owner, module)) if isinstance(owner, ast.ClassDef) else ():
        made = (method for method in one.body if isinstance(method, FunctionNode) and method.name == "__init__")
        for method in made if scope.name != "__init__" else ():
            yield from _calls_of_function(reach, reach.module_of(one), method, seen)


def calls_within(reach: Reach, call: ast.Call, seen: set[ast.AST]) -> Iterator[tuple[Module, ast.Call]]:
    """Yields the calls in the functions that a call runs, and in those that these call; each function once."""
    given = reach.functions_run_by_strategy(call)[0]
    for function in (*reach.functions(call), *given):
        yield from _calls_of_function(reach, reach.module_of(function), function, seen)


def _calls_of_function(
    reach: Reach, module: Module, function: FunctionNode, seen: set[ast.AST]
) -> Iterator[tuple[Module, ast.Call]]:
    if function not in seen:
        seen.add(function)
        for inner in reach.calls_in(module, function):
            yield module, inner
            yield from calls_within(reach, inner, seen)
