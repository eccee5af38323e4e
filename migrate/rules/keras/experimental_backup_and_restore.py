"""FT202 · tf.keras.callbacks.experimental.BackupAndRestore

Since TensorFlow 2.8 ``BackupAndRestore`` has a stable name. Keras 3 does not have the experimental one.

Instead: ``tf.keras.callbacks.BackupAndRestore``, with the same arguments.

Fidelity: exact. On TensorFlow 2.15 the experimental class is the stable one with a warning.

See: tf.keras.callbacks.BackupAndRestore.
"""

from collections.abc import Iterator

from migrate.edits.plan import ReplaceExpression
from migrate.rules.rule import Example, Fix, Workbench, exact, site_rule

_OLD = """\
import tensorflow as tf

model.fit(x, y, callbacks=[tf.keras.callbacks.experimental.BackupAndRestore("/tmp/backup")])
"""


@site_rule("FT202", "exact", Example(_OLD, 'callbacks=[tf.keras.callbacks.BackupAndRestore("/tmp/backup")]', "module"))
def experimental_backup_and_restore(bench: Workbench) -> Iterator[Fix]:
    module = bench.module
    for node in module.uses.get("keras.callbacks.experimental.BackupAndRestore", []):
        edit = ReplaceExpression(module.span(node), f"{bench.tf_at(node)}.keras.callbacks.BackupAndRestore")
        yield Fix((exact(node, "the callback has its stable name now"),), (edit,))
