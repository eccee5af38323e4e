"""The rows of a plan: one for each program, with its changes, needs, commands and owners."""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache

from migrate.analysis.program.defined_flags import Flag
from migrate.analysis.program.needs import VARIABLE
from migrate.analysis.program.tree import Tree
from migrate.edits.file_change import FileChange
from migrate.files.matching import opcodes
from migrate.files.old_tree import OldTree
from migrate.files.patterns import matches_pattern
from migrate.files.read import regular_bytes
from migrate.files.repository import repository
from migrate.files.sources import NOTEBOOK
from migrate.findings.finding import Fidelity, Finding
from migrate.findings.invocation import program
from migrate.findings.printable import printable
from migrate.judging.judgement import JudgedProgram
from migrate.pipeline.outcome import Outcome
from migrate.planning.command_flags import directory_flag, flags_of, is_in_package, verify_options
from migrate.planning.directories import Directory, Origin, directories, length_flag
from migrate.planning.entry_points import entry_points, files_run_by_import, modules_of_program
from migrate.planning.needs import first_tensorflow_1_use, needs
from migrate.records import dataclass, field
from migrate.settings import Settings

READY, NEEDS, PARTLY, BLOCKED = "ready", "needs", "partly", "blocked"
WHOLE = (READY, NEEDS)
"""Every site is rewritten; the program runs as it is, or first needs packages or settings."""
_KINDS = {"FT2": "Keras", "FT3": "session", "FT4": "distribution", "FT5": "hazard"}
"""The kinds of programs without an estimator, by the group of the rule that found a site."""
_TARGETS = {"portable": "TensorFlow 2.15 and later", "keras2": "Keras 2", "keras3": "Keras 3"}
_WITH_MODEL_FN = ("model_fn", "TPU", "other")
_TARGET_WITH_NEEDS = "TensorFlow 2.15 or later, with what it needs"


@dataclass(frozen=True)
class Reason:
    """Why a program is skipped."""

    code: str
    place: str
    message: str
    next_step: str

    @property
    def words(self) -> str:
        """The message, with the rule and place in parentheses."""
        return f"{self.message} ({self.code}, {self.place})"


@dataclass(frozen=True)
class Commands:
    """What to run for one entry point after the migration.

    Attributes:
      first: what to do before that, as a sentence; "" for nothing.
      verify: the command that compares the old and the new program; "" where there is none.
      old: the TensorFlow version that OLD must have.
    """

    entry_point: str
    first: str = ""
    verify: str = ""
    old: str = ""


