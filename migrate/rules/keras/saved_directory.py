"""FT203 · model.save to a directory, which Keras 3 refuses after the whole training

If the path has no suffix, Keras 2 writes a SavedModel. Keras 3 raises a ValueError, at the end of the training, as in
TensorFlow's tutorial on multi-worker training.

Instead: a path that is one string, also passed through the tutorial's ``write_filepath``, gets the suffix ``.keras``,
and so does each ``load_model`` of the file that reads it after the save.

Fidelity: noted. Other programs that read the directory must read the file. Skipped, with the lines to write, is any
other path without a suffix: one that is built from parts, that another file or line contains, that is loaded before it
is saved, whose folder Keras makes only for a directory, or whose name says that the model is served; and a model with
classes that ``load_model`` is not given: a SavedModel contains them, a ``.keras`` file does not. Keras 3 cannot load an
earlier start's SavedModel by ``load_model``; ``keras.layers.TFSMLayer(path, call_endpoint="serving_default")`` predicts
with it. To serve a model, write ``model.export(path)``. Found where ``fit`` of the file trains the model.

See: tf.keras.Model.save, tf.keras.Model.export, tf.keras.layers.TFSMLayer.
"""

import ast
import posixpath
import re
from collections.abc import Iterator

from migrate.analysis.keras.saved_models import LOADERS, Save, SavedPath, is_after, is_printed, model_saves, siblings
from migrate.analysis.keras.trainings import is_training
from migrate.analysis.resume.graphs import is_of_tensorflow_1
from migrate.analysis.source.module import Module
from migrate.analysis.source.path_searches import path_argument
from migrate.analysis.source.paths import template
from migrate.analysis.source.places import key_of
from migrate.analysis.source.symbols import symbol_of
from migrate.edits.plan import Edit, ReplaceExpression
from migrate.rules.rule import Example, Fix, Workbench, manual, noted, site_rule

_SUFFIXES = (".keras", ".h5", ".hdf5")
"""The suffixes that ``Model.save`` of Keras 3 accepts."""
_FOLDERS = {"", ".", "/tmp"}
"""Folders that exist: Keras makes the parent folder of a directory, but not that of a file."""
_SERVING_PATH = re.compile(r"(^|[/_-])(exports?|exported|serving|served|saved_?models?)([/_-]|$)")
_QUOTE = re.compile(r"/*('''|\"\"\"|'|\")$")
_KERAS_BASES = ("keras.layers.", "keras.models.Model", "keras.Model", "keras.Sequential", "keras.models.Sequential")

