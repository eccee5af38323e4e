"""FT503 · a CheckpointManager that saves and never restores

The job saves its state and begins anew at each start: it does not recover. Or it asks for the newest checkpoint to work
out the epoch to begin at, and does not restore it: it skips the epochs, and trains the rest on new weights.

Instead: ``manager.restore_or_initialize()`` before the loop, and a loop that begins where the restored step or epoch
says. Where the loop begins is the program's own business, so it is not rewritten.

Fidelity: manual. A manager that is passed on, returned, or whose directory is read elsewhere in the file is no finding.

See: tf.train.CheckpointManager.restore_or_initialize.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.checkpoints import key
from migrate.rules.rule import Example, Mend, Workbench, manual, site_rule

_READS = {"restore", "restore_or_initialize", "read", "latest_checkpoint", "checkpoints", "load_weights", "load_model"}
_READ_TAILS = ("train.latest_checkpoint", "train.load_checkpoint", "train.get_checkpoint_state")
_SAVES = """\
import tensorflow as tf

checkpoint = tf.train.Checkpoint(step=tf.Variable(0))
manager = tf.train.CheckpointManager(checkpoint, "/tmp/c", max_to_keep=2)
for batch in batches:
    train(batch)
    manager.save()
"""
_COUNTED = """\
import tensorflow as tf


def train():
    checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer)
    manager = tf.train.CheckpointManager(checkpoint, "/tmp/c", max_to_keep=2)
    first = 0
    if manager.latest_checkpoint:
        first = int(manager.latest_checkpoint.split("-")[-1])
    for epoch in range(first, 10):
        step()
        manager.save()
"""


@site_rule("FT503", "manual", Example(_SAVES, None, "module"), Example(_COUNTED, None, "module"))
def never_restored(bench: Workbench) -> Iterator[Mend]:
    module = bench.module
    is_read = not _READS.isdisjoint(module.names.attributes) or any(tail in module.uses for tail in _READ_TAILS)
    checkpoints = bench.checkpoints
    for checkpoint in checkpoints.all:
        held = [checkpoint.target, *(manager.target for manager in checkpoint.managers)]
        is_local = all(isinstance(target, ast.Name) and checkpoints.is_kept(target) for target in held)
        if not (checkpoint.managers and is_local and "save" in checkpoint.methods):
            continue
        made = checkpoint.managers[0]
        if not is_read:
            message = "the manager saves, and nothing in this file restores: each start begins anew"
            help = "Call manager.restore_or_initialize() before the loop, and begin the loop at the restored step."
            yield Mend((manual(made.call, message, help),))
        elif _is_only_counted(bench, made.target):
            message = "the newest checkpoint tells where the loop begins, and is not restored: it trains new weights"
            help = "Call manager.restore_or_initialize() before the loop."
            yield Mend((manual(made.call, message, help),))


def _is_only_counted(bench: Workbench, manager: ast.expr | None) -> bool:
    """Whether the function asks for the newest checkpoint's number, and reads no checkpoint in any way."""
    names, own = bench.module.names, key(bench.module.names, manager)
    assert manager is not None
    inside = list(ast.walk(names.scope_of(manager).node))
    if any(call in inside for tail in _READ_TAILS for call in bench.module.calls_of(tail)):
        return False
    reads = [node for node in inside if isinstance(node, ast.Attribute) and node.attr in _READS]
    if not all(read.attr == "latest_checkpoint" and key(names, read.value) == own for read in reads):
        return False
    others = [read for read in reads if not _is_in_int(bench, read)]
    return len(others) < len(reads) and all(_is_test(bench, read) for read in others)


def _is_in_int(bench: Workbench, read: ast.expr) -> bool:
    calls = (above for above in bench.module.names.ancestors(read) if isinstance(above, ast.Call))
    return any(isinstance(call.func, ast.Name) and call.func.id == "int" for call in calls)


def _is_test(bench: Workbench, read: ast.expr) -> bool:
    above = bench.module.names.parent(read)
    return isinstance(above, ast.If | ast.IfExp) and above.test is read