@dataclass(frozen=True)
class ProgramRow:
    """A program: files that are migrated together or not at all.

    Attributes:
      entry_points: the files to start it by.
      kinds: ``premade``, ``model_fn``, ``TPU``, ``Keras``, ``exports`` that it reads, or another kind of site.
      forms: ``object`` where it will train by an object with the Estimator's methods; ``reader`` where it only reads
        exports; ``names`` where it gets other names for the same classes.
      target: the TensorFlow that the output runs on; "" where it is skipped.
      status: ``ready`` where every site is rewritten; ``needs`` where it then also needs what ``needs`` lists;
        ``partly`` where some of its sites are skipped; or ``blocked``.
      blocked_by: the first reason for a skipped site; None where every site is rewritten.
      sites: the number of each symbol in each file.
      added: the number of lines added to the user's files, without generated files.
      removed: the number of lines removed from them.
      generated: the number of lines of the runtime files that it imports; programs may share them.
      needs: what it needs at run time in addition to TensorFlow.
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
        """Its first entry point, and the number of others."""
        more = f" (and {len(self.entry_points) - 1} more)" if len(self.entry_points) > 1 else ""
        return printable(f"{self.entry_points[0]}{more}", keep="")

    @property
    def becomes(self) -> str:
        """What it becomes, in words; "" where it is skipped."""
        forms = " or ".join(_FORMS[form] for form in self.forms)
        return forms or ("" if self.status == BLOCKED else "the same program")


_FORMS = {
    "object": "an object with the Estimator's methods",
    "reader": "a reader of the same exports",
    "names": "the same classes by the names that TensorFlow 2 has",
}


@dataclass
class _ProgramGroup:
    files: dict[str, None] = field(default_factory=dict)
    programs: list[JudgedProgram] = field(default_factory=list)


def rows(outcome: Outcome, settings: Settings) -> list[ProgramRow]:
    """Returns the rows of a run, sorted by their entry points."""
    findings: dict[str, list[Finding]] = {}
    for finding in outcome.findings:
        if not finding.error:
            findings.setdefault(finding.path, []).append(finding)
    changes = {change.path: change for change in outcome.changes}
    tree, old = Tree(), OldTree({*findings, *changes}, outcome.paths)
    rows_of_programs = [_row(one, findings, changes, settings, tree, old) for one in _group_programs(outcome, findings)]
    return sorted(rows_of_programs, key=lambda row: row.entry_points)


def needs_of_programs(outcome: Outcome) -> dict[str, tuple[str, ...]]:
    """Returns what the changed programs need in addition to TensorFlow, by their first entry points."""
    findings: dict[str, list[Finding]] = {}
    for finding in outcome.findings:
        if finding.rewritten:
            findings.setdefault(finding.path, []).append(finding)
    changes, tree = {change.path: change for change in outcome.changes}, Tree()
    found = {}
    for one in _group_programs(outcome, findings):
        files = [path for path in one.files if path in findings or path in changes]
        starts = entry_points(files, tree)
        found[starts[0]] = _needs(one, starts, files, changes, tree)
    return {start: needed for start, needed in sorted(found.items()) if needed}


def _needs(
    group: _ProgramGroup, starts: Sequence[str], files: Sequence[str], changes: Mapping[str, FileChange], tree: Tree
) -> tuple[str, ...]:
    in_graphs = any(kind in _WITH_MODEL_FN for program in group.programs for kind in program.kinds)
    return needs((*starts, *files), in_graphs, changes, tree)


def _group_programs(outcome: Outcome, findings: Mapping[str, list[Finding]]) -> list[_ProgramGroup]:
    """Returns groups of programs that share files, and each other file with findings as a group."""
    together = [(one.files, [one]) for one in outcome.programs]
    together += [(change.together, []) for change in outcome.changes if change.together]
    together += [((path,), []) for path in findings]
    of: dict[str, _ProgramGroup] = {}
    for files, programs in together:
        one = _ProgramGroup()
        for other in {id(of[path]): of[path] for path in files if path in of}.values():
            one.files |= other.files
            one.programs += other.programs
        one.files |= dict.fromkeys(files)
        one.programs += programs
        of |= dict.fromkeys(one.files, one)
    groups = {id(one): one for one in of.values()}.values()
    return [group for group in groups if any(path in findings for path in group.files)]


def _row(
    group: _ProgramGroup,
    found: Mapping[str, list[Finding]],
    changes: Mapping[str, FileChange],
    settings: Settings,
    tree: Tree,
    old: OldTree,
) -> ProgramRow:
    files = [path for path in group.files if path in found or path in changes]
    findings = [finding for path in files for finding in found.get(path, [])]
    rewritten = sum(finding.rewritten for finding in findings)
    blocked_by = _reason(group.programs, findings)
    changed = [changes[path] for path in files if path in changes]
    modules = {path for change in changed for path in change.needs}
    lines = [_count_lines(change) for change in changed if change.path not in modules]
    starts = entry_points(files, tree)
    forms = dict.fromkeys(program.form for program in group.programs if program.cause is None)
    kinds = [kind for one in group.programs for kind in one.kinds]
    kinds = [*dict.fromkeys(kinds or (_KINDS.get(one.code[:3], "other") for one in findings))]
    needed = _needs(group, starts, files, changes, tree) if rewritten else ()
    target = _TARGET_WITH_NEEDS if needed and settings.target == "portable" else _TARGETS[settings.target]
    whole = NEEDS if needed else READY
    is_whole = all(finding.rewritten or finding.fidelity is Fidelity.NOTED for finding in findings)
    status = whole if is_whole else PARTLY if rewritten else BLOCKED
    return ProgramRow(
        entry_points=starts,
        files=tuple(files),
        kinds=tuple(kinds),
        forms=tuple(forms) if status != BLOCKED else (),
        target="" if status == BLOCKED else target,
        status=status,
        blocked_by=blocked_by if status not in WHOLE else None,
        sites={path: dict(Counter(finding.symbol for finding in found[path])) for path in files if path in found},
        rewritten=rewritten,
        skipped=len(findings) - rewritten,
        added=sum(added for added, _ in lines),
        removed=sum(removed for _, removed in lines),
        generated=sum(_count_lines(changes[path])[0] for path in sorted(modules) if path in changes),
        needs=needed,
        commands=tuple(_commands(start, group, forms, needed, tree, kinds, old) for start in starts if status in WHOLE),
        owners=tuple(dict.fromkeys(owner for start in starts for owner in owners(start))),
    )


def _reason(programs: Sequence[JudgedProgram], findings: Sequence[Finding]) -> Reason | None:
    """Returns why the first skipped program is skipped, else the first skipped site; None where none is."""
    causes = [one.cause for one in programs if one.cause is not None]
    causes += [one.cause for one in findings if one.cause is not None]
    explaining = [
        finding
        for cause in causes
        for finding in findings
        if (finding.code, finding.path, finding.span) == (cause.code, cause.path, cause.span)
    ]
    explaining += [finding for finding in findings if finding.is_own_reason]
    explaining += [finding for finding in findings if not finding.rewritten]
    if not explaining:
        return None
    first = explaining[0]
    return Reason(first.code, first.place, first.message, first.help or f"{program()} explain {first.code}")


def _count_lines(change: FileChange) -> tuple[int, int]:
    """Returns the numbers of lines that a change adds and removes."""
    parts = [one for one in opcodes((change.before or "").splitlines(), change.after.splitlines()) if one[0] != "equal"]
    return sum(end - start for *_, start, end in parts), sum(end - start for _, start, end, *_ in parts)


def _commands(
    start: str,
    group: _ProgramGroup,
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
    flags = flags_of(dict.fromkeys([start, *group.files, *files_run_by_import(start, tree)]))
    found = directories(start, tree)
    first, in_directory, given = _directory_options(start, group, flags, found, length_flag(start, flags, tree))
    options = [
        *(["-m"] if is_in_package(start) else []),
        *(["--own-cwd"] if in_directory else []),
        *([given] if given else []),
        *([f"--new-env {VARIABLE}"] if any(VARIABLE in need for need in needed) else []),
    ]
    if first:  # the program would train in the user's model_dir, as long as it has no own one for the comparison
        return Commands(start, first)
    if not group.programs and {*kinds} == {_KINDS["FT2"]}:  # the old program repeats epochs or starts over
        return Commands(start, verify=" ".join([program(), "verify", start, "--new-python NEW", *options]))
    compared = [program(), "verify", old.path(start), start, "--old-python OLD --new-python NEW", *options]
    place = first_tensorflow_1_use(modules_of_program(start, tree))
    needed = f"TensorFlow 1.15 on Python 3.7 ({place})" if place else "TensorFlow 2.15 or earlier"
    return Commands(start, verify=" ".join(compared), old=needed)


def _directory_options(
    start: str, group: _ProgramGroup, flags: Sequence[Flag], found: Sequence[Directory], length: Flag | None = None
) -> tuple[str, bool, str]:
    """Finds how to make a program save into a given directory.

    Returns:
      What the user must do first, "" for nothing; whether to start it in that directory; the options of ``verify``.
    """
    known = {flag.spelling: flag for flag in flags}
    seen = next((known[each.name] for each in found if each.origin is Origin.FLAG and each.name in known), None)
    variable = next((each.name for each in found if each.origin is Origin.ENVIRONMENT), "")
    if seen is None and variable:
        options = [f"--env {variable}={{model_dir}}", verify_options(flags, None, length)]
        return "", False, " ".join(filter(None, options))
    written = [text for program in group.programs for text in program.directories]
    is_unseen = not found or any(each.origin is Origin.UNKNOWN for each in found)
    directory = seen or (directory_flag(flags, written) if is_unseen else None)
    if directory is not None:
        return "", False, verify_options(flags, directory, length)
    fixed = [each for each in found if each.origin is Origin.TEMPORARY or each.is_absolute]
    if not fixed:
        return "", True, verify_options(flags, None, length)
    first = f"Give {start} a flag for its model_dir" + (f", which is {fixed[0].name}" if fixed[0].name else "")
    return first, False, verify_options(flags, None, length)


_PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")
"""The places where GitHub looks for the file, in its order."""


def owners(path: str) -> tuple[str, ...]:
    """Returns the owners of a file by CODEOWNERS; empty where it has none."""
    absolute = os.path.realpath(path)
    root = repository(os.path.dirname(absolute))
    rules = _code_owners(root) if root is not None else ()
    # The last line that matches wins.
    return next((named for pattern, named in reversed(rules) if root and matches_pattern(pattern, root, absolute)), ())


@cache
def _code_owners(root: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    for place in _PLACES:
        try:
            text = regular_bytes(os.path.join(root, place)).decode(errors="replace")
        except OSError:
            continue
        lines = [line.partition(" #")[0].split() for line in text.split("\n") if not line.startswith(("#", "["))]
        # The patterns are those of git, without negation.
        return tuple((words[0], tuple(words[1:])) for words in lines if words)
    return ()
