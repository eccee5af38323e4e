"""FT514 · a subclassed Keras model in a tf.train.Checkpoint of the program's own, on Keras 3

On Keras 3 ``tf.train.Checkpoint`` does not see layers in a list or dict of a model or layer, such as
``self.enc_layers = [EncoderLayer() for …]`` of the Transformer tutorial. The checkpoint contains their weights only if
it tracks an optimizer that trains them, and a restore before that optimizer's first step does not restore them. Also, a
subclassed model that has no weights yet when it is restored gets only some of the saved ones.
``assert_existing_objects_matched()`` detects neither.

Instead: ``self.enc_layers = tuple(…)``, which is saved under the names that a list has on Keras 2. For a dict, or a
list that grows, add an attribute: ``self.held = tuple(self.blocks.values())``. And call the model with a batch before
the restore, ``model(batch)``, which makes the weights.

Fidelity: manual. Found where the model's class is known and the file saves or restores it: layers with weights in a
list or dict, which the class stores in no other attribute; or a model that is neither called nor built before its
restore. With ``--target keras2`` it is not reported.

See: tf.train.Checkpoint, tf.keras.Model.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.keras.built_models import constructor_call, may_be_built
from migrate.analysis.keras.checkpoints import Checkpoint
from migrate.analysis.keras.subclassed_models import layers_of
from migrate.analysis.values.values import Value
from migrate.rules.rule import Example, Fix, Workbench, manual, site_rule

_RESTORE_METHODS = ("restore", "restore_or_initialize", "read")
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
def subclassed_model(bench: Workbench) -> Iterator[Fix]:
    module = bench.module
    for checkpoint in bench.checkpoints.all if bench.settings.target != "keras2" else ():
        restores = checkpoint.calls(*_RESTORE_METHODS)
        first = min(restores, key=lambda call: call.lineno, default=None)
        for model, made in _models(bench, checkpoint) if restores or checkpoint.save_calls else ():
            assert isinstance(made.node, ast.Call)
            layers = layers_of(bench.tree, made.module, made.node)
            if layers is None:
                continue
            if layers.in_lists:
                shown = ", ".join(dict.fromkeys(layers.in_lists))
                message = f"on Keras 3 it does not track layers in a list or dict ({shown}): they are not restored"
                help = "Hold them in a tuple: self.NAME = tuple(…), or one more attribute with what a dict holds."
                yield Fix((manual(checkpoint.call, message, help),))
            is_bare = layers.have_weights and not layers.is_built
            if first is not None and is_bare and not may_be_built(bench.reach, bench.values, module, made, first):
                name, site = module.source.text(model), made.node if made.module is module else checkpoint.call
                message = f"`{name}` has no weights where line {first.lineno} restores it: on Keras 3 some stay new"
                yield Fix((manual(site, message, f"Call it with a batch of the data before: {name}(batch)."),))


def _models(bench: Workbench, checkpoint: Checkpoint) -> Iterator[tuple[ast.expr, Value]]:
    """Yields the objects that a checkpoint tracks, those in lists too, each with the call that makes it."""
    module = bench.module
    for one in checkpoint.objects():
        if isinstance(one, ast.Name) and one.id == "self":
            family = bench.reach.family(module.names.class_around(one), module)
            calls = [call for each in family for call in bench.reach.calls_of(each.name)]
            yield from ((one, Value(bench.reach.module_of(call), call)) for call in calls[:1])
            continue
        cases = [case.node for case in bench.values.of(module, one) if case.module is module]
        listed = cases[0] if len(cases) == 1 else None
        for part in listed.elts if isinstance(listed, ast.List | ast.Tuple) else [one]:
            made = constructor_call(bench.values, module, part)
            yield from [(part, made)] if made is not None else []
