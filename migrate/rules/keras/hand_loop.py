"""A loop that trains and saves by itself: a recovery of all that it trains."""

import ast
from collections.abc import Iterator

from migrate.analysis.checkpoints import Checkpoints
from migrate.analysis.module import Module
from migrate.analysis.path_searches import name_of
from migrate.analysis.paths import template
from migrate.analysis.resume.epochs import set_by_old_file
from migrate.analysis.resume.flags import is_constant, is_said
from migrate.analysis.resume.hand_loops import HandLoop, hand_loop
from migrate.analysis.resume.named import NamedFile, is_found, is_of_named_folder, named_file
from migrate.analysis.resume.old_way_in import OldWayIn, old_way_in
from migrate.analysis.resume.once import runs_again
from migrate.analysis.resume.origins import Origins
from migrate.analysis.resume.own_loads import OwnLoad, is_keras_training
from migrate.analysis.resume.path_parts import is_same
from migrate.analysis.resume.saves_in_training import SavesInTraining
from migrate.analysis.resume.trained_in_loop import path_saved
from migrate.analysis.trainings import Fit, Saver, is_on_workers, library_of_ranks
from migrate.rewrite.hand_loop import HandLoopRewrite
from migrate.rewrite.resumption_hazards import folder_asked, in_samples, not_over
from migrate.rewrite.resumption_lines import loop_lines
from migrate.rules.keras.file_named import told_of
from migrate.rules.keras.noted_file import ANEW, Noted, asked_at_load, noted_at_load
from migrate.rules.keras.old_way_kept import load_named
from migrate.rules.keras.resumption import uses_backup
from migrate.rules.rule import Mend, Workbench, manual, noted


def by_hand(bench: Workbench, own: OwnLoad) -> Iterator[Mend]:
    """A loop that goes on from what it saves."""
    found = hand_loop(bench.reach, own.training)
    where = "" if own.module is bench.module else f" ({own.module.path}, line {own.load.lineno})"
    message = f"a loop goes on from a file that an earlier start saved{where}"
    if found is None:
        reason, rewrite, way = "neither a range nor a variable counts its turns", None, None
        at_load, named = Noted(), None
    else:
        way, named = _way_in(bench, found, own)
        if named is None:
            at_load = asked_at_load(bench, way)
        else:
            at_load = noted_at_load(bench, named.noted, own.training)
            way.name = way.name or at_load.name
        reason = _reason(bench, found, way, own)
        rewrite = None if reason else HandLoopRewrite(bench.reach, bench.settings, bench.vocabulary, found, way)
        reason = reason or at_load.problem or (rewrite.problem if rewrite is not None else "")
    if (found is not None and found.is_managed) or _is_managed(own):
        return  # it has what this would write
    if found is None or rewrite is None or way is None or reason:
        yield Mend(
            (
                manual(
                    own.training,
                    f"{message}, and {reason}",
                    loop_lines(bench.reach, bench.settings, bench.vocabulary, own),
                ),
            )
        )
        return
    told = "where there is no checkpoint yet, the program's own code resumes from what an old job has saved"
    if way.asked:
        told += ANEW
    elif way.name:
        told = told_of(at_load.paths, way.name)
    is_begun_anew = found.first is None or isinstance(found.first, ast.Constant)
    if is_begun_anew and (found.begun is not None or (found.counter is not None and _counts_anew(bench.module, found))):
        told += "; the loop ends at the total over all starts, where each start trained as many more"
    text = f"the loop goes on at the epoch that a CheckpointManager holds, with all models and optimizers; {told}"
    yield at_load.mend(rewrite, noted(own.training, "; ".join([text, *rewrite.notes])))


def _is_managed(own: OwnLoad) -> bool:
    """Whether what is restored before the loop is a checkpoint that a ``CheckpointManager`` of its file manages."""
    held = own.load.func.value if isinstance(own.load.func, ast.Attribute) else None
    checkpoint = Checkpoints(own.module).of(held) if name_of(own.load.func) == "restore" else None
    return checkpoint is not None and bool(checkpoint.managers)


