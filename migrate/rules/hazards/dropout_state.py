"""FT511 · Dropout's random state, which is not in the checkpoint

A ``tf.train.Checkpoint`` of a model holds no state of its Dropout layers, and ``assert_consumed`` passes all the same:
a resumed run draws other masks than one that was not interrupted, with a seed too.

Instead: on Keras 3, ``random=[v.value for v in model.variables if "seed" in v.path]`` in the checkpoint. On Keras 2 and
tf_keras: ``tf.keras.backend.experimental.enable_tf_random_generator()`` before the model is made, and
``random=[layer._random_generator._generator for layer in model.layers if "Dropout" in type(layer).__name__]``. A
checkpoint that is there already lacks this state, so it is not added for you.

Fidelity: manual. Found where the program means to resume exactly: it sets a seed or has its iterator in the checkpoint,
and the file makes the model with its Dropout. Elsewhere other masks are as good.

See: tf.keras.layers.Dropout, tf.random.Generator.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.checkpoints import Checkpoint, Checkpoints
from migrate.rules.rule import Example, Mend, Workbench, manual, site_rule

_SEEDS = ("random.set_seed", "keras.utils.set_random_seed")
_LAYERS = ("keras.layers.Dropout", "keras.layers.SpatialDropout1D", "keras.layers.SpatialDropout2D")
_FILE = """\
import tensorflow as tf

tf.random.set_seed(1)
model = tf.keras.Sequential([tf.keras.layers.Dense(9), tf.keras.layers.Dropout(0.5)])
optimizer = tf.keras.optimizers.Adam()
checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer, step=tf.Variable(0))
manager = tf.train.CheckpointManager(checkpoint, "/tmp/c", max_to_keep=2)
manager.restore_or_initialize()
manager.save()
"""


@site_rule("FT511", "manual", Example(_FILE, None, "module"))
def dropout_state(bench: Workbench) -> Iterator[Mend]:
    is_seeded = any(bench.module.calls_of(tail) for tail in _SEEDS)
    layers = {call for tail in _LAYERS for call in bench.module.calls_of(tail)}
    for checkpoint in Checkpoints(bench.module).all if layers else ():
        tracked = checkpoint.tracked()
        is_resumed = "save" in checkpoint.methods and {"restore", "restore_or_initialize"} & checkpoint.methods.keys()
        is_training = any("optimizer" in name for name in tracked)
        is_whole = len(tracked) == len(checkpoint.call.keywords) and not checkpoint.call.args
        is_exact = is_seeded or any(_is_iterator(bench, value) for value in tracked.values())
        has_state = any("seed" in ast.unparse(value) or "random" in ast.unparse(value) for value in tracked.values())
        if is_resumed and is_training and is_whole and is_exact and not has_state and _drops(bench, checkpoint, layers):
            message = "Dropout's random state is not in the checkpoint: a resumed run draws other masks"
            help = 'On Keras 3, track random=[v.value for v in model.variables if "seed" in v.path] too.'
            yield Mend((manual(checkpoint.call, message, help),))


def _is_iterator(bench: Workbench, value: ast.expr) -> bool:
    made = bench.module.names.value(value)
    return isinstance(made, ast.Call) and isinstance(made.func, ast.Name) and made.func.id == "iter"


def _drops(bench: Workbench, checkpoint: Checkpoint, layers: set[ast.Call]) -> bool:
    """Whether one of the layers stands in the expression, function or class that makes a model of the checkpoint."""
    names = bench.module.names
    for value in checkpoint.tracked().values():
        made = names.value(value)
        if not isinstance(made, ast.Call):
            continue
        maker = names.definition(made.func) if isinstance(made.func, ast.Name) else None
        if any(part in layers for part in ast.walk(maker or made) if isinstance(part, ast.Call)):
            return True
    return False
