"""FT505 · BackupAndRestore(save_freq=…) and its one copy, on Keras 3

With ``save_freq=N`` Keras 3 resumes at the beginning of the epoch of the last save, with the weights of that save: it
repeats steps. A job that is killed twice restarts at epoch 0. Keras 3 also overwrites its only copy in place: of 60
kills near a save, 44 left a job that could not start again; with ``double_checkpoint=True`` 4 of 60 did.

Instead: a number is reported. Make an epoch as long as the interval (``steps_per_epoch=N`` with a repeated dataset), or
save with a ``tf.train.CheckpointManager``. With ``--target keras3`` the callback gets ``double_checkpoint=True``, which
Keras 2 does not have. With ``--target keras2`` nothing is reported.

A number is rewritten only for several workers (FT404). In TensorFlow's guide one callback is passed to two calls of
``fit``, and a recovery would restore the first model in the second call. ``BackupAndRestore`` removes its backup after
the last epoch, so that a finished job trains again when it is started, where a recovery would do nothing. Of 637 public
repositories only that guide gives a number.

Fidelity: noted. The second copy costs its disk space.

See: tf.keras.callbacks.BackupAndRestore.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.keras.trainings import callback_call
from migrate.analysis.keras.workers import worker_fits
from migrate.analysis.source.arguments import literal
from migrate.analysis.source.module import Module
from migrate.edits.plan import SetArgument
from migrate.rules.rule import Example, Fix, Workbench, manual, noted, site_rule

BACKUPS = ("keras.callbacks.BackupAndRestore", "keras.callbacks.experimental.BackupAndRestore")
_FIT = """\
import tensorflow as tf

model.fit(x, y, callbacks=[tf.keras.callbacks.BackupAndRestore("/tmp/b"{})])
"""


@site_rule(
    "FT505",
    "noted",
    Example(_FIT.format(", save_freq=30"), None, "module"),
    Example(_FIT.format(""), "double_checkpoint=True", "module", target="keras3"),
)
def backup_settings(bench: Workbench) -> Iterator[Fix]:
    if bench.settings.target == "keras2":
        return
    replaced = set(backups_of_workers(bench.module))  # FT404 rewrites them
    for call in bench.module.calls_of(*BACKUPS):
        if call in replaced:
            continue
        span = bench.module.span(call)
        every = argument_of(call, "save_freq", 1)
        value = literal(every) if every is not None else "epoch"
        if isinstance(value, int) and not isinstance(value, bool):
            message = f"save_freq={value} repeats steps after a resume on Keras 3"
            help = (
                f"Use epochs of {value} steps (steps_per_epoch and a repeated dataset), or tf.train.CheckpointManager."
            )
            yield Fix((manual(call, message, help),))
        has_copy = argument_of(call, "double_checkpoint", 2) is not None
        if bench.settings.target == "keras3" and not has_copy and all(k.arg is not None for k in call.keywords):
            message = "a kill during a save would leave a job that cannot start again: two copies are kept now"
            yield Fix((noted(call, message),), (SetArgument(span, "double_checkpoint", "True"),))


def backups_of_workers(module: Module) -> Iterator[ast.Call]:
    """Yields the callbacks of a ``fit`` that several workers run, which FT404 replaces."""
    backups = set(module.calls_of(*BACKUPS))
    for fit, is_sure in worker_fits(module) if backups else ():
        named = next((keyword.value for keyword in fit.keywords if keyword.arg == "callbacks"), None)
        listed = named and module.names.value(named)
        for element in listed.elts if is_sure and isinstance(listed, ast.List | ast.Tuple) else ():
            made = callback_call(module.names, element)
            if made in backups and made is not None:
                yield made


def argument_of(call: ast.Call, name: str, position: int) -> ast.expr | None:
    """Returns the argument of a call for a parameter, by keyword or position; None where it has none."""
    named = next((keyword.value for keyword in call.keywords if keyword.arg == name), None)
    return call.args[position] if named is None and len(call.args) > position else named
