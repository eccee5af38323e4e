"""FT201 · load_weights or load_model before fit, from the path that ModelCheckpoint writes

Recovery by hand: weights (without the optimizer's state) or a model are loaded before ``fit`` from the very file that
the program's own ``ModelCheckpoint`` writes, behind a test whether there is one, a ``try``, or a search for the newest
file; ``initial_epoch`` is worked out from the file's name. Or the callback loads it itself, by
``load_weights_on_restart=True``.

Instead: ``EpochRecovery`` around a visible ``tf.train.CheckpointManager``: it saves model, optimizer and epoch after
each epoch, in a directory of its own, and ``fit`` goes on at ``initial_epoch=recovery.restore()``. A flag such as
``args.resume`` still decides. With ``--recovery backup-and-restore`` it is ``BackupAndRestore``. The load, what
searches for its file, and imports and functions that nothing else uses, here or in another file, go. A function that
restores or makes the model (``make_or_restore_model()``) makes it alone; one that loads into it and returns the epoch
goes. What a start from scratch did beside making the model, such as clearing a directory, would be done by each start:
the program is left with that line; a directory is made with ``exist_ok=True``. A ``ModelCheckpoint`` that keeps the
best model, or whose file something else reads, stays; the arguments that Keras 3 refuses go, and with
``--target keras3`` its file gets a suffix that Keras 3 takes; without it the finding says so, since other programs may
read it.
``CSVLogger`` gets ``append=True``.

A load in another method or file than ``fit``, in a function that is called at several places or returns model and epoch
together, an ``initial_epoch`` that is worked out from what was loaded elsewhere, and a training function that is called
again, each time for more epochs, are found and left.

Left alone, without a finding: callbacks that only save, weights from elsewhere, a load after or between trainings, and
``initial_epoch`` as a number, or reckoned from a stage of the training.

Fidelity: noted. The optimizer's state is recovered too. ``epochs`` is the total over all starts, where a program
without ``initial_epoch`` trained that many more at each start; a finished job that is started again trains nothing, and
its ``history`` is empty. Weights that the old program saved are not read. The state of ``EarlyStopping`` and
``ReduceLROnPlateau`` starts anew. The step that Keras 2 counts at the end of data of unknown length, in the first epoch
of each start, is counted once, as without an interruption. On Keras 3 a subclassed model must be built before ``fit``
(``model.build(input_shape)``), which says so at the start; ``BackupAndRestore`` needs that of every model there, so
that a ``Sequential`` that is seen to tell no shape is left, and a kill during its save can leave a job that cannot
start again.

See: tf.keras.callbacks.ModelCheckpoint, tf.keras.callbacks.BackupAndRestore, tf.train.CheckpointManager.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.arguments import literal
from migrate.analysis.built import is_unbuilt
from migrate.analysis.resume.elsewhere import counted, loaded_by_function
from migrate.analysis.resume.found import resumptions
from migrate.analysis.resume.resumption import Resume
from migrate.analysis.symbols import symbol_of
from migrate.analysis.trainings import is_on_workers, made_by, trainings
from migrate.rewrite.epoch_recovery import EpochRecoveryRewrite
from migrate.rules.rule import Example, Mend, Workbench, manual, noted, site_rule

_HELP = (
    "Save model, optimizer and epoch by tf.train.CheckpointManager, or give fit a BackupAndRestore callback, instead"
    " of loading what ModelCheckpoint wrote."
)
_WEIGHTS = """\
import os
import tensorflow as tf

path = "./checkpoint/mnist.ckpt"
model = build()
if os.path.exists(path + ".index"):
    print("load the model")
    model.load_weights(path)
callback = tf.keras.callbacks.ModelCheckpoint(filepath=path, save_weights_only=True{})
model.fit(x, y, epochs=5, callbacks=[callback])
"""
_EPOCH = """\
import glob
import os
import re
from keras.callbacks import CSVLogger, ModelCheckpoint


