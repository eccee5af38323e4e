"""FT517 · an object that a tf.train.Checkpoint tracks, replaced by another object

A ``Checkpoint`` saves the objects that it was made with. After ``checkpoint.best = 0.3`` it still saves the old
variable: the new value is in no checkpoint. After ``self.optimizer = Adam()`` it saves the old optimizer, which is no
longer used.

Instead: change the object, ``checkpoint.best.assign(0.3)``; or make the ``Checkpoint`` after the last such assignment.

Fidelity: manual. Found where a number replaces a tracked object; where an optimizer is replaced after the
``Checkpoint`` is made, and no later ``Checkpoint`` tracks the new one; and for ``step = step + 1``, which replaces a
variable by a tensor.

See: tf.train.Checkpoint.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.calls.calls_before import calls_before
from migrate.analysis.keras.checkpoints import Checkpoint
from migrate.analysis.keras.optimizers import made_optimizers
from migrate.analysis.source.names import Names
from migrate.analysis.source.path_searches import name_of
from migrate.analysis.source.places import key_of, stores_of
from migrate.rules.hazards.replaced_number import rebound_variables, replaced_numbers
from migrate.rules.rule import Example, Fix, Workbench, manual, site_rule

_BEST = """\
import tensorflow as tf

checkpoint = tf.train.Checkpoint(model=model, best=tf.Variable(1.0))
manager = tf.train.CheckpointManager(checkpoint, "/tmp/c", max_to_keep=2)
checkpoint.restore(manager.latest_checkpoint).expect_partial()
for _ in range(int(checkpoint.save_counter), 9):
    loss = float(train())
    if loss < checkpoint.best:
        checkpoint.best = loss
        manager.save()
"""
_OPTIMIZER = """\
import tensorflow as tf

optimizer = tf.keras.optimizers.Adam()
checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer)
optimizer = tf.keras.optimizers.Adam(1e-4)
train(model, optimizer)
checkpoint.save("/tmp/c/ckpt")
"""


@site_rule("FT517", "manual", Example(_BEST, None, "module"), Example(_OPTIMIZER, None, "module"))
def replaced_state(bench: Workbench) -> Iterator[Fix]:
    for checkpoint in bench.checkpoints.all:
        if not checkpoint.save_calls and not checkpoint.managers:
            continue
        for store, name in replaced_numbers(bench, checkpoint):
            message = f"the checkpoint keeps saving the old variable of `{name}`: a number is not tracked"
            yield Fix((manual(store, message, f"Call {bench.module.source.text(store)}.assign(…) instead."),))
        for value in checkpoint.objects():
            for rebound in rebound_variables(bench, value):
                text = bench.module.source.text(rebound)
                message = f"the checkpoint keeps saving the old variable of `{text}`: the sum is a new tensor"
                yield Fix((manual(rebound, message, f"Call {text}.assign_add(…) instead."),))
            for anew in _reassigned_optimizers(bench, checkpoint, value):
                text = bench.module.source.text(value)
                message = f"the checkpoint of line {checkpoint.call.lineno} tracks the old `{text}`, not this one"
                yield Fix((manual(anew, message, f"Make the Checkpoint after the last assignment of {text}."),))
                break


def _reassigned_optimizers(bench: Workbench, checkpoint: Checkpoint, value: ast.expr) -> Iterator[ast.expr]:
    """Yields the assignments that replace a tracked optimizer after the checkpoint is made and before it is saved."""
    module, names, own = bench.module, bench.module.names, key_of(bench.module.names, value)
    stores = stores_of(names, value)
    if len(stores) < 2:
        return
    seen: set[ast.AST] = set()
    list(calls_before(bench.reach, module, checkpoint.call, seen))
    home = names.scope_of(checkpoint.call).node
    later = [one.call for one in bench.checkpoints.all if one is not checkpoint and own in bench.checkpoints.keys(one)]
    for store in stores:
        statement, scope = names.parent(store), names.scope_of(store).node
        made = statement.value if isinstance(statement, ast.Assign) else None
        is_made = made is not None and (
            made_optimizers(bench.values, module, made) or _is_remade_in_loop(names, made, store, stores)
        )
        is_behind = store.lineno > checkpoint.call.lineno if scope is home else scope not in seen
        is_new = any(names.scope_of(one).node is scope and one.lineno > store.lineno for one in later)
        behind = [c for c in checkpoint.save_calls if c.lineno > store.lineno or names.scope_of(c).node is not scope]
        if is_made and is_behind and (behind or not checkpoint.save_calls) and not is_new:
            yield store


def _is_remade_in_loop(names: Names, replacement: ast.expr, store: ast.expr, stores: list[ast.expr]) -> bool:
    """Whether a loop that saves makes the object again, by the same function as the one before."""
    others = [names.parent(one) for one in stores if one is not store]
    called = [ast.unparse(o.value.func) for o in others if isinstance(o, ast.Assign) and isinstance(o.value, ast.Call)]
    loop = next((one for one in names.ancestors(store) if isinstance(one, ast.For | ast.While)), None)
    is_equivalent = isinstance(replacement, ast.Call) and called == [ast.unparse(replacement.func)]
    inside = {name_of(one.func) for one in ast.walk(loop) if isinstance(one, ast.Call)} if loop is not None else set()
    return is_equivalent and "save" in inside
