"""The flags that a program defines, and those among them that a command line for it has to give."""

import ast
import os
import re
import shlex
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from migrate.analysis.imports import above_package
from migrate.files.parse import parse
from migrate.files.read import read
from migrate.files.text import SourceText
from migrate.files.trouble import Unreadable

_DEFINING = re.compile(rb"add_argument|DEFINE_|\.option\(|\.argument\(")
_DIRECTORIES = ("model_dir", "job_dir", "output_dir", "checkpoint_dir", "train_dir", "log_dir", "logdir")
"""What flags for a ``model_dir`` are called, where the code does not say which one is meant."""


@dataclass(frozen=True)
class Flag:
    """A flag of ``argparse``, ``absl`` or ``click``.

    Attributes:
      spelled: as it stands on a command line, ``--model_dir``; the bare name of an argument without a flag.
      name: the name that the program reads it by.
      is_required: whether the program does not start without it.
    """

    spelled: str
    name: str
    is_required: bool

    @property
    def is_positional(self) -> bool:
        """Whether it is an argument by its place, without a flag."""
        return not self.spelled.startswith("-")


def flags_of(paths: Iterable[str]) -> list[Flag]:
    """The flags that some files define, in their order; a file that cannot be read defines none."""
    found: list[Flag] = []
    required: set[str] = set()
    for path in paths:
        try:
            data = read(path)
            tree = parse(SourceText.decode(path, data)) if _DEFINING.search(data) else None
        except Unreadable:
            continue
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.Call):
                found += _defined(node)
                required |= {*_marked(node)}
    return list({f.name: Flag(f.spelled, f.name, f.is_required or f.name in required) for f in found}.values())


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _words(nodes: Iterable[ast.expr]) -> list[str]:
    return [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def _defined(call: ast.Call) -> Iterator[Flag]:
    called, words = _called(call), _words(call.args)
    given = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    if not words:
        return
    if called.startswith("DEFINE_"):
        yield Flag(f"--{words[0]}", words[0], _is_true(given.get("required")))
    elif called in ("add_argument", "option", "argument"):
        spelled = max(words, key=lambda word: (word.startswith("--"), word.startswith("-"), len(word)))
        name = next(iter(_words([given["dest"]] if "dest" in given else [])), "")
        if called == "option" and not spelled.startswith("-"):
            return
        is_required = (not spelled.startswith("-") and "nargs" not in given) or _is_true(given.get("required"))
        yield Flag(spelled, name or spelled.lstrip("-").replace("-", "_"), is_required)


def _marked(call: ast.Call) -> list[str]:
    if _called(call) == "mark_flag_as_required":
        return _words(call.args[:1])
    several = call.args[0] if _called(call) == "mark_flags_as_required" and call.args else None
    return _words(several.elts) if isinstance(several, ast.List | ast.Tuple) else []


def _is_true(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Constant) and value.value is True


def directory_flag(flags: Collection[Flag], directories: Sequence[str]) -> Flag | None:
    """The flag that gives a program its ``model_dir``; None where none is seen.

    Args:
      flags: those of the program.
      directories: its ``model_dir`` arguments, as they are written.
    """
    known = {flag.name: flag for flag in flags}
    read_there = [name for text in directories for node in ast.walk(ast.parse(text)) for name in _read_by(node)]
    return next((known[name] for name in (*read_there, *_DIRECTORIES) if name in known), None)


def _read_by(node: ast.AST) -> Iterator[str]:
    """The name that a part of an expression reads: ``out`` in ``args.out``, ``args["out"]`` and ``out``."""
    if isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Subscript):
        yield from _words([node.slice])


def arguments(flags: Collection[Flag], directory: Flag | None) -> str:
    """The options of ``verify`` and ``checkpoint`` that pass a program its directory and what it requires.

    Args:
      flags: those of the program.
      directory: the one that gives it its directory; None for none.
    """
    words = [
        flag.name.upper() if flag.is_positional else f"{flag.spelled} {flag.name.upper()}"
        for flag in flags
        if flag.is_required and flag != directory
    ]
    parts = []
    if directory is not None and directory.is_positional:
        words.insert(0, "{model_dir}")
    elif directory is not None and directory.spelled != "--model_dir":
        parts.append(f"--model-dir-flag {directory.spelled}")
    if words:
        parts.append(f"--args {shlex.quote(' '.join(words))}")
    return " ".join(parts)


def is_in_package(path: str) -> bool:
    """Whether a file is run as a module: it imports its own package by name, or what stands beside it by dots."""
    directory = os.path.dirname(os.path.abspath(path))
    top = above_package(directory)
    package = os.path.relpath(directory, top).split(os.sep)[0]
    if directory == top or not package.isidentifier():
        return False
    own = rb"^\s*(?:from\s+\.|(?:from|import)\s+" + package.encode() + rb"\b)"
    try:
        return re.search(own, read(path), re.MULTILINE) is not None
    except Unreadable:
        return False
