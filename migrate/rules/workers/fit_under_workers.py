"""FT404 · model.fit(…) of several workers, made to recover

In TensorFlow 2.0 to 2.2 ``fit`` under ``MultiWorkerMirroredStrategy`` resumed from a ``ModelCheckpoint``. Later
versions only save it, and Keras 3 rejects ``fit`` of several workers.

Instead: with ``--target keras2`` ``fit`` stays, with ``BackupAndRestore`` (from TensorFlow 2.16 on it needs
``tf_keras`` and ``TF_USE_LEGACY_KERAS=1``). Otherwise ``fit_on_workers(…)``, a generated loop that calls
``model.train_step`` on all workers, and ``WorkerRecovery``, which saves by a ``tf.train.CheckpointManager`` on each.

Fidelity: noted. A restarted cluster resumes at the step of the last save; TensorFlow 2.0 resumed at the epoch. The
directory is a new one, inside that of the old saves. The backup stays after the last epoch: a finished job that is
started again does nothing. Callbacks get metrics only at the end of an epoch. All such calls of a file change, or none.

See: tf.distribute.MultiWorkerMirroredStrategy, tf.keras.callbacks.BackupAndRestore, tf.train.CheckpointManager.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.keras.workers import worker_fits
from migrate.analysis.source.arguments import Unbindable, bind, is_none, literal
from migrate.analysis.source.module import Module
from migrate.analysis.source.symbols import tail_called
from migrate.edits.plan import Edit, InsertBefore, ReplaceExpression, ReplaceStatement
from migrate.rules.hazards.backup_settings import BACKUPS
from migrate.rules.rule import Example, Fix, Workbench, manual, noted, site_rule
from migrate.rules.workers.old_saving import Saving, SkipFit, call_behind, callbacks_of, saving_of
from migrate.rules.workers.worker_recovery_lines import manager_lines, steps_of_epoch, unused_directory

_FIT = (
    *("x", "y", "batch_size", "epochs", "verbose", "callbacks", "validation_split", "validation_data", "shuffle"),
    *("class_weight", "sample_weight", "initial_epoch", "steps_per_epoch", "validation_steps"),
)
_LOOP_PARAMETERS = ("epochs", "steps_per_epoch", "validation_data", "validation_steps", "verbose")

_PROGRAM = """\
import tensorflow as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()
with strategy.scope():
    model = build()
