"""FT514 · a subclassed Keras model in a tf.train.Checkpoint of the program's own, on Keras 3

Keras 3 hides from ``tf.train.Checkpoint`` what a model or a layer holds in a list or a dict, as
``self.enc_layers = [EncoderLayer() for …]`` of TensorFlow's tutorial on the Transformer: no weights of it are in the
checkpoint, but those that an optimizer beside the model trains, which a restore before that optimizer's first step does
not give back. And of a model that has no weights yet where it is restored, some get what was saved when it is called,
and some do not; with an ``LSTM`` that call raises an ``AttributeError``. ``assert_existing_objects_matched()`` sees
neither, and training goes on from new weights.

Instead: ``self.enc_layers = tuple(…)``, which is saved under the names that a list has on Keras 2. Beside a dict, or a
list that grows, one more attribute: ``self.held = tuple(self.blocks.values())``. And one call with a batch of the data
before the restore, ``model(batch)``, which makes the weights.

Fidelity: manual. Found where the model's class is read, and layers with weights in it: in a list or dict of which the
class makes no other object; or in a model that the code around the restore makes, and that only the ``Checkpoint``
reads before. With ``--target keras2`` it is no finding.

See: tf.train.Checkpoint, tf.keras.Model.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.checkpoints import Checkpoint, Checkpoints, only_stored
from migrate.analysis.module import Module
from migrate.analysis.subclassed_models import layers_of
from migrate.rules.rule import Example, Mend, Workbench, manual, site_rule

_RESTORES = ("restore", "restore_or_initialize", "read")
_PROGRAM = """\
import tensorflow as tf


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.blocks = BLOCKS

    def call(self, x):
        for block in self.blocks:
            x = block(x)
        return x


net = Net()
checkpoint = tf.train.Checkpoint(net=net)
checkpoint.restore(tf.train.latest_checkpoint("/tmp/c")).expect_partial()
"""
_IN_A_LIST = _PROGRAM.replace("BLOCKS", "[tf.keras.layers.Dense(9) for _ in range(3)]")
_IN_A_TUPLE = _PROGRAM.replace("BLOCKS", "(tf.keras.layers.Dense(9), tf.keras.layers.Dense(9))")


@site_rule("FT514", "manual", Example(_IN_A_LIST, None, "module"), Example(_IN_A_TUPLE, None, "module"))
def subclassed_model(bench: Workbench) -> Iterator[Mend]:
    module = bench.module
    for checkpoint in Checkpoints(module).all if bench.settings.target != "keras2" else ():
        if checkpoint.methods.keys().isdisjoint({*_RESTORES, "save", "write"}):
            continue
        for model in (*checkpoint.call.args[:1], *checkpoint.tracked().values()):
            held = only_stored(module.names, model) or module.names.value(model)
            layers = layers_of(bench.tree, module, held)
            if layers is not None and layers.in_lists:
                shown = ", ".join(dict.fromkeys(layers.in_lists))
                message = (
                    f"on Keras 3 the checkpoint holds no layers of a list or dict ({shown}): their weights begin anew"
                )
                help = "Hold them in a tuple: self.NAME = tuple(…), or one more attribute with what a dict holds."
                yield Mend((manual(checkpoint.call, message, help),))
            restore = _restore_of_unbuilt(module, checkpoint, model, held)
            if layers is not None and layers.have_weights and not layers.is_built and restore is not None:
                name = module.source.text(model)
                message = f"`{name}` has no weights yet where it is restored: on Keras 3 some of them are new after it"
                yield Mend((manual(restore, message, f"Call it with a batch of the data before: {name}(batch)."),))


def _restore_of_unbuilt(module: Module, checkpoint: Checkpoint, model: ast.expr, made: ast.expr) -> ast.Call | None:
    """The first restore of a checkpoint, in the scope that makes the model, and with no use of the model before it."""
    names = module.names
    calls = [call for name in _RESTORES for call in checkpoint.methods.get(name, ())]
    first = min(calls, key=lambda call: call.lineno, default=None)
    if first is None or not isinstance(model, ast.Name) or names.scope_of(first) is not names.scope_of(made):
        return None
    if any(isinstance(around, ast.For | ast.While) for around in names.ancestors(first)):
        return None
    uses = [use for use in names.reads_of(model) if use.lineno <= first.lineno]
    parents = [names.parent(use) for use in uses]
    around = [names.parent(one) if isinstance(one, ast.keyword) else one for one in parents]
    return first if all(one in module.calls_of("train.Checkpoint") for one in around) else None
