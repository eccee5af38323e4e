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

Fidelity: manual. Found in a file that restores, where the model's class is read, and layers with weights in it: in a
list or dict of which the class makes no other object; or in a model that is made beside the restore, and that only the
``Checkpoint`` reads before. With ``--target keras2`` it is no finding.

See: tf.train.Checkpoint, tf.keras.Model.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.checkpoints import only_stored
from migrate.analysis.module import Module
from migrate.analysis.subclassed_models import Layers, layers_of
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
    for checkpoint in bench.checkpoints.all if bench.settings.target != "keras2" else ():
        restores = [call for name in _RESTORES for call in checkpoint.methods.get(name, ())]
        for model in (*checkpoint.call.args[:1], *checkpoint.tracked().values()) if restores else ():
            made = only_stored(module.names, model) or module.names.value(model)
            layers = layers_of(bench.tree, module, made) or Layers()
            if layers.in_lists:
                shown = ", ".join(dict.fromkeys(layers.in_lists))
                message = f"on Keras 3 it holds no layers of a list or dict ({shown}): their weights begin anew"
                help = "Hold them in a tuple: self.NAME = tuple(…), or one more attribute with what a dict holds."
                yield Mend((manual(checkpoint.call, message, help),))
            first = min(restores, key=lambda call: call.lineno)
            if layers.have_weights and not layers.is_built and _is_read_by_checkpoint_alone(module, model, made, first):
                name = module.source.text(model)
                message = f"`{name}` has no weights where line {first.lineno} restores it: on Keras 3 some stay new"
                yield Mend((manual(made, message, f"Call it with a batch of the data before: {name}(batch)."),))


def _is_read_by_checkpoint_alone(module: Module, model: ast.expr, made: ast.expr, restore: ast.Call) -> bool:
    """Whether a model is made in the scope of a restore that comes once, and the checkpoint alone reads it before."""
    names = module.names
    is_beside = isinstance(model, ast.Name) and names.scope_of(restore) is names.scope_of(made)
    is_once = not any(isinstance(around, ast.For | ast.While) for around in names.ancestors(restore))
    parents = [names.parent(use) for use in names.reads_of(model) if use.lineno <= restore.lineno]
    around = [names.parent(one) if isinstance(one, ast.keyword) else one for one in parents]
    return is_beside and is_once and all(one in module.calls_of("train.Checkpoint") for one in around)
