"""Writing the files of programs so that, whatever happens, each program is the old one or the new one, whole.

All new texts are written beside their files first. Then the journal says what becomes of what, and only then the files
get their new texts, one renaming each. A kill before leaves temporary files, which the next run removes; a kill after
leaves the rest of the renamings, which it makes up for, or takes back where somebody has changed a file in between.
"""

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

from migrate.files import journal
from migrate.files.boundary import Boundary
from migrate.files.interrupts import defer_signals
from migrate.files.journal import JOURNAL, Journal
from migrate.files.sources import SUFFIXES, is_below
from migrate.files.trouble import NotWritten, Unwritable, trouble
from migrate.files.write import Step, digest, missing_file, stale_file, unwritable, write_aside
from migrate.findings.finding import Finding

_NOTHING_CHANGED = "Removed what a write left that was interrupted before it changed a file."
_SHOWN = 5
_RERUN = "Make room or give permission, then run the tool again."


class NewText(NamedTuple):
    """What is to be written.

    Attributes:
      data: all its new bytes; None for a file that goes.
      expected: the bytes that were read; None for a new file.
    """

    path: str
    data: bytes | None
    expected: bytes | None


class Together(NamedTuple):
    """The files of a program, which change all or not at all, and the modules that they import, which several may."""

    files: tuple[str, ...]
    modules: tuple[str, ...] = ()


@dataclass
class WriteOutcome:
    """What came of a write.

    Attributes:
      paths: the files that have their new texts.
      problems: an error for each of the others, by path.
      notes: what was done about an earlier write that was interrupted, a sentence each.
    """

    paths: set[str] = field(default_factory=set)
    problems: dict[str, Finding] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def write_together(
    texts: Iterable[NewText], programs: Sequence[Together], written: WriteOutcome, boundary: Boundary
) -> None:
    """Writes the files of programs.

    Args:
      programs: which files belong together; each text's file is in one, or a module of one.
      written: where it is told what came of it, also where Ctrl-C ends this call. Its problems stop their programs.
    """
    _Write({text.path: text for text in texts}, programs, written, boundary).run()


def settle(directory: str, boundary: Boundary) -> str:
    """Ends what a ``.migrate-journal`` in a directory says that an interrupted write began.

    Args:
      boundary: where the run may write: a write that reaches further is not ended.

    Returns:
      What was done, as a sentence; empty where there was nothing to do.
    """
    found = journal.find(boundary, directory)
    if found is None:
        return ""
    with defer_signals(), journal.journal_errors(directory):
        try:
            note = "" if found.is_ended else _NOTHING_CHANGED
            if found.plan is not None:
                note = _end_write(found, found.plan)
        except BaseException:
            found.close()
            raise
        found.end()
    return note


class _Write:
    def __init__(
        self, texts: dict[str, NewText], programs: Sequence[Together], written: WriteOutcome, boundary: Boundary
    ) -> None:
        self._texts, self._programs, self._written, self._boundary = texts, programs, written, boundary
        self._targets = {path: os.path.realpath(path) for path in texts}
        self._journal: Journal | None = None
        self._steps: dict[str, Step] = {}

    def run(self) -> None:
        try:
            self._begin()
            self._stage()
            with defer_signals():
                self._close(is_whole=self._commit())
        except BaseException:
            with defer_signals():
                self._close(is_whole=self._journal is None or self._journal.plan is None)
            raise

    def _close(self, *, is_whole: bool) -> None:
        """Removes what the write has left; where a program is between old and new, that is left to the next run."""
        ended, self._journal = self._journal, None
        if ended is not None:
            ended.end() if is_whole else ended.close()

    def _begin(self) -> None:
        directories = sorted({os.path.dirname(target) for target in self._targets.values()})
        for directory in directories:
            here = [path for path, target in self._targets.items() if os.path.dirname(target) == directory]
            self._try(here, lambda: self._enter(directory))  # noqa: B023

    def _enter(self, directory: str) -> None:
        while True:
            try:
                with defer_signals():
                    if self._journal is None:
                        self._journal = journal.begin(self._boundary, directory)
                    else:
                        self._journal.enter(directory)
                return
            except FileExistsError:
                note = settle(directory, self._boundary)
                self._written.notes += [note] if note else []

    def _stage(self) -> None:
        for program in self._programs:
            for path in (*program.modules, *program.files):
                if not self._problems_of(program) and path not in self._steps:
                    self._try([path], lambda: self._write_aside(self._texts[path]))  # noqa: B023
        for path, step in self._steps.items():
            self._try([path], step.check)

    def _write_aside(self, text: NewText) -> None:
        assert self._journal is not None
        directory = os.path.dirname(self._targets[text.path])
        number = len(self._steps)
        step = Step(
            self._boundary,
            text.path,
            self._targets[text.path],
            self._journal.temporary(directory, f"{number}-new"),
            self._journal.temporary(directory, f"{number}-old"),
            None if text.expected is None else digest(text.expected),
            None if text.data is None else digest(text.data),
        )
        if text.data is not None:
            write_aside(self._boundary, text.path, step.target, step.temporary, text.data, text.expected)
        elif os.path.islink(text.path):
            raise stale_file(text.path, "is a symbolic link, and is not removed", "Put the file itself there.")
        self._steps[text.path] = step

    def _try(self, paths: Collection[str], work: Callable[[], None]) -> None:
        """Records what fails as a problem of the files."""
        try:
            work()
        except NotWritten as problem:
            self._written.problems |= {path: replace(problem.finding, path=path) for path in paths}
        except OSError as error:
            for path in paths:
                self._written.problems[path] = unwritable(path, self._texts[path].expected, error).finding

    def _problems_of(self, program: Together) -> list[str]:
        return [path for path in (*program.modules, *program.files) if path in self._written.problems]

    def _commit(self) -> bool:
        """Changes the files; whether each program is the old one or the new one now."""
        programs = [program for program in self._programs if not self._problems_of(program)]
        stuck: list[Finding] = []
        if programs:
            assert self._journal is not None
            plan = _plan(self._journal, self._steps, programs)
            self._try([path for one in programs for path in one.files], partial(self._journal.commit, plan))
        if self._journal is not None and self._journal.plan is not None:
            self._written.paths |= _forward(self._steps, programs, self._written.problems, stuck)
        for program in self._programs:
            _blame(program, self._written.problems)
        return not stuck


