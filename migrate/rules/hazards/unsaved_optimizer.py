"""FT518 · a training whose optimizer, or memory of samples, is in no checkpoint

The weights come back, and the optimizer begins anew: the moments and the step of ``Adam`` are 0 again, and a learning
rate schedule begins at its first step. The job ends with other weights than one that was not interrupted. A replay
memory or an image pool begins empty again: the training goes on with other samples.

Instead: ``tf.train.Checkpoint(model=model, optimizer=optimizer)``, and the memory in a file beside. Checkpoints that
are there already are restored with ``expect_partial()`` once.

Fidelity: manual. Found where a program saves and restores a checkpoint, trains what that tracks by an optimizer of the
same function, or of another file that saves it, and no checkpoint of the file holds an optimizer. Plain ``SGD`` has
nothing to save but its step. A memory is told by the name of its class, where nothing may save it.

See: tf.train.Checkpoint.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.keras.checkpoints import Checkpoint, target_of
from migrate.analysis.keras.optimizers import is_optimizer, is_trained, made_optimizers
from migrate.analysis.keras.own_checkpoints import is_resumed
from migrate.rules.hazards.unsaved_memory import unsaved_memories
from migrate.rules.rule import Example, Mend, Workbench, manual, site_rule

_KEEPS_OTHERWISE = {"compile", "set_weights", "get_weights", "load_model"}
_JOB = """\
import tensorflow as tf

model = build()
optimizer = tf.keras.optimizers.Adam()
checkpoint = tf.train.Checkpoint(step=step, model=model)
manager = tf.train.CheckpointManager(checkpoint, "/tmp/c", max_to_keep=2)
checkpoint.restore(manager.latest_checkpoint).expect_partial()
for batch in batches:
    gradients = tape(model, batch).gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    manager.save()
"""


@site_rule("FT518", "manual", Example(_JOB, None, "module"))
def unsaved_optimizer(bench: Workbench) -> Iterator[Mend]:
    names = bench.module.names
    yield from unsaved_memories(bench)
    if not _KEEPS_OTHERWISE.isdisjoint(names.attributes):
        return
    known = [one for checkpoint in bench.checkpoints.all for one in checkpoint.objects()]
    if any("opt" in ast.unparse(one).lower() or made_optimizers(bench.values, bench.module, one) for one in known):
        return
    for checkpoint in bench.checkpoints.all:
        is_whole = len(checkpoint.tracked()) == len(checkpoint.call.keywords) and "opt" not in " ".join(
            checkpoint.tracked()
        )
        if not is_whole or not is_resumed(bench.checkpoints, checkpoint, bench.values):
            continue
        home = names.scope_of(checkpoint.call).node
        is_model = any(is_trained(bench.module, one, reach=bench.reach) for one in checkpoint.objects())
        beside = [one for one in names.nodes(ast.Call) if names.scope_of(one).node is home and is_model]
        held = (target_of(names, one) for one in beside if is_optimizer(bench.module, one) and _has_state(one))
        used = [ast.unparse(one) for one in held if one is not None and is_trained(bench.module, one)]
        used = used or [*_of_other_files(bench, checkpoint)]
        if used:
            message = f"`{used[0]}` is in no checkpoint: after a restart it begins with no moments, at step 0"
            yield Mend((manual(checkpoint.call, message, f"Track it: tf.train.Checkpoint(…, optimizer={used[0]})."),))


def _of_other_files(bench: Workbench, checkpoint: Checkpoint) -> Iterator[str]:
    """The optimizers that a file which saves a checkpoint trains by, where it or another one makes them."""
    savers = {where.path: where for where, _ in bench.checkpoints.calls_elsewhere(checkpoint, "save")}
    for where in [bench.module, *savers.values()]:
        is_kept = any("opt" in ast.unparse(one) for one in where.calls_of("train.Checkpoint"))
        for step in where.names.attributes.get("apply_gradients", ()) if not is_kept else ():
            made = made_optimizers(bench.values, where, step.value)
            if any(_has_state(one) and one not in bench.module.names.parents for one in made):
                yield ast.unparse(step.value)


def _has_state(optimizer: ast.Call) -> bool:
    """Whether an optimizer is not plain ``SGD``."""
    is_sgd = ast.unparse(optimizer.func).endswith("SGD")
    return not is_sgd or len(optimizer.args) > 1 or any(one.arg == "momentum" for one in optimizer.keywords)
