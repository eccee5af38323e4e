"""FT512 · a step or epoch in the checkpoint that the loop does not begin at

The counter comes back with the weights, as in TensorFlow's guide to checkpoints, and the loop begins at 0 all the same:
a job that is interrupted after 40 of 50 steps trains 50 more.

Instead: where the loop saves once in each turn, or in each n-th, it begins where TensorFlow's own count of its saves
tells, as FT509 says. Elsewhere what to write is told: ``for _ in range(int(checkpoint.step), STEPS)``.

Fidelity: noted. ``STEPS`` is the total over all starts, where each start trained as many more. Found where the
function, or its object's ``__init__``, restores its own newest checkpoint and then saves it, or calls what does, in a
``for … in range(n)`` or ``enumerate(…)`` that skips no turn and is not left, where ``n`` does not read the counter,
and where the loop counts it on.

See: tf.train.Checkpoint.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.calls.calls_before import calls_within
from migrate.analysis.keras.checkpoints import Checkpoint, key
from migrate.analysis.keras.restarted_loops import restarted_loop
from migrate.analysis.source.arguments import literal
from migrate.analysis.source.path_searches import name_of
from migrate.analysis.values.made_of import made_of
from migrate.rules.hazards.loop_from_save_counter import loop_from_save_counter
from migrate.rules.rule import Example, Mend, Workbench, manual, site_rule

_LOOP = """\
import tensorflow as tf

checkpoint = tf.train.Checkpoint(step=tf.Variable(0), optimizer=optimizer, net=net)
manager = tf.train.CheckpointManager(checkpoint, "/tmp/c", max_to_keep=3)
manager.restore_or_initialize()
for _ in range(50):
    train_step(net, next(iterator), optimizer)
    checkpoint.step.assign_add(1)
    if int(checkpoint.step) % 10 == 0:
        manager.save()
"""
_EPOCHS = """\
import tensorflow as tf

checkpoint = tf.train.Checkpoint(step=tf.Variable(1), optimizer=optimizer, net=net)
manager = tf.train.CheckpointManager(checkpoint, "/tmp/c", max_to_keep=3)
manager.restore_or_initialize()
for epoch in range(50):
    for batch in batches:
        train_step(net, batch, optimizer)
        checkpoint.step.assign_add(1)
    manager.save()
"""


@site_rule(
    "FT512",
    "noted",
    Example(_LOOP, None, "module"),
    Example(_EPOCHS, "for epoch in range(checkpoint.save_counter.numpy(), 50):", "module"),
)
def ignored_counter(bench: Workbench) -> Iterator[Mend]:
    checkpoints = bench.checkpoints
    seen = set[ast.For | None]()
    for checkpoint in checkpoints.all:
        counters = _counters(bench, checkpoint)
        loop = restarted_loop(bench.reach, checkpoints, checkpoint) if counters else None
        if loop in seen:
            continue
        seen.add(loop)
        ignored = [name for name in counters if loop is not None and _ignores(bench, checkpoint, loop, name)]
        for counter in ignored[:1]:
            message = (
                f"the loop begins at 0 at each start, though `{counter}` is restored: a resumed job trains it again"
            )
            owner = bench.module.source.text(checkpoint.target) if checkpoint.target is not None else "checkpoint"
            help = f"Begin the loop at what was restored: range(int({owner}.{counter}), ...)."
            assert loop is not None
            yield loop_from_save_counter(bench, checkpoints, checkpoint, loop) or Mend(
                (manual(checkpoint.call, message, help),)
            )


def _counters(bench: Workbench, checkpoint: Checkpoint) -> list[str]:
    """The names of the whole numbers that a checkpoint holds."""
    found = []
    for name, value in checkpoint.tracked().items():
        made = bench.module.names.value(value)
        first = made.args[0] if isinstance(made, ast.Call) and made.args and name_of(made.func) == "Variable" else None
        number = literal(first)
        is_global = isinstance(made, ast.Call) and name_of(made.func) == "get_or_create_global_step"
        if is_global or (isinstance(number, int) and not isinstance(number, bool)):
            found.append(name)
    return found


def _ignores(bench: Workbench, checkpoint: Checkpoint, loop: ast.For, name: str) -> bool:
    """Whether a loop counts a counter on, and neither begins at it nor ends by it."""
    variable = key(bench.module.names, checkpoint.tracked()[name])

    def is_counter(node: ast.AST) -> bool:
        if (
            isinstance(node, ast.Attribute)
            and node.attr == name
            and checkpoint in bench.checkpoints.each_of(node.value)
        ):
            return True
        is_place = variable is not None and isinstance(node, ast.Name | ast.Attribute)
        return is_place and key(bench.module.names, node) == variable  # type: ignore[arg-type]

    seen: set[ast.AST] = set()
    for call in (one for one in bench.module.names.nodes(ast.Call) if loop in bench.module.names.ancestors(one)):
        list(calls_within(bench.reach, call, seen))
    called = [one for one in seen if bench.reach.module_of(one) is bench.module]
    inside = [node for body in (*loop.body, *called) for node in ast.walk(body)]
    ends = [node for node in inside if isinstance(node, ast.Break | ast.Return)]
    tests = [one.test for end in ends for one in bench.module.names.ancestors(end) if isinstance(one, ast.If)]
    if any(is_counter(part) for test in tests for part in made_of(bench.module.names, test)):
        return False
    assert isinstance(loop.iter, ast.Call)
    total = [*made_of(bench.module.names, loop.iter)]
    if any(is_counter(node) or getattr(node, "attr", "") == name for node in total):
        return False
    if any(isinstance(node, ast.keyword) and node.arg == "global_step" and is_counter(node.value) for node in inside):
        return True
    counted = [node for node in inside if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    if any(node.func.attr in ("assign", "assign_add") and is_counter(node.func.value) for node in counted):  # type: ignore[attr-defined]
        return True
    # Nothing reads or counts it but the checkpoint: it stays what it was.
    nodes = bench.module.names.nodes
    uses = [node for node in (*nodes(ast.Name), *nodes(ast.Attribute)) if is_counter(node)]
    is_idle = all(bench.module.names.parent(one) in (checkpoint.call, *checkpoint.call.keywords) for one in uses)
    return is_idle and bench.checkpoints.is_kept(checkpoint.target)