def newest(directory):
    files = glob.glob(os.path.join(directory, "*.h5"))
    return max(files, key=os.path.getctime) if files else None


def main(args, model):
    initial_epoch = 0
    latest = newest(args.dir)
    if args.resume and latest is not None:
        model.load_weights(latest)
        initial_epoch = int(re.findall("[0-9]+", latest)[-1])
    saver = ModelCheckpoint(os.path.join(args.dir, "w-{epoch:02d}.h5"), save_weights_only=True)
    model.fit_generator(batches, 10, 5, callbacks=[saver, CSVLogger("log.csv")], initial_epoch=initial_epoch)
"""
_ITSELF = """\
import tensorflow as tf

model = build()
saver = tf.keras.callbacks.ModelCheckpoint("w/{epoch}", load_weights_on_restart=True)
model.fit(x, y, callbacks=[saver])
"""
_MADE = """\
import tensorflow as tf


def made(params):
    model = build()
    newest = tf.train.latest_checkpoint(params.dir)
    if newest is not None:
        model.load_weights(newest).expect_partial()
    return model


def callbacks(params):
    yield tf.keras.callbacks.ModelCheckpoint(filepath=params.dir + "/{epoch}", save_weights_only=True)


def train(params):
    model = made(params)
    model.fit(x, y, callbacks=list(callbacks(params)))
"""
_RESTORED = """\
import os
import keras


def make_or_restore():
    files = ["ckpt/" + name for name in os.listdir("ckpt")]
    if files:
        return keras.models.load_model(max(files, key=os.path.getctime))
    return build()


model = make_or_restore()
model.fit(x, y, epochs=5, callbacks=[keras.callbacks.ModelCheckpoint("ckpt/{epoch}.keras")])
"""
_ELSEWHERE = """\
from resuming import restore_ckpt

model = build()
first = restore_ckpt(model, directory) // steps
model.fit(x, initial_epoch=first)
"""
_BACKED_UP = """\
import keras

model = build()
first = epochs_in("log.csv")
callbacks = [keras.callbacks.BackupAndRestore("backup"), keras.callbacks.ModelCheckpoint("best.keras")]
model.fit(x, initial_epoch=first, callbacks=callbacks)
"""
_PARSED = """\
import re
import keras


class Job:
    def begin(self, path):
        self.epoch = int(re.match("w-([0-9]+)", path).group(1)) + 1

    def train(self):
        saver = keras.callbacks.ModelCheckpoint(self.path, save_weights_only=True)
        self.model.fit_generator(batches, initial_epoch=self.epoch, callbacks=[saver])
