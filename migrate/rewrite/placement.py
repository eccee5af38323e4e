"""Where the emitted pieces stand: in the file itself, or in one module beside it that files share."""

import ast
import os
from collections.abc import Sequence
from dataclasses import dataclass, field

from migrate.files.trouble import trouble
from migrate.finding import Finding
from migrate.rewrite import pieces
from migrate.rewrite.plan import Plan

INLINE_LINES = 40
"""The most lines of pieces that stand in the user's own file."""


@dataclass
class Placement:
    """What each file gets of the pieces, and the modules to write beside them.

    Attributes:
      imports: by file, the import statements that bring the pieces in.
      inline: by file, the pieces' source for those that hold them themselves.
      modules: by path, the names of the pieces that a module of its own has to hold.
    """

    imports: dict[str, list[str]] = field(default_factory=dict)
    inline: dict[str, str] = field(default_factory=dict)
    modules: dict[str, set[str]] = field(default_factory=dict)


def place(plans: Sequence[tuple[str, str, Plan]], module_name: str) -> Placement:
    """Decides for all files to be rewritten.

    Args:
      plans: path, text and plan of each file, in the order of the run. A path that is no file, such as ``<stdin>``,
        has no directory for a module, so it holds its pieces itself.
      module_name: the module that files share.
    """
    placement = Placement()
    groups: dict[str, list[tuple[str, set[str]]]] = {}
    for path, text, plan in plans:
        groups.setdefault(import_root(path, text), []).append((path, plan.pieces))
    for root, members in groups.items():
        first = os.path.dirname(members[0][0])
        source = pieces.definitions(members[0][1])
        is_alone = len(members) == 1 and len(source.splitlines()) <= INLINE_LINES
        if not os.path.exists(members[0][0]) or is_alone:
            for path, names in members:
                placement.inline[path] = pieces.definitions(names)
                placement.imports[path] = pieces.imports(names)
            continue
        location = os.path.join(first, f"{module_name}.py")
        package = os.path.relpath(first or ".", root or ".")
        parts = [] if package == "." else package.split(os.sep)
        dotted = ".".join([*parts, module_name])
        for path, names in members:
            placement.modules.setdefault(location, set()).update(names)
            placement.imports[path] = [f"from {dotted} import {', '.join(sorted(names))}"]
    return placement


def import_root(path: str, text: str) -> str:
    """The directory from which a file's imports are found: above its package, or its own for a script.

    A file in a package that imports its neighbours by their bare names is run as a script all the same.
    """
    own = os.path.dirname(path)
    directory = own
    while os.path.exists(os.path.join(directory, "__init__.py")) and directory not in ("", os.sep):
        if _imports_neighbour(own, text):
            return own
        directory = os.path.dirname(directory)
    return directory


def _imports_neighbour(directory: str, text: str) -> bool:
    roots: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            roots.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            roots.add(node.module.split(".")[0])
    return any(os.path.exists(os.path.join(directory, f"{root}.py")) for root in roots)


def foreign_module(path: str) -> Finding:
    """The error for a file that stands where the pieces would be written and is not the tool's."""
    message = "stands where the emitted recovery code would be written, and was not written by this tool"
    return trouble("FT006", path, message, "Choose another name with the setting module_name, or move the file.")
