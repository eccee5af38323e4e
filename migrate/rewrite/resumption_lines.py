"""The lines that a user can write where a resumption by hand is not rewritten."""

import ast

from migrate.analysis.module import Module
from migrate.analysis.path_searches import name_of
from migrate.analysis.resume.epoch_loops import epoch_begun
from migrate.analysis.resume.loads_before import TRAINS
from migrate.analysis.resume.own_loads import OwnLoad
from migrate.analysis.trainings import Fit, is_on_workers, library_of_ranks, rank_asked
from migrate.rewrite.vocabulary import Vocabulary
from migrate.settings import Settings


def lines(module: Module, settings: Settings, vocabulary: Vocabulary, fit: Fit) -> str:
    """The lines that the user can write."""
    if not is_on_workers(module) and settings.recovery != "backup-and-restore":
        return manager_lines(module, vocabulary, fit.call)
    model, tf = module.source.text(fit.receiver), vocabulary.tf
    backup = f'backup = {tf}.keras.callbacks.BackupAndRestore("DIRECTORY", delete_checkpoint=False)'
    return (
        f"Write `{backup}` before it, and `{model}.fit(..., callbacks=[backup, ...])`: a run resumes after the last"
        " epoch, and loads what it saved over what the program has loaded."
    )


def further_lines(vocabulary: Vocabulary, fit: Fit) -> str:
    """The lines for a program that each start trains further: one that ended leaves nothing to resume."""
    backup, call = (
        f'{vocabulary.tf}.keras.callbacks.BackupAndRestore("DIRECTORY")',
        f"{ast.unparse(fit.receiver)}.fit",
    )
    written = f"Write `backup = {backup}` before it, and `{call}(..., callbacks=[backup, ...])`"
    return (
        f"{written}: an interrupted start resumes after its last epoch, and one after a finished start trains further."
    )


def manager_lines(module: Module, vocabulary: Vocabulary, training: ast.Call) -> str:
    """The lines for one call of ``fit``."""
    assert isinstance(training.func, ast.Attribute)
    model, tf = module.source.text(training.func.value), vocabulary.tf
    asked = rank_asked(module.names)
    rank = module.source.text(asked) if asked is not None else "hvd.rank()"
    save = f"*([save] if {rank} == 0 else [])" if library_of_ranks(module) else "save"
    written = (
        f"checkpoint = {tf}.train.Checkpoint(model={model}, optimizer={model}.optimizer, epoch={tf}.Variable(0))",
        f'manager = {tf}.train.CheckpointManager(checkpoint, "DIRECTORY", max_to_keep=2)',
        f"{model}.optimizer.build({model}.trainable_variables)",
        "manager.restore_or_initialize()",
        f"save = {tf}.keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs:"
        " (checkpoint.epoch.assign(epoch + 1), manager.save()))",
    )
    called = name_of(training.func).replace("fit_generator", "fit")  # which takes what it took, also on Keras 3
    fit = f"{model}.{called}(..., initial_epoch=int(checkpoint.epoch.numpy()), callbacks=[{save}, ...])"
    return (
        "Write "
        + ", ".join(f"`{line}`" for line in written)
        + f" before it, and `{fit}`: a start resumes after the last"
        " epoch, and loads what it saved over what the program has loaded."
    )


def loop_lines(module: Module, vocabulary: Vocabulary, own: OwnLoad) -> str:
    """The lines for a loop that trains and saves."""
    text, tf = module.source.text, vocabulary.tf
    within = own.loop if own.loop is not None else own.training
    calls = [node for node in ast.walk(within) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    trained = [call for call in calls if name_of(call.func) in TRAINS]
    saved = [call for call in calls if name_of(call.func) == "save_weights"]
    models = list(dict.fromkeys(text(call.func.value) for call in [*trained, *saved]))  # type: ignore[attr-defined]
    if not models:  # a tf.train.Checkpoint of the program's own holds them, or a function saves them
        saver = own.training.func
        held, begin = "model=MODEL, optimizer=OPTIMIZER, ", ""
        if isinstance(saver, ast.Attribute) and "Checkpoint" in module.text:
            held = f"checkpoint={text(saver.value)}, "
    elif len(models) == 1:
        held, begin = (f"model={models[0]}, optimizer={models[0]}.optimizer, ", _built(models))
    else:
        parts = [(f"model_{i}={model}", f"optimizer_{i}={model}.optimizer") for i, model in enumerate(models, 1)]
        held, begin = (", ".join(part for pair in parts for part in pair) + ", ", _built(models))
    epoch = text(own.loop.target) if isinstance(own.loop, ast.For) else "epoch"
    first = epoch_begun(own.loop) if isinstance(own.loop, ast.For) else None
    begun = "int(state.epoch.numpy())"
    begun += f" if manager.latest_checkpoint else {text(first)}" if first is not None else ""
    return (
        f"Write `state = {tf}.train.Checkpoint({held}epoch={tf}.Variable(0))` and"
        f' `manager = {tf}.train.CheckpointManager(state, "DIRECTORY", max_to_keep=2)`{begin} and'
        f" `manager.restore_or_initialize()` before the loop, begin it at `{begun}`, and write"
        f" `state.epoch.assign({epoch} + 1)` and `manager.save()` at its end. Load the old files only where the manager"
        " has no latest_checkpoint: a kill can cut them short."
    )


def _built(models: list[str]) -> str:
    return "".join(f", `{model}.optimizer.build({model}.trainable_variables)`" for model in models)
