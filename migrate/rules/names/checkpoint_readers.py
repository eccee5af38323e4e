"""FT128 · what reads checkpoints by TensorFlow 1's names, beside an estimator that becomes a Keras model

A Keras model's checkpoints are files ``ckpt-N`` that hold objects: ``tf.train.list_variables``, ``load_variable``,
``load_checkpoint``, ``NewCheckpointReader`` and ``init_from_checkpoint`` find other names in them, and ``model.ckpt-N``
and ``.meta`` no file. Most of that happens in silence.

Instead: nothing; each such place is told. Looked at are the program's file, the files that it imports and those that
import it. A reader counts where its path is made from the estimator's ``model_dir``, or from the latest checkpoint in
it; the names of files count wherever they are written.

Fidelity: noted. With ``--canned auto`` a premade estimator that has such a reader is written in object form, which
keeps the names and the files, so that nothing is to be told.

See: tf.train.latest_checkpoint, tf.train.list_variables, tf.compat.v1.train.init_from_checkpoint.
"""

import ast
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache

from migrate.analysis.arguments import is_none
from migrate.analysis.module import Module
from migrate.analysis.names import Names
from migrate.analysis.paths import normal, template
from migrate.analysis.program import Program
from migrate.files.parse import KEPT
from migrate.files.trouble import Unreadable
from migrate.findings.invocation import program as command
from migrate.rewrite.draft import Draft
from migrate.rules.rule import Example, Verdict, manual, noted, rule

_LATEST = "train.latest_checkpoint"
_READERS = {
    _LATEST: "checkpoint_dir",
    "train.list_variables": "ckpt_dir_or_file",
    "train.load_variable": "ckpt_dir_or_file",
    "train.load_checkpoint": "ckpt_dir_or_file",
    "train.NewCheckpointReader": "filepattern",
    "train.init_from_checkpoint": "ckpt_dir_or_file",
    "train.checkpoints_iterator": "checkpoint_dir",
    "train.import_meta_graph": "meta_graph_or_file",
}
"""What opens a checkpoint, and the parameter, its first, that tells which."""

_FILE_NAME = re.compile(r"(^|/)model\.ckpt(-|$)|(^|\*|\d)\.meta$")
_WORD = re.compile(
    r"model\.ckpt|\.meta\b|latest_checkpoint|list_variables|load_variable|load_checkpoint|CheckpointReader"
)


@rule(
    "FT128",
    "noted",
    Example('print("model.ckpt-0.meta")', 'print("model.ckpt-0.meta")', "head"),
)
def checkpoint_readers(program: Program, draft: Draft) -> Iterator[Verdict]:
    found = list(_readers(program, program.module))
    becomes_object = program.kind == "canned" and draft.settings.canned == "auto"
    for node, what, by_name in found:
        message = f"{what}, and the Keras model's checkpoints are files ckpt-N that hold objects"
        if becomes_object and by_name:
            yield manual(node, message, "Use --canned object, which keeps their names.")
        else:
            yield noted(node, message, _help(program))
    for path in _around(program):
        with suppress(Unreadable):
            if _WORD.search(program.tree.source(path).text) is None:
                continue
            other = program.tree.module(path)
            for node, what, _ in _readers(program, other):
                where = f"line {node.lineno} of {other.path}"
                message = f"{where}: {what}, and the Keras model's checkpoints are files ckpt-N that hold objects"
                yield noted(program.site.node, message, _help(program))


def _help(program: Program) -> str:
    back = f"{command()} checkpoint --to-estimator writes one with the old names."
    return f"Use --canned object, which keeps the names, or read what {back}" if program.kind == "canned" else back


def _around(program: Program) -> list[str]:
    """The files, absolute, that the program's file imports, and those that import it."""
    imported = [link.target.path for link in program.tree.closure(program.module)]
    return list(dict.fromkeys([*imported, *program.tree.importers(program.module)]))


def _readers(program: Program, module: Module) -> Iterator[tuple[ast.expr, str, bool]]:
    """The places in a file that read the program's checkpoints, what each does, and whether it does so by name."""
    directory = _directory(program)
    for tail, parameter in _READERS.items():
        for call in module.calls_of(tail):
            keywords = [keyword.value for keyword in call.keywords if keyword.arg == parameter]
            path = call.args[0] if call.args else next(iter(keywords), None)
            if path is not None and _is_of(module, path, directory):
                yield call, f"`{tail.rpartition('.')[2]}` reads the Estimator's checkpoints", tail != _LATEST
    for node in _file_names(module.names):
        yield node, f"{node.value!r} names a file of the Estimator's checkpoints", True


@lru_cache(maxsize=KEPT)
def _file_names(names: Names) -> list[ast.Constant]:
    """The strings of a file that name one of an Estimator's checkpoints; every program of the file asks."""
    strings = (node for node in names.nodes(ast.Constant) if isinstance(node.value, str))
    told = (node for node in strings if not isinstance(names.parents[node], ast.Expr))  # which is a docstring
    return [node for node in told if _FILE_NAME.search(str(node.value))]


def _directory(program: Program) -> str | None:
    """The program's model_dir, as the file spells it."""
    for given in (program.arguments.get("model_dir"), program.config.settings.get("model_dir")):
        if given is not None and not is_none(given):
            text = template(program.module.names, given)
            return normal(text) if text is not None else None
    return None


def _is_of(module: Module, path: ast.expr, directory: str | None) -> bool:
    """Whether a path is made from a directory, or from the latest checkpoint in it."""
    text = template(module.names, path)
    if text is not None and directory is not None and (normal(text) + os.sep).startswith(directory + os.sep):
        return True
    searches = [call for call in module.calls_of(_LATEST) if call is not path and call.args]
    within = [node for node in ast.walk(module.names.value(path)) if node in searches]
    return any(isinstance(call, ast.Call) and _is_of(module, call.args[0], directory) for call in within)