model.fit({})
"""
_PATH = '"/job/ckpt"'
_EVERY = 'tf.keras.callbacks.BackupAndRestore("/job/b", save_freq=30)'
_SAVER = 'callbacks=[tf.keras.callbacks.ModelCheckpoint("/job/ckpt"), log]'
_LOOP = """\
recovery = WorkerRecovery(
    tf.train.CheckpointManager(
        tf.train.Checkpoint(model=model, optimizer=model.optimizer),
        "/job/ckpt/recovery",
        max_to_keep=1,
        step_counter=model.optimizer.iterations,
        checkpoint_interval=70,
    )
)
fit_on_workers(model, dataset, recovery, epochs=3, steps_per_epoch=70, callbacks=[log])
"""
_BACKUP = """\
model.fit(dataset, epochs=3, steps_per_epoch=70, callbacks=[tf.keras.callbacks.BackupAndRestore(
    "/job/ckpt/recovery",
    delete_checkpoint=False,
), log])
"""


@site_rule(
    "FT404",
    "noted",
    Example(_PROGRAM.format(f"dataset, epochs=3, steps_per_epoch=70, {_SAVER}"), _LOOP, "module"),
    Example(_PROGRAM.format("dataset, epochs=3"), "\nfit_on_workers(model, dataset, epochs=3)\n", "module"),
    Example(_PROGRAM.format(f"dataset, epochs=3, steps_per_epoch=70, {_SAVER}"), _BACKUP, "module", target="keras2"),
    Example(_PROGRAM.format("x, y, epochs=3"), None, "module"),
    Example(_PROGRAM.format("dataset, epochs=3, initial_epoch=2"), None, "module"),
    Example(_PROGRAM.format("dataset, epochs=3, callbacks=given()"), None, "module"),
    Example('path = "/job/w-{epoch}"\n' + _PROGRAM.format(f"dataset, {_SAVER.replace(_PATH, 'path')}"), None, "module"),
    Example(_PROGRAM.format(f"dataset, steps_per_epoch=70, callbacks=[{_EVERY}]"), "checkpoint_interval=30", "module"),
)
def fit_under_workers(bench: Workbench) -> Iterator[Fix]:
    found = list(worker_fits(bench.module))
    directories: set[str] = set()
    fixes: list[Fix] = []
    for call, is_sure in found:
        try:
            if bench.settings.target == "keras2":
                fixes += _keep_fit(bench, call, directories)
            elif not is_sure:
                help = "Call fit_on_workers where several workers train; keep fit for the other strategies."
                raise SkipFit("Keras 3 refuses this fit where its strategy is the one of several workers", help)
            else:
                fixes.append(_replace_by_loop(bench, call, [other for other, _ in found], directories))
        except SkipFit as skipped:
            fixes.append(Fix((manual(call, str(skipped), skipped.help),)))
    if fixes:  # a program with one unchanged fit would fail on Keras 3
        edits = tuple(edit for fix in fixes for edit in fix.edits)
        runtime_names = frozenset(runtime_name for fix in fixes for runtime_name in fix.runtime_names)
        yield Fix(tuple(verdict for fix in fixes for verdict in fix.verdicts), edits, runtime_names)


def _keep_fit(bench: Workbench, call: ast.Call, used_names: set[str]) -> Iterator[Fix]:
    """Replaces the ModelCheckpoint of a ``fit`` on Keras 2 by BackupAndRestore."""
    saving = saving_of(bench, callbacks_of(bench.module, _bind_arguments(call).get("callbacks")))
    if saving is None or tail_called(bench.module.names, saving.call) in BACKUPS:
        return
    directory = unused_directory(saving.directory, used_names)
    frequency = f", save_freq={saving.batches}" if saving.batches else ""
    text = f"{bench.vocabulary.tf}.keras.callbacks.BackupAndRestore({directory}{frequency}"
    edit = ReplaceExpression(bench.module.span(saving.call), f"{text}, delete_checkpoint=False)")
    verdict = noted(saving.call, f"BackupAndRestore recovers the workers' fit, in {directory}")
    yield Fix((verdict,), (edit,))


def _replace_by_loop(bench: Workbench, call: ast.Call, all_fits: list[ast.Call], used_names: set[str]) -> Fix:
    """Replaces ``fit`` by ``fit_on_workers``, with the recovery above it."""
    module, text = bench.module, bench.module.source.text
    arguments = _bind_arguments(call)
    unsupported = sorted(name for name in arguments if name not in (*_LOOP_PARAMETERS, "x", "callbacks"))
    if unsupported or "x" not in arguments:
        help = "Give fit a tf.data.Dataset of global batches and nothing but the number of epochs and steps."
        raise SkipFit(
            f"Keras 3 refuses fit of several workers, and the loop has no {', '.join(unsupported) or 'dataset'}", help
        )
    listed = callbacks_of(module, arguments.get("callbacks"))
    saving = saving_of(bench, listed)
    assert isinstance(call.func, ast.Attribute)
    model, dataset = text(call.func.value), text(arguments["x"])
    given = [model, dataset]
    edits: list[Edit] = []
    runtime_names = {"fit_on_workers"}
    if saving is not None:
        own = _model_bindings(module, call)
        if any(own & _model_bindings(module, other) for other in all_fits if other is not call):
            help = "Make the model anew for each training, or train it in one fit."
            raise SkipFit("Keras 3 refuses this fit of several workers, and more than one fit trains its model", help)
        directory = unused_directory(saving.directory, used_names)
        statement = module.names.statement_of(call)
        recovery = bench.vocabulary.unused_name("recovery", module.names.scope_of(call))
        interval = saving.batches or steps_of_epoch(bench, arguments)
        made = manager_lines(bench, recovery, model, directory, interval)
        removed = [module.span(each) for each in _removals(module, arguments["callbacks"], listed, saving)]
        edits += [InsertBefore(module.span(statement), made, tuple(removed)), *map(ReplaceStatement, removed)]
        runtime_names.add("WorkerRecovery")
        given.append(recovery)
    carried = [(name, arguments[name]) for name in _LOOP_PARAMETERS if name in arguments]
    given += [f"{name}={text(one)}" for name, one in carried if name != "verbose" or literal(one) != "auto"]
    if "callbacks" in arguments:
        others = [text(each) for each in listed if saving is None or call_behind(module, each) is not saving.call]
        whole = f"[{', '.join(others)}]" if saving is not None else text(arguments["callbacks"])
        given += [f"callbacks={whole}"] if others else []
    edits.append(
        ReplaceExpression(module.span(call), f"{bench.vocabulary.runtime_name('fit_on_workers')}({', '.join(given)})")
    )
    message = "fit_on_workers trains on all workers, because Keras 3 refuses fit there"
    verdicts = [noted(call, f"{message}, and resumes from {directory}" if saving else message)]
    return Fix(tuple(verdicts), tuple(edits), frozenset(runtime_names))


def _model_bindings(module: Module, call: ast.Call) -> set[ast.AST]:
    model = call.func.value if isinstance(call.func, ast.Attribute) else None
    return {one.node for one in module.names.bindings_at(model)} if isinstance(model, ast.Name) else set()


def _bind_arguments(call: ast.Call) -> dict[str, ast.expr]:
    try:
        bound = bind(call, _FIT)
    except Unbindable as problem:
        raise SkipFit(f"the arguments of fit cannot be read: {problem}", "Write them out.") from problem
    return {name: value for name, value in bound.items() if not is_none(value)}


def _removals(module: Module, callbacks: ast.expr, listed: list[ast.expr], saving: Saving) -> Iterator[ast.stmt]:
    """Yields the statements to remove, which make the list of callbacks or the callback that saves."""
    for variable in (each for each in (callbacks, *listed) if isinstance(each, ast.Name)):
        made = module.names.only_value(variable)
        if made is not None and saving.call in ast.walk(made):
            if len(module.names.reads_of(variable)) > 1:
                raise SkipFit("what saves is used elsewhere, too", "Give each fit callbacks of its own.")
            yield module.names.statement_of(made)
