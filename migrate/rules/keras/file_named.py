"""A recovery beside a file that the user names, or that each start trains further."""

import ast
from collections.abc import Iterator, Sequence

from migrate.analysis.arguments import literal
from migrate.analysis.paths import template
from migrate.analysis.resume.conditions import Conditions
from migrate.analysis.resume.flags import Flags
from migrate.analysis.resume.loads_before import Link, LoadsBefore
from migrate.analysis.resume.named import NamedFile
from migrate.analysis.resume.old_way_in import CUT_SHORT, OldWayIn
from migrate.analysis.resume.origins import Origins
from migrate.analysis.resume.savers import given_files, path_known_at, saver_of, whole_known_at
from migrate.analysis.resume.stages import branch_of, trained_beside
from migrate.analysis.resume.trained_further import Further
from migrate.analysis.trainings import Saver
from migrate.rewrite.old_way_in import OldWayInRewrite
from migrate.rewrite.resumption_hazards import blocked, not_over
from migrate.rewrite.resumption_lines import further_lines, lines
from migrate.rules.keras.noted_file import noted_at_load
from migrate.rules.keras.resumption import recovered, together, uses_backup
from migrate.rules.rule import Mend, Workbench, manual, noted

_FURTHER = (
    "each start trains this file further and saves it when fit has ended, and an interruption loses all its epochs"
)


def named_by_user(bench: Workbench, found: NamedFile, message: str) -> Iterator[Mend]:
    """A recovery beside a file that the user names, which the program's own code loads."""
    fit, module = found.fit, bench.module
    site = found.load if found.module is module else fit.call
    way = OldWayIn(fit, site, saver_of(module, fit), over="the user names it", name=found.name)
    gone = module.names.statement_of(found.load) if site is found.load else None
    branch = branch_of(module, fit)
    way.stage = branch if branch > 1 else 0
    beside = {one.fit.call for one in trained_beside(module, fit) if one.is_stage}
    old = set(ast.walk(gone)) if gone is not None else set()
    reason = blocked(bench.reach, bench.settings, fit, old, is_one_way=True, beside=beside)
    if uses_backup(bench):
        reason = reason or "BackupAndRestore restores its own in any case"
    if not found.is_known:
        reason = reason or "what names it is not seen"
    if _is_own_and_partial(way, found):
        reason = reason or CUT_SHORT
    if way.saver is None and not given_files(bench.reach, fit):
        reason = reason or "no one ModelCheckpoint of this file tells where it saves"
    at_load = noted_at_load(bench, found.noted, fit.call)
    way.name = way.name or at_load.name
    other = bench.reach.one(LoadsBefore).other_program(fit.call, [found.load])
    if other is not None and not found.name:
        way.asked = at_load.name  # of the other the recovery would restore this one's training
    elif other is not None:
        reason = reason or f"{other.path} trains by it too, and names no file"
    rewrite = None if reason else together(bench, way, is_one_way=True)
    reason = reason or at_load.problem or (rewrite.problem if rewrite is not None else "")
    if rewrite is None or reason:
        yield Mend(
            (manual(site, f"{message}, and {reason}", lines(bench.reach, bench.settings, bench.vocabulary, fit)),)
        )
        return
    text = f"{recovered(bench, fit)}; {told_of([path for _, path in found.noted], found.name)}"
    yield at_load.mend(rewrite, noted(site, "; ".join([text, *rewrite.notes])))


def told_of(paths: Sequence[ast.expr], name: str) -> str:
    """What is said of a file that the user names."""
    name = ", ".join(dict.fromkeys(map(ast.unparse, paths))) or name
    return (
        f"what `{name}` names is loaded by the program's own code; a start that names nothing, or the same again,"
        " resumes from the newest checkpoint, unless another program has saved that file anew"
    )


def _is_own_and_partial(way: OldWayIn, found: NamedFile) -> bool:
    """Whether the file that is named is a part of what the training saves, in more than one file."""
    path = way.saver.path.partition("{")[0] if way.saver is not None else ""
    named = literal(found.given) if found.given is not None else None
    is_whole = path.endswith((".h5", ".hdf5", ".keras")) or (way.saver is not None and "{" in way.saver.path)
    return isinstance(named, str) and bool(path) and not is_whole and named.startswith(path)


def trained_on(bench: Workbench, one: Further) -> Mend:
    """A recovery of each start by itself: one after a start that ended trains the file further."""
    module, fit = bench.module, one.fit
    flags = Flags(module, set(module.names.ancestors(fit.call)))
    known = path_known_at(module, one.path, [fit.statement])
    spelled = {text for each in bench.reach.one(Origins).of_paths(module, one.path) for text in each.spelled}
    path = template(module.names, one.path) or max(spelled, default="").replace("{}", "⟨⟩")
    saver = Saver(one.save, {"filepath": one.path}, path, one.save, is_checkpoint=False)
    way = OldWayIn(fit, one.load, saver, over="each start loads it", links=[Link(module, one.load)])
    way.flags = list(flags.around(one.load))
    reason = blocked(
        bench.reach, bench.settings, fit, set(ast.walk(module.names.statement_of(one.load))), is_one_way=True
    )
    if uses_backup(bench):
        reason = reason or "BackupAndRestore goes on from a start that ended too"
    way.after = module.source.text(known) if known else whole_known_at(module, one.path, [fit.statement])
    if not way.after:
        reason = reason or "where it saves is not known where fit is called"
    if not path.endswith((".h5", ".hdf5", ".keras", "⟩")):
        reason = reason or CUT_SHORT
    reason = reason or not_over(bench.module, bench.settings, way)
    reason = reason or Conditions(module).undecided(one.load)
    if any(not flags.is_known_at(flag, fit.call) for flag in way.flags):
        reason = reason or "the flag that decides is not known where fit is called"
    rewrite = None if reason else OldWayInRewrite(bench.reach, bench.settings, bench.vocabulary, way)
    reason = rewrite.problem if rewrite is not None else reason
    if rewrite is None or reason:
        return Mend(
            (
                manual(
                    one.load, f"{_FURTHER}; {reason}", further_lines(bench.reach, bench.settings, bench.vocabulary, fit)
                ),
            )
        )
    text = (
        "recovered by CheckpointManager, the optimizer's state included: an interrupted start resumes after its last"
        " epoch, and one after a start that ended trains the file further, as before"
    )
    return Mend((noted(one.load, "; ".join([text, *rewrite.notes])),), tuple(rewrite.edits), rewrite.pieces)