def _way_in(bench: Workbench, found: HandLoop, own: OwnLoad) -> tuple[OldWayIn, NamedFile | None]:
    """What is loaded before the loop, at each start, and the file of it that the user names."""
    module, over = bench.module, "the loop trains what it loads"
    saves = [(saved.call, path_saved(saved.call)) for saved in found.paths if saved.module is module]
    known = next(((save, path) for save, path in saves if path is not None), None)
    saver = None
    if known is not None:
        save, path = known
        saver = Saver(save, {"filepath": path}, template(module.names, path) or "", save, is_checkpoint=False)
    calls = [saved.call for saved in found.paths if saved.module is module]
    calls += [own.load] if own.module is module else []
    calls = [own.training, *calls] if is_keras_training(own.training) else [*calls, own.training]
    receiver = next((call.func.value for call in calls if isinstance(call.func, ast.Attribute)), own.training.func)
    first = found.first
    arguments = {"initial_epoch": first} if first is not None and not isinstance(first, ast.Constant) else {}
    fit = Fit(own.training, receiver, found.loop, arguments)
    site = own.load if own.module is module else own.training
    is_elsewhere = is_of_named_folder(
        bench.reach, own.module, own.load, [(one.module, one.call) for one in found.paths]
    )
    found_anew = is_found(bench.reach, own.module, own.load) and not is_elsewhere
    given = (saver or Saver(site, {}, "", site, False), own.links, own.saves, own.is_sure or found_anew)
    way = old_way_in(bench.reach, fit, site, [] if own.links else [own.load], *given, over, found_anew)
    named_by = path_saved(own.load)
    saved = [one for save in own.saves for one in bench.reach.one(SavesInTraining).with_path(save)[1]]
    loaded = bench.reach.one(Origins).of_paths(own.module, named_by) if isinstance(named_by, ast.Constant) else []
    # The one of several numbers that the program's text names.
    is_text = not way.problem and bool(loaded) and not is_same(loaded, saved)
    named = None
    if way.named or (own.is_named and not found_anew) or is_elsewhere or is_text or _is_numbered(way):
        load = (own.module, own.load, own.links) if is_elsewhere else load_named(bench, way, own)
        named = named_file(bench.reach, fit, *load, in_folder=is_elsewhere)
        way = OldWayIn(fit, site, saver, over="the user names it", links=way.links, name=named.name)
        if not named.is_known:
            way.problem = "what names it is not seen"
    way.saver = saver
    is_users = bool(arguments) and first is not None and not is_constant(module, first)
    if is_users and first is not None and not way.problem and named is None and is_said(module, first):
        way.name = module.source.text(first)
        roots = [one for one in ast.walk(first) if isinstance(one, ast.Name)]
        if any(len(module.names.bound(one)) > 1 for one in roots):
            way.flags = []  # they settle the number
    return way, named


def _is_numbered(way: OldWayIn) -> bool:
    """Whether a part of the file's name decides on its load: ``if number: load(f"gan-{number}.h5")``."""
    given = {ast.dump(part) for link in way.links for value in link.call.args for part in ast.walk(value)}
    all_parts = [part for flag in way.flags for part in ast.walk(flag)]
    inner = {id(part.value) for part in all_parts if isinstance(part, ast.Attribute | ast.Subscript)}
    parts = (part for part in all_parts if id(part) not in inner)
    return any(isinstance(part, ast.Name | ast.Attribute) and ast.dump(part) in given for part in parts)


def _reason(bench: Workbench, found: HandLoop, way: OldWayIn, own: OwnLoad) -> str:
    """Why no recovery can be asked before the loop; "" where it can."""
    module, total = bench.module, found.begun.args[:2][-1] if found.begun is not None else None
    reason = found.problem or way.problem or in_samples(own.training) or set_by_old_file(module, total, found.first, [])
    if is_on_workers(module) or library_of_ranks(module):
        reason = "it runs in several processes"
    if uses_backup(bench):
        reason = reason or "BackupAndRestore works in one call of fit alone"
    reason = reason or runs_again(module, found.loop).replace("fit is", "the loop is")
    if not reason and bench.reach.runs_in_turns(module, found.loop):
        reason = "the function of the loop runs more than once"
    reason = reason or folder_asked(bench.reach, way)
    return reason or (not_over(module, bench.settings, way) if name_of(own.load.func) != "restore" else "")


def _counts_anew(module: Module, found: HandLoop) -> bool:
    """Whether what counts a loop begins at the same number at each start; an attribute may be given another."""
    assert found.counter is not None
    if "." not in found.counter.name:
        return True
    stores = [one for one in module.names.stores if ast.unparse(one) == found.counter.name]
    outside = [module.names.parents.get(one) for one in stores if found.loop not in module.names.ancestors(one)]
    return all(isinstance(one, ast.Assign) and isinstance(one.value, ast.Constant) for one in outside)
