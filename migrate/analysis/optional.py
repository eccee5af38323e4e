"""Numbers that may be None: an Estimator then trains to the end of its input, where ``tf.data`` and sums raise."""

import ast

from migrate.analysis.arguments import defaults, is_none
from migrate.analysis.module import Module

_MOST_NAMES = 3
"""How many variables a number is followed through."""


def may_be_none(module: Module, value: ast.expr, depth: int = 0) -> bool:
    """Whether a value is None unless somebody gives another, as the file shows: a flag or a parameter without one."""
    if isinstance(value, ast.IfExp):
        return any(may_be_none(module, branch, depth) for branch in (value.body, value.orelse))
    if isinstance(value, ast.Attribute):
        return value.attr in _flags_of_none(module.tree)
    if isinstance(value, ast.Call):
        is_get = isinstance(value.func, ast.Attribute) and value.func.attr == "get" and not value.keywords
        return is_get and bool(value.args) and is_none(value.args[1] if len(value.args) > 1 else None)
    if isinstance(value, ast.Name) and depth < _MOST_NAMES:
        found = module.names.scope_of(value).lookup(value.id)
        return found is not None and any(
            _has_none(found[0].node, value.id)
            if isinstance(binding.node, ast.arg)
            else binding.value is not None and may_be_none(module, binding.value, depth + 1)
            for binding in found[1]
        )
    return isinstance(value, ast.Constant) and value.value is None


def _has_none(function: ast.AST, parameter: str) -> bool:
    """Whether a function's, or a lambda's, parameter has the default None."""
    given = defaults(function)  # type: ignore[arg-type]
    return parameter in given and is_none(given[parameter])


def _flags_of_none(tree: ast.Module) -> set[str]:
    """The names of the flags that argparse or absl gives None where nobody sets them."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    return {name for call in calls for name in _flag_of_none(call, call.func.attr)}  # type: ignore[attr-defined]


def _flag_of_none(call: ast.Call, called: str) -> list[str]:
    texts = [one.value for one in call.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    if called.startswith("DEFINE_"):
        default = given.get("default", call.args[1] if len(call.args) > 1 else None)
        return texts[:1] if is_none(default) else []
    options = [text for text in texts if text.startswith("-")]
    if called != "add_argument" or not options or "action" in given or not is_none(given.get("default")):
        return []
    is_required = given.get("required")
    if isinstance(is_required, ast.Constant) and is_required.value is True:
        return []
    destination = given.get("dest")
    if isinstance(destination, ast.Constant):
        return [str(destination.value)]
    long = next((option for option in options if option.startswith("--")), options[0])
    return [long.lstrip("-").replace("-", "_")]
