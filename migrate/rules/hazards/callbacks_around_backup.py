"""FT507 · callbacks beside BackupAndRestore: their order, CSVLogger, and what they forget

A callback that raises at the end of an epoch and comes before ``BackupAndRestore`` costs the epoch: the backup is not
made. ``CSVLogger`` without ``append=True`` empties its file at the resume. ``ModelCheckpoint(save_best_only=True)``
forgets the best value at each start, and its first save after a resume replaces a better model.

Instead: ``BackupAndRestore`` first in the list; ``CSVLogger(…, append=True)``. The finding of ``ModelCheckpoint`` names
``initial_value_threshold``, which every Keras has.

Fidelity: noted. The epoch at whose end training is interrupted is in the backup; the log continues.
``EarlyStopping`` and ``ReduceLROnPlateau`` begin to count anew too, which is no finding: ``EarlyStopping`` can be given
``baseline``.

In 466 public repositories it fired nowhere; it stays because what a resume takes here, a log or the best model, is
gone for good.

See: tf.keras.callbacks.BackupAndRestore, tf.keras.callbacks.CSVLogger.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.arguments import literal
from migrate.analysis.symbols import symbol_of
from migrate.analysis.trainings import made_by, trainings
from migrate.edits.plan import MoveFirst, SetArgument
from migrate.rules.hazards.backup_settings import BACKUPS
from migrate.rules.rule import Example, Mend, Workbench, manual, noted, site_rule

_ENDS = {"on_epoch_end", "on_epoch_begin", "on_train_batch_end", "on_batch_end"}
_FIT = """\
import tensorflow as tf


class Stop(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        raise RuntimeError("interrupted")


backup = tf.keras.callbacks.BackupAndRestore("/tmp/b")
model = build()
model.fit(x, y, callbacks=[{}])
"""


@site_rule(
    "FT507",
    "noted",
    Example(_FIT.format("Stop(), backup"), "callbacks=[backup, Stop()]", "module"),
    Example(
        _FIT.format('tf.keras.callbacks.CSVLogger("log.csv"), Stop(), backup'),
        'callbacks=[backup, tf.keras.callbacks.CSVLogger("log.csv", append=True), Stop()]',
        "module",
    ),
    Example(
        _FIT.format('backup, tf.keras.callbacks.CSVLogger("log.csv")'), 'CSVLogger("log.csv", append=True)', "module"
    ),
    Example(_FIT.format('backup, tf.keras.callbacks.ModelCheckpoint("m.keras", save_best_only=True)'), None, "module"),
)
def callbacks_around_backup(bench: Workbench) -> Iterator[Mend]:
    module = bench.module
    for fit in trainings(module):
        tails = [_tail(bench, element) for element in fit.callbacks]
        at = next((index for index, tail in enumerate(tails) if tail in BACKUPS), None)
        if at is None or fit.display is None:
            continue
        for element, tail in zip(fit.callbacks, tails, strict=True):
            made = made_by(module.names, element)
            is_log = tail == "keras.callbacks.CSVLogger" and made is not None
            if is_log and made is not None and not _appends(made):
                message = "CSVLogger would empty its file at the resume; it appends now"
                yield Mend((noted(made, message),), (SetArgument(module.span(made), "append", "True", 2),))
            given = {keyword.arg: keyword.value for keyword in made.keywords} if made is not None else {}
            is_best = literal(given.get("save_best_only")) is True and "initial_value_threshold" not in given
            if made is not None and tail == "keras.callbacks.ModelCheckpoint" and is_best:
                message = "ModelCheckpoint forgets its best value at a resume, and replaces a better model"
                help = "Give it initial_value_threshold=, the best value so far, which the job keeps in a file."
                yield Mend((manual(made, message, help),))
        before = fit.display.elts[:at]
        raising = next((element for element in before if _raises(bench, element)), None)
        if raising is not None and at < len(fit.display.elts):
            message = "this callback raises before BackupAndRestore has saved the epoch; the backup comes first now"
            yield Mend((noted(raising, message),), (MoveFirst(module.span(fit.display), at),))


def _appends(log: ast.Call) -> bool:
    return len(log.args) > 2 or any(keyword.arg == "append" for keyword in log.keywords)


def _tail(bench: Workbench, element: ast.expr) -> str:
    made = made_by(bench.module.names, element)
    found = symbol_of(bench.module.names, made.func) if made is not None else None
    return found.tail if found is not None else ""


def _raises(bench: Workbench, element: ast.expr) -> bool:
    """Whether a callback is a class of this file that raises at the end of a batch or an epoch."""
    made = made_by(bench.module.names, element)
    if made is None or not isinstance(made.func, ast.Name):
        return False
    definition = bench.module.names.definition(made.func)
    methods = definition.body if isinstance(definition, ast.ClassDef) else []
    ends = [method for method in methods if isinstance(method, ast.FunctionDef) and method.name in _ENDS]
    return any(isinstance(node, ast.Raise) for method in ends for node in ast.walk(method))