def _blame(program: Together, problems: dict[str, Finding]) -> None:
    """Says of each file of a program that could not be written which other one is the cause."""
    stuck = next((path for path in (*program.modules, *program.files) if path in problems), None)
    if stuck is not None:
        for path in program.files:
            if path not in problems:
                problems[path] = trouble("FT005", path, f"is not written, because it needs {stuck}", _RERUN)


def _forward(
    steps: Mapping[str, Step], programs: Sequence[Together], problems: dict[str, Finding], stuck: list[Finding]
) -> set[str]:
    """Gives the files of the programs their new texts; those of a program that cannot have them all keep the old.

    Args:
      steps: by path; a file that is known no more has none.
      programs: which of them belong together.
      problems: gets an error for the file of each program that could not be written.
      stuck: gets an error for each file that has its new text and could not be put back.

    Returns:
      The paths of the files that have their new texts now.
    """
    done: set[str] = set()
    needed: set[str] = set()

    def put_back(paths: Iterable[str]) -> None:
        for path in paths:
            try:
                steps[path].back()
            except NotWritten as problem:
                problems[path] = problem.finding
                stuck.append(problem.finding)

    for program in programs:
        path = ""
        try:
            for path in (*program.modules, *program.files):
                if path not in steps:
                    raise missing_file(path)
                steps[path].put()
            done |= {*program.modules, *program.files}
        except NotWritten as problem:
            problems[path] = problem.finding
            between = len(stuck)
            put_back(path for path in program.files if path in steps)
            needed |= {*program.modules} if len(stuck) > between else set()
    # A module that no program has come to need is put back when all have been tried.
    put_back(sorted({path for program in programs for path in program.modules if path in steps} - done - needed))
    return done


def _plan(journal: Journal, steps: Mapping[str, Step], programs: Sequence[Together]) -> dict[str, Any]:
    """The plan as it stands in the journal: paths are relative to it, for the tree may be moved before it is read."""
    numbers = {path: number for number, path in enumerate(steps)}
    needed = {path for program in programs for path in (*program.files, *program.modules)}
    return {
        "steps": {
            numbers[path]: [
                os.path.relpath(os.path.dirname(step.target), journal.directories[0]),
                os.path.basename(step.target),
                step.old,
                step.new,
            ]
            for path, step in steps.items()
            if path in needed
        },
        "programs": [
            [[numbers[path] for path in program.files], [numbers[path] for path in program.modules]]
            for program in programs
        ],
    }


def _end_write(journal: Journal, plan: Mapping[str, Any]) -> str:
    """Ends a write that has begun to change files; what was done, as a sentence."""
    steps = {}
    for number, (place, name, old, new) in plan["steps"].items():
        directory = os.path.normpath(os.path.join(journal.directories[0], place))
        if os.path.basename(name) != name or not name.endswith(SUFFIXES) or not number.isdecimal():
            raise ValueError("no source file")
        # A directory takes part by its own word alone: no journal of a tree can name a file elsewhere.
        if journal.is_at_home_in(directory):
            target = os.path.join(directory, name)
            temporary, backup = (journal.temporary(directory, f"{number}-{kind}") for kind in ("new", "old"))
            shown = os.path.relpath(target) if is_below(target, os.path.realpath(os.curdir)) else target
            steps[number] = Step(journal.boundary, shown, target, temporary, backup, old, new)
    programs = [Together((*map(str, files),), (*map(str, modules),)) for files, modules in plan["programs"]]
    problems: dict[str, Finding] = {}
    stuck: list[Finding] = []
    done = _forward(steps, programs, problems, stuck)
    if stuck:
        one = next(iter(problems.values()))
        message = f"is between old and new since an interrupted write: {one.path} {one.message}"
        help = f"Put the files of its program back, then remove {os.path.join(journal.directories[0], JOURNAL)}."
        raise Unwritable(replace(stuck[0], message=message, help=help))
    files = {path for program in programs for path in (*program.files, *program.modules)} & steps.keys()
    ended = {"Completed": files & done, "Undid": files - done}
    words = [
        f"{verb} a write that was interrupted: {_list_paths(sorted(steps[path].path for path in paths))}."
        for verb, paths in ended.items()
        if paths
    ]
    return " ".join(words)


def _list_paths(paths: Sequence[str]) -> str:
    shown = ", ".join(paths[:_SHOWN])
    return shown if len(paths) <= _SHOWN else f"{shown} and {len(paths) - _SHOWN} more files"
