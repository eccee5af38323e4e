"""FT509 · a loop that begins at its first turn again, though its checkpoint is restored

The weights are restored, but the loop begins at 0: the checkpoint has no step or epoch, or the loop does not read it,
as in TensorFlow's guide. A job that is interrupted after 9 of 10 epochs trains 10 more.

Instead: ``for epoch in range(checkpoint.save_counter.numpy(), EPOCHS)``, where the loop saves in each turn, and
``range(checkpoint.save_counter.numpy() * 5, EPOCHS)`` with ``if (epoch + 1) % 5 == 0`` before the save: TensorFlow
counts the saves of all starts in each checkpoint, in existing ones too. Elsewhere: track a counter.

Fidelity: noted. ``EPOCHS`` becomes the total over all starts; before, each start trained as many more. A finished job
that is started again trains nothing. Found where the function, or the ``__init__`` of its object, restores its own
newest checkpoint and then saves it in a ``for … in range(n)`` or ``enumerate(…)`` that skips no turn and does not read
the number in the checkpoint's name. A checkpoint without a counter is found only if the file reads
``optimizer.iterations`` and ``save_counter`` for nothing but logs; then also if a loop of another file saves it.

See: tf.train.Checkpoint.save_counter.
"""

import ast
import re
from collections.abc import Iterator

from migrate.analysis.keras.checkpoints import Checkpoint
from migrate.analysis.keras.restarted_loops import loop_head, restarted_loop, restarts_elsewhere
from migrate.analysis.keras.subclassed_models import layers_of
from migrate.analysis.source.path_searches import name_of
from migrate.analysis.source.places import key_of
from migrate.analysis.values.values import iter_parts
from migrate.rules.hazards.ignored_counter import counters_of, is_ignored, reads_progress
from migrate.rules.hazards.loop_from_save_counter import loop_from_save_counter
from migrate.rules.rule import Example, Fix, Workbench, manual, site_rule

_PARSING = {"split", "rsplit", "partition", "rpartition", "group", "groups", "findall", "search", "match", "lstrip"}
_READERS = {"open", "read", "readline", "load", "loads"}
_OBJECTS = re.compile("model|net|encoder|decoder|generator|discriminator|transformer|classifier|opt", re.IGNORECASE)
_NO_COUNTER = "the checkpoint holds no step or epoch: a resumed loop begins at its first epoch again"
_TRACK = "Track epoch=tf.Variable(0), begin the loop at int(checkpoint.epoch), and set it before each save."
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
_COUNTER_JOB = _AMONG_BATCHES.replace("(model", "(step=tf.Variable(0), model").replace(
    "train(batch)\n", "train(batch)\n        checkpoint.step.assign_add(1)\n"
)


@site_rule(
    "FT509",
    "noted",
    Example(_LOOP, "for epoch in range(checkpoint.save_counter.numpy(), 10):", "module"),
    Example(_EACH_FIFTH, "for epoch in range(checkpoint.save_counter.numpy() * 5, 10):", "module"),
    Example(_AMONG_BATCHES, None, "module"),
    Example(_COUNTER_JOB, None, "module"),
)
def loop_from_first_turn(bench: Workbench) -> Iterator[Fix]:
    checkpoints, names, seen = bench.checkpoints, bench.module.names, set[ast.For | ast.While]()
    for checkpoint in checkpoints.all:
        counters = counters_of(bench, checkpoint)
        is_bare = not reads_progress(names) and _has_no_counter(bench, checkpoint)
        asked = bench.reach, checkpoints, checkpoint, bench.values
        loop = restarted_loop(*asked) if counters or is_bare else None
        if is_bare and loop is None and restarts_elsewhere(*asked):
            yield Fix((manual(checkpoint.call, _NO_COUNTER, _TRACK),))
        if loop is None or loop in seen:
            continue
        ignored = next((name for name in counters if is_ignored(bench, checkpoint, loop, name)), "")
        message, help = _NO_COUNTER, _TRACK
        if ignored:
            owner = bench.module.source.text(checkpoint.target) if checkpoint.target is not None else "checkpoint"
            message = f"the loop begins at 0 though `{ignored}` is restored: a resumed job trains it again"
            help = f"Begin the loop at what was restored: range(int({owner}.{ignored}), ...)."
        if ignored or (is_bare and not _reads_name(bench, loop)):
            seen.add(loop)
            rewrite = loop_from_save_counter(bench, checkpoints, checkpoint, loop)
            yield rewrite or Fix((manual(checkpoint.call, message, help),))


def _reads_name(bench: Workbench, loop: ast.For | ast.While) -> bool:
    """Whether a loop reads the number in a checkpoint's name, or from a file, and so may know where to begin."""
    names = bench.module.names
    if any(name_of(one.func) in _READERS for one in iter_parts(names, loop_head(loop)) if isinstance(one, ast.Call)):
        return True
    read = [part for one in ast.walk(loop) if isinstance(one, ast.expr) for part in iter_parts(names, one)]
    asked = [one for one in iter_parts(names, loop_head(loop)) if isinstance(one, ast.Name)]
    given = [case.node for one in asked for case in bench.values.of(bench.module, one)]
    attributes = {part.attr for part in read if isinstance(part, ast.Attribute)}
    given += [names.parent(one) for one in names.stores if isinstance(one, ast.Attribute) and one.attr in attributes]
    made = (part for one in (*read, *given) for part in ast.walk(one) if isinstance(part, ast.Call))
    numbers = (one for one in made if name_of(one.func) == "int")
    return any(getattr(part, "attr", "") in _PARSING for one in numbers for part in ast.walk(one))


def _has_no_counter(bench: Workbench, checkpoint: Checkpoint) -> bool:
    """Whether a checkpoint tracks only models and optimizers, as far as all of its objects are known."""
    is_whole = not checkpoint.call.args and checkpoint.is_whole
    is_known = all(_OBJECTS.search(name) or _is_model(bench, value) for name, value in checkpoint.parts.items())
    return is_whole and is_known and key_of(bench.module.names, checkpoint.target) is not None


def _is_model(bench: Workbench, value: ast.expr) -> bool:
    """Whether a tracked value is a model of the program, or a variable that is no number and is never assigned."""
    names, own = bench.module.names, key_of(bench.module.names, value)
    cases = [case for case in bench.values.of(bench.module, value) if isinstance(case.node, ast.Call)]
    if cases and all(layers_of(bench.tree, case.module, case.node) is not None for case in cases):  # type: ignore[arg-type]
        return True
    made = [case.node for case in cases if name_of(case.node.func) == "Variable"]  # type: ignore[attr-defined]
    is_number = any(not one.args or isinstance(one.args[0], ast.Constant) for one in made)  # type: ignore[attr-defined]
    assigns = (one for name in ("assign", "assign_add") for one in names.attributes.get(name, ()))
    return bool(made) and not is_number and not any(key_of(names, one.value) == own for one in assigns)
