"""What the calls of a program give to the parameters of its functions."""

import ast

from migrate.analysis.calls.reach import FunctionNode, Reach
from migrate.analysis.source.module import Module


def given_to(call: ast.Call, function: FunctionNode, name: str) -> ast.expr | None:
    """Returns the argument of a call for a parameter of a function; None for none."""
    expected = [one.arg for one in [*function.args.posonlyargs, *function.args.args] if one.arg not in ("self", "cls")]
    place = expected.index(name) if name in expected else len(call.args)
    by_name = next((one.value for one in call.keywords if one.arg == name), None)
    return by_name if by_name is not None or place >= len(call.args) else call.args[place]


def given_values(reach: Reach, module: Module, parameter: ast.arg) -> list[tuple[Module, ast.expr]]:
    """Returns the arguments that the calls of a function give to one of its parameters, each with its file."""
    function = module.names.scope_of(parameter).node
    calls = reach.callers(function, module) if isinstance(function, FunctionNode) else []
    if isinstance(function, FunctionNode) and parameter is function.args.vararg:
        place = len([one for one in function.args.args if one.arg not in ("self", "cls")])
        return [(reach.module_of(call), one) for call in calls for one in call.args[place:]]
    pairs = ((call, given_to(call, function, parameter.arg)) for call in calls)  # type: ignore[arg-type]
    return [(reach.module_of(call), given) for call, given in pairs if given is not None]
