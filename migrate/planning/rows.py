"""The rows of a plan: one for each program, with what its migration takes and who owns it."""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from migrate.analysis.program.defined_flags import Flag
from migrate.analysis.program.needs import VARIABLE
from migrate.analysis.program.tree import Tree
from migrate.edits.file_change import FileChange
from migrate.files.matching import opcodes
from migrate.files.old_tree import OldTree
from migrate.files.patterns import is_matched
from migrate.files.read import regular_bytes
from migrate.files.repository import repository
from migrate.files.sources import NOTEBOOK
from migrate.findings.finding import Fidelity, Finding
from migrate.findings.invocation import program
from migrate.findings.printable import printable
from migrate.judging.judgement import JudgedProgram
from migrate.pipeline.outcome import Outcome
from migrate.planning.command_flags import arguments, directory_flag, flags_of, is_in_package
from migrate.planning.directories import Directory, Origin, directories, length_flag
from migrate.planning.entry_points import entry_points, files_run_by_import, modules_of_program
from migrate.planning.needs import first_tensorflow_1_use, needs
from migrate.settings import Settings

READY, NEEDS, PARTLY, BLOCKED = "ready", "needs", "partly", "blocked"
WHOLE = (READY, NEEDS)
"""Every site is rewritten: of a program that starts on each line, and of one that needs something for it."""
_KINDS = {"FT2": "Keras", "FT3": "session", "FT4": "distribution", "FT5": "hazard"}
"""What a file without an estimator holds, by the group of a rule."""
_TARGETS = {"portable": "TensorFlow 2.15 and later", "keras2": "Keras 2", "keras3": "Keras 3"}
_WITH_MODEL_FN = ("model_fn", "TPU", "other")
_WITH_NEEDS = "TensorFlow 2.15 or later, with what it needs"


@dataclass(frozen=True)
class Reason:
    """Why a program is skipped."""

    code: str
    place: str
    message: str
    next_step: str

    @property
    def words(self) -> str:
        """The message with its rule and place."""
        return f"{self.message} ({self.code}, {self.place})"


@dataclass(frozen=True)
class Commands:
    """What to run for one entry point after the migration.

    Attributes:
      first: what to do before; empty for nothing.
      verify: the command that compares the old and the new program; empty where there is none.
      old: the TensorFlow that OLD has in it.
    """

    entry_point: str
    first: str = ""
    verify: str = ""
    old: str = ""


