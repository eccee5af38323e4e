"""FT201 · a program that loads its own weights or model before it trains

Recovery by hand: before ``fit`` or a training loop, the program loads what an earlier start saved.

Instead: ``callbacks=BackupAndRestore.beside(callbacks)``, or ``for epoch in recovered(range(first, epochs), directory,
model)`` for a custom training loop. The program's own loads, paths and flags do not change.

1. While a program trains, its models, optimizers, epoch and callbacks' state are saved next to its own files. They are
   removed when the program ends.
2. A start by the same command, with the same source, continues exactly there if its own code loads the last save, or
   begins with the same weights.
3. Any other start trains as the program alone would, such as that of a finished job or from an older file.

Found in any file: the program trains what it loads, and saves a file of that name, searches for it, or lets the user
name it. Also by words: "resume", ``initial_epoch``. Not reported: pretrained weights, inference, the best model loaded
after ``fit``, callbacks that save.

``--recovery backup-and-restore`` adds Keras' own callback.

A loop is given the variables that a turn leaves to the next one: ``for epoch, best in recovered(…, carried=lambda:
(best,))``. What turns change in objects goes on, too; where that is not all plain data, the loop is no longer kept.

Skipped: a loop without a range or count, whose models or other values have no name there, that adds an offset to its
turns, or reads a variable that some turns alone set; a ``fit`` in a loop that counts on from earlier starts, or skips
their work; callbacks in ``**`` arguments; TensorFlow 1; Horovod.

Fidelity: noted. An uninterrupted training is the same, but for a save in each epoch or turn; where these are short,
saves take a tenth of the time.

See: tf.keras.callbacks.BackupAndRestore, tf.train.CheckpointManager.
"""

import ast
import re
from collections.abc import Iterator

from migrate.analysis.keras.trainings import distributed_library, is_on_workers, training_of
from migrate.analysis.program.checkpoint_callbacks import changes_for_keras3
from migrate.analysis.resume.finished_work import work_left_out
from migrate.analysis.resume.graphs import is_of_graph, is_of_tensorflow_1, needs_package
from migrate.analysis.resume.resumption import Resumption, resumptions
from migrate.analysis.resume.trained_loops import TrainedLoop, Trainings
from migrate.analysis.source.module import Module
from migrate.analysis.source.path_searches import name_of
from migrate.analysis.source.places import single_assignment
from migrate.files.sources import is_test
from migrate.rewrite.recovered_training import OWN_CODE, RecoveredTraining, keras_backup, recovered_fit, recovered_loop
from migrate.rules.rule import Example, Fix, Workbench, manual, noted, site_rule

_WEIGHTS = """\
import os
import tensorflow as tf

path = "checkpoint/mnist.weights.h5"
model = build()
if os.path.exists(path):
    model.load_weights(path)
saver = tf.keras.callbacks.ModelCheckpoint(path, save_weights_only=True)
model.fit(x, y, epochs=5, callbacks=[saver])
"""
_LOOP = """\
import os
import keras

model = build()
first = len(os.listdir("out"))
if first:
    model.load_weights(f"out/{first}.weights.h5")
for epoch in range(first, 9):
    model.train_on_batch(x, y)
    model.save_weights(f"out/{epoch + 1}.weights.h5")
"""
_RESULT = """\
import os
import keras

model = keras.models.load_model("m.keras") if os.path.isfile("m.keras") else build()
model.fit(x, y, epochs=10)
model.save("m.keras")
"""
_GAIN = "an interrupted training now continues where it stopped, the optimizer's state included"
_KERAS = "backup-and-restore"
_KERAS_PACKAGES = ("keras", "tensorflow", "tf_keras")
_OTHER_BACKEND = re.compile(r"KERAS_BACKEND\W+(jax|torch)")


@site_rule(
    "FT201",
    "noted",
    Example(_WEIGHTS, "callbacks=BackupAndRestore.beside([saver])", "module"),
    Example(_WEIGHTS, 'BackupAndRestore("checkpoint/backup")', "module", recovery="backup-and-restore"),
    Example(
        _WEIGHTS, 'BackupAndRestore("checkpoint/backup", double_checkpoint=True)', "module", _KERAS, target="keras3"
    ),
    Example(_LOOP, 'for epoch in recovered(range(first, 9), "out", model):', "module"),
    Example(_LOOP, None, "module", recovery=_KERAS),
    Example(_RESULT, 'callbacks=BackupAndRestore.beside([], saved="m.keras")', "module"),
)
def resume_before_fit(bench: Workbench) -> Iterator[Fix]:
    module = bench.module
    if is_on_workers(module) or is_test(module.path):
        return
    found = resumptions(bench.reach)
    trainings = bench.reach.search(Trainings).all if found else []
    if not found or any(_is_recovered(module, one) for one in trainings):
        return
    notes = list(changes_for_keras3(module)) if bench.settings.target != "keras2" else []
    taken: list[str] = []
    models = {ast.unparse(one.func).rpartition(".")[0] for one in found if isinstance(one, ast.Call)}
    for training in trainings:
        node = training.loop if isinstance(training, TrainedLoop) else training
        if isinstance(node, ast.Call) and _is_of_other_library(bench, node, models):
            continue
        name = "" if isinstance(training, TrainedLoop) else _name(module, node, taken)
        if isinstance(training, TrainedLoop) and node not in found:
            continue
        shown = found.get(node, next(iter(found.values())))
        done = _skip_reason(bench, node) or _recover(bench, training, shown, name)
        subject = "the loop" if isinstance(training, TrainedLoop) else "fit"
        place = f"{'' if shown.load.module is module else f'{shown.load.module.path}, '}line {shown.load.call.lineno}"
        message = f"{subject} resumes by hand: the program loads a file in {place} and {shown.why}"
        if done.problem:
            if node in found:
                yield Fix((manual(node, f"{message}; {done.problem}", done.help),))
            continue
        gain = "BackupAndRestore keeps the training" if bench.settings.recovery == _KERAS else _GAIN
        verdict = noted(node, f"{message}; {gain}", "\n".join(notes))
        yield Fix((verdict,), done.edits, done.runtime_names)
        notes = []  # reported once in a file


