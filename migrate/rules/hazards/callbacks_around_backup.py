"""FT507 · CSVLogger and the best model beside BackupAndRestore

``CSVLogger`` without ``append=True`` empties its file at the resume. ``ModelCheckpoint(save_best_only=True)`` forgets
the best value at each start, and its first save after a resume replaces a better model.

Instead: ``CSVLogger(…, append=True)``. The finding of ``ModelCheckpoint`` names ``initial_value_threshold``, which
every Keras has.

Fidelity: noted. The log continues.
``EarlyStopping`` and ``ReduceLROnPlateau`` begin to count anew too, which is no finding: ``EarlyStopping`` can be given
``baseline``.

In 466 public repositories it fired nowhere; it stays because what a resume takes here, a log or the best model, is
gone for good.

See: tf.keras.callbacks.BackupAndRestore, tf.keras.callbacks.CSVLogger.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.keras.trainings import append_of, callback_call, trainings
from migrate.analysis.source.arguments import literal
from migrate.analysis.source.symbols import symbol_of
from migrate.edits.plan import SetArgument
from migrate.rules.hazards.backup_settings import BACKUPS
from migrate.rules.rule import Example, Mend, Workbench, manual, noted, site_rule

_FIT = """\
import tensorflow as tf

backup = tf.keras.callbacks.BackupAndRestore("/tmp/b")
model = build()
model.fit(x, y, callbacks=[{}])
"""


@site_rule(
    "FT507",
    "noted",
    Example(
        _FIT.format('backup, tf.keras.callbacks.CSVLogger("log.csv")'), 'CSVLogger("log.csv", append=True)', "module"
    ),
    Example(_FIT.format('backup, tf.keras.callbacks.ModelCheckpoint("m.keras", save_best_only=True)'), None, "module"),
)
def callbacks_around_backup(bench: Workbench) -> Iterator[Mend]:
    module = bench.module
    for fit in trainings(module):
        tails = [_tail(bench, element) for element in fit.callbacks]
        if not set(BACKUPS) & set(tails):
            continue
        for element, tail in zip(fit.callbacks, tails, strict=True):
            made = callback_call(module.names, element)
            is_log = tail == "keras.callbacks.CSVLogger" and made is not None
            append = append_of(made) if is_log and made is not None else None
            if is_log and made is not None and (append is None or literal(append) is False):
                message = "CSVLogger would empty its file at the resume; it appends now"
                yield Mend((noted(made, message),), (SetArgument(module.span(made), "append", "True", 2),))
            given = {keyword.arg: keyword.value for keyword in made.keywords} if made is not None else {}
            is_best = literal(given.get("save_best_only")) is True and "initial_value_threshold" not in given
            if made is not None and tail == "keras.callbacks.ModelCheckpoint" and is_best:
                message = "ModelCheckpoint forgets its best value at a resume, and replaces a better model"
                help = "Give it initial_value_threshold=, the best value so far, which the job keeps in a file."
                yield Mend((manual(made, message, help),))


def _tail(bench: Workbench, element: ast.expr) -> str:
    made = callback_call(bench.module.names, element)
    found = symbol_of(bench.module.names, made.func) if made is not None else None
    return found.tail if found is not None else ""
