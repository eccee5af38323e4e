"""FT508 · BackupAndRestore without what it needs: a built model

On Keras 3 ``BackupAndRestore`` raises at the start of ``fit`` where the model is not built yet: a ``Sequential`` whose
layers tell no shape, also one that begins with an adapted ``Normalization``, or a subclassed model.

Instead: give the model an ``Input``, or call ``model.build(input_shape)``, before ``fit``. The shape is the program's
own, so nothing is rewritten.

Fidelity: manual. Found where the layers or the class of the model are seen, and nothing that runs before calls the
model, builds it or takes it; with ``--target keras2`` it is no finding.

See: tf.keras.callbacks.BackupAndRestore, tf.keras.Model.build.
"""

from collections.abc import Iterator

from migrate.analysis.keras.built_models import constructor_call, is_without_shape, may_be_built
from migrate.rules.hazards.backup_settings import backed_up
from migrate.rules.rule import Example, Mend, Workbench, manual, site_rule

_FIT = """\
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(x, y, callbacks=[tf.keras.callbacks.BackupAndRestore("/tmp/b")])
"""


@site_rule("FT508", "manual", Example(_FIT, None, "module"))
def backup_needs(bench: Workbench) -> Iterator[Mend]:
    module, reach, values = bench.module, bench.reach, bench.values
    for fit, _ in backed_up(bench) if bench.settings.target != "keras2" else ():
        made = constructor_call(values, module, fit.receiver)
        if made is None or not is_without_shape(reach, values, made):
            continue
        if not may_be_built(reach, values, module, made, fit.call):
            message = "the model is not built before fit, where BackupAndRestore raises on Keras 3"
            help = "Put tf.keras.Input(shape) first among its layers, or call model.build(input_shape) before fit."
            yield Mend((manual(fit.call, message, help),))
