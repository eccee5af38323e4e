"""Writes the files of programs so that, whatever happens, each program is the whole old one or the whole new one.

First all new texts are written to temporary files next to their targets, then the plan to the journal, and then each
target is replaced by a rename. After a kill before the plan is written, the next run removes the temporary files. After
a later kill it completes the renames, or undoes them if somebody has changed a file in between.
"""

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from migrate.files import journal
from migrate.files.boundary import Boundary
from migrate.files.interrupts import defer_signals
from migrate.files.journal import Journal
from migrate.files.sources import JOURNAL, SUFFIXES, is_below
from migrate.files.trouble import NotWritten, Unwritable, trouble
from migrate.files.write import Step, digest, missing_file_error, stale_file_error, unwritable, write_temporary
from migrate.findings.finding import Finding
from migrate.records import dataclass, field, replace

_NOTHING_CHANGED = "Removed the files of a write that was interrupted before it changed a file."
_MAX_SHOWN = 5
_RERUN = "Make room or give permission, then run the tool again."


class NewText(NamedTuple):
    """The new text of a file.

    Attributes:
      data: all its new bytes; None to remove the file.
      expected: the bytes that were read; None for a new file.
    """

    path: str
    data: bytes | None
    expected: bytes | None


class ProgramFiles(NamedTuple):
    """The files of a program, which change all or none, and the runtime modules that it may share with others."""

    files: tuple[str, ...]
    modules: tuple[str, ...] = ()


@dataclass
class WriteOutcome:
    """The result of a write.

    Attributes:
      paths: the files that have their new texts.
      problems: path -> error, for each of the other files.
      notes: sentences about earlier interrupted writes that were completed or undone.
    """

    paths: set[str] = field(default_factory=set)
    problems: dict[str, Finding] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def write_together(
    texts: Iterable[NewText], programs: Sequence[ProgramFiles], written: WriteOutcome, boundary: Boundary
) -> None:
    """Writes the files of programs.

    Args:
      programs: the files of each program; together they have the file of every text.
      written: gets the result, also if Ctrl-C ends this call. A program with a problem in it is not written.
    """
    _Write({text.path: text for text in texts}, programs, written, boundary).run()


