"""The emitted pieces: which module of ``migrate.recovery`` holds which, and their source as it is written."""

import ast
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from migrate.rewrite.stamp import definitions_of, header, read_stamp
from migrate.rewrite.used import Usage, parts, used_before

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
    """The pieces behind ``names`` and those that they need, in an order that more names do not change."""
    wanted = list({pieces()[name] for name in names})
    for piece in wanted:
        wanted += [pieces()[name] for name in piece.needs if pieces()[name] not in wanted]
    return [piece for piece in _in_order(pieces) if piece in wanted]


@cache
def _in_order(found: Callable[[], dict[str, Piece]]) -> list[Piece]:
    """All pieces, each after those that it needs."""
    ordered: list[Piece] = []

    def put(piece: Piece) -> None:
        for name in piece.needs:
            put(found()[name])
        if piece not in ordered:
            ordered.append(piece)

    for piece in sorted({*found().values()}, key=lambda piece: min(piece.provides)):
        put(piece)
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


def extended(before: str, names: set[str], usage: Usage | None = None) -> str:
    """A module written earlier with these pieces too, all of this release; what its owner has changed stays.

    Args:
      before: its text.
      names: of pieces.
      usage: what programs use of them beside what ``before`` holds; None for all.

    Raises:
      NotExtended: if its owner has changed it and it is another release's: pieces of two would stand side by side; or
        if it lacks an argument that is used.
      SyntaxError: if it is no Python any more.
    """
    present, stamp = provided_by(before), read_stamp(before)
    whole = module(names | present, usage and usage | used_before(before, pieces()))
    if stamp is None or not stamp.is_edited or _is_current(before):
        return whole
    if not stamp.is_of_this_release:
        release = f"release {stamp.version}" if stamp.version else "an earlier release"
        raise NotExtended(f"is of {release} and was changed since")
    before = before.replace("\r\n", "\n")
    held, more = _definitions(before), {}
    for name, text in _definitions(whole).items():
        if name not in held:
            more[name] = text
        elif lacking := sorted(parts(text) - parts(held[name])) if usage else []:
            raise NotExtended(f"was changed since it was written and lacks {lacking[0]!r} of {name}")
    if not more:
        return before
    lines = before.rstrip("\n").splitlines()
    last = max((node.end_lineno or 0 for node in ast.parse(before).body if isinstance(node, _IMPORTS)), default=0)
    lines[last:last] = sorted({ast.unparse(node) for node in _imports_of(whole)} - set(lines))
    return "\n".join([*lines, *("\n\n" + text.rstrip("\n") for text in more.values())]) + "\n"


def _definitions(text: str) -> dict[str, str]:
    """The texts of a module's definitions and variables, by name."""
    lines = text.splitlines(keepends=True)
    nodes = [node for node in ast.parse(text).body if not isinstance(node, _IMPORTS)]
    found = {}
    for node in nodes:
        for name in _defined(ast.Module([node], [])):
            first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])
            found[name] = "".join(lines[first - 1 : node.end_lineno])
    return found


def _imports_of(text: str) -> list[ast.stmt]:
    return [node for node in ast.parse(text).body if isinstance(node, _IMPORTS)]


def renewed(before: str, is_whole: bool = False) -> str:
    """An emitted module as this release writes it.

    Args:
      before: its text.
      is_whole: whether to write also what nobody has used of it.

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
    return module(provided_by(before), None if is_whole else used_before(before, pieces()))


def _is_current(before: str) -> bool:
    """Whether a module holds what this release writes, whatever its stamp says."""
    names = provided_by(before)
    held = "".join(definitions_of(before).split())
    ways = (None, used_before(before, pieces()))
    return any(held == "".join(definitions_of(module(names, usage)).split()) for usage in ways)


def _public(text: str) -> set[str]:
    nodes = (node for node in ast.parse(text).body if isinstance(node, ast.ClassDef | ast.FunctionDef))
    return {node.name for node in nodes if not node.name.startswith("_")}


def module(names: Iterable[str], usage: Usage | None = None) -> str:
    """The text of a module that holds the pieces behind ``names``.

    Args:
      names: of pieces.
      usage: what programs use of them; None for all.
    """
    names = list(names)
    written = definitions(names)
    statements = imports(names)
    if usage is not None:
        from migrate.rewrite.pruned import pruned  # imports black, which finding needs not

        written = pruned(written, usage)
        read = {*re.findall(r"\b[^\W\d]\w*", written)}
        statements = [text for one in statements for text in _of_those(one, read)]
    standard = [s for s in statements if not any(name in s for name in ("tensorflow", "tf_slim", "numpy"))]
    others = [s for s in statements if s not in standard]
    blocks = ["\n".join(block) + "\n" for block in (standard, others) if block]
    return f"{header(written)}\n" + "\n".join(blocks) + "\n\n" + written


def _of_those(statement: str, names: set[str]) -> list[str]:
    """An import statement with no more than some names; nothing where it imports none of them."""
    node = ast.parse(statement).body[0]
    assert isinstance(node, _IMPORTS)
    node.names = [one for one in node.names if (one.asname or one.name).split(".")[0] in names]
    return [ast.unparse(node)] if node.names else []
