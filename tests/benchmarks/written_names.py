"""Compare the names and calls of written programs with the TensorFlow that is installed.

usage: python -m tests.benchmarks.written_names PATH...

Prints each name below ``tensorflow``, ``tf_slim`` and ``tf2_recovery`` in .py files, and those of folders, that the
packages of this interpreter lack, and each call whose arguments they do not take: without the tables that the tool has
of them. ``?`` marks what stands under a condition or ``try``. Names of what only Keras 2 has need
TF_USE_LEGACY_KERAS=1. What a program lacked before it was written is printed too: read the finding of its line.
"""

import ast
import importlib
import inspect
import sys
import types
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import migrate.recovery

_PACKAGES = ("tensorflow", "tf_slim", "tf2_recovery")
sys.modules["tf2_recovery"] = migrate.recovery


class Missing(Exception):
    """A name that a package does not have; the argument is as much of it as is looked for."""


@cache
def found(dotted: str) -> object:
    """What a dotted name stands for; raises Missing."""
    root, *parts = dotted.split(".")
    try:
        shown, path = importlib.import_module(root), root
    except ImportError as error:
        raise Missing(root) from error
    for part in parts:
        path = f"{path}.{part}"
        try:
            shown = getattr(shown, part)
        except AttributeError:
            try:
                shown = importlib.import_module(path)
            except Exception as error:  # a module may fail in any way
                if not isinstance(shown, types.ModuleType | type) and type(shown).__module__ != "tensorflow":
                    return None  # what is read off an object
                raise Missing(path) from error
    return shown


def imported(tree: ast.Module) -> dict[str, str]:
    """The dotted names of the packages, by the variables that hold them; none for one that two imports give."""
    given: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                path = alias.name if alias.asname else alias.name.split(".")[0]
                given.setdefault(alias.asname or path, set()).add(path)
        elif isinstance(node, ast.ImportFrom) and node.module:
            _, package, rest = node.module.partition("tf2_recovery")
            module = package + rest if package else "" if node.level else node.module
            for alias in (one for one in node.names if module and one.name != "*"):
                given.setdefault(alias.asname or alias.name, set()).add(f"{module}.{alias.name}")
    return {name: paths.pop() for name, paths in given.items() if len(paths) == 1}


def dotted_name(node: ast.AST, names: dict[str, str]) -> str:
    """The dotted name of an expression; "" for one that is none of the packages'."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.insert(0, node.attr)
        node = node.value
    root = names.get(node.id, "") if isinstance(node, ast.Name) else ""
    return ".".join([root, *parts]) if root.split(".")[0] in _PACKAGES else ""


def refusal(call: ast.Call, shown: object) -> str:
    """Why something does not take the arguments of a call; "" where it does, or where that is not seen."""
    is_seen = not any(isinstance(one, ast.Starred) for one in call.args) and all(one.arg for one in call.keywords)
    try:
        signature = inspect.signature(shown) if callable(shown) and is_seen else None
    except ValueError:
        return ""
    try:
        if signature is not None:
            signature.bind(*call.args, **{one.arg: one for one in call.keywords if one.arg})
    except TypeError as error:
        return str(error)
    return ""


def problems(tree: ast.Module, counts: Counter[str]) -> Iterator[tuple[ast.expr, str]]:
    """The names of a file that are not there, and the calls that fail."""
    names = imported(tree)
    called = {node.func: node for node in ast.walk(tree) if isinstance(node, ast.Call)}
    inner = {node.value for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if node in inner or not isinstance(node, ast.Attribute | ast.Name):
            continue
        dotted = dotted_name(node, names)
        try:
            shown = found(dotted) if dotted else None
        except Missing as missing:
            yield node, str(missing)
            continue
        counts["names"] += bool(dotted)
        if dotted and node in called:
            counts["calls"] += 1
            if why := refusal(called[node], shown):
                yield node, f"{dotted}: {why}"


def main(given: list[str]) -> None:
    """Prints a line for each problem, and how much was read."""
    counts, places = Counter[str](), map(Path, given)
    for path in sorted(one for place in places for one in ([place] if place.is_file() else place.rglob("*.py"))):
        try:
            tree = ast.parse(path.read_text(encoding="utf-8", errors="replace"))
        except SyntaxError:
            continue
        counts["files"] += 1
        optional = [node for node in ast.walk(tree) if isinstance(node, ast.If | ast.Try)]
        lines = {line for one in optional for line in range(one.lineno, (one.end_lineno or 0) + 1)}
        for node, what in problems(tree, counts):
            print(f"{path}:{node.lineno}: {'? ' if node.lineno in lines else ''}{what}")
    print(f"{counts['files']} files, {counts['names']} names, {counts['calls']} calls")


if __name__ == "__main__":
    main(sys.argv[1:])
