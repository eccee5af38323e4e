"""FT203 · model.save of a directory, which Keras 3 refuses after the whole training

Keras 2 writes a SavedModel where the path has no suffix. Keras 3 raises a ValueError there, at the end of the
training, as in TensorFlow's tutorial on multi-worker training.

Instead: ``model.save("NAME.keras")`` and ``keras.models.load_model("NAME.keras")`` to go on or to predict, or
``model.export("DIRECTORY")`` and ``tf.saved_model.load`` to serve. The program does not say which of them is wanted,
nor who reads the directory, so that it is not rewritten.

Fidelity: manual. Found where ``fit`` of the same file trains the model, and where the path is seen to end in no
``.keras`` or ``.h5``, itself or as what a function of the file is given for it; not with ``--target keras2``.

See: tf.keras.Model.save, tf.keras.Model.export.
"""

import ast
import posixpath
from collections.abc import Iterator

from migrate.analysis.checkpoints import key
from migrate.analysis.module import Module
from migrate.analysis.names import Names
from migrate.analysis.paths import template
from migrate.analysis.resume.once import are_alternatives
from migrate.analysis.trainings import is_training
from migrate.rules.rule import Example, Mend, Workbench, manual, site_rule

_SAVED = """\
import tensorflow as tf

model = build()
model.fit(x, y, callbacks=[tf.keras.callbacks.BackupAndRestore("/tmp/backup")])
model.save("/tmp/keras-model")
"""
_WRITTEN = """\
import os
import tensorflow as tf


def write_filepath(filepath, task_id):
    return filepath if task_id == 0 else os.path.join(os.path.dirname(filepath), f"workertemp_{task_id}")


model_path = "/tmp/keras-model"
multi_worker_model = build()
multi_worker_model.fit(dataset, callbacks=[tf.keras.callbacks.BackupAndRestore("/tmp/backup")])
write_model_path = write_filepath(model_path, task_id)
multi_worker_model.save(write_model_path)
"""
_BY_CHIEF = """\
import tensorflow as tf

if is_chief():
    path = "/tmp/model_dir"
else:
    path = "/tmp/worker_tmp_" + str(worker_id)
model = build()
model.fit(x, y, callbacks=[tf.keras.callbacks.BackupAndRestore("/tmp/backup")])
model.save(path)
"""


@site_rule(
    "FT203",
    "manual",
    Example(_SAVED, None, "module"),
    Example(_WRITTEN, None, "module"),
    Example(_BY_CHIEF, None, "module"),
)
def saved_directory(bench: Workbench) -> Iterator[Mend]:
    names = bench.module.names
    if bench.settings.target == "keras2":
        return
    calls = [call for call in names.nodes(ast.Call) if isinstance(call.func, ast.Attribute)]
    trained = {key(names, call.func.value) for call in calls if is_training(call)} - {None}  # type: ignore[attr-defined]
    for call in calls:
        assert isinstance(call.func, ast.Attribute)
        if call.func.attr != "save" or key(names, call.func.value) not in trained:
            continue
        path = call.args[0] if call.args else next((k.value for k in call.keywords if k.arg == "filepath"), None)
        is_told = len(call.args) > 1 or any(keyword.arg != "filepath" for keyword in call.keywords)
        if path is not None and not is_told and _is_directory(bench.module, path):
            model = bench.module.source.text(call.func.value)
            message = "model.save of a path without .keras or .h5 raises a ValueError on Keras 3, after the training"
            help = (
                f'Write `{model}.save("NAME.keras")` and load that by load_model, or `{model}.export("DIRECTORY")` and'
                " load that by tf.saved_model.load."
            )
            yield Mend((manual(call, message, help),))


def _is_directory(module: Module, path: ast.expr) -> bool:
    """Whether a path is seen to have no suffix, itself or as what a function of the file makes another of."""
    branches = _given_in_branches(module.names, path)
    if branches:  # one for the chief, and one for each other worker
        return any(_is_directory(module, one) for one in branches)
    value = module.names.value(path)
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        is_own = isinstance(module.names.definition(value.func), ast.FunctionDef)
        return is_own and bool(value.args) and _is_directory(module, value.args[0])
    known = template(module.names, path)
    name = posixpath.basename((known or "⟩").rstrip("/"))
    return bool(name) and "⟩" not in name and "." not in name


def _given_in_branches(names: Names, path: ast.expr) -> list[ast.expr]:
    """What the two branches of a test above give a variable that nothing else gives later; none for another one."""
    given = [one for one in names.bound(path) if one.value is not None] if isinstance(path, ast.Name) else []
    above = sorted((one for one in given if one.node.lineno < path.lineno), key=lambda one: one.node.lineno)  # type: ignore[attr-defined]
    others = [one for one in above[:-1] if are_alternatives(names, one.node, above[-1].node)]
    return [one.value for one in [*others, above[-1]] if one.value is not None] if others else []
