"""FT503 · a CheckpointManager that saves and never restores

The job saves its state and begins anew at each start: it does not recover.

Instead: ``manager.restore_or_initialize()`` before the loop, and a loop that begins where the restored step or epoch
says. Where the loop begins is the program's own business, so it is not rewritten.

Fidelity: manual. A manager that is handed on, returned, or whose directory is read elsewhere in the file is no finding.

See: tf.train.CheckpointManager.restore_or_initialize.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.checkpoints import Checkpoints, key
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


@site_rule("FT503", "manual", Example(_SAVES, None, "module"))
def never_restored(bench: Workbench) -> Iterator[Mend]:
    module = bench.module
    attributes = {node.attr for node in module.names.parents if isinstance(node, ast.Attribute)}
    if attributes & _READS or any(tail in module.uses for tail in _READ_TAILS):
        return
    for checkpoint in Checkpoints(module).all:
        held = [checkpoint.target, *(manager.target for manager in checkpoint.managers)]
        is_local = all(isinstance(target, ast.Name) and _is_kept(bench, target) for target in held)
        if checkpoint.managers and is_local and "save" in checkpoint.methods:
            message = "the manager saves, and nothing in this file restores: each start begins anew"
            help = "Call manager.restore_or_initialize() before the loop, and begin the loop at the restored step."
            yield Mend((manual(checkpoint.managers[0].call, message, help),))


def _is_kept(bench: Workbench, target: ast.expr | None) -> bool:
    """Whether a variable is used for its own methods and attributes, or to make the manager, alone."""
    names = bench.module.names
    if not isinstance(target, ast.Name) or key(names, target) is None:
        return False
    found = names.scope_of(target).lookup(target.id)
    for use in names.uses(target.id, found[0]) if found is not None else ():
        parent = names.parent(use)
        call = names.parent(parent) if isinstance(parent, ast.keyword) else parent
        is_manager = isinstance(call, ast.Call) and call in bench.module.calls_of("train.CheckpointManager")
        if not isinstance(parent, ast.Attribute) and not is_manager:
            return False
    return True
