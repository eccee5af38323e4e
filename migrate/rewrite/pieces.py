"""The emitted pieces: the definitions of ``migrate.recovery``, and a module of those that a program uses."""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from migrate.rewrite.stamp import definitions_of, header, read_stamp

_IMPORTS = (ast.Import, ast.ImportFrom)
_FOLDER = Path(__file__).parents[1] / "recovery"
_IMPORTED = re.compile(r"^from \.(\w+) import", re.MULTILINE)
_DEFINED = re.compile(r"^(?:(?:class|def) (\w+)|(\w+) = )", re.MULTILINE)


class NotExtended(Exception):
    """A module that an earlier run wrote cannot take more pieces in; the message says why."""


@dataclass(frozen=True)
class Piece:
    """A class, function or variable of a module of ``migrate.recovery``.

    Attributes:
      name: its name.
      needs: other pieces' names that its source mentions.
      imports: the import statements that it needs, each of one name.
      source: its source, with the comments above it and the statements below that define nothing.
    """

    name: str
    needs: tuple[str, ...]
    imports: tuple[str, ...]
    source: str


@cache
def public() -> frozenset[str]:
    """The public names of all pieces."""
    return frozenset(name for name in _homes() if not name.startswith("_"))


def piece_of(name: str) -> Piece:
    """The piece of a name; raises KeyError where none has it."""
    return _of_module(_homes()[name])[name]


@cache
def _homes() -> dict[str, str]:
    """The module of each piece by its name, which no other has."""
    return {one[1] or one[2]: module for module, text in _sources().items() for one in _DEFINED.finditer(text)}


@cache
def _sources() -> dict[str, str]:
    """The text of each module, after those that it imports."""
    paths = sorted(path for path in _FOLDER.glob("*.py") if path.name != "__init__.py")
    texts = {path.stem: path.read_text(encoding="utf-8") for path in paths}
    found: dict[str, str] = {}

    def add(module: str) -> None:
        if module not in found:
            for other in _IMPORTED.findall(texts[module]):
                add(other)
            found[module] = texts[module]

    for module in texts:
        add(module)
    return found


@cache
def _of_module(module: str) -> dict[str, Piece]:
    """The pieces of a module; a run parses those alone that it writes."""
    text = _sources()[module]
    return {one.name: one for one in _read(text, ast.parse(text))}


def _read(source: str, tree: ast.Module) -> Iterator[Piece]:
    """The pieces of one module."""
    lines = source.splitlines(keepends=True)
    others = {name for node in tree.body for name in _names_of(node)}
    imports: dict[str, str] = {}
    groups: list[list[ast.stmt]] = []
    begin = 0
    for node in tree.body:
        if isinstance(node, _IMPORTS):
            is_own = isinstance(node, ast.ImportFrom) and node.level == 1
            others |= {alias.name for alias in node.names if is_own}
            imports |= {} if is_own else dict(_single(node))
        if isinstance(node, _IMPORTS) or (isinstance(node, ast.Expr) and node is tree.body[0]):
            begin = node.end_lineno or 0
        elif _names_of(node):
            groups.append([node])
        else:
            groups[-1].append(node)
    for group in groups:
        end = group[-1].end_lineno or 0
        text = "".join(lines[begin:end]).strip("\n") + "\n"
        begin = end
        (name,) = _names_of(group[0])
        read = {node.id for one in group for node in ast.walk(one) if isinstance(node, ast.Name)}
        used = tuple(statement for bound, statement in imports.items() if bound in read)
        yield Piece(name, tuple(sorted(read & others - {name})), used, text)


