"""FT518 · a training whose optimizer, or memory of samples, is in no checkpoint

The weights are restored, but the optimizer is new: the moments and the step of ``Adam`` are 0 again, and a learning
rate schedule begins at its first step. The job ends with other weights than one that was not interrupted. A replay
memory or an image pool is empty again: the training continues with other samples.

Instead: ``tf.train.Checkpoint(model=model, optimizer=optimizer)``, and the memory in a separate file. Restore existing
checkpoints with ``expect_partial()`` once.

Fidelity: manual. Found where a program saves and restores a checkpoint and trains the objects in it, here or in another
file that saves it, by an optimizer that no checkpoint of the file tracks. Plain ``SGD`` has nothing to save but its
step. A memory is recognised by its name, if nothing may save it.

See: tf.train.Checkpoint.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.keras.checkpoints import Checkpoint, assignment_target
from migrate.analysis.keras.optimizers import is_optimizer, is_trained, made_optimizers
from migrate.analysis.keras.own_checkpoints import is_resumed
from migrate.analysis.keras.restarted_loops import loops_around
from migrate.analysis.source.places import key_of
from migrate.rules.hazards.unsaved_memory import unsaved_memories
from migrate.rules.rule import Example, Fix, Workbench, manual, site_rule

_STEPS = ("apply_gradients", "minimize")
_VARIABLES = ("trainable_variables", "trainable_weights", "variables")
_OTHER_WAYS_TO_SAVE = {"compile", "set_weights", "get_weights", "load_model"}
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
def unsaved_optimizer(bench: Workbench) -> Iterator[Fix]:
    names = bench.module.names
    yield from unsaved_memories(bench)
    if not _OTHER_WAYS_TO_SAVE.isdisjoint(names.attributes):
        return
    every = bench.checkpoints.all
    known = [(name, one) for checkpoint in every for name, one in checkpoint.parts.items()]
    known += [("", one) for checkpoint in every for one in checkpoint.call.args[:1]]
    made = {one: made_optimizers(bench.values, bench.module, one) for _, one in known}
    if any("opt" in f"{name} {ast.unparse(one)}".lower() and not made[one] for name, one in known):
        return  # it may be any optimizer
    tracked = {call for some in made.values() for call in some}
    for checkpoint in bench.checkpoints.all:
        if not checkpoint.is_whole or not is_resumed(bench.checkpoints, checkpoint, bench.values):
            continue
        used = next(_untracked_optimizers(bench, checkpoint, tracked), "")
        if used:
            message = f"`{used}` is in no checkpoint: after a restart it begins with no moments, at step 0"
            yield Fix((manual(checkpoint.call, message, f"Track it: tf.train.Checkpoint(…, optimizer={used})."),))


def _untracked_optimizers(bench: Workbench, checkpoint: Checkpoint, tracked: set[ast.Call]) -> Iterator[str]:
    """Yields untracked optimizers that train the objects of a checkpoint, in its file or in one that saves it."""
    names, home = bench.module.names, bench.module.names.scope_of(checkpoint.call).node
    is_model = any(is_trained(bench.module, one, reach=bench.reach) for one in checkpoint.objects())
    beside = [one for one in names.nodes(ast.Call) if names.scope_of(one).node is home and is_model and not tracked]
    held = (assignment_target(names, one) for one in beside if is_optimizer(bench.module, one) and _has_state(one))
    yield from (ast.unparse(one) for one in held if one is not None and is_trained(bench.module, one))
    savers = {where.path: where for where, _ in bench.checkpoints.calls_elsewhere(checkpoint, "save")}
    for where in dict.fromkeys([bench.module, *savers.values()]):
        is_own = where is bench.module
        is_kept = not is_own and any("opt" in ast.unparse(one) for one in where.calls_of("train.Checkpoint"))
        steps = [one for way in _STEPS for one in where.names.attributes.get(way, ())] if not is_kept else []
        for step in steps:
            made = made_optimizers(bench.values, where, step.value)
            is_lost = bool(made) and all(_has_state(one) and one not in tracked for one in made)
            is_here = all((one in bench.module.names.parents) is is_own for one in made)
            # A loop that makes the optimizer again in each turn makes the checkpoint again too.
            again = [loop for one in made for loop in loops_around(bench.reach, bench.module, one)] if is_own else []
            is_lost = is_lost and {*again} <= {*loops_around(bench.reach, bench.module, checkpoint.call)}
            if is_lost and is_here and (not is_own or (is_model and _trains_tracked(bench, checkpoint, step))):
                yield ast.unparse(step.value)


def _trains_tracked(bench: Workbench, checkpoint: Checkpoint, step: ast.expr) -> bool:
    """Whether a training step changes objects that a checkpoint tracks."""
    names = bench.module.names
    parts = [one for one in ast.walk(names.parent(step)) if isinstance(one, ast.Attribute) and one.attr in _VARIABLES]
    own = {case.node for one in checkpoint.objects() for case in bench.values.of(bench.module, one)}
    is_named = any(key_of(names, one.value) in bench.checkpoints.keys(checkpoint) for one in parts)
    return is_named or any(case.node in own for one in parts for case in bench.values.of(bench.module, one.value))


def _has_state(optimizer: ast.Call) -> bool:
    """Whether an optimizer has more state than its step: it is not plain ``SGD``."""
    is_sgd = ast.unparse(optimizer.func).endswith("SGD")
    return not is_sgd or len(optimizer.args) > 1 or any(one.arg == "momentum" for one in optimizer.keywords)
