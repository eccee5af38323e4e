"""Finds the Python files and notebooks to read below the paths that the user named."""

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from migrate.files.boundary import Boundary
from migrate.files.patterns import Patterns
from migrate.files.read import file_type_error, unreadable_finding
from migrate.files.repository import ignored_below, repository
from migrate.files.sources import JOURNAL, SUFFIXES, is_below
from migrate.files.trouble import NotWritten
from migrate.findings.finding import Finding

_Result = TypeVar("_Result")

SKIPPED_DIRECTORIES = frozenset(
    {
        *(".eggs", ".git", ".hg", ".ipynb_checkpoints", ".mypy_cache", ".nox", ".pytest_cache", ".ruff_cache"),
        *(".svn", ".tox", ".venv", "__pycache__", "__pypackages__", "node_modules", "site-packages"),
    }
)
"""``.ipynb_checkpoints`` has Jupyter's own copies of notebooks, ``__pycache__`` no source."""
EDITOR_LOCK = ".#"
"""Emacs marks an unsaved ``a.py`` by ``.#a.py``, a symbolic link to nothing."""


class FilesSettled(Exception):
    """An interrupted write was found and completed or undone: files that were read before may have changed."""

    def __init__(self, note: str) -> None:
        super().__init__(note)
        self.note = note


def run_on_settled_files(work: Callable[[], _Result]) -> tuple[_Result, list[str]]:
    """Calls ``work``, which reads files, again after each FilesSettled; returns its result and the notes of these."""
    notes: list[str] = []
    while True:
        try:
            return work(), notes
        except FilesSettled as one:
            notes += [one.note] if one.note else []


def walk(
    paths: Sequence[str], exclude: Patterns | None = None, *, boundary: Boundary | None = None
) -> Iterator[str | Finding]:
    """Yields every Python file and notebook to read once, and an error for each path that cannot be read.

    Args:
      paths: files and directories, read in this order; below each directory, files come sorted by path. A named path is
        read even if git ignores it, and only in its own turn, not as part of a directory above it.
      exclude: what else is not read below a directory.
      boundary: where the run may write. An interrupted write in a directory is ended before anything there is read;
        with None it is not changed, and yielded as an error.

    Raises:
      FilesSettled: an interrupted write was ended, and files that were read before may have changed.

    Yields:
      The path of a file, spelled from the argument but without ``./``, or the finding FT001. Below a directory these
      are left out: what git ignores and does not track, virtual environments, ``SKIPPED_DIRECTORIES``, directories
      behind symbolic links, and links to files that are read below one of the directories anyway.
    """
    walked = _Walk(exclude, boundary)
    arguments = list(walked.arguments(paths))
    for argument in arguments:
        if isinstance(argument, _Directory):
            yield from walked.below(argument)
        else:
            yield argument


def leads_outside(path: str, paths: Sequence[str]) -> bool:
    """Whether a file that was found is a symbolic link out of all the paths that the user named."""
    if path in paths or not os.path.islink(path):
        return False
    target = os.path.realpath(path)
    return not any(is_below(target, root) for root in map(os.path.realpath, paths))


def imported_below(path: str, paths: Sequence[str], exclude: Patterns | None) -> str | None:
    """Returns the path of an imported file below the named directory that contains it; None if none does.

    It is read even if git ignores it, because it is part of a program.
    """
    for top in paths:
        above = os.path.abspath(top)
        if not is_below(path, above) or not os.path.isdir(top):
            continue
        name = os.path.relpath(path, above)
        folders = [os.path.join(above, *name.split(os.sep)[:end]) for end in range(1, name.count(os.sep) + 1)]
        if not any(map(is_never_read, folders)) and (exclude is None or not exclude.match(os.path.realpath(path))):
            return _strip_current_directory(os.path.join(top, name))
    return None


def _strip_current_directory(path: str) -> str:
    """Returns a path without ``./``, as imported and planned paths are spelled."""
    return path.removeprefix(os.path.join(os.curdir, ""))


def is_never_read(directory: str) -> bool:
    """Whether a directory below a given one is skipped: a virtual environment, a link or a skipped name."""
    is_environment = os.path.lexists(os.path.join(directory, "pyvenv.cfg"))
    return is_environment or os.path.basename(directory) in SKIPPED_DIRECTORIES or os.path.islink(directory)


class _Directory(NamedTuple):
    spelled: str
    real: str