def _is_of_other_library(bench: Workbench, fit: ast.Call, models: set[str]) -> bool:
    """Whether an installed package other than Keras makes what is trained, and the program does not resume it."""
    receiver, names = fit.func.value if isinstance(fit.func, ast.Attribute) else fit.func, bench.module.names
    made = names.value_at_use(receiver) if isinstance(receiver, ast.Name) else single_assignment(names, receiver)
    dotted = names.qualified(made.func) if isinstance(made, ast.Call) else None
    if dotted is None or ast.unparse(receiver) in models or dotted.partition(".")[0] in _KERAS_PACKAGES:
        return False
    return bench.reach.owner(bench.module, dotted)[0] is None


def _recover(bench: Workbench, training: ast.Call | TrainedLoop, found: Resumption, name: str) -> RecoveredTraining:
    is_backup = bench.settings.recovery == _KERAS
    if isinstance(training, TrainedLoop):
        if not is_backup:
            return recovered_loop(bench.reach, bench.vocabulary, training, found.load)
        return RecoveredTraining(problem="BackupAndRestore works in only one fit", help="Leave --recovery out.")
    fit = training_of(bench.module, training)
    if fit is None:
        help = "Write `callbacks=` in the call itself, then run the tool again."
        return RecoveredTraining(problem="its callbacks may be among `**` arguments", help=help)
    if any(isinstance(one, ast.JoinedStr) for one in bench.module.names.ancestors(training)):
        return RecoveredTraining(
            problem="it is within an f-string", help="Give its result a name, then run the tool again."
        )
    if is_backup:
        return keras_backup(bench.reach, bench.vocabulary, fit, name, bench.settings.target == "keras3")
    return recovered_fit(bench.reach, bench.vocabulary, fit, name)


def _skip_reason(bench: Workbench, training: ast.Call | ast.For | ast.While) -> RecoveredTraining | None:
    """Returns why a training is skipped, with advice; None to rewrite it."""
    if distributed_library(bench.module):
        return RecoveredTraining(problem="it runs in several processes", help=OWN_CODE)
    is_old = is_of_graph(bench.reach, training) or is_of_tensorflow_1(bench.reach)
    for holds, problem, newer in (
        (is_old, "is written for TensorFlow 1", "TensorFlow 2 first (tf_upgrade_v2)"),
        (needs_package(bench.reach, "theano"), "needs Theano", "a Keras of TensorFlow 2 first"),
        (_OTHER_BACKEND.search(bench.module.text), "names another backend", "Keras on TensorFlow first"),
    ):
        if holds:
            help = f"Move the program to {newer}, then run the tool again."
            return RecoveredTraining(problem=f"it {problem}", help=help)
    left_out = work_left_out(bench.reach, training)
    if left_out is None:
        return None
    where = "" if left_out[0] is bench.module else f"{left_out[0].path}, "
    return RecoveredTraining(problem=left_out[2].format(f"{where}line {left_out[1]}"), help=OWN_CODE)


def _is_recovered(module: Module, training: ast.Call | TrainedLoop) -> bool:
    if isinstance(training, TrainedLoop):
        given = training.loop.iter if isinstance(training.loop, ast.For) else ast.Constant(None)
        return any(isinstance(one, ast.Call) and name_of(one.func) == "recovered" for one in ast.walk(given))
    fit = training_of(module, training)
    return fit is not None and fit.is_recovered(module.names)


def _name(module: Module, node: ast.AST, used_names: list[str]) -> str:
    """Returns a name that distinguishes a training from those above it in its file; "" for the first."""
    scope = module.names.scope_of(node).node
    function = getattr(scope, "name", "")
    is_apart = bool(used_names and function) and function not in (*used_names, "main")
    name = function if is_apart else f"stage_{len(used_names) + 1}"
    used_names.append(name if used_names else function)
    return name if len(used_names) > 1 else ""
