"""FT520 · the best value or the patience of a training, in no checkpoint

``if loss < best: best = loss; manager.save()`` keeps the best state until a restart. Then ``best`` has its first value
again, the next epoch counts as the best so far, and its save replaces better checkpoints. The number of epochs without
improvement, which ends the loop, is also reset; so is a decaying ``epsilon``: the agent explores as at its first step.

Instead: track it, ``best=tf.Variable(float("inf"))`` in the ``Checkpoint``, and ``checkpoint.best.assign(loss)`` before
the save.

Fidelity: manual. Found where a program restores what it saves in a loop, and a test of a variable decides about the
save or ends the loop; the variable is first a number, and the loop changes it. Also found: a rate that is compared with
a random number and computed from its last value.

See: tf.train.Checkpoint.
"""

import ast
from collections.abc import Hashable, Iterator
from itertools import pairwise, takewhile

from migrate.analysis.keras.checkpoints import Checkpoint
from migrate.analysis.keras.own_checkpoints import is_resumed
from migrate.analysis.keras.restarted_loops import is_loop, loops_around
from migrate.analysis.source.names import Names
from migrate.analysis.source.places import key_of, stores_of
from migrate.analysis.source.scopes import FunctionNode
from migrate.analysis.values.values import iter_parts
from migrate.rules.hazards.forgotten_rate import forgotten_rates, is_computed_from_itself, sets_number
from migrate.rules.rule import Example, Fix, Workbench, manual, site_rule

_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_JOB = """\
import tensorflow as tf

checkpoint = tf.train.Checkpoint(model=model, epoch=epoch)
manager = tf.train.CheckpointManager(checkpoint, "/tmp/c", max_to_keep=1)
manager.restore_or_initialize()
best = float("inf")
for number in range(int(epoch), 9):
    loss = train()
    epoch.assign_add(1)
    if loss < best:
        best = loss
        manager.save()
"""
_PATIENT = _JOB.replace('best = float("inf")', "waited = 0").replace(
    "    if loss < best:\n        best = loss\n        manager.save()\n",
    "    waited += loss > 1\n    manager.save()\n    if waited == 3:\n        break\n",
)


@site_rule("FT520", "manual", Example(_JOB, None, "module"), Example(_PATIENT, None, "module"))
def forgotten_best(bench: Workbench) -> Iterator[Fix]:
    yield from forgotten_rates(bench)
    seen = set[Hashable | None]()
    for checkpoint in bench.checkpoints.all:
        for save in checkpoint.calls("save") if is_resumed(bench.checkpoints, checkpoint, bench.values) else ():
            for test, is_end in _tests_of_save(bench, save):
                forgotten = _forgotten(bench, checkpoint, test, is_end)
                own = key_of(bench.module.names, forgotten)
                if forgotten is None or own in seen:
                    continue
                seen.add(own)
                text = ast.unparse(forgotten)
                follows = "the loop ends later" if is_end else "a worse state replaces the best"
                message = f"`{text}` is in no checkpoint: after a restart {follows}"
                help = f"Make {text} a tf.Variable(…), track it in the Checkpoint, and assign to it."
                yield Fix((manual(forgotten, message, help),))


def _tests_of_save(bench: Workbench, save: ast.Call) -> Iterator[tuple[ast.If, bool]]:
    """Yields the tests around a save in a loop, and those that end the loop, each with whether it ends the loop."""
    names, loops = bench.module.names, loops_around(bench.reach, bench.module, save)
    around = [save, *takewhile(lambda one: not isinstance(one, FunctionNode), names.ancestors(save))] if loops else []
    yield from ((one, False) for part, one in pairwise(around) if isinstance(one, ast.If) and part in one.body)
    for end in names.nodes(ast.Break) if loops else ():
        test = names.parent(end)
        if isinstance(test, ast.If) and end in test.body and _innermost_loop(names, end) is loops[-1]:
            yield test, True


def _innermost_loop(names: Names, end: ast.AST) -> ast.AST | None:
    """Returns the innermost loop around a node: the one that a ``break`` ends."""
    return next((one for one in names.ancestors(end) if is_loop(one)), None)


def _forgotten(bench: Workbench, checkpoint: Checkpoint, test: ast.If, is_end: bool) -> ast.expr | None:
    """Returns a compared variable that is first a number, that the loop changes, and that no checkpoint tracks."""
    names = bench.module.names
    compared = [part for part in iter_parts(names, test.test) if isinstance(part, ast.Compare)]
    for part in (side for one in compared for side in (one.left, *one.comparators)):
        own, stores = key_of(names, part), stores_of(names, part)
        around: ast.AST | None = _innermost_loop(names, test) if is_end else test
        begins = [one for one in stores if not _is_conditional(names, one, is_end, ast.unparse(part))]
        inside = [one for one in stores if around in {*names.ancestors(one)} or (not is_end and one not in begins)]
        is_ordered = any(isinstance(op, _ORDERS) and part in (c.left, *c.comparators) for c in compared for op in c.ops)
        is_number = bool(begins) and all(sets_number(bench, one, is_ordered) for one in begins)
        is_flag = is_end and not any(isinstance(names.parent(one), ast.AugAssign) for one in inside)
        is_reset = is_end and not set(inside).isdisjoint(begins)
        if inside and is_number and not is_flag and not is_reset and own not in bench.checkpoints.keys(checkpoint):
            return part
    return None


def _is_conditional(names: Names, store: ast.expr, is_any: bool, text: str) -> bool:
    """Whether an assignment is under a test of its variable, under any test, or computed from its old value."""
    tests = [one.test for one in names.ancestors(store) if isinstance(one, ast.If)]
    if is_any:
        return bool(tests) or is_computed_from_itself(names, store)
    return is_computed_from_itself(names, store) or any(
        text in map(ast.unparse, (side for side in iter_parts(names, test) if isinstance(side, ast.expr)))
        for test in tests
    )
