"""FT509 · a training Checkpoint with no step or epoch

The weights come back, and the loop begins at its first epoch again: a job that is interrupted after 9 of 10 epochs
trains 10 more. TensorFlow's tutorial on the Transformer has this shape.

Instead: ``for epoch in range(checkpoint.save_counter.numpy(), EPOCHS)``, where the loop saves in each turn, and
``range(checkpoint.save_counter.numpy() * 5, EPOCHS)`` behind ``if (epoch + 1) % 5 == 0``: TensorFlow counts the saves
of all starts in each checkpoint, also in those that are there already. Elsewhere (a save among the batches, behind
another test, or more than one, a variable of the loop that is read behind it) what to write is told: a counter in the
checkpoint that the loop sets before each save.

Fidelity: noted. ``EPOCHS`` is the total over all starts, where each start trained as many more; a finished job that is
started again trains nothing. Found where the function, or its object's ``__init__``, restores its own newest checkpoint
and then saves it in a ``for … in range(n)`` or ``enumerate(…)`` that skips no turn, and nothing in the file reads
``optimizer.iterations``, ``save_counter`` or the number in a checkpoint's name.

See: tf.train.Checkpoint.save_counter.
"""

import ast
import re
from collections.abc import Iterator

from migrate.analysis.keras.checkpoints import Checkpoint, key
from migrate.analysis.keras.restarted_loops import restarted_loop
from migrate.rules.hazards.loop_from_save_counter import loop_from_save_counter
from migrate.rules.rule import Example, Mend, Workbench, manual, site_rule

_COUNTERS = {"iterations", "save_counter", "step_counter", "initial_epoch"}
_PARSING = {"split", "rsplit", "partition", "rpartition", "group", "groups", "findall", "search", "match", "lstrip"}
_OBJECTS = re.compile("model|net|encoder|decoder|generator|discriminator|transformer|classifier|opt", re.IGNORECASE)
_LOOP = """\
import tensorflow as tf

checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer)
manager = tf.train.CheckpointManager(checkpoint, "/tmp/c", max_to_keep=2)
manager.restore_or_initialize()
for epoch in range(10):
    for batch in batches:
        train(batch)
    manager.save()
"""


_EACH_FIFTH = _LOOP.replace("    manager.save()", "    if (epoch + 1) % 5 == 0:\n        manager.save()")
_AMONG_BATCHES = _LOOP.replace("    manager.save()", "        manager.save()")


@site_rule(
    "FT509",
    "noted",
    Example(_LOOP, "for epoch in range(checkpoint.save_counter.numpy(), 10):", "module"),
    Example(_EACH_FIFTH, "for epoch in range(checkpoint.save_counter.numpy() * 5, 10):", "module"),
    Example(_AMONG_BATCHES, None, "module"),
)
def no_epoch_saved(bench: Workbench) -> Iterator[Mend]:
    if _counts_elsewhere(bench):
        return
    checkpoints = bench.checkpoints
    for checkpoint in checkpoints.all:
        loop = restarted_loop(bench.reach, checkpoints, checkpoint) if _holds_no_counter(bench, checkpoint) else None
        if loop is not None:
            message = "the checkpoint holds no step or epoch: a resumed loop begins at its first epoch again"
            help = "Track epoch=tf.Variable(0), begin the loop at int(checkpoint.epoch), and set it before each save."
            yield loop_from_save_counter(bench, checkpoints, checkpoint, loop) or Mend(
                (manual(checkpoint.call, message, help),)
            )


def _counts_elsewhere(bench: Workbench) -> bool:
    """Whether the file may know by another way where it was."""
    names = bench.module.names
    if not _COUNTERS.isdisjoint(names.attributes) or any(one.arg in _COUNTERS for one in names.nodes(ast.keyword)):
        return True
    made = [node for node in names.nodes(ast.Call) if isinstance(node.func, ast.Name) and node.func.id == "int"]
    parts = (part for node in made for part in ast.walk(node))
    return any(isinstance(part, ast.Attribute) and part.attr in _PARSING for part in parts)


def _holds_no_counter(bench: Workbench, checkpoint: Checkpoint) -> bool:
    """Whether a checkpoint is made of models and optimizers alone, nothing unknown among them."""
    tracked, names = checkpoint.tracked(), bench.module.names
    is_whole = not checkpoint.call.args and len(tracked) == len(checkpoint.call.keywords)
    is_known = all(_OBJECTS.search(name) for name in tracked)
    own = key(names, checkpoint.target)
    is_added_to = any(isinstance(node, ast.Attribute) and key(names, node.value) == own for node in names.stores)
    return is_whole and is_known and own is not None and not is_added_to
