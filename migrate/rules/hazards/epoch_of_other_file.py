"""FT522 · the epoch of one checkpoint with the weights of another

The first epoch is read from the name of the newest checkpoint, but the weights come from the best one, or from a file
that a flag names; or a counter has its own checkpoint, saved at other times than the weights. The epochs between the
two are never trained, without an error.

Instead: restore the checkpoint that the number was read from; or track the epoch in the ``Checkpoint`` of the weights,
``epoch=tf.Variable(0)``, and begin the loop at ``int(checkpoint.epoch)``.

Fidelity: manual. Found where a ``for … in range(first, …)`` begins at the number of a checkpoint, and its function
restores only other checkpoints.

See: tf.train.CheckpointManager.latest_checkpoint.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.keras.checkpoints import Checkpoint
from migrate.analysis.keras.own_checkpoints import is_resumed
from migrate.analysis.source.path_searches import name_of
from migrate.analysis.source.paths import template
from migrate.analysis.source.places import key_of, stores_of
from migrate.analysis.values.values import iter_parts
from migrate.rules.rule import Example, Fix, Workbench, manual, site_rule

_JOB = """\
import tensorflow as tf

checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer)
newest = tf.train.CheckpointManager(checkpoint, "/tmp/c", max_to_keep=2)
best = tf.train.CheckpointManager(checkpoint, "/tmp/best", max_to_keep=1)
checkpoint.restore(best.latest_checkpoint).expect_partial()
first = int(newest.latest_checkpoint.split("-")[-1])
for epoch in range(first, 9):
    train(epoch)
    newest.save()
    if is_best():
        best.save()
"""
_TWO = """\
import tensorflow as tf

epoch = tf.Variable(0)
counted = tf.train.CheckpointManager(tf.train.Checkpoint(epoch=epoch), "/tmp/e", max_to_keep=1)
counted.restore_or_initialize()
weights = tf.train.Checkpoint(model=model, optimizer=optimizer)
manager = tf.train.CheckpointManager(weights, "/tmp/c", max_to_keep=1)
manager.restore_or_initialize()
for number in range(int(epoch), 9):
    train(number)
    epoch.assign_add(1)
    counted.save()
    if number % 5 == 0:
        manager.save()
"""


@site_rule("FT522", "manual", Example(_JOB, None, "module"), Example(_TWO, None, "module"))
def epoch_of_other_file(bench: Workbench) -> Iterator[Fix]:
    names, each = bench.module.names, bench.checkpoints.all
    heads = (loop.iter for loop in names.nodes(ast.For) if each)
    for head in (one for one in heads if isinstance(one, ast.Call) and name_of(one.func) == "range"):
        parts = [*_parts(bench, head.args[0])] if len(head.args) > 1 else []
        numbers = [one for one in parts if isinstance(one, ast.Call) and name_of(one.func) == "int" and one.args]
        for number in (one for one in numbers if _source(bench, one.args[0])):
            own, others = _source(bench, number.args[0]), _restored_sources(bench, number)
            if others and own not in others and None not in others:
                other = sorted(map(str, others))[0]
                message = f"the loop begins at the number of `{own}`, with the weights of `{other}`"
                yield Fix((manual(number, message, "Restore the checkpoint that the number was read from."),))
        for counted, weights in _separate_checkpoints(bench, parts):
            message = "the epoch and the weights have a checkpoint each, and are saved at different times"
            yield Fix((manual(counted.call, message, f"Track it in the Checkpoint of line {weights.call.lineno}."),))


def _parts(bench: Workbench, value: ast.expr) -> Iterator[ast.AST]:
    """Yields the parts of the expression of a number, through variables and attributes of ``self``."""
    names = bench.module.names
    for part in iter_parts(names, value):
        yield part
        for store in stores_of(names, part) if isinstance(part, ast.Attribute) else ():
            statement = names.parent(store)
            yield from iter_parts(names, statement.value) if isinstance(statement, ast.Assign) else ()


def _source(bench: Workbench, path: ast.expr) -> str | None:
    """Returns the source of the manager or directory that a newest checkpoint's path comes from; None if unknown."""
    parts = [*iter_parts(bench.module.names, path)]
    managers = [one for one in parts if isinstance(one, ast.Attribute) and one.attr == "latest_checkpoint"]
    for search in (one for one in bench.module.calls_of("train.latest_checkpoint") if one in parts and one.args):
        return template(bench.module.names, search.args[0])
    return next((ast.unparse(one.value) for one in managers), None)


def _restored_sources(bench: Workbench, number: ast.expr) -> set[str | None]:
    """Returns the sources of the checkpoints that the function around a number restores, as ``_source`` does."""
    names, found, scope = bench.module.names, set[str | None](), bench.module.names.scope_of(number)
    for checkpoint in bench.checkpoints.all:
        restores = checkpoint.calls("restore", "read", "restore_or_initialize")
        for call in (one for one in restores if names.scope_of(one) is scope and checkpoint.save_calls):
            if not call.args:
                found.add(ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else None)
                continue
            path = call.args[0]
            is_flag = isinstance(path, ast.Attribute) and getattr(path.value, "id", "self") != "self"
            found.add(_source(bench, path) or (ast.unparse(path) if is_flag else None))
    return found


def _separate_checkpoints(bench: Workbench, parts: list[ast.AST]) -> Iterator[tuple[Checkpoint, Checkpoint]]:
    """Yields a counter's checkpoint and that of the weights, where they are saved in different blocks."""
    names, checkpoints = bench.module.names, bench.checkpoints
    keys = {key_of(names, one) for one in parts if isinstance(one, ast.Name | ast.Attribute)} - {None}
    resumed = [one for one in checkpoints.all if is_resumed(checkpoints, one, bench.values)]
    for counted in (one for one in resumed if checkpoints.keys(one) and checkpoints.keys(one) <= keys):
        for other in resumed:
            blocks = [{id(names.block_of(save)) for save in one.save_calls} for one in (counted, other)]
            if checkpoints.keys(counted).isdisjoint(checkpoints.keys(other)) and blocks[0].isdisjoint(blocks[1]):
                yield counted, other