class _Walk:
    def __init__(self, exclude: Patterns | None, boundary: Boundary | None) -> None:
        self._exclude = exclude
        self._ignored: set[str] = set()
        self._boundary = boundary
        self._settled: set[str] = set()
        self._reported: set[Finding] = set()
        self._roots: set[str] = set()
        self._named_files: set[str] = set()
        self._linked_files: set[str] = set()

    def arguments(self, paths: Sequence[str]) -> Iterator[str | Finding | _Directory]:
        """Yields each named path once, as a file, a directory or an error, and remembers what is named."""
        for path in dict.fromkeys(paths):
            try:
                mode = os.stat(path).st_mode
                real = os.path.realpath(path)
            except (OSError, ValueError) as error:
                yield unreadable_finding(path, error)
                continue
            if real in self._roots or real in self._named_files:
                continue
            if stat.S_ISDIR(mode):
                self._roots.add(real)
                yield _Directory(path, real)
            else:
                self._named_files.add(real)
                yield from self._settle(os.path.dirname(real))
                yield file_type_error(path, mode) or path

    def below(self, top: _Directory) -> Iterator[str | Finding]:
        if repository(top.real) is not None:
            self._ignored |= ignored_below(top.real)
        # A tree may be deeper than Python's recursion limit.
        stack = [iter(self._entries(top, is_top=True))]
        while stack:
            entry = next(stack[-1], None)
            if entry is None:
                stack.pop()
            elif isinstance(entry, _Directory):
                stack.append(iter(self._entries(entry)))
            else:
                yield entry

    def _entries(self, directory: _Directory, is_top: bool = False) -> list[str | Finding | _Directory]:
        try:
            with os.scandir(directory.spelled) as scan:
                found = [entry for entry in scan if _is_relevant(entry)]
        except OSError as error:
            return [unreadable_finding(directory.spelled, error)]
        names = {entry.name for entry in found}
        if "pyvenv.cfg" in names and not is_top:
            return []
        trouble = [*self._settle(directory.real)] if JOURNAL in names else []
        if ".git" in names and not is_top:
            self._ignored |= ignored_below(directory.real)
        # With a slash after the names of directories, the order is that of whole paths.
        by_path = sorted((entry.name + "/" * entry.is_dir(follow_symlinks=False), entry) for entry in found)
        chosen: list[str | Finding | _Directory] = [*trouble]
        for name, entry in by_path:
            real, is_directory = os.path.join(directory.real, entry.name), name.endswith("/")
            if is_directory and (entry.name in SKIPPED_DIRECTORIES or real in self._roots):
                continue
            if not is_directory and not name.endswith(SUFFIXES):
                continue
            if real in self._ignored or (self._exclude is not None and self._exclude.match(real, is_directory)):
                continue
            if is_directory:
                chosen.append(_Directory(_strip_current_directory(entry.path), real))
            else:
                chosen.extend(self._visit_file(entry, _strip_current_directory(entry.path), real))
        return chosen

    def _settle(self, directory: str) -> Iterator[Finding]:
        """Ends an interrupted write in a directory, or yields an error that says why it is not ended."""
        if directory in self._settled or not os.path.lexists(os.path.join(directory, JOURNAL)):
            return
        from migrate.files.journal import unfinished_write
        from migrate.files.transaction import settle

        self._settled.add(directory)
        try:
            if self._boundary is not None:
                raise FilesSettled(settle(directory, self._boundary))
            problem = unfinished_write(directory)
        except NotWritten as trouble:
            problem = trouble.finding
        if problem is not None and problem not in self._reported:  # several directories lead to the same journal
            self._reported.add(problem)
            yield problem

    def _visit_file(self, entry: os.DirEntry[str], path: str, real: str) -> Iterator[str | Finding]:
        if entry.is_file(follow_symlinks=False):
            if real not in self._named_files:
                yield path
            return
        try:
            mode = entry.stat().st_mode
        except OSError as error:
            yield unreadable_finding(path, error)
            return
        if entry.is_dir() or (entry.is_symlink() and self._is_read_elsewhere(os.path.realpath(entry.path))):
            return
        yield file_type_error(path, mode) or path

    def _is_read_elsewhere(self, target: str) -> bool:
        if target in self._named_files or target in self._linked_files:
            return True
        self._linked_files.add(target)
        return target.endswith(SUFFIXES) and any(target.startswith(os.path.join(root, "")) for root in self._roots)


def _is_relevant(entry: os.DirEntry[str]) -> bool:
    """Whether an entry may be read, or decides which others are."""
    name = entry.name
    if name.endswith(SUFFIXES):
        return not name.startswith(EDITOR_LOCK)
    if name in (".git", "pyvenv.cfg", JOURNAL):
        return True
    return entry.is_dir(follow_symlinks=False)
