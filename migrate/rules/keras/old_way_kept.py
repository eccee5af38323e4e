"""A recovery that is asked before the program's own code, which stays for what an old job has saved."""

import ast
from collections.abc import Iterator, Sequence

from migrate.analysis.module import Module
from migrate.analysis.resume.conditions import Conditions
from migrate.analysis.resume.epochs import set_by_old_file
from migrate.analysis.resume.loads_before import Link, LoadsBefore
from migrate.analysis.resume.named import is_found, named_file
from migrate.analysis.resume.old_way_in import OldWayIn, old_way_in
from migrate.analysis.resume.own_loads import OwnLoad
from migrate.analysis.resume.path_parts import is_same
from migrate.analysis.resume.savers import path_known_at
from migrate.analysis.resume.saves_in_training import MODEL_SAVES, SavesInTraining
from migrate.analysis.resume.stages import trained_beside
from migrate.analysis.resume.words import Words
from migrate.analysis.trainings import Fit, Saver
from migrate.rewrite.old_way_in import OldWayInRewrite
from migrate.rewrite.resumption_hazards import blocked, not_over
from migrate.rewrite.resumption_lines import lines
from migrate.rules.keras.file_named import named_by_user, told_of
from migrate.rules.keras.noted_file import ANEW, Noted, asked_at_load
from migrate.rules.keras.resumption import (
    help_on_kills,
    recovered,
    together,
    uses_backup,
)
from migrate.rules.rule import Mend, Workbench, manual, noted

_HELP = (
    "Save model, optimizer and epoch by tf.train.CheckpointManager after each epoch, and restore them before fit,"
    " instead of loading what ModelCheckpoint wrote."
)


def restarted_by_callback(bench: Workbench, fit: Fit, saver: Saver) -> Iterator[Mend]:
    """A callback that is asked to load what it saved."""
    way = OldWayIn(fit, saver.call, saver)
    reason = blocked(bench.reach, bench.settings, fit)
    rewrite = OldWayInRewrite(bench.reach, bench.settings, bench.vocabulary, way) if not reason else None
    reason = rewrite.problem if rewrite is not None else reason
    if rewrite is None or reason:
        message = f"ModelCheckpoint loads what it saved to resume training, and {reason}"
        yield Mend((manual(saver.call, message, lines(bench.reach, bench.settings, bench.vocabulary, fit)),))
        return
    text = f"{recovered(bench, fit)}; weights saved by the old program are not read: load them once before fit"
    verdict = noted(saver.call, "; ".join([text, *rewrite.notes]), help_on_kills(bench))
    yield Mend((verdict,), tuple(rewrite.edits), rewrite.pieces)


def kept(
    bench: Workbench,
    fit: Fit | None,
    site: ast.Call,
    message: str,
    loads: Sequence[ast.Call] = (),
    own: OwnLoad | None = None,
) -> Iterator[Mend]:
    """A recovery that is asked before the program's own code, which stays for what an old job has saved."""
    if fit is None:
        yield Mend((manual(site, f"{message}, and its arguments cannot be read", _HELP),))
        return
    way = _way_in(bench, fit, site, loads, own)
    way.after = _file_saved(bench, way, own)
    if way.named:
        yield from named_by_user(bench, named_file(bench.reach, fit, *load_named(bench, way, own)), message)
        return
    reason, rewrite, at_load = _put_before(bench, way, loads, own)
    if rewrite is not None and rewrite.problem and not way.over:  # where it saves is known when it trains
        over = _way_in(bench, fit, site, loads, own, over=rewrite.problem)
        _, other, noted_there = _put_before(bench, over, loads, own)
        if other is not None and not other.problem:
            way, rewrite, at_load = over, other, noted_there
    reason = reason or (rewrite.problem if rewrite is not None else "")
    if rewrite is None or reason:
        yield Mend(
            tuple(
                manual(one, f"{message}, and {reason}", lines(bench.reach, bench.settings, bench.vocabulary, fit))
                for one in loads or [site]
            )
        )
        return
    text = recovered(bench, fit)
    kept = "; where there is no checkpoint yet, the program's own code resumes from what an old job has saved"
    if way.over:
        kept += ", which it loads at each start, before the checkpoint is restored"
        kept += f"; what another program saves as {way.after} begins a new training" if way.after else ""
    kept = f"; {told_of(at_load.paths, way.name)}" if way.name else kept + (ANEW if way.asked else "")
    verdicts = [noted(one, "; ".join([text + kept, *rewrite.notes]), help_on_kills(bench)) for one in loads or [site]]
    yield at_load.mend(rewrite, *verdicts)


