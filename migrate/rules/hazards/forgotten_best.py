"""FT520 · the best value of a training, in no checkpoint

``if loss < best: best = loss; manager.save()`` keeps the best state, until a restart: ``best`` begins anew, the first
epoch after it is the best so far, and its save replaces better checkpoints.

Instead: track it, ``best=tf.Variable(float("inf"))`` in the ``Checkpoint``, and ``checkpoint.best.assign(loss)`` before
the save.

Fidelity: manual. Found where a program restores what it saves under such a test, and the variable begins with a number.

See: tf.train.Checkpoint.
"""

import ast
import re
from collections.abc import Iterator

from migrate.analysis.keras.checkpoints import Checkpoint, key
from migrate.analysis.keras.own_checkpoints import is_resumed
from migrate.analysis.keras.restarted_loops import loops_around
from migrate.analysis.source.names import Names
from migrate.analysis.source.scopes import FunctionNode
from migrate.rules.rule import Example, Mend, Workbench, manual, site_rule

_INFINITE = re.compile(r"(.*\.)?(inf|Inf|infty|maxsize)|float\(.*\)")
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


@site_rule("FT520", "manual", Example(_JOB, None, "module"))
def forgotten_best(bench: Workbench) -> Iterator[Mend]:
    for checkpoint in bench.checkpoints.all:
        for save in checkpoint.calls("save") if is_resumed(bench.checkpoints, checkpoint, bench.values) else ():
            best = _best(bench, checkpoint, save)
            if best is not None:
                text = bench.module.source.text(best)
                message = f"`{text}` is in no checkpoint: after a restart a worse state replaces the best"
                help = f"Track it in the Checkpoint: best=tf.Variable(…), and assign it in place of {text}."
                yield Mend((manual(best, message, help),))


def _best(bench: Workbench, checkpoint: Checkpoint, save: ast.Call) -> ast.expr | None:
    """What is compared around a save, set there, and begins with a number outside of the loop."""
    names = bench.module.names
    is_looped = bool(loops_around(bench.reach, bench.module, save))
    tests: list[ast.If] = []
    node: ast.AST = save
    for around in names.ancestors(save) if is_looped else ():
        if isinstance(around, FunctionNode):
            break
        if isinstance(around, ast.If) and node in around.body:
            tests.append(around)
        node = around
    for test in tests:
        compared = [part for part in ast.walk(test.test) if isinstance(part, ast.Compare)]
        for part in (side for one in compared for side in (one.left, *one.comparators)):
            own = key(names, part)
            text = ast.unparse(part) if isinstance(part, ast.Attribute) else None  # a class may derive from another
            stores = [one for one in _stores(bench) if own and (key(names, one) == own or ast.unparse(one) == text)]
            inside = [one for one in stores if test in names.ancestors(one)]
            begins = [one for one in stores if not _is_compared(names, one, ast.unparse(part))]
            is_number = bool(begins) and all(_is_number(names.parent(one)) for one in begins)
            if inside and is_number and own not in bench.checkpoints.keys(checkpoint):
                return part
    return None


def _is_compared(names: Names, store: ast.expr, text: str) -> bool:
    """Whether an assignment stands under a test of what is assigned."""
    tests = (one.test for one in names.ancestors(store) if isinstance(one, ast.If))
    return any(
        text in map(ast.unparse, (side for side in ast.walk(test) if isinstance(side, ast.expr))) for test in tests
    )


def _stores(bench: Workbench) -> Iterator[ast.expr]:
    names = bench.module.names
    yield from (one for one in names.stores if isinstance(one, ast.Attribute))
    yield from (one for one in names.nodes(ast.Name) if isinstance(one.ctx, ast.Store))


def _is_number(statement: ast.AST) -> bool:
    """Whether an assignment gives a number, or an infinite one."""
    value = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None
    value = value.operand if isinstance(value, ast.UnaryOp) else value
    is_plain = isinstance(value, ast.Constant) and isinstance(value.value, int | float)
    return is_plain or (value is not None and _INFINITE.fullmatch(ast.unparse(value)) is not None)
