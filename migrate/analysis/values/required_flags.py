"""Flags of argparse and absl: whether somebody must give them a value."""

import ast

from migrate.analysis.source.arguments import is_none
from migrate.analysis.source.names import Names
from migrate.files.run_cache import tree_cache


@tree_cache
def _flags(names: Names) -> dict[str, list[ast.Call]]:
    """The calls of argparse or absl that define the flags of a file, by the flags' names."""
    found: dict[str, list[ast.Call]] = {}
    for call in names.nodes(ast.Call):
        for name in _flag(call):
            found.setdefault(name, []).append(call)
    return found


def _method_name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def _texts(call: ast.Call) -> list[str]:
    return [one.value for one in call.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]


def _flag(call: ast.Call) -> list[str]:
    """The name of the flag that a call of argparse or absl defines; none for any other call."""
    called, texts = _method_name(call), _texts(call)
    if called.startswith("DEFINE_"):
        return texts[:1]
    if called != "add_argument" or not texts:
        return []
    destination = next((keyword.value for keyword in call.keywords if keyword.arg == "dest"), None)
    if isinstance(destination, ast.Constant):
        return [str(destination.value)]
    long = next((text for text in texts if text.startswith("--")), texts[0])
    return [long.lstrip("-").replace("-", "_")]


def is_none_unless_given(names: Names, flag: str) -> bool:
    """Whether argparse or absl gives a flag None where nobody sets it."""
    return any(map(_is_none_by_default, _flags(names).get(flag, ())))


def _is_none_by_default(call: ast.Call) -> bool:
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    if _method_name(call).startswith("DEFINE_"):
        return is_none(given.get("default", call.args[1] if len(call.args) > 1 else None))
    if not any(text.startswith("-") for text in _texts(call)) or "action" in given:
        return False
    is_required = given.get("required")
    return is_none(given.get("default")) and not (isinstance(is_required, ast.Constant) and is_required.value is True)
