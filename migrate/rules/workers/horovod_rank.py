"""FT405 · if hvd.rank() == 0: callbacks.append(ModelCheckpoint(…)), in a program that resumes

Under Horovod rank 0 alone saves, and each rank trains what it was told at the start. A rank that is not told of the
resumption begins at epoch 0, while the others continue.

Instead: rank 0 restores before ``fit`` and tells the others, the weights by a broadcast callback and the epoch by
``broadcast_object``::

    epoch = recovery.restore() // steps_per_epoch if hvd.rank() == 0 else 0
    epoch = hvd.broadcast_object(epoch, root_rank=0)
    callbacks = [hvd.callbacks.BroadcastGlobalVariablesCallback(0)]
    if hvd.rank() == 0:
        callbacks.append(recovery)  # a CheckpointManager behind it, on rank 0 alone
    model.fit(dataset, epochs=epochs, initial_epoch=epoch, callbacks=callbacks)

Fidelity: manual. What each rank restores is settled by code that runs on some ranks only.

See: horovod.tensorflow.keras.callbacks.BroadcastGlobalVariablesCallback, horovod.tensorflow.broadcast_object.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.module import Module
from migrate.rules.rule import Example, Mend, Workbench, manual, site_rule

_RESUMES = {"load_weights", "load_model", "restore"}
_FILE = """\
import horovod.tensorflow.keras as hvd
import tensorflow as tf

model.load_weights("/job/weights.h5")
callbacks = []
if hvd.rank() == 0:
    callbacks.append(tf.keras.callbacks.ModelCheckpoint("/job/weights.h5"))
model.fit(dataset, callbacks=callbacks)
"""


@site_rule("FT405", "manual", Example(_FILE, None, "module"))
def horovod_rank(bench: Workbench) -> Iterator[Mend]:
    module = bench.module
    for call in module.calls_of("keras.callbacks.ModelCheckpoint"):
        if _is_on_rank_0(module, call) and _resumes(module):
            help = "Let rank 0 restore before fit, and broadcast the weights and the epoch to the others."
            yield Mend((manual(call, "rank 0 alone saves here, and has to tell the others where they resume", help),))


def _is_on_rank_0(module: Module, node: ast.AST) -> bool:
    """Whether a node stands under ``if hvd.rank() == 0``."""
    tests = (above.test for above in module.names.ancestors(node) if isinstance(above, ast.If | ast.IfExp))
    calls = (part for test in tests for part in ast.walk(test) if isinstance(part, ast.Call))
    names = (module.names.qualified(call.func) or "" for call in calls)
    return any(name.startswith("horovod.") and name.endswith(".rank") for name in names)


def _resumes(module: Module) -> bool:
    """Whether the file loads what an earlier start has saved, or fits from a later epoch."""
    names = module.names
    if any(node.arg == "initial_epoch" for node in names.nodes(ast.keyword)):
        return True
    return any(isinstance(node.func, ast.Attribute) and node.func.attr in _RESUMES for node in names.nodes(ast.Call))
