"""FT503 · a checkpoint that is saved and never restored

The job saves its state and begins anew at each start: it does not recover. Or it asks for the newest checkpoint to work
out the epoch to begin at, and does not restore it: it skips the epochs, and trains the rest on new weights.

Instead: ``manager.restore_or_initialize()`` before the loop, and a loop that begins where the restored step or epoch
says. Where the loop begins is the program's own business, so it is not rewritten.

Fidelity: manual. A checkpoint or manager that is passed on or returned is no finding, nor one that the file may read in
another way, but for a restore that no save follows. Without a manager it is found where a loop that trains saves it.

See: tf.train.CheckpointManager.restore_or_initialize.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.calls.calls_before import calls_before
from migrate.analysis.calls.reach import FunctionNode
from migrate.analysis.keras.checkpoints import Checkpoint, key
from migrate.analysis.keras.own_checkpoints import resumes_nothing
from migrate.analysis.keras.restarted_loops import is_loop, loops_around
from migrate.analysis.source.path_searches import name_of
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
    checkpoints = bench.checkpoints
    for checkpoint in checkpoints.all:
        held = [checkpoint.target, *(manager.target for manager in checkpoint.managers)]
        is_seen = all(checkpoints.is_kept(target) and not _is_read_elsewhere(bench, target) for target in held)
        if not is_seen or not _saves_in_training(bench, checkpoint):
            continue
        made = checkpoint.managers[0] if checkpoint.managers else checkpoint
        if not _is_read(bench, checkpoint):
            message = (
                "the checkpoint is saved, and nothing in this file restores it before it trains: each start begins anew"
            )
            help = "Call manager.restore_or_initialize() before the loop, and begin the loop at the restored step."
            yield Mend((manual(made.call, message, help),))
        elif checkpoint.managers and _is_only_counted(bench, made.target):
            message = "the newest checkpoint tells where the loop begins, and is not restored: it trains new weights"
            help = "Call manager.restore_or_initialize() before the loop."
            yield Mend((manual(made.call, message, help),))


def _is_read_elsewhere(bench: Workbench, target: ast.expr | None) -> bool:
    """Whether another file restores what an attribute of an object holds."""
    if not isinstance(target, ast.Attribute):
        return False
    if any("restor" in text for text in bench.module.names.strings):  # a flag for the file to restore
        return True
    others = bench.reach.holding(f"{target.attr}.restore", f"{target.attr}.latest")
    return any(one is not bench.module and not _READS.isdisjoint(one.names.attributes) for one in others)


def _saves_in_training(bench: Workbench, checkpoint: Checkpoint) -> bool:
    """Whether a loop saves a checkpoint, by a manager or as it trains, so that a start could go on from it."""
    saves, names = checkpoint.calls("save"), bench.module.names
    is_looped = any(loops_around(bench.reach, bench.module, call) for call in saves)
    is_trained = "apply_gradients" in names.attributes or "minimize" in names.attributes
    scopes = [names.scope_of(call).node for call in saves]
    is_called = any(isinstance(one, FunctionNode) and not any(map(is_loop, ast.walk(one))) for one in scopes)
    return is_looped or (is_called and is_trained) if checkpoint.managers else is_looped and is_trained


def _is_read(bench: Workbench, checkpoint: Checkpoint) -> bool:
    """Whether something may restore a checkpoint; not one that no save follows, nor a restore of other objects."""
    names, own = bench.module.names, bench.checkpoints.keys(checkpoint)
    before = [one for call in checkpoint.calls("save") for one in calls_before(bench.reach, bench.module, call)]
    if any(where is not bench.module and name_of(call.func) in _READS - {"read"} for where, call in before):
        return True
    others = [one for one in bench.checkpoints.all if one is not checkpoint and not own & bench.checkpoints.keys(one)]
    apart = {call for one in others for call in one.calls("restore", "read")}
    reads: list[ast.expr] = [node for name in _READS - {"read"} for node in names.attributes.get(name, ())]
    reads += [node for node in names.attributes.get("read", ()) if bench.checkpoints.each_of(node.value)]
    reads += [call.func for tail in _READ_TAILS for call in bench.module.calls_of(tail)]
    reads = [node for node in reads if apart.isdisjoint([names.parent(node), *names.ancestors(node)])]
    return any(not resumes_nothing(bench.reach, [checkpoint], node) for node in reads)


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
    return len(others) < len(reads) and all(getattr(names.parent(read), "test", None) is read for read in others)


def _is_in_int(bench: Workbench, read: ast.expr) -> bool:
    calls = (above for above in bench.module.names.ancestors(read) if isinstance(above, ast.Call))
    return any(isinstance(call.func, ast.Name) and call.func.id == "int" for call in calls)
