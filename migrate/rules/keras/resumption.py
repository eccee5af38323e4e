"""What the kinds of resumption by hand have in common: their trainings, and what is said of them."""

import ast
from dataclasses import replace

from migrate.analysis.arguments import literal
from migrate.analysis.names import Names
from migrate.analysis.resume.old_way_in import OldWayIn
from migrate.analysis.resume.savers import saver_of
from migrate.analysis.resume.stages import trained_beside
from migrate.analysis.symbols import symbol_of
from migrate.analysis.trainings import Fit, made_by, trainings
from migrate.edits.plan import InsertBefore
from migrate.rewrite.old_way_in import OldWayInRewrite, statement_beside
from migrate.rewrite.resumption_hazards import blocked, folder_asked, folder_removed
from migrate.rules.rule import Workbench


def is_backed_up(bench: Workbench, call: ast.Call) -> bool:
    """Whether a training call has a ``BackupAndRestore`` among its callbacks."""
    callbacks = next((fit.callbacks for fit in trainings(bench.module) if fit.call is call), [])
    made = [made_by(bench.module.names, element) for element in callbacks]
    found = [symbol_of(bench.module.names, one.func) for one in made if one is not None]
    return any(one is not None and one.tail.endswith("BackupAndRestore") for one in found)


def uses_backup(bench: Workbench) -> bool:
    return bench.settings.recovery == "backup-and-restore"


def recovered(bench: Workbench, fit: Fit) -> str:
    api = "BackupAndRestore" if uses_backup(bench) else "CheckpointManager"
    text = f"recovered by {api}, the optimizer's state included"
    first = fit.arguments.get("initial_epoch")
    if first is None or literal(first) == 0:
        text += "; epochs is now the total over all starts, where each start trained as many more"
    return text


def help_on_kills(bench: Workbench) -> str:
    if uses_backup(bench):
        return "On Keras 3 a kill during a save can leave a job that cannot start again: CheckpointManager does not."
    return ""


def rewritten_with(bench: Workbench, fit: Fit, *, is_one_way: bool = False) -> set[ast.AST]:
    """A training, and those that are rewritten with it."""
    beside = trained_beside(bench.module, fit)
    return {fit.call, *(one.fit.call for one in beside if one.is_stage or not is_one_way)}


def together(bench: Workbench, way: OldWayIn, *, is_one_way: bool = False) -> OldWayInRewrite:
    """The rewrite of a training, and of those that the same model goes through beside it."""
    beside = [one for one in trained_beside(bench.module, way.fit) if one.is_stage or not is_one_way]
    stages = sum(one.is_stage for one in beside)
    if stages:
        way.stage, way.is_last = 1, False
    whole = before = OldWayInRewrite(bench.reach, bench.settings, bench.vocabulary, way)
    for number, one in enumerate(beside, 2):
        saver = saver_of(bench.module, one.fit) or way.saver
        other = replace(way, fit=one.fit, saver=saver, guards=[], over=way.over or "it is restored before it")
        if one.is_stage:
            passed = _passed_by(bench.module.names, before.fit.statement, one.fit.statement)
            if passed is not None:
                made = f"{before.recovery} = {before.way.before or None}"
                whole.edits.append(InsertBefore(bench.module.span(passed), made))
            other = replace(other, flags=[], asked="", stage=number, is_last=number > stages, before=before.recovery)
        reason = blocked(
            bench.reach,
            bench.settings,
            one.fit,
            is_one_way=is_one_way,
            beside={b.fit.call for b in beside} | {way.fit.call},
        )
        before = OldWayInRewrite(bench.reach, bench.settings, bench.vocabulary, other)
        whole.problem = whole.problem or reason or before.problem
        whole.edits += [edit for edit in before.edits if edit not in whole.edits]
        whole.notes += [note for note in before.notes if note not in whole.notes]
        whole.pieces |= before.pieces
    whole.problem = whole.problem or folder_asked(bench.reach, way) or folder_removed(bench.reach, way)
    if stages and uses_backup(bench):
        whole.problem = whole.problem or "the model is trained by more than one call of fit"
    return whole


def _passed_by(names: Names, stage: ast.stmt, later: ast.stmt) -> ast.stmt | None:
    """The statement around a stage that may pass it by on the way to a later one; None where each start trains it."""
    around, whole = [stage, *names.ancestors(stage)], statement_beside(names, stage, later)
    inside = around[: around.index(whole) + 1] if whole is not None else []
    return whole if any(isinstance(one, ast.If | ast.Try | ast.Match) for one in inside) else None
