"""The directory of a recovery, beside the files that a program saved: another one for files of another name."""

import ast
import json
import os
import posixpath
import re
from collections.abc import Sequence

from migrate.analysis.facts import files_below
from migrate.analysis.imports import importing_root
from migrate.analysis.module import Module
from migrate.analysis.names import Names
from migrate.analysis.path_searches import calls_by_name, name_of
from migrate.analysis.paths import template
from migrate.analysis.resume.origins import Origins
from migrate.analysis.resume.reach import Reach
from migrate.analysis.resume.saves_in_training import MODEL_SAVES, path_given
from migrate.files.repository import repository

_SUFFIX = re.compile(r"(\.weights)?\.(h5|hdf5|ckpt|tf|keras|index|cpkt)$")
"""The end of a checkpoint's name."""
_BRACKET = re.compile(r"[\[\]]|\((?=[^)]*$)")
"""Of TensorFlow's patterns, or cut from its other half by what the program fills in."""
_ANEW = {
    "now", "today", "utcnow", "time", "strftime", "ctime", "uuid1", "uuid4", "getpid", "mkdtemp", "token_hex",
    "randrange", "randint", "getrandbits",
}  # fmt: skip
"""Calls that give another value at each start."""
_TRAINS = ("fit", "fit_generator", "train_on_batch", "apply_gradients")
_SAVES = (*MODEL_SAVES, "ModelCheckpoint")
_FIELD = re.compile(r"[{%*]")
_LEAST = re.compile(r"(\w.*){3}")
"""Fewer letters than these tell no file from another."""


def directory_of(path: str) -> str:
    """The directory beside a file whose path is known, as source; a separator of Windows is one on each system."""
    folder, name = posixpath.split(path.partition("{")[0].replace("\\", "/"))
    return quoted(posixpath.join(folder, folder_of(name)))


def program_beside(reach: Reach, paths: Sequence[tuple[Module, ast.expr]]) -> str:
    """The file of another program of the repository that trains, and saves to where this one does; "" for none.

    A file of the same name is taken for a copy of this one.

    Args:
      reach: the calls of the program.
      paths: what this one saves, each with its file.
    """
    tree, own = reach.tree, os.path.abspath(reach.module.path)
    spelled = _spelled(reach, paths)
    words = {_FIELD.split(posixpath.basename(text))[0] for text in spelled}
    parts = (part for module, path in paths for part in ast.walk(module.names.value(path)))
    words |= {part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)}
    words = {word for word in words if _LEAST.search(word)}
    if not words or not os.path.exists(own):
        return ""
    of_this = {*tree.importers_of(own), *(link.target.path for link in tree.closure(reach.module))}
    files = files_below(repository(own) or importing_root(os.path.dirname(own)))
    apart = (path for path in files if path not in of_this and _stem(path) != _stem(own))
    holding = (path for path in apart if tree.holds(path, *words) and tree.holds(path, *_TRAINS))
    for module in reach.readable(holding):
        saves = [call for name in _SAVES for call in calls_by_name(module.names).get(name, ())]
        saved = [(module, path) for call in saves if (path := path_given(call)) is not None]
        if saved and not spelled.isdisjoint(_spelled(Reach(module, tree), saved)):
            return os.path.abspath(module.path)
    return ""


def _spelled(reach: Reach, paths: Sequence[tuple[Module, ast.expr]]) -> set[str]:
    found = (one for module, path in paths for one in reach.one(Origins).of_paths(module, path))
    return {text for one in found for text in one.spelled if _LEAST.search(text)}


def with_program(reach: Reach, where: str) -> str:
    """A directory, as source, with the name of its program in its own."""
    program = _BRACKET.sub("_", _stem(reach.module.path))
    if not where.endswith(('recovery"', 'recovery")')):  # directory_beside(path)
        return f"{where[:-1]}, {quoted(program)})"
    text, quote, after = where.rpartition('"')
    return f"{text.removesuffix('recovery')}{program}_recovery{quote}{after}"


def _stem(path: str) -> str:
    return os.path.splitext(os.path.basename(path))[0]


def is_new_at_each_start(
    reach: Reach, where: str, place: ast.AST, beside: Sequence[tuple[Module, ast.expr]] = ()
) -> bool:
    """Whether a start names a directory as no other does: by the time, or by a number of its own.

    Args:
      reach: the calls of the program.
      where: the directory, as source.
      place: where it stands, in the program's file.
      beside: the files that it stands beside, where the program finds it out when it runs.
    """
    names, paths = reach.module.names, list(beside)
    scope = names.scope_of(place)
    for part in ast.walk(ast.parse(where, mode="eval")):
        if isinstance(part, ast.Attribute):
            paths += [(reach.module, one) for one in names.nodes(ast.Attribute) if _is_read(one, part)][-1:]
        found = scope.lookup(part.id) if isinstance(part, ast.Name) else None
        if isinstance(part, ast.Name) and found is not None:
            uses = names.uses(part.id, found[0])
            above = [one for one in uses if one.lineno <= getattr(place, "lineno", 0)]
            paths += [(reach.module, one) for one in (above or uses)[-1:]]
    origins = reach.one(Origins)
    return any(
        name_of(call.func) in _ANEW for module, path in paths for _, call in origins.calls(module, path, is_path=True)
    )


def _is_read(one: ast.Attribute, other: ast.Attribute) -> bool:
    return one.attr == other.attr and isinstance(one.ctx, ast.Load) and ast.unparse(one) == ast.unparse(other)


def in_folder(names: Names, path: ast.expr, *, is_any: bool = False) -> tuple[list[ast.expr], str] | None:
    """What names the folder of a path, as the program has it, and the rest, as ``paths.template`` gives it.

    None where the folder is no expression of its own, or what the file's name begins with is not seen.

    Args:
      names: the module's names.
      path: ``os.path.join(folder, name)``, ``folder + "/name"`` or ``f"{folder}/name"``, itself or as a variable.
      is_any: whether the file may have any name there, so that the folder alone is asked for.
    """
    path = names.value(path)
    parts: list[ast.expr] = []
    rest: str | None = None
    if isinstance(path, ast.Call) and names.qualified(path.func) == "os.path.join" and len(path.args) > 1:
        parts, rest = path.args[:-1], template(names, path.args[-1], into_parameters=False)
        rest = f"/{rest}" if rest is not None else None
    elif isinstance(path, ast.BinOp) and isinstance(path.op, ast.Add):
        parts, rest = [path.left], template(names, path.right, into_parameters=False)
    elif isinstance(path, ast.JoinedStr) and isinstance(path.values[0], ast.FormattedValue):
        parts = [path.values[0].value]
        rest = template(names, ast.JoinedStr(path.values[1:]), into_parameters=False)
    begin = (rest or "").partition("{")[0]
    is_name = begin.startswith("/") and "/" not in begin[1:] and "⟨" not in begin
    if is_any and parts and not is_name:
        rest, is_name = "/", True
    if rest is None or not is_name or any(isinstance(part, ast.Starred | ast.Constant) for part in parts):
        return None
    return parts, rest[1:]


def folder_of(name: str) -> str:
    """A directory's name for a file's."""
    stem = _SUFFIX.sub("", name.partition("{")[0]).replace("\\", "/")
    stem = _BRACKET.sub("_", stem).strip("._-= ")
    return f"{stem}_recovery" if stem else "recovery"


def quoted(text: str) -> str:
    """A text as Python source, in double quotes."""
    return json.dumps(text, ensure_ascii=False)
