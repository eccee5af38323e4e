"""FT508 · BackupAndRestore without what it needs: a built model, eager mode

On Keras 3 ``BackupAndRestore`` raises at the start of ``fit`` where the model is not built yet. In graph mode, after
``disable_eager_execution()`` or ``disable_v2_behavior()``, it raises everywhere.

Instead: give the model an ``Input``, or call ``model.build(input_shape)``, before ``fit``; train in eager mode. The
shape and the reason for graph mode are the program's own, so neither is rewritten.

Fidelity: manual. A ``Sequential`` is found where its list of layers stands in the file and none of them tells the
shape; with ``--target keras2`` it is no finding.

See: tf.keras.callbacks.BackupAndRestore, tf.keras.Model.build.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.module import Module
from migrate.analysis.resume import made_by, trainings
from migrate.analysis.symbols import symbol_of
from migrate.rules.backup_settings import BACKUPS
from migrate.rules.rule import Example, Mend, Workbench, manual, site_rule

_SHAPES = {"input_shape", "batch_input_shape", "input_dim", "batch_shape"}
_GRAPH = {"disable_eager_execution", "disable_v2_behavior"}
_FIT = """\
import tensorflow as tf

{}
model = tf.keras.Sequential([tf.keras.layers.Dense(1{})])
model.compile("sgd", "mse")
model.fit(x, y, callbacks=[tf.keras.callbacks.BackupAndRestore("/tmp/b")])
"""


@site_rule(
    "FT508",
    "manual",
    Example(_FIT.format("", ""), None, "module"),
    Example(_FIT.format("tf.compat.v1.disable_eager_execution()", ", input_shape=(3,)"), None, "module"),
)
def backup_needs(bench: Workbench) -> Iterator[Mend]:
    module = bench.module
    backups = module.calls_of(*BACKUPS)
    for call, found in module.modes if backups else ():
        if found.tail in _GRAPH:
            help = "Train in eager mode: take the call out, or save with a tf.compat.v1.train.Saver as before."
            yield Mend((manual(call, "BackupAndRestore raises in graph mode", help),))
    if bench.settings.target == "keras2":
        return
    for fit in trainings(module):
        made = [made_by(module.names, element) for element in fit.callbacks]
        model = module.names.only_value(fit.receiver) if isinstance(fit.receiver, ast.Name) else None
        has_backup = any(call in backups for call in made if call is not None)
        if has_backup and isinstance(model, ast.Call) and _is_unbuilt(module, fit.receiver, model):
            message = "the model is not built before fit, where BackupAndRestore raises on Keras 3"
            help = "Put tf.keras.Input(shape) first among its layers, or call model.build(input_shape) before fit."
            yield Mend((manual(fit.call, message, help),))


def _is_unbuilt(module: Module, variable: ast.expr, made: ast.Call) -> bool:
    """Whether a model is a ``Sequential`` of layers none of which tells the shape, and nothing builds it."""
    found = symbol_of(module.names, made.func)
    layers = made.args[0] if made.args else None
    if found is None or found.tail not in ("keras.Sequential", "keras.models.Sequential"):
        return False
    if not isinstance(layers, ast.List) or not layers.elts or not isinstance(variable, ast.Name):
        return False
    first = layers.elts[0]
    kind = symbol_of(module.names, first.func) if isinstance(first, ast.Call) else None
    if not isinstance(first, ast.Call) or kind is None or not kind.tail.startswith("keras.layers."):
        return False
    if kind.tail.rpartition(".")[2] in ("Input", "InputLayer") or any(k.arg in _SHAPES for k in first.keywords):
        return False
    owner = module.names.scope_of(variable).lookup(variable.id)
    uses = module.names.uses(variable.id, owner[0]) if owner is not None else []
    known = {"compile", "fit", "evaluate", "predict", "save", "save_weights", "optimizer"}
    earlier = [use for use in uses if use.lineno < variable.lineno]
    parents = [module.names.parent(use) for use in earlier]
    return all(
        isinstance(parent, ast.Attribute) and parent.attr in known - {"evaluate", "predict"} for parent in parents
    )