def settle(directory: str, boundary: Boundary) -> str:
    """Completes or undoes the interrupted write of a ``.migrate-journal`` in a directory.

    Args:
      boundary: where the run may write; a write with files outside of it is an error.

    Returns:
      A sentence on what was done; "" if there was nothing to do.
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
        self, texts: dict[str, NewText], programs: Sequence[ProgramFiles], written: WriteOutcome, boundary: Boundary
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
        """Removes the journal and temporary files if each program is whole; else the next run has to end the write."""
        ended, self._journal = self._journal, None
        if ended is not None:
            ended.end() if is_whole else ended.close()

    def _begin(self) -> None:
        found = {os.path.dirname(target) for target in self._targets.values()}
        directories = sorted(found, key=lambda one: (not os.path.isdir(one), one))  # The first has the journal.
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
                    self._try([path], lambda: self._write_temporary(self._texts[path]))  # noqa: B023
        for path, step in self._steps.items():
            self._try([path], step.check)

    def _write_temporary(self, text: NewText) -> None:
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
            write_temporary(self._boundary, text.path, step.target, step.temporary, text.data, text.expected)
        elif os.path.islink(text.path):
            raise stale_file_error(text.path, "is a symbolic link, and is not removed", "Put the file itself there.")
        self._steps[text.path] = step

    def _try(self, paths: Collection[str], work: Callable[[], None]) -> None:
        """Calls ``work``, and records an error of it as a problem of the files."""
        try:
            work()
        except NotWritten as problem:
            self._written.problems |= {path: replace(problem.finding, path=path) for path in paths}
        except OSError as error:
            for path in paths:
                self._written.problems[path] = unwritable(path, self._texts[path].expected, error).finding

    def _problems_of(self, program: ProgramFiles) -> list[str]:
        return [path for path in (*program.modules, *program.files) if path in self._written.problems]

    def _commit(self) -> bool:
        """Changes the files; returns whether each program is the whole old one or the whole new one now."""
        programs = [program for program in self._programs if not self._problems_of(program)]
        stuck: list[Finding] = []
        if programs:
            assert self._journal is not None
            plan = _plan(self._journal, self._steps, programs)
            self._try([path for one in programs for path in one.files], partial(self._journal.commit, plan))
        if self._journal is not None and self._journal.plan is not None:
            self._written.paths |= _replace_files(self._steps, programs, self._written.problems, stuck)
        for program in self._programs:
            _name_cause(program, self._written.problems)
        return not stuck


def _name_cause(program: ProgramFiles, problems: dict[str, Finding]) -> None:
    """Adds errors for the files of a program that name the first of them that could not be written, if there is one."""
    stuck = next((path for path in (*program.modules, *program.files) if path in problems), None)
    if stuck is not None:
        for path in program.files:
            if path not in problems:
                problems[path] = trouble("FT005", path, f"is not written, because it needs {stuck}", _RERUN)


def _replace_files(
    steps: Mapping[str, Step], programs: Sequence[ProgramFiles], problems: dict[str, Finding], stuck: list[Finding]
) -> set[str]:
    """Replaces the files of each program; if one file cannot be replaced, puts back the others of its program.

    Args:
      steps: path -> step; a file that does not take part any more has none.
      problems: gets an error for the file of each program that could not be replaced.
      stuck: gets an error for each replaced file that could not be put back.

    Returns:
      The paths of the files that have their new texts now.
    """
    done: set[str] = set()
    needed: set[str] = set()

    def put_back(paths: Iterable[str]) -> None:
        for path in paths:
            try:
                steps[path].put_back()
            except NotWritten as problem:
                problems[path] = problem.finding
                stuck.append(problem.finding)

    for program in programs:
        path = ""
        try:
            for path in (*program.modules, *program.files):
                if path not in steps:
                    raise missing_file_error(path)
                steps[path].put()
            done |= {*program.modules, *program.files}
        except NotWritten as problem:
            problems[path] = problem.finding
            stuck_before = len(stuck)
            put_back(path for path in program.files if path in steps)
            needed |= {*program.modules} if len(stuck) > stuck_before else set()
    # Modules that no written program needs are put back at the end.
    put_back(sorted({path for program in programs for path in program.modules if path in steps} - done - needed))
    return done


def _plan(journal: Journal, steps: Mapping[str, Step], programs: Sequence[ProgramFiles]) -> dict[str, Any]:
    """Returns the plan for the journal; its paths are relative, because the tree may be moved before it is read."""
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
    """Completes or undoes a write that has begun to change files; returns sentences on what was done."""
    steps = {}
    for number, (place, name, old, new) in plan["steps"].items():
        directory = os.path.normpath(os.path.join(journal.directories[0], place))
        if os.path.basename(name) != name or not name.endswith(SUFFIXES) or not number.isdecimal():
            raise ValueError("no source file")
        # Each directory must have its own record of this write, so that a journal cannot name files elsewhere.
        if journal.has_joined(directory):
            target = os.path.join(directory, name)
            temporary, backup = (journal.temporary(directory, f"{number}-{kind}") for kind in ("new", "old"))
            shown = os.path.relpath(target) if is_below(target, os.path.realpath(os.curdir)) else target
            steps[number] = Step(journal.boundary, shown, target, temporary, backup, old, new)
    programs = [ProgramFiles((*map(str, files),), (*map(str, modules),)) for files, modules in plan["programs"]]
    problems: dict[str, Finding] = {}
    stuck: list[Finding] = []
    done = _replace_files(steps, programs, problems, stuck)
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
    shown = ", ".join(paths[:_MAX_SHOWN])
    return shown if len(paths) <= _MAX_SHOWN else f"{shown} and {len(paths) - _MAX_SHOWN} more files"
