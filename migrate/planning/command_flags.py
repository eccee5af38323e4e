"""The flags that a program defines, and those that a command line must pass to it."""

import ast
import os
import re
import shlex
from collections.abc import Collection, Iterable, Iterator, Sequence

from migrate.analysis.program.defined_flags import Flag, flag_of_call, string_constants
from migrate.analysis.source.imports import directory_above_package
from migrate.analysis.source.path_searches import name_of
from migrate.files.parse import parse
from migrate.files.read import read
from migrate.files.text import SourceText
from migrate.files.trouble import Unreadable
from migrate.records import replace

_DEFINING = re.compile(rb"add_argument|DEFINE_|\.option\(|\.argument\(")
_DIRECTORIES = (
    *("model_dir", "job_dir", "output_dir", "checkpoint_dir", "ckpt_dir", "save_dir", "train_dir", "log_dir", "logdir"),
)
"""Usual names of flags for a ``model_dir``, tried where the code does not show which flag it is."""
_OTHER_DIRECTORY = re.compile(r"(?!.*(?:data|input|image|vocab|cache|pretrain|bert)).*dir")
"""Other names of required flags for an output directory: not one of those that programs read from."""


def flags_of(paths: Iterable[str]) -> list[Flag]:
    """Returns the flags that some files define, in order; files that cannot be read are skipped."""
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
                defined = flag_of_call(node)
                found += [defined] if defined is not None else []
                required |= {*_required_flags(node)}
    return list({f.name: replace(f, is_required=f.is_required or f.name in required) for f in found}.values())


def _required_flags(call: ast.Call) -> list[str]:
    if name_of(call.func) == "mark_flag_as_required":
        return string_constants(call.args[:1])
    several = call.args[0] if name_of(call.func) == "mark_flags_as_required" and call.args else None
    return string_constants(several.elts) if isinstance(several, ast.List | ast.Tuple) else []


def directory_flag(flags: Collection[Flag], directories: Sequence[str]) -> Flag | None:
    """Returns the flag for a ``model_dir``, given the source of such arguments; None where none is found."""
    known = {flag.name: flag for flag in flags}
    parts = [node for text in directories for node in ast.walk(ast.parse(text))]
    sums = (node.right for node in parts if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add))
    ends = {part for right in sums for part in ast.walk(right)}  # no directory: ``base + "/" + args.name``
    read_there = [name for node in parts if node not in ends for name in _names_read(node)]
    return next((known[name] for name in (*read_there, *_DIRECTORIES) if name in known), None)


def _names_read(node: ast.AST) -> Iterator[str]:
    """Yields the name that a node reads: ``out`` for ``args.out``, ``args["out"]`` and ``out``."""
    if isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Subscript):
        yield from string_constants([node.slice])


def verify_options(flags: Collection[Flag], directory: Flag | None, length: Flag | None = None) -> str:
    """Returns the options of ``verify`` that pass a program its directory and its required flags.

    Args:
      directory: the flag that sets its directory; None for none.
      length: the flag that sets its number of steps or epochs, which is passed too; None for none.
    """
    words = [
        _example(flag) if flag.is_positional else f"{flag.spelling} {_example(flag)}"
        for flag in flags
        if (flag.is_required or flag == length) and flag != directory
    ]
    parts = []
    if directory is not None and directory.is_positional:
        words.insert(0, "{model_dir}")
    elif directory is not None and directory.spelling != "--model_dir":
        parts.append(f"--model-dir-flag {directory.spelling}")
    if words:
        parts.append(f"--args {shlex.quote(' '.join(words))}")
    return " ".join(parts)


def _example(flag: Flag) -> str:
    return "{model_dir}" if _OTHER_DIRECTORY.fullmatch(flag.name) else flag.name.upper()


def is_in_package(path: str) -> bool:
    """Whether a file must be run by ``-m``: it imports its own package by name, or by relative imports."""
    directory = os.path.dirname(os.path.abspath(path))
    top = directory_above_package(directory)
    package = os.path.relpath(directory, top).split(os.sep)[0]
    if directory == top or not package.isidentifier():
        return False
    own = rb"^\s*(?:from\s+\.|(?:from|import)\s+" + package.encode() + rb"\b)"
    try:
        return re.search(own, read(path), re.MULTILINE) is not None
    except Unreadable:
        return False
