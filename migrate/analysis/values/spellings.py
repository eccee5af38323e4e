"""The texts that a path may have, by all files of a program, with ``{}`` for what is known only at run time."""

import ast
import posixpath
import re
from collections.abc import Callable, Iterator
from itertools import count, islice, product

from migrate.analysis.source.module import Module
from migrate.analysis.source.path_searches import SEARCHES, WEIGHTS_WITHIN, name_of

_MOST = 6
"""The most texts of one path."""
_DEEPEST = 8
_FIELD = "{}"
_FOLLOWED_NODES = ast.Name | ast.Attribute | ast.Call | ast.Subscript
_SEVERAL = re.compile(r"(\{\})+")
_SAME = {"str", "Path", "PurePath", "fspath", "abspath", "expanduser", "realpath", "dirname"}
"""Functions that return their path argument or its folder."""
_SELECTING = {"sorted", "max", "min", "list", "reversed", "natsorted", "next", "iter"}
"""Functions that return one or all of the paths of their argument."""
_PATH_FUNCTION_WORDS = re.compile(r"path|file|dir|folder|name|weight|model|check_?point|ckpt", re.IGNORECASE)
"""Names of functions that create paths."""
_NAMES = {"listdir", "scandir"}
"""Searches that return file names without the folder."""
_FIELDS = re.compile(r"\{\{|\}\}|%%|\{(?P<name>\w*)[^{}]*\}|%[-+#\d.]*[a-z]")
"""The fields of ``format`` and ``%``, and their escaped signs."""

Behind = Callable[[Module, ast.expr], list[tuple[Module, ast.expr]]]
"""Returns the expressions that a value comes from directly."""


def possible_paths(behind: Behind, module: Module, value: ast.expr) -> frozenset[str]:
    """Returns the texts that a path may have: ``{"out/w-{}.h5"}``."""
    texts = islice(_texts(behind, module, value, 0), _MOST)
    whole = (posixpath.normpath(one.removesuffix(WEIGHTS_WITHIN)) for one in texts if one)
    return frozenset(_SEVERAL.sub(_FIELD, one) for one in whole)


def _texts(behind: Behind, module: Module, value: ast.expr, depth: int) -> Iterator[str]:
    def inner(part: ast.expr) -> Iterator[str]:
        return _texts(behind, module, part.value if isinstance(part, ast.Starred) else part, depth + 1)

    if isinstance(value, ast.Constant):
        yield from [] if value.value is None else [str(value.value)]
    elif depth > _DEEPEST or _is_sum(value):
        yield _FIELD
    elif isinstance(value, ast.IfExp | ast.BoolOp | ast.List | ast.Tuple):
        parts = [value.body, value.orelse] if isinstance(value, ast.IfExp) else getattr(value, "values", None)
        yield from (text for part in parts or value.elts for text in inner(part))  # type: ignore[union-attr]
    elif (filled := _format_of(value)) is not None:
        known = {name: _single_text(inner(one)) for name, one in filled[1].items()}
        yield from (_fill(one, known) for one in inner(filled[0]))
    elif (parts_of := _joined_parts(value)) is not None:
        each = [list(islice(inner(part), _MOST)) or [_FIELD] for part in parts_of[1]]
        joined = posixpath.join if parts_of[0] == "/" else lambda *one: parts_of[0].join(one)
        yield from (joined(*one) for one in islice(product(*each), _MOST))
    elif (chosen := _source_of_path(value)) is not None:
        is_folder = isinstance(value, ast.Call) and name_of(value.func) == "dirname"
        yield from map(posixpath.dirname, inner(chosen)) if is_folder else inner(chosen)
    else:
        found = behind(module, value) if isinstance(value, _FOLLOWED_NODES) else []
        texts = (text for where, one in found for text in _texts(behind, where, one, depth + 1) if text != "/")
        counts = len(found) > 1 or (isinstance(value, ast.Name) and len(module.names.bindings(value)) > 1)
        yield from (_FIELD if counts and text.isdigit() else text for text in texts)
        name = name_of(value.func) if isinstance(value, ast.Call) else ""
        if not found and isinstance(value, ast.Call) and name not in SEARCHES and _PATH_FUNCTION_WORDS.search(name):
            given = [_single_text(inner(one)) for one in [*value.args, *(keyword.value for keyword in value.keywords)]]
            yield f"{name}({', '.join(given)})"  # equal for equal arguments
        elif not found:
            yield _FIELD


def _single_text(texts: Iterator[str]) -> str:
    """Returns the only text of a part; ``{}`` for one of several."""
    found = {*islice(texts, _MOST)}
    return found.pop() if len(found) == 1 else _FIELD


def _is_sum(value: ast.expr) -> bool:
    """Whether an expression is a sum of numbers: ``epoch + 1``."""
    sides = (value.left, value.right) if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add) else ()
    return any(isinstance(one, ast.Constant) and not isinstance(one.value, str) for one in sides)


def _source_of_path(value: ast.expr) -> ast.expr | None:
    """Returns the expression that a value is the path of, or one of its paths; None for any other value."""
    if isinstance(value, ast.Subscript):
        return value.value if not isinstance(getattr(value.slice, "value", None), str) else None
    if isinstance(value, ast.ListComp | ast.GeneratorExp):
        return value.elt
    name = name_of(value.func) if isinstance(value, ast.Call) else ""
    is_first = name in _SAME | _SELECTING or name in ("glob", "iglob")
    return value.args[0] if isinstance(value, ast.Call) and is_first and value.args else None


def _joined_parts(value: ast.expr) -> tuple[str, list[ast.expr]] | None:
    """Returns the separator and the parts that a path is joined from; None for any other expression."""
    if isinstance(value, ast.JoinedStr):
        return "", [one.value if isinstance(one, ast.FormattedValue) else one for one in value.values]
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add | ast.Div):
        return "/" if isinstance(value.op, ast.Div) else "", [value.left, value.right]
    if not isinstance(value, ast.Call):
        return None
    name, held = name_of(value.func), getattr(value.func, "value", None)
    any_file = ast.Constant(_FIELD)
    if name == "join" and isinstance(held, ast.Constant):
        return str(held.value), getattr(next(iter(value.args), None), "elts", [any_file])
    if name in ("join", "joinpath"):
        return "/", [*([held] if name == "joinpath" and held is not None else []), *value.args]
    if name in SEARCHES - _NAMES - {"glob", "iglob"}:
        given = held if name in ("iterdir", "rglob") else next(iter(value.args), None)
        return ("/", [given, any_file]) if given is not None else None
    is_of_path = name == "glob" and held is not None and name_of(held) not in ("glob", "gfile")
    return ("/", [held, *value.args]) if is_of_path and held is not None else None


def _format_of(value: ast.expr) -> tuple[ast.expr, dict[str, ast.expr]] | None:
    """Returns a format text and the values of its fields by number or name; None for any other expression."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mod):
        given = value.right.elts if isinstance(value.right, ast.Tuple) else [value.right]
        return value.left, {str(number): one for number, one in enumerate(given)}
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "format":
        by_name = {keyword.arg: keyword.value for keyword in value.keywords if keyword.arg is not None}
        return value.func.value, {str(number): one for number, one in enumerate(value.args)} | by_name
    return None


def _fill(text: str, given: dict[str, str]) -> str:
    number = count()

    def fill(field: re.Match[str]) -> str:
        if field[0] in ("{{", "}}", "%%"):
            return field[0][0]
        return given.get(field["name"] or str(next(number)), _FIELD)

    return _FIELDS.sub(fill, text)