_SAVING_PROGRAM = """\
import tensorflow as tf

model = build()
model.fit(x, y, callbacks=[tf.keras.callbacks.BackupAndRestore("/tmp/backup")])
model.save("/tmp/keras-model")
"""
_REWRITTEN_PROGRAM = """\
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


@site_rule(
    "FT203",
    "noted",
    Example(_SAVING_PROGRAM, 'model.save("/tmp/keras-model.keras")', "module"),
    Example(_REWRITTEN_PROGRAM, 'model_path = "/tmp/keras-model.keras"', "module"),
    Example(_SAVING_PROGRAM.replace("/tmp/keras-model", "out/export/1"), None, "module"),
)
def saved_directory(bench: Workbench) -> Iterator[Fix]:
    module, names = bench.module, bench.module.names
    if bench.settings.target == "keras2":
        return
    calls = [call for call in names.nodes(ast.Call) if isinstance(call.func, ast.Attribute)]
    trained = {key_of(names, call.func.value) for call in calls if is_training(call)} - {None}  # type: ignore[attr-defined]
    for save in model_saves(module):
        if key_of(names, save.model) not in trained or set(save.others) - {"overwrite", "include_optimizer"}:
            continue  # with save_format any name may be a file
        path = SavedPath(names, save.path)
        spelled = path.text or template(names, save.path) or ""
        if not _is_refused(spelled) or is_of_tensorflow_1(bench.reach):
            continue  # a program for TensorFlow 1 does not run on Keras 3
        named = ((load, path_argument(load)) for load in module.calls_of(*LOADERS) if path.text)
        loads = [load for load, given in named if given and SavedPath(module.names, given).text == path.text]
        problem = _problem(bench, save, path, loads)
        if problem:
            message = f"{module.source.text(save.model)}.save of a path without .keras or .h5 raises a ValueError"
            yield Fix((manual(save.call, f"{message} on Keras 3, and {problem}", _advice(module, save)),), ())
            continue
        read = "".join(f", which load_model of line {load.lineno} reads" for load in loads)
        message = f"the model is saved in a .keras file{read}, because Keras 3 can save to no directory"
        verdict = noted(save.call, message, "What else reads the directory must read the file.")
        yield Fix((verdict,), tuple(sorted(_edits(module, path, loads), key=str)))


def _is_refused(path: str) -> bool:
    """Whether Keras 3 surely rejects a path, given as its ``template``."""
    tail = path.rpartition("⟩")[2].rstrip("/")
    return bool(tail) and "hf://" not in path and not any(one.endswith(tail) or tail.endswith(one) for one in _SUFFIXES)


def _edits(module: Module, path: SavedPath, loads: list[ast.Call]) -> set[Edit]:
    read = [SavedPath(module.names, given) for load in loads if (given := path_argument(load)) is not None]
    literals = {one.literal for one in [path, *read] if one.literal is not None}
    return {ReplaceExpression(module.span(one), _QUOTE.sub(r".keras\1", module.source.text(one))) for one in literals}


def _problem(bench: Workbench, save: Save, path: SavedPath, loads: list[ast.Call]) -> str:
    """Returns why a path is not changed; "" where it is."""
    module, names = bench.module, bench.module.names
    if "include_optimizer" in save.others:
        return "a .keras file of Keras 2 takes no include_optimizer"
    if path.literal is None:
        return "the path is put together"
    if not loads and _SERVING_PATH.search(path.text.lower().rstrip("/")):
        return "its name says that the model is served"
    if posixpath.dirname(path.text.rstrip("/")) not in _FOLDERS:
        return "its folder may not be there for a file"
    for load in module.calls_of(*LOADERS):
        given = path_argument(load)
        if load in loads and not is_after(names, save.call, load):
            return f"load_model of line {load.lineno} may read what an earlier start saved"
        if load not in loads and (given is None or SavedPath(names, given).literal is None):
            return f"load_model of line {load.lineno} may read it"
    chains = [path, *(SavedPath(names, given) for load in loads if (given := path_argument(load)) is not None)]
    steps = {node for chain in chains for node in chain.steps}
    literals = {chain.literal for chain in chains}
    for node in names.nodes(ast.Constant):
        is_same = isinstance(node.value, str) and f"{node.value}/".startswith(f"{path.text.rstrip('/')}/")
        if is_same and node not in literals and not is_printed(names, node):
            return f"line {node.lineno} names the path too"
    for use in (use for chain in chains for use in chain.other_uses(names, steps)):
        return f"line {use.lineno} uses the path too"
    return _read_elsewhere(bench, path.text.rstrip("/")) or (_class_problem(bench, loads) if loads else "")


def _read_elsewhere(bench: Workbench, path: str) -> str:
    """Returns which other file of the program or its folder may load the path, as a part of a sentence; "" for none."""
    own, name = bench.module.path, posixpath.basename(path)
    others = {one.path for one in bench.reach.files_with("load_model", "from_saved_model")} - {own}
    beside_it = [one for one in siblings(own) if bench.tree.contains_word(one, "load_model", "from_saved_model")]
    for other in sorted({*others, *beside_it}):
        if bench.tree.contains_word(other, name):
            return f"{bench.tree.name(other)} may read it"
    return ""


def _class_problem(bench: Workbench, loads: list[ast.Call]) -> str:
    """Returns why a ``.keras`` file may not load where a SavedModel did; "" where it does."""
    if all(any(keyword.arg == "custom_objects" for keyword in load.keywords) for load in loads):
        return ""
    for module in (bench.module, *bench.reach.files_with("keras")):
        for owner in module.names.nodes(ast.ClassDef):
            tails = [found.tail for base in owner.bases if (found := symbol_of(module.names, base)) is not None]
            if any(tail.startswith(_KERAS_BASES) for tail in tails) and not owner.decorator_list:
                return f"load_model must be given the class {owner.name} to read a .keras file"
        if module.calls_of("keras.layers.Lambda"):
            return "load_model must be given safe_mode=False to read a .keras file with a Lambda layer"
    return ""


def _advice(module: Module, save: Save) -> str:
    """Returns advice with the lines to write by hand."""
    path, model = module.source.text(save.path), module.source.text(save.model)
    file = _QUOTE.sub(r".keras\1", path) if isinstance(save.path, ast.Constant) else f'f"{{{path}}}.keras"'
    return (
        f"Write `{model}.save({file})` here and `load_model({file})` where it is read, or, to serve it, "
        f"`{model}.export({path})`. Keras 3 loads no SavedModel of an earlier start by load_model; "
        'keras.layers.TFSMLayer(PATH, call_endpoint="serving_default") predicts with one.'
    )
