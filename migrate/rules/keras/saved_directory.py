"""FT203 · model.save of a directory, which Keras 3 refuses after the whole training

Keras 2 writes a SavedModel where the path has no suffix. Keras 3 raises a ValueError there, at the end of the
training, as in TensorFlow's tutorial on multi-worker training.

Instead: the path ends in ``.keras``, and so does that of each ``load_model`` of the file that reads it behind the save;
the folder of the file is made, as Keras makes that of a directory. A directory whose name says that it is served
(``export``, ``serving``, ``saved_model``), and that nothing of the program loads, is written by ``model.export``.

Fidelity: noted. What else reads the directory must read the file. Of an export the outputs are called ``output_0``, and
Keras 2's ``load_model`` does not take it. Left is a path that another file names, that is loaded before it is saved, or
whose end is not seen: an earlier start's SavedModel keeps its name. Keras 3 cannot load one by ``load_model``;
``keras.layers.TFSMLayer(path, call_endpoint="serving_default")`` predicts with it, and to train it further load it on
Keras 2 and save it as ``.keras``; Keras 3 then has its weights, and not its optimizer's state. Left, too, is a model of
classes that the loader does not name: a SavedModel holds them, a ``.keras`` file does not.
Found where ``fit`` of the same file trains the model; not with ``--target keras2``.

See: tf.keras.Model.save, tf.keras.Model.export, tf.keras.layers.TFSMLayer.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.checkpoints import key
from migrate.analysis.saved_models import saves
from migrate.analysis.trainings import is_training
from migrate.rewrite.saved_directory import SavedDirectory
from migrate.rules.rule import Example, Mend, Verdict, Workbench, manual, noted, site_rule

_SAVED = """\
import tensorflow as tf

model = build()
model.fit(x, y, callbacks=[tf.keras.callbacks.BackupAndRestore("/tmp/backup")])
model.save("/tmp/keras-model")
"""
_READ = """\
import tensorflow as tf

model = build()
model.fit(x, y, callbacks=[tf.keras.callbacks.BackupAndRestore("/tmp/backup")])
model.save("out/model")
model = tf.keras.models.load_model("out/model")
"""
_READ_NOW = """\
tf.io.gfile.makedirs("out")
model.save("out/model.keras")
model = tf.keras.models.load_model("out/model.keras")
"""
_WRITTEN = """\
import os
import tensorflow as tf


def write_filepath(filepath, task_id):
    folder = os.path.dirname(filepath)
    if task_id != 0:
        folder = os.path.join(folder, f"workertemp_{task_id}")
        tf.io.gfile.makedirs(folder)
    return os.path.join(folder, os.path.basename(filepath))


model_path = "/tmp/keras-model"
multi_worker_model = build()
multi_worker_model.fit(dataset, callbacks=[tf.keras.callbacks.BackupAndRestore("/tmp/backup")])
write_model_path = write_filepath(model_path, task_id)
multi_worker_model.save(write_model_path)
loaded_model = tf.keras.models.load_model(model_path)
"""
_WRITTEN_NOW = """\
multi_worker_model.save(write_model_path)
loaded_model = tf.keras.models.load_model(model_path)
"""


@site_rule(
    "FT203",
    "noted",
    Example(_SAVED, 'model.save("/tmp/keras-model.keras")', "module"),
    Example(_READ, _READ_NOW, "module"),
    Example(_WRITTEN, _WRITTEN_NOW, "module"),
    Example(_SAVED.replace("keras-model", "export/1"), 'model.export("/tmp/export/1")', "module"),
)
def saved_directory(bench: Workbench) -> Iterator[Mend]:
    names = bench.module.names
    if bench.settings.target == "keras2":
        return
    calls = [call for call in names.nodes(ast.Call) if isinstance(call.func, ast.Attribute)]
    trained = {key(names, call.func.value) for call in calls if is_training(call)} - {None}  # type: ignore[attr-defined]
    groups: list[list[SavedDirectory]] = []
    for save in saves(bench.module):
        if key(names, save.model) not in trained or set(save.others) - {"overwrite", "include_optimizer"}:
            continue  # save_format may make a file of any name
        found = SavedDirectory(bench.module, bench.reach, bench.vocabulary, save)
        if found.is_refused:
            same = next((group for group in groups if any(found.edits & one.edits for one in group)), None)
            groups.append([found]) if same is None else same.append(found)
    for group in groups:
        verdicts = tuple(map(_verdict, group))
        edits = dict.fromkeys(edit for one in group for edit in sorted(one.edits, key=str))
        yield Mend(verdicts, () if any(one.problem for one in group) else tuple(edits))


def _verdict(found: SavedDirectory) -> Verdict:
    call, model = found.call, found.model
    if found.problem:
        message = f"{model}.save of a path without .keras or .h5 raises a ValueError on Keras 3, and {found.problem}"
        return manual(call, message, f"Write {found.lines}")
    if found.is_exported:
        message = (
            f"{model}.export writes the SavedModel, where Keras 3 refuses to save; its outputs are called output_0"
        )
        return noted(call, message, f"Where Keras trains it further, write `{found.saved_as}` instead.")
    read = "".join(f", which load_model of line {load.lineno} reads" for load in found.loads)
    message = f"the model is saved in a .keras file{read}, because Keras 3 refuses a directory after the training"
    return noted(call, message, "What else reads the directory must read the file.")