def _file_saved(bench: Workbench, way: OldWayIn, own: OwnLoad | None) -> str:
    """The one file that each start loads and its training saves, as the training knows it; "" for none.

    Another program may write it anew, which the next start of this one is to begin with.
    """
    is_decided = way.problem or way.flags or way.is_asked_at_load or trained_beside(bench.module, way.fit)
    if own is None or way.saver is None or not way.over or is_decided:
        return ""
    saves = bench.reach.one(SavesInTraining)
    is_file = way.saver.path.endswith((".h5", ".hdf5", ".keras")) and "{" not in way.saver.path
    saved = saves.with_path(way.saver.call)[1]
    if not is_file or not is_same(saves.with_path(own.load)[1], saved):
        return ""
    calls = (call for name in MODEL_SAVES for call in bench.reach.calls(bench.module).get(name, ()))
    conditions = Conditions(bench.module, {*bench.module.names.ancestors(way.fit.call)})
    above = (call for call in calls if call.lineno < way.fit.call.lineno and not conditions.tests(call))
    if any(is_same(saved, saves.with_path(call)[1]) for call in above):  # each start writes it anew
        return ""
    known = path_known_at(bench.module, way.saver.arguments["filepath"], [way.fit.statement])
    return bench.module.source.text(known) if known is not None else ""


def load_named(bench: Workbench, way: OldWayIn, own: OwnLoad | None) -> tuple[Module, ast.Call, Sequence[Link]]:
    """The load whose file the user names, with its file and the calls that lead to it: the known one before others."""
    before = bench.reach.one(LoadsBefore).loads(way.fit.call)
    others = (one for one in before if one.load in way.named) if own is None or own.load not in way.named else iter(())
    found = next(others, None) or own
    return (found.module, found.load, found.links) if found is not None else (bench.module, way.site, ())


def _way_in(
    bench: Workbench, fit: Fit, site: ast.Call, loads: Sequence[ast.Call], own: OwnLoad | None, over: str = ""
) -> OldWayIn:
    words, before = bench.reach.one(Words), bench.reach.one(LoadsBefore).loads(fit.call)
    known = {site, *loads, *([own.load] if own is not None else [])}
    others = {one.load for one in before if words.is_of_another_alone(one.module, one.load, one.links)} - known
    if own is None:
        return old_way_in(bench.reach, fit, site, loads, over=over, others=others)
    found = is_found(bench.reach, own.module, own.load)
    asked = (None, own.links, own.saves, own.is_sure or found)
    return old_way_in(bench.reach, fit, site, loads, *asked, over=over, is_found=found, others=others)


def _put_before(
    bench: Workbench, way: OldWayIn, loads: Sequence[ast.Call], own: OwnLoad | None
) -> tuple[str, OldWayInRewrite | None, Noted]:
    """Why no recovery can be asked first, or the edits that put one there, with those at the loads."""
    fit = way.fit
    old = [
        bench.module.names.statement_of(load)
        for load in [*loads, *bench.reach.one(LoadsBefore).asked(fit.call, fit.receiver)]
    ]
    gone = {node for statement in old for node in ast.walk(statement)}
    beside = {one.fit.call for one in trained_beside(bench.module, fit)}
    reason = blocked(bench.reach, bench.settings, fit, gone, beside=beside) or way.problem
    if (way.flags or way.is_asked_at_load) and uses_backup(bench):
        reason = reason or "BackupAndRestore resumes without asking for a flag"
    if way.is_asked_at_load and bench.reach.runs_in_turns(bench.module, fit.call):
        reason = reason or "the function that calls fit runs more than once"
    reason = reason or set_by_old_file(bench.module, fit.arguments.get("epochs"), way.first, way.guards)
    if way.over:
        is_sure = own is None or own.is_sure or not own.links
        reason = reason or (
            "the user names the file at the start" if not is_sure else not_over(bench.module, bench.settings, way)
        )
    at_load = asked_at_load(bench, way)
    reason = reason or at_load.problem
    return reason, None if reason else together(bench, way), at_load
