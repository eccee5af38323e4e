"""The files that are part of no program and fail on TensorFlow 2, by the first name in each that it lacks."""

import ast
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from migrate.analysis.guards import is_guarded
from migrate.analysis.module import Module
from migrate.analysis.tree import Tree
from migrate.files.ignore import excluding
from migrate.files.read import read
from migrate.files.sources import NOTEBOOK
from migrate.files.trouble import Unreadable
from migrate.files.walk import walk
from migrate.planning.rows import ProgramRow
from migrate.settings import Settings
from migrate.tensorflow.advice import advice
from migrate.tensorflow.known_names import absence, lacking, lines_of, public_path, spelled

_OF_TENSORFLOW = "tensorflow"


@dataclass(frozen=True)
class FailingFile:
    """A file that fails as it is imported, or where it reads a name.

    Attributes:
      path: the file.
      place: ``path:line:column`` of the first name that TensorFlow 2 lacks.
      message: which that is.
      next_step: what to do.
    """

    path: str
    place: str
    message: str
    next_step: str


def outside(paths: Sequence[str], settings: Settings, rows: Sequence[ProgramRow]) -> list[FailingFile]:
    """The failing files among those of a run that no program holds or imports.

    A name that is tried under ``except ImportError``, or asked for before it is used, fails nowhere. Notebooks are not
    looked into.

    Args:
      paths: the files and directories of the run.
      settings: the user's choices.
      rows: the programs.
    """
    tree = Tree()
    inside = {os.path.abspath(path) for row in rows for path in row.files}
    inside |= {link.target.path for path in sorted(inside) for link in tree.closure_of(path)}
    found = (path for path in walk(paths, excluding(settings.exclude, settings.root)) if isinstance(path, str))
    others = (path for path in found if not path.endswith(NOTEBOOK) and os.path.abspath(path) not in inside)
    failing = (_failing(path, tree, lines_of(settings.target)) for path in others)
    return [one for one in failing if one is not None]


def _failing(path: str, tree: Tree, lines: tuple[str, ...]) -> FailingFile | None:
    try:
        if _OF_TENSORFLOW.encode() not in read(path):
            return None
        module = tree.module(os.path.abspath(path))
    except Unreadable:  # the run itself says so
        return None
    lacked = [(node, name) for node, name in _names(module) if lacking(name, lines)]
    for node, name in sorted(lacked, key=lambda one: (one[0].lineno, one[0].col_offset)):
        if not is_guarded(module.names, node):
            place = f"{path}:{node.lineno}:{node.col_offset + 1}"
            return FailingFile(path, place, absence(name, lines), _next_step(name, lines))
    return None


def _names(module: Module) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """What a file reads and imports of TensorFlow."""
    yield from module.names.of_packages((_OF_TENSORFLOW,))
    for plain in module.names.nodes(ast.Import):
        yield from ((plain, alias.name) for alias in plain.names if alias.name.startswith(_OF_TENSORFLOW))
    for node in module.names.nodes(ast.ImportFrom):
        if not node.level and (node.module or "").startswith(_OF_TENSORFLOW):
            yield from (
                (node, f"{node.module}.{one.name}" if one.name != "*" else str(node.module)) for one in node.names
            )


def _next_step(name: str, lines: tuple[str, ...]) -> str:
    tail = spelled(name).removeprefix(f"{_OF_TENSORFLOW}.")
    public = public_path(name, lines)
    if public is not None:
        return f"Import tensorflow.compat.v1 as tf, which has it as tf.{public}."
    words = advice(tail).removesuffix(" Then migrate again.")
    return "Replace it by hand." if words.endswith("migrate again.") else words