@dataclass(frozen=True)
class ProgramRow:
    """A program: files that are migrated together or not at all.

    Attributes:
      entry_points: the files that it is started by.
      kinds: ``premade``, ``model_fn``, ``TPU``, ``Keras``, ``exports`` that it reads, or what else stands there.
      forms: how it would train, by an ``object`` with the Estimator's methods; ``reader`` where it reads exports alone,
        ``names`` where it gets other names for the same classes.
      target: where the output runs; empty where it is skipped.
      status: ``ready``; ``needs`` where it starts with what ``needs`` tells, every site is rewritten; ``partly`` where
        some of its sites are skipped; or ``blocked``.
      blocked_by: the one reason; None where every site is rewritten.
      sites: how often each symbol stands in each file.
      added: lines that come into the user's files, generated ones aside.
      removed: lines that go from them.
      generated: lines of runtime files that are copied beside it; programs may share them.
      needs: what it needs at run time beside TensorFlow.
    """

    entry_points: tuple[str, ...]
    files: tuple[str, ...]
    kinds: tuple[str, ...]
    forms: tuple[str, ...]
    target: str
    status: str
    blocked_by: Reason | None
    sites: Mapping[str, Mapping[str, int]]
    rewritten: int
    skipped: int
    added: int = 0
    removed: int = 0
    generated: int = 0
    needs: tuple[str, ...] = ()
    commands: tuple[Commands, ...] = ()
    owners: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Its first entry point, and how many more it has."""
        more = f" (and {len(self.entry_points) - 1} more)" if len(self.entry_points) > 1 else ""
        return printable(f"{self.entry_points[0]}{more}", keep="")

    @property
    def becomes(self) -> str:
        """What it becomes, in words; empty where it is skipped."""
        forms = " or ".join(_FORMS[form] for form in self.forms)
        return forms or ("" if self.status == BLOCKED else "the same program")


_FORMS = {
    "object": "an object with the Estimator's methods",
    "reader": "a reader of the same exports",
    "names": "the same classes by the names that TensorFlow 2 has",
}


@dataclass
class _JoinedPrograms:
    files: dict[str, None] = field(default_factory=dict)
    programs: list[JudgedProgram] = field(default_factory=list)


def rows(outcome: Outcome, settings: Settings) -> list[ProgramRow]:
    """The rows of a run, in the order of their entry points."""
    findings: dict[str, list[Finding]] = {}
    for finding in outcome.findings:
        if not finding.error:
            findings.setdefault(finding.path, []).append(finding)
    changes = {change.path: change for change in outcome.changes}
    tree, old = Tree(), OldTree({*findings, *changes}, outcome.paths)
    made = [_row(one, findings, changes, settings, tree, old) for one in _join_programs(outcome, findings)]
    return sorted(made, key=lambda row: row.entry_points)


def needs_of_programs(outcome: Outcome) -> dict[str, tuple[str, ...]]:
    """Returns what the changed programs need beside TensorFlow, by their first entry points."""
    findings: dict[str, list[Finding]] = {}
    for finding in outcome.findings:
        if finding.rewritten:
            findings.setdefault(finding.path, []).append(finding)
    changes, tree = {change.path: change for change in outcome.changes}, Tree()
    found = {}
    for one in _join_programs(outcome, findings):
        files = [path for path in one.files if path in findings or path in changes]
        starts = entry_points(files, tree)
        found[starts[0]] = _needs(one, starts, files, changes, tree)
    return {start: needed for start, needed in sorted(found.items()) if needed}


def _needs(
    one: _JoinedPrograms, starts: Sequence[str], files: Sequence[str], changes: Mapping[str, FileChange], tree: Tree
) -> tuple[str, ...]:
    in_graphs = any(kind in _WITH_MODEL_FN for program in one.programs for kind in program.kinds)
    return needs((*starts, *files), in_graphs, changes, tree)


def _join_programs(outcome: Outcome, findings: Mapping[str, list[Finding]]) -> list[_JoinedPrograms]:
    """The programs that change together, and the files whose findings belong to none."""
    together = [(one.files, [one]) for one in outcome.programs]
    together += [(change.together, []) for change in outcome.changes if change.together]
    together += [((path,), []) for path in findings]
    of: dict[str, _JoinedPrograms] = {}
    for files, programs in together:
        one = _JoinedPrograms()
        for other in {id(of[path]): of[path] for path in files if path in of}.values():
            one.files |= other.files
            one.programs += other.programs
        one.files |= dict.fromkeys(files)
        one.programs += programs
        of |= dict.fromkeys(one.files, one)
    groups = {id(one): one for one in of.values()}.values()
    return [group for group in groups if any(path in findings for path in group.files)]


def _row(
    one: _JoinedPrograms,
    found: Mapping[str, list[Finding]],
    changes: Mapping[str, FileChange],
    settings: Settings,
    tree: Tree,
    old: OldTree,
) -> ProgramRow:
    files = [path for path in one.files if path in found or path in changes]
    findings = [finding for path in files for finding in found.get(path, [])]
    rewritten = sum(finding.rewritten for finding in findings)
    blocked_by = _reason(one.programs, findings)
    changed = [changes[path] for path in files if path in changes]
    modules = {path for change in changed for path in change.needs}
    lines = [_lines(change) for change in changed if change.path not in modules]
    starts = entry_points(files, tree)
    forms = dict.fromkeys(program.form for program in one.programs if program.cause is None)
    kinds = _kinds(one.programs, findings)
    needed = _needs(one, starts, files, changes, tree) if rewritten else ()
    target = _WITH_NEEDS if needed and settings.target == "portable" else _TARGETS[settings.target]
    whole = NEEDS if needed else READY
    is_whole = all(finding.rewritten or finding.fidelity is Fidelity.NOTED for finding in findings)
    status = whole if is_whole else PARTLY if rewritten else BLOCKED
    return ProgramRow(
        entry_points=starts,
        files=tuple(files),
        kinds=kinds,
        forms=tuple(forms) if status != BLOCKED else (),
        target="" if status == BLOCKED else target,
        status=status,
        blocked_by=blocked_by if status not in WHOLE else None,
        sites={path: dict(Counter(finding.symbol for finding in found[path])) for path in files if path in found},
        rewritten=rewritten,
        skipped=len(findings) - rewritten,
        added=sum(added for added, _ in lines),
        removed=sum(removed for _, removed in lines),
        generated=sum(_lines(changes[path])[0] for path in sorted(modules) if path in changes),
        needs=needed,
        commands=tuple(_commands(start, one, forms, needed, tree, kinds, old) for start in starts)
        if status in WHOLE
        else (),
        owners=tuple(dict.fromkeys(owner for start in starts for owner in owners(start))),
    )


def _kinds(programs: Sequence[JudgedProgram], findings: Sequence[Finding]) -> tuple[str, ...]:
    kinds = [kind for one in programs for kind in one.kinds]
    return tuple(dict.fromkeys(kinds)) or tuple(dict.fromkeys(_KINDS.get(one.code[:3], "other") for one in findings))


def _reason(programs: Sequence[JudgedProgram], findings: Sequence[Finding]) -> Reason | None:
    """The reason behind the first program that is skipped, else behind the first site that is."""
    causes = [one.cause for one in programs if one.cause is not None]
    causes += [one.cause for one in findings if one.cause is not None]
    told = [
        finding
        for cause in causes
        for finding in findings
        if (finding.code, finding.path, finding.span) == (cause.code, cause.path, cause.span)
    ]
    told += [finding for finding in findings if finding.is_own_reason]
    told += [finding for finding in findings if not finding.rewritten]
    if not told:
        return None
    first = told[0]
    return Reason(first.code, first.place, first.message, first.help or f"{program()} explain {first.code}")


def _lines(change: FileChange) -> tuple[int, int]:
    """How many lines a change adds and removes."""
    parts = [one for one in opcodes((change.before or "").splitlines(), change.after.splitlines()) if one[0] != "equal"]
    return sum(end - start for *_, start, end in parts), sum(end - start for _, start, end, *_ in parts)


def _commands(
    start: str,
    one: _JoinedPrograms,
    forms: Mapping[str, None],
    needed: Sequence[str],
    tree: Tree,
    kinds: Sequence[str],
    old: OldTree,
) -> Commands:
    if {*forms} <= {"reader", "names"} and forms:
        return Commands(start)  # there is no training to interrupt
    if start.endswith(NOTEBOOK):
        return Commands(start, "Run the notebook from its first cell to its last, before and after, and compare")
    flags = flags_of(dict.fromkeys([start, *one.files, *files_run_by_import(start, tree)]))
    found = directories(start, tree)
    first, in_own, given = _directory_options(start, one, flags, found, length_flag(start, flags, tree))
    options = [
        *(["-m"] if is_in_package(start) else []),
        *(["--own-cwd"] if in_own else []),
        *([given] if given else []),
        *([f"--new-env {VARIABLE}"] if any(VARIABLE in need for need in needed) else []),
    ]
    # Without a directory of its own the program would train in the real one.
    verify = (
        f"{program()} verify {old.path(start)} {start} --old-python OLD --new-python NEW {' '.join(options)}".rstrip()
    )
    if not one.programs and {*kinds} == {
        _KINDS["FT2"]
    }:  # the old one repeats epochs, or begins anew: both resuming alike is not wanted
        verify = f"{program()} verify {start} --new-python NEW {' '.join(options)}".rstrip()
        return Commands(start, first, "" if first else verify)
    compared = ("", "") if first else (verify, _old(start, tree))
    return Commands(start, first, *compared)


def _old(start: str, tree: Tree) -> str:
    """What OLD has to have, with the place that says so."""
    place = first_tensorflow_1_use(modules_of_program(start, tree))
    return f"TensorFlow 1.15 on Python 3.7 ({place})" if place else "TensorFlow 2.15 or earlier"


def _directory_options(
    start: str, one: _JoinedPrograms, flags: Sequence[Flag], found: Sequence[Directory], length: Flag | None = None
) -> tuple[str, bool, str]:
    """How a program gets a directory of its own.

    Returns:
      What to do first, "" for nothing; whether it has to be started in that directory; and its arguments.
    """
    known = {flag.spelled: flag for flag in flags}
    seen = next((known[each.name] for each in found if each.origin is Origin.FLAG and each.name in known), None)
    variable = next((each.name for each in found if each.origin is Origin.ENVIRONMENT), "")
    if seen is None and variable:
        return "", False, " ".join(filter(None, [f"--env {variable}={{model_dir}}", arguments(flags, None, length)]))
    written = [text for program in one.programs for text in program.directories]
    is_unseen = not found or any(each.origin is Origin.UNKNOWN for each in found)
    directory = seen or (directory_flag(flags, written) if is_unseen else None)
    if directory is not None:
        return "", False, arguments(flags, directory, length)
    fixed = [each for each in found if each.origin is Origin.TEMPORARY or each.is_absolute]
    if not fixed:
        return "", True, arguments(flags, None, length)
    first = f"Give {start} a flag for its model_dir" + (f", which is {fixed[0].name}" if fixed[0].name else "")
    return first, False, arguments(flags, None, length)


_PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")
"""Where GitHub looks for the file, in its order."""


def owners(path: str) -> tuple[str, ...]:
    """The owners of a file; none where its repository names none."""
    absolute = os.path.realpath(path)
    root = repository(os.path.dirname(absolute))
    rules = _rules(root) if root is not None else ()
    # The last line that matches wins.
    return next((named for pattern, named in reversed(rules) if root and is_matched(pattern, root, absolute)), ())


@cache
def _rules(root: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    for place in _PLACES:
        try:
            text = regular_bytes(os.path.join(root, place)).decode(errors="replace")
        except OSError:
            continue
        lines = [line.partition(" #")[0].split() for line in text.split("\n") if not line.startswith(("#", "["))]
        # The patterns are git's, but for negation.
        return tuple((words[0], tuple(words[1:])) for words in lines if words)
    return ()
