"""FT515 · one backup directory for several trainings

``BackupAndRestore`` restores whatever its directory holds. A job that trains in stages, a teacher and a student, or one
model a fold, and is interrupted in a later training, restores that one's weights and epoch into the first: the teacher
continues from the student's weights, or the first stage trains nothing and removes the backup. Nothing fails.

Instead: a directory for each training, ``BackupAndRestore(f"{backup_dir}/stage1", delete_checkpoint=False)``. Without
``delete_checkpoint=False`` a training that ended has no backup, and trains again from new weights after a restart.

Fidelity: manual. Found where one start runs two calls of ``fit``, or one in a loop, with the same directory, also in
functions that are given it. Trainings under alternative tests, and a loop that skips what is done, are no finding.

See: tf.keras.callbacks.BackupAndRestore.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.calls.turns import Turn, first_repetition
from migrate.analysis.keras.trainings import all_trainings
from migrate.analysis.source.module import Module
from migrate.analysis.source.paths import template
from migrate.rules.hazards.backup_settings import BACKUPS, argument_of, backups_of
from migrate.rules.rule import Example, Mend, Workbench, manual, site_rule

_STAGES = """\
import tensorflow as tf

model = build()
backup = tf.keras.callbacks.BackupAndRestore("/tmp/b")
model.fit(x, y, epochs=3, callbacks=[backup])
model.fit(x, y, epochs=6, initial_epoch=3, callbacks=[backup])
"""
_FOLDS = """\
import tensorflow as tf

for train, test in folds:
    model = build()
    model.fit(train, callbacks=[tf.keras.callbacks.BackupAndRestore("/tmp/b")])
"""


@site_rule("FT515", "manual", Example(_STAGES, None, "module"), Example(_FOLDS, None, "module"))
def shared_backup(bench: Workbench) -> Iterator[Mend]:
    module = bench.module
    turns: dict[str, list[Turn]] = {}
    for fit in all_trainings(module) if module.calls_of(*BACKUPS) else ():
        for backup in backups_of(bench, fit):
            path = argument_of(backup, "backup_dir", 0)
            text = template(module.names, path, into_parameters=False) if path is not None else None
            if text and _is_seen(module, fit.call, backup):
                turns.setdefault(text, []).append(Turn(module, fit.call, text, fit.call))
    found = first_repetition(bench.reach, [one for some in turns.values() for one in some])
    if found is None:
        return
    first, last = found
    node = last.node if last.module is module else last.origin
    message = (
        "each turn of the loop trains with one backup directory: a restart restores a later one into the first"
        if first.node is last.node
        else f"this training and the one in line {first.node.lineno} have one backup directory: "
        "a restart restores the later one's backup into the first"
    )
    help = "Give each training a directory of its own, and delete_checkpoint=False to all but the last."
    yield Mend((manual(node, message, help),))


def _is_seen(module: Module, fit: ast.Call, backup: ast.Call) -> bool:
    """Whether a backup is made where its training is, or once for the file, so that the names of its path agree."""
    names = module.names
    return names.scope_of(backup).node in (names.scope_of(fit).node, names.module)