def _single(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    """The names that an import binds, each with a statement for it alone."""
    for alias in node.names:
        alone = (
            ast.Import([alias]) if isinstance(node, ast.Import) else ast.ImportFrom(node.module, [alias], node.level)
        )
        yield (alias.asname or alias.name).partition(".")[0], ast.unparse(alone)


def needed(wanted: Iterable[str]) -> list[Piece]:
    """The pieces of some names and those that they need, in an order that more names do not change."""
    found, waiting = set[str](), [*wanted]
    while waiting:
        name = waiting.pop()
        if name not in found and name in _homes():
            found.add(name)
            waiting += piece_of(name).needs
    homes = {_homes()[name] for name in found}
    modules = [module for module in _sources() if module in homes]
    return [one for module in modules for name, one in _of_module(module).items() if name in found]


def provided_by(text: str) -> set[str]:
    """The names of the pieces that a module written earlier holds."""
    return {*_defined(ast.parse(text))} & public()


def _defined(tree: ast.Module) -> list[str]:
    """The classes, functions and variables at the top of a module, in order."""
    return [name for node in tree.body for name in _names_of(node)]


def _names_of(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        return [node.name]
    is_variable = isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    return [node.targets[0].id] if is_variable else []  # type: ignore[attr-defined]


def definitions(names: Iterable[str]) -> str:
    """The source of the pieces behind ``names``, without imports."""
    return "\n\n".join(piece.source for piece in needed(names))


def imports(names: Iterable[str]) -> list[str]:
    """The import statements that the pieces behind ``names`` need: the standard library's, then TensorFlow's."""
    return _joined(statement for piece in needed(names) for statement in piece.imports)


def _joined(statements: Iterable[str]) -> list[str]:
    """Import statements, sorted, those from one module as one."""
    found: dict[str, dict[str, None]] = {}
    for statement in statements:
        module, _, name = statement.partition(" import ")
        found.setdefault(module, {})[name] = None
    joined = [
        f"{module} import {', '.join(sorted(names))}" if any(names) else module for module, names in found.items()
    ]
    return sorted(joined, key=lambda statement: ("tensorflow" in statement, "numpy" not in statement, statement))


def extended(before: str, names: set[str]) -> str:
    """A module written earlier with these pieces too, all of this release; what its owner has changed stays.

    Raises:
      NotExtended: if its owner has changed it and it is another release's: pieces of two would stand side by side.
      SyntaxError: if it is no Python any more.
    """
    present, stamp = provided_by(before), read_stamp(before)
    if stamp is None or not stamp.is_edited or _is_current(before):
        return module(names | present)
    if not stamp.is_of_this_release:
        release = f"release {stamp.version}" if stamp.version else "an earlier release"
        raise NotExtended(f"is of {release} and was changed since")
    before = before.replace("\r\n", "\n")
    held = _defined(ast.parse(before))
    more = [piece for piece in needed(names) if piece.name not in held]
    if not more:
        return before
    lines = before.rstrip("\n").splitlines()
    last = max((node.end_lineno or 0 for node in ast.parse(before).body if isinstance(node, _IMPORTS)), default=0)
    wanted = {statement for piece in more for statement in piece.imports}
    lines[last:last] = sorted({*_joined(wanted)} - set(lines))
    return "\n".join([*lines, *("\n\n" + piece.source.rstrip("\n") for piece in more)]) + "\n"


def renewed(before: str) -> str:
    """An emitted module as this release writes it.

    Raises:
      NotExtended: if somebody has changed it, or if this release no longer writes all that it holds.
      SyntaxError: if it is no Python any more.
    """
    stamp = read_stamp(before)
    if stamp is not None and stamp.is_edited and not _is_current(before):
        raise NotExtended(
            "was changed since it was written" if stamp.version else "has no stamp to show if it was changed"
        )
    gone = sorted(name for name in _public(before) if name not in public())
    if gone:
        raise NotExtended(f"holds {gone[0]}, which this release does not write")
    return module(provided_by(before))


def _is_current(before: str) -> bool:
    """Whether a module holds what this release writes, whatever its stamp says."""
    written = module(provided_by(before))
    return "".join(definitions_of(before).split()) == "".join(definitions_of(written).split())


def _public(text: str) -> set[str]:
    nodes = (node for node in ast.parse(text).body if isinstance(node, ast.ClassDef | ast.FunctionDef))
    return {node.name for node in nodes if not node.name.startswith("_")}


def module(names: Iterable[str]) -> str:
    """The text of a module that holds the pieces behind ``names``."""
    names = list(names)
    statements = imports(names)
    standard = [s for s in statements if not any(name in s for name in ("tensorflow", "tf_slim", "numpy"))]
    others = [s for s in statements if s not in standard]
    blocks = ["\n".join(block) + "\n" for block in (standard, others) if block]
    written = definitions(names)
    return f"{header(written)}\n" + "\n".join(blocks) + "\n\n" + written
