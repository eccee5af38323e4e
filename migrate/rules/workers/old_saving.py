"""Finds the callback by which a ``fit`` of several workers saved."""

import ast
import posixpath
import re

from migrate.analysis.source.arguments import Unbindable, bind, literal
from migrate.analysis.source.module import Module
from migrate.analysis.source.paths import template
from migrate.analysis.source.symbols import tail_called
from migrate.records import dataclass
from migrate.rewrite.loop_directory import python_string
from migrate.rules.hazards.backup_settings import BACKUPS
from migrate.rules.rule import Workbench

_MODEL_CHECKPOINT = (
    "filepath", "monitor", "verbose", "save_best_only", "save_weights_only", "mode", "save_freq",
)  # fmt: skip


@dataclass(frozen=True)
class Saving:
    """The callback that saved in the old program.

    Attributes:
      directory: source of the new directory.
      batches: source of the number of steps between two saves; None to save at the end of each epoch.
    """

    call: ast.Call
    directory: str
    batches: str | None


class SkipFit(Exception):
    """Why a ``fit`` is skipped, with advice."""

    def __init__(self, reason: str, help: str) -> None:
        super().__init__(reason)
        self.help = help


def callbacks_of(module: Module, callbacks: ast.expr | None) -> list[ast.expr]:
    """Returns the elements of ``callbacks=``, a list display or a variable of one; raises SkipFit for others."""
    if callbacks is None:
        return []
    value = module.names.value_at_use(callbacks) if isinstance(callbacks, ast.Name) else callbacks
    if not isinstance(value, ast.List | ast.Tuple):
        raise SkipFit("the callbacks of fit are not a list that can be read", "Write callbacks=[…] in the call of fit.")
    uses = module.names.reads_of(callbacks) if isinstance(callbacks, ast.Name) else []
    if not all(isinstance(module.names.parent(use), ast.keyword) for use in uses):  # callbacks.append(…)
        raise SkipFit("the list of callbacks is changed after it is made", "Write callbacks=[…] in the call of fit.")
    return value.elts


def saving_of(bench: Workbench, callbacks: list[ast.expr]) -> Saving | None:
    """Returns the callback from which ``fit`` resumed; None for none; raises SkipFit for several."""
    made = [call for element in callbacks if (call := call_behind(bench.module, element)) is not None]
    backups = [call for call in made if tail_called(bench.module.names, call) in BACKUPS]
    checkpoints = [call for call in made if tail_called(bench.module.names, call) == "keras.callbacks.ModelCheckpoint"]
    if len(backups) == 1 and not checkpoints:
        given = bind(backups[0], ("backup_dir", "save_freq"))
        directory = given.get("backup_dir")
        if directory is None:
            raise SkipFit("the directory of BackupAndRestore is not known", "Write backup_dir= in the call.")
        return Saving(backups[0], _subdirectory(bench, directory), _batches(bench, given.get("save_freq")))
    if not checkpoints and not backups:
        return None
    if len(checkpoints) > 1 or backups:
        raise SkipFit("fit has more than one callback that saves", "Keep one for recovery, on all workers.")
    return _saving_of_checkpoint(bench, checkpoints[0])


def _saving_of_checkpoint(bench: Workbench, call: ast.Call) -> Saving:
    try:
        given = bind(call, _MODEL_CHECKPOINT)
    except Unbindable as problem:
        raise SkipFit(f"the arguments of ModelCheckpoint cannot be read: {problem}", "Write them out.") from problem
    path, best, frequency = given.get("filepath"), given.get("save_best_only"), given.get("save_freq")
    help = "Let the chief alone keep it, after the epoch, and add BackupAndRestore or WorkerRecovery for recovery."
    if path is None or "period" in given:
        raise SkipFit("ModelCheckpoint has no filepath, or a period, which BackupAndRestore lacks", help)
    if best is not None and literal(best) is not False:
        raise SkipFit("ModelCheckpoint keeps the best epoch, which is no recovery", help)
    if "{" in (template(bench.module.names, path) or "") or "{" in ast.unparse(path):
        raise SkipFit("ModelCheckpoint keeps a file for each epoch, which is no recovery", help)
    only_weights = given.get("save_weights_only")
    is_model = only_weights is None or literal(only_weights) is False
    return Saving(call, _own_directory(bench, path, is_model=is_model), _batches(bench, frequency))


def _batches(bench: Workbench, frequency: ast.expr | None) -> str | None:
    is_epoch = frequency is None or literal(frequency) in ("epoch", False)
    return None if frequency is None or is_epoch else bench.module.source.text(frequency)


def call_behind(module: Module, element: ast.expr) -> ast.Call | None:
    value = module.names.value(element)
    return value if isinstance(value, ast.Call) else None


def _subdirectory(bench: Workbench, directory: ast.expr) -> str:
    """Returns source of a subdirectory of a directory, which may be the only one that survives the machine."""
    known = literal(directory)
    if isinstance(known, str) and "\\" not in known and '"' not in known:
        return f'"{known.rstrip("/")}/recovery"'
    text = bench.module.source.text(directory)
    if isinstance(directory, ast.Call) and bench.module.names.qualified(directory.func) == "os.path.join":
        return f'{text[:-1].rstrip().rstrip(",")}, "recovery")'
    return f'{bench.vocabulary.standard_module("os")}.path.join({text}, "recovery")'


def _own_directory(bench: Workbench, path: ast.expr, *, is_model: bool) -> str:
    """Returns source of a new directory: inside the path if that is a directory, otherwise next to it.

    Args:
      is_model: whether whole models are saved, for which a path without a suffix is a directory, not a file prefix.
    """
    known = template(bench.module.names, path, into_parameters=False) or "⟩"
    name = posixpath.basename(known.rstrip("/"))
    is_directory = known.endswith("/") or (is_model and bool(name) and "." not in name and "⟩" not in name)
    if is_directory:
        return _subdirectory(bench, path)
    written = literal(path)
    if isinstance(written, str):
        return python_string(f"{_SUFFIX.sub('', written.rstrip('/'))}-recovery")
    return f"str({bench.module.source.text(path)}) + '-recovery'"


_SUFFIX = re.compile(r"(\.weights)?\.(h5|hdf5|ckpt|tf|keras|index|cpkt)$")
"""The suffix of a checkpoint's name."""
