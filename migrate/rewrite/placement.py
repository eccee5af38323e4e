"""Where the emitted pieces stand: in the file itself, or in one module beside it that files share."""

import contextlib
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from migrate.analysis.imports import above
from migrate.edits.plan import PACKAGE, Plan, import_of_pieces
from migrate.files.read import regular_bytes
from migrate.files.trouble import trouble
from migrate.files.walk import NOTEBOOK
from migrate.finding import Finding
from migrate.rewrite import pieces

INLINE_LINES = 40
"""The most lines of pieces that stand in the user's own file, unless all of them shall."""

_RELATIVE = re.compile(r"^\s*from\s+(\.+)", re.MULTILINE)


@dataclass
class Placement:
    """What each file gets of the pieces, and the modules to write beside them.

    Attributes:
      imports: by file, the import statements that bring the pieces in.
      inline: by file, the pieces' source for those that hold them themselves.
      modules: by path, the names of the pieces that a module of its own has to hold.
      needs: by file, the path of that module, for those that import from one.
    """

    imports: dict[str, list[str]] = field(default_factory=dict)
    inline: dict[str, str] = field(default_factory=dict)
    modules: dict[str, set[str]] = field(default_factory=dict)
    needs: dict[str, str] = field(default_factory=dict)


def place(plans: Sequence[tuple[str, str, Plan]], module_name: str, helpers: str = "module") -> Placement:
    """Decides for all files to be rewritten.

    Args:
      plans: path, text and plan of each file, in the order of the run. A path that is no file, such as ``<stdin>``,
        has no directory for a module, so it holds its pieces itself.
      module_name: the module that files share.
      helpers: where the pieces stand, as in the settings. The files of one program share a module even if the pieces
        are to be ``inline``, because a class must be the same one in all of them.
    """
    placement = Placement()
    if helpers == "package":
        for path, _, plan in plans:
            placement.imports[path] = [import_of_pieces(PACKAGE, plan.pieces, plan.aliases)] if plan.pieces else []
        return placement
    groups: dict[tuple[WayIn, str], list[tuple[str, set[str]]]] = {}
    aliases = {path: plan.aliases for path, _, plan in plans}
    users = Counter(plan.shared for _, _, plan in plans if plan.pieces)
    for path, text, plan in plans:
        directory = plan.shared.directory if plan.shared is not None else None
        if path.endswith(NOTEBOOK) and directory is None:  # it writes a module of its own
            placement.imports[path] = []
            continue
        if plan.shared is not None and directory is None and plan.is_imported:
            _hold_inline(placement, path, plan.pieces)
            continue
        if plan.shared is not None and directory is not None and (users[plan.shared] > 1 or not plan.pieces):
            _share(placement, path, plan, directory, plan.shared.root, module_name)
            continue
        if not plan.pieces:
            placement.imports[path] = []
            continue
        way = way_in(path, text)
        if way is None or not os.path.exists(path) or helpers == "inline":
            _hold_inline(placement, path, plan.pieces)
        else:
            package = "" if way.is_package else _package(path, way.directory)
            groups.setdefault((way, package), []).append((path, plan.pieces))
    for (way, _), members in groups.items():
        directory = os.path.dirname(members[0][0])
        if len(members) == 1 and len(pieces.definitions(members[0][1]).splitlines()) <= INLINE_LINES:
            _hold_inline(placement, *members[0])
            continue
        location = os.path.join(directory, f"{module_name}.py")
        for path, names in members:
            if not names:
                placement.imports[path] = []
                continue
            placement.modules.setdefault(location, set()).update(names)
            placement.needs[path] = location
            dotted = _dotted(path, directory, None if way.is_package else way.directory, module_name)
            placement.imports[path] = [import_of_pieces(dotted, names, aliases[path])]
    return placement


def _share(placement: Placement, path: str, plan: Plan, directory: str, root: str | None, module_name: str) -> None:
    """The imports of one of the files of a program, from the one module that they share."""
    placement.imports[path] = []
    if plan.pieces:
        location = os.path.join(directory, f"{module_name}.py")
        dotted = _dotted(path, directory, root, module_name)
        placement.modules.setdefault(location, set()).update(plan.pieces)
        placement.needs[path] = location
        placement.imports[path] = [import_of_pieces(dotted, plan.pieces, plan.aliases)]