"""


@site_rule(
    "FT201",
    "noted",
    Example(_WEIGHTS.format(""), "callbacks=[recovery], initial_epoch=recovery.restore()", "module"),
    Example(_WEIGHTS.format(", save_best_only=True"), "callbacks=[recovery, callback]", "module"),
    Example(
        _WEIGHTS.format(""),
        'backup = tf.keras.callbacks.BackupAndRestore("./checkpoint/mnist_recovery", delete_checkpoint=False)',
        "module",
        recovery="backup-and-restore",
    ),
    Example(
        _WEIGHTS.format("").replace("build()", "tf.keras.Sequential([tf.keras.layers.Dense(1)])"),
        None,
        "module",
        recovery="backup-and-restore",
    ),
    Example(_EPOCH, "initial_epoch=recovery.restore() if args.resume else 0", "module"),
    Example(_EPOCH.replace("initial_epoch)", "initial_epoch + args.more)"), None, "module"),
    Example(_ITSELF, "callbacks=[recovery]", "module"),
    Example(_MADE, None, "module"),
    Example(_RESTORED, "def make_or_restore():\n    return build()", "module"),
    Example(_ELSEWHERE, None, "module"),
    Example(_PARSED, None, "module"),
    Example(_BACKED_UP, None, "module"),
)
def resume_before_fit(bench: Workbench) -> Iterator[Mend]:
    for resume in resumptions(bench.module):
        reason = resume.problem or _problem(bench, resume)
        if reason:
            how = (
                "ModelCheckpoint loads what it saved"
                if resume.guard is None
                else "what ModelCheckpoint wrote is loaded"
            )
            message = f"{how} to resume training, and {reason}"
            yield Mend((manual(resume.load, message, _HELP),))
        else:
            rewrite = EpochRecoveryRewrite(bench.module, bench.settings, bench.vocabulary, resume)
            verdict = noted(resume.load, _message(bench, resume, rewrite.notes), _help(bench))
            yield Mend((verdict,), tuple(rewrite.edits), rewrite.pieces)
    found = list(resumptions(bench.module))
    for call in counted(bench.module):
        if all(call is not resume.fit.call for resume in found):
            if _is_backed_up(bench, call):
                message = "initial_epoch is worked out by the program, and BackupAndRestore overrides it by its own"
                yield Mend((manual(call, message, "Leave initial_epoch out: BackupAndRestore knows the epoch."),))
                continue
            message = "initial_epoch is worked out by the program, which resumes by hand in a way that is not followed"
            yield Mend((manual(call, message, _HELP),))
    for load in loaded_by_function(bench.module):
        if all(load is not resume.load for resume in found):
            message = (
                "the model that fit trains is made in a function that loads the newest of what ModelCheckpoint wrote"
            )
            yield Mend((manual(load, message, _HELP),))


def _is_backed_up(bench: Workbench, call: ast.Call) -> bool:
    """Whether a training call has a ``BackupAndRestore`` among its callbacks."""
    callbacks = next((fit.callbacks for fit in trainings(bench.module) if fit.call is call), [])
    made = [made_by(bench.module.names, element) for element in callbacks]
    found = [symbol_of(bench.module.names, one.func) for one in made if one is not None]
    return any(one is not None and one.tail.endswith("BackupAndRestore") for one in found)


def _uses_backup(bench: Workbench) -> bool:
    return bench.settings.recovery == "backup-and-restore"


def _problem(bench: Workbench, resume: Resume) -> str:
    fit, saver = resume.fit, resume.saver
    if is_on_workers(bench.module):
        return "fit runs on several workers"
    if saver.subclass is not None:
        return f"`{saver.subclass.name}` is a subclass of ModelCheckpoint, whose own code may matter"
    if resume.condition is not None and _uses_backup(bench):
        return "BackupAndRestore resumes without asking for a flag"
    if (
        _uses_backup(bench)
        and bench.settings.target != "keras2"
        and is_unbuilt(bench.module, fit.receiver, resume.gone)
    ):
        return "BackupAndRestore raises on Keras 3 without a tf.keras.Input(shape) first among the model's layers"
    if not isinstance(fit.statement, ast.Expr | ast.Assign | ast.Return | ast.AnnAssign):
        return "fit does not stand in a statement of its own"
    if fit.display is None or fit.arguments.get("callbacks") is None:
        return "its callbacks are not a list of this file"
    if fit.call.args and len(fit.call.args) > 5 and fit.call.func.attr == "fit":  # type: ignore[attr-defined]
        return "fit gets its callbacks by position"
    return ""


def _message(bench: Workbench, resume: Resume, notes: list[str]) -> str:
    api = "BackupAndRestore" if _uses_backup(bench) else "CheckpointManager"
    text = f"recovered by {api}, the optimizer's state included"
    if resume.fit.arguments.get("initial_epoch") is None:
        text += "; epochs is now the total over all starts, where each start trained as many more"
    best = resume.saver.arguments.get("save_best_only")
    if best is not None and literal(best) is not False:
        text += "; a start goes on from the last epoch, not from the best"
    return "; ".join([text, "weights saved by the old program are not read", *notes])


def _help(bench: Workbench) -> str:
    if _uses_backup(bench):
        return "On Keras 3 a kill during a save can leave a job that cannot start again: CheckpointManager does not."
    return ""
