"""The emitted pieces: which module of ``migrate.recovery`` holds which, and their source as it is written."""

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from migrate.rewrite.stamp import definitions_of, header, read_stamp

_IMPORTS = (ast.Import, ast.ImportFrom)


class NotExtended(Exception):
    """A module that an earlier run wrote cannot take more pieces in; the message says why."""


@dataclass(frozen=True)
class Piece:
    """One module of ``migrate.recovery``.

    Attributes:
      provides: the public names that it defines.
      needs: other pieces' names that it imports.
      imports: its other import statements.
      definitions: its source below the imports.
    """

    provides: tuple[str, ...]
    needs: tuple[str, ...]
    imports: tuple[str, ...]
    definitions: str


@cache
def pieces() -> dict[str, Piece]:
    """Every piece by each of the names that it provides."""
    found: dict[str, Piece] = {}
    for entry in sorted(files("migrate.recovery").iterdir(), key=lambda entry: entry.name):
        if entry.name.endswith(".py") and entry.name != "__init__.py":
            piece = _read(entry.read_text(encoding="utf-8"))
            found.update(dict.fromkeys(piece.provides, piece))
    return found


def _read(source: str) -> Piece:
    tree = ast.parse(source)
    lines = source.splitlines(keepends=True)
    needs: list[str] = []
    imports: list[str] = []
    first = 0
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("migrate."):
            needs += [alias.name for alias in node.names]
        elif isinstance(node, ast.Import | ast.ImportFrom):
            imports.append(ast.unparse(node))
        elif not (isinstance(node, ast.Expr) and node is tree.body[0]):
            break
        first = node.end_lineno or node.lineno
    public = tuple(name for name in _defined(tree) if not name.startswith("_"))
    return Piece(public, tuple(needs), tuple(imports), "".join(lines[first:]).strip("\n") + "\n")


def needed(names: Iterable[str]) -> list[Piece]:
    """The pieces behind ``names``, each after those that it needs."""
    ordered: list[Piece] = []
    # By what a piece provides, not by what is asked of it, so that more names do not reorder a module.
    for piece in sorted({pieces()[name] for name in names}, key=lambda piece: min(piece.provides)):
        for other in [*needed(piece.needs), piece]:
            if other not in ordered:
                ordered.append(other)
    return ordered


def provided_by(text: str) -> set[str]:
    """The names of the pieces that a module written earlier holds."""
    return pieces().keys() & _defined(ast.parse(text))


def _defined(tree: ast.Module) -> list[str]:
    """The classes, functions and variables at the top of a module, in order."""
    made = [node for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.Assign)]
    targets = [node.targets[0] if isinstance(node, ast.Assign) else node for node in made]
    names = (node.id if isinstance(node, ast.Name) else getattr(node, "name", "") for node in targets)
    return [name for name in names if name]


def definitions(names: Iterable[str]) -> str:
    """The source of the pieces behind ``names``, without imports."""
    return "\n\n".join(piece.definitions for piece in needed(names))


def imports(names: Iterable[str]) -> list[str]:
    """The import statements that the pieces behind ``names`` need: the standard library's, then TensorFlow's."""
    found = {statement for piece in needed(names) for statement in piece.imports}
    return sorted(found, key=lambda statement: ("tensorflow" in statement, "numpy" not in statement, statement))


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
    if names <= present:
        return before
    before = before.replace("\r\n", "\n")
    more = [piece for piece in needed(names) if not present.issuperset({*piece.provides} & names or piece.provides)]
    lines = before.rstrip("\n").splitlines()
    last = max((node.end_lineno or 0 for node in ast.parse(before).body if isinstance(node, _IMPORTS)), default=0)
    wanted = {statement for piece in more for statement in piece.imports} - set(lines)
    lines[last:last] = sorted(wanted)
    return "\n".join([*lines, *("\n\n" + piece.definitions.rstrip("\n") for piece in more)]) + "\n"


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
    gone = sorted(name for name in _public(before) if name not in pieces())
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