def _dotted(path: str, directory: str, root: str | None, module_name: str) -> str:
    """How a file's import spells the module in another directory: below ``root``, or else by a relative name."""
    if root is not None:
        parts = _parts(directory, root)
        # A directory of TensorFlow's name is not what the file's own import of TensorFlow finds.
        if all(part.isidentifier() for part in parts) and parts[:1] != ["tensorflow"]:
            return ".".join([*parts, module_name])
    parts = _parts(directory, os.path.dirname(path))
    above = parts.count(os.pardir)
    return "." * (1 + above) + ".".join([*parts[above:], module_name])


def _parts(directory: str, base: str) -> list[str]:
    relative = os.path.relpath(directory or ".", base or ".")
    return [] if relative == "." else relative.split(os.sep)


def _hold_inline(placement: Placement, path: str, names: set[str]) -> None:
    placement.inline[path] = pieces.definitions(names)
    placement.imports[path] = pieces.imports(names)


def _package(path: str, root: str) -> str:
    """The outermost package of a file, "" for a script: packages do not import from one another."""
    return next(iter(_parts(os.path.dirname(path), root)), "")


class WayIn(NamedTuple):
    """Where a file's imports are found.

    Attributes:
      directory: a part of ``sys.path``: above the file's package, or its own directory for a script.
      is_package: whether it is a package instead, in which the file's relative imports are made: by which name that is
        imported, nothing tells.
    """

    directory: str
    is_package: bool = False


def way_in(path: str, text: str) -> WayIn | None:
    """Where a file's imports are found; None where nothing tells how a file in a package is run, or made for both.

    A file in a package that imports its neighbours by their bare names is run as a script all the same.
    """
    own = os.path.dirname(path)
    root = own
    while _is_package(root) and root not in ("", os.sep):
        root = os.path.dirname(root)
    if root == own:
        return WayIn(own)
    by_name = re.compile(rf"^\s*(from|import)\s+{re.escape(_package(path, root))}\b", re.MULTILINE)
    texts = [text, *_neighbours(path)] if _is_started(text) else [text]
    for one in texts:
        dots = [len(found) for found in _RELATIVE.findall(one)]
        ways = [WayIn(own)] if _imports_neighbour(own, one) else []
        if by_name.search(one):
            ways.append(WayIn(root))
        elif dots:
            ways.append(WayIn(above(own, max(dots) - 1), is_package=True))
        if ways:
            return ways[0] if len(ways) == 1 or not _is_started(text) else None
    return None if _is_started(text) else WayIn(root)


def _is_package(directory: str) -> bool:
    """Whether a directory can be imported; ``01-intro`` cannot, whatever it holds."""
    name = os.path.basename(os.path.abspath(directory))
    return name.isidentifier() and os.path.exists(os.path.join(directory, "__init__.py"))


def _is_started(text: str) -> bool:
    """Whether a file may be started itself: as a script, or by ``python -m`` as part of its package."""
    return "__main__" in text


def _neighbours(path: str) -> Iterator[str]:
    """The texts of the other modules of a file's directory."""
    directory = os.path.dirname(path)
    names: list[str] = []
    with contextlib.suppress(OSError):  # it may be searched and not listed
        names = sorted(os.listdir(directory or "."))
    for name in names:
        if name.endswith(".py") and name != os.path.basename(path):
            with contextlib.suppress(OSError):
                yield regular_bytes(os.path.join(directory, name)).decode(errors="replace")


def _imports_neighbour(directory: str, text: str) -> bool:
    roots = re.findall(r"^\s*(?:from|import)\s+(\w+)", text, re.MULTILINE)
    return any(os.path.exists(os.path.join(directory, f"{root}.py")) for root in roots)


def foreign_module(path: str) -> Finding:
    """The error for a file that stands where the pieces would be written and is not the tool's."""
    message = "is where the generated recovery code would be written, and was not written by this tool"
    return trouble("FT006", path, message, "Choose another name with the setting module_name, or move the file.")


def other_release(path: str, reason: str) -> Finding:
    """The error for a module of emitted code that another release wrote and its owner has changed."""
    message = f"holds generated code, but {reason}, and helpers of two releases are never mixed in one file"
    help = (
        "Rename your module with its imports, or take your changes out and run `estimator-migrate renew --write` on it."
    )
    return trouble("FT006", path, message, help)
