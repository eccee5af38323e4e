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
from migrate.analysis.keras.trainings import Fit
from migrate.analysis.source.module import Module
from migrate.analysis.source.paths import template
from migrate.rules.hazards.backup_settings import argument_of, backed_up
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
    for fit, backups in backed_up(bench):
        for backup in backups:
            text = _directory(module, fit, backup)
            if text:
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


def _directory(module: Module, fit: Fit, backup: ast.Call) -> str | None:
    """The directory of a backup in the words of its training's function; of one that an object holds its name."""
    names, path = module.names, argument_of(backup, "backup_dir", 0)
    text = template(names, path, into_parameters=False) if path is not None else None
    is_here = names.scope_of(backup).node in (names.scope_of(fit.call).node, names.module)
    if is_here or (text is not None and "⟨" not in text):
        return text
    held = [fit.arguments.get("callbacks"), *fit.callbacks]
    own = [ast.unparse(one) for one in held if isinstance(one, ast.Attribute)]
    return f"⟨{own[0]}⟩" if own and own[0].startswith("self.") else None
