"""FT508 · BackupAndRestore without what it needs: a built model

On Keras 3 ``BackupAndRestore`` raises at the start of ``fit`` where the model is not built yet.

Instead: give the model an ``Input``, or call ``model.build(input_shape)``, before ``fit``. The shape is the program's
own, so nothing is rewritten.

Fidelity: manual. A ``Sequential`` is found where its list of layers is in the file and none of them tells the shape;
with ``--target keras2`` it is no finding.

See: tf.keras.callbacks.BackupAndRestore, tf.keras.Model.build.
"""

from collections.abc import Iterator

from migrate.analysis.built_models import is_unbuilt
from migrate.analysis.trainings import made_by, trainings
from migrate.rules.hazards.backup_settings import BACKUPS
from migrate.rules.rule import Example, Mend, Workbench, manual, site_rule

_FIT = """\
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(x, y, callbacks=[tf.keras.callbacks.BackupAndRestore("/tmp/b")])
"""


@site_rule("FT508", "manual", Example(_FIT, None, "module"))
def backup_needs(bench: Workbench) -> Iterator[Mend]:
    module = bench.module
    backups = module.calls_of(*BACKUPS) if bench.settings.target != "keras2" else []
    for fit in trainings(module) if backups else ():
        made = [made_by(module.names, element) for element in fit.callbacks]
        if any(call in backups for call in made if call is not None) and is_unbuilt(module, fit.receiver):
            message = "the model is not built before fit, where BackupAndRestore raises on Keras 3"
            help = "Put tf.keras.Input(shape) first among its layers, or call model.build(input_shape) before fit."
            yield Mend((manual(fit.call, message, help),))
