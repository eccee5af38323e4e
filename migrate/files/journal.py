"""The journal of a write, by which the next run can complete or undo it after a kill.

A write puts a file ``.migrate-journal`` into each directory where a file changes. In the first directory it is the
journal: one record a line, the last of which is the plan of all changes; until the plan is complete, no file has
changed. In the other directories it names the first one, so that a run on any part of the tree finds the journal. A
living process locks its journal, so that an unlocked one is a dead process's. Each file has the number of its own inode
in it, so that a file from a clone, an archive or a copy is recognized and not obeyed.
"""

import contextlib
import json
import os
import re
import stat
import time
from collections.abc import Iterator
from typing import Any

from migrate.files.boundary import Boundary
from migrate.files.sources import JOURNAL, is_below
from migrate.files.trouble import NotWritten, Unwritable, reason, trouble
from migrate.files.write import TEMPORARY_PREFIX, TEMPORARY_SUFFIX, sync_directory
from migrate.findings.finding import Finding
from migrate.findings.invocation import program

try:
    import fcntl
except ImportError:  # Windows, where nobody can remove a file that another process has open
    fcntl = None  # type: ignore[assignment]

_VERSION = 1
_END_RECORD = {"ended": True}
_WAIT_SECONDS = 30.0
"""How long to wait for the end of another run that writes in the same directory."""
_IDENTITY = re.compile("[0-9a-f]{16}")
_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class UnfinishedJournal(ValueError):
    """A ``.migrate-journal`` has no complete first record yet."""


class Journal:
    """The journal of one write, locked by this process.

    Attributes:
      boundary: where the run may write.
      directories: the real paths of the directories of this write; the first has the journal.
      plan: the changes of all files; None before any file has changed, and after all have.
      is_ended: whether all files have changed.
    """

    def __init__(self, boundary: Boundary, identity: str, directory: str, descriptor: int) -> None:
        self.boundary, self._identity, self._descriptor = boundary, identity, descriptor
        self._made: list[str] = []
        self.directories = [directory]
        self.plan: dict[str, Any] | None = None
        self.is_ended = False

    def temporary(self, directory: str, name: str) -> str:
        """Returns the path of a temporary file, which is removed when the write ends."""
        return os.path.join(directory, f"{TEMPORARY_PREFIX}{self._identity}-{name}{TEMPORARY_SUFFIX}")

    def enter(self, directory: str) -> None:
        """Puts a ``.migrate-journal`` into another directory, and makes the directory if it does not exist."""
        place = os.path.relpath(directory, self.directories[0])
        is_made = not os.path.isdir(directory)
        self._log({"directory": place, "made": is_made})
        if is_made:
            self.boundary.make_directory(directory)
            self._made.append(directory)
        back = {"journal": os.path.relpath(self.directories[0], directory)}
        os.close(_create(self.boundary, directory, self._identity, back))
        self.directories.append(directory)

    def commit(self, plan: dict[str, Any]) -> None:
        """Writes the plan to disk: from now on, whoever finds the journal completes or undoes it."""
        for directory in self.directories:
            sync_directory(directory)
        self._log(plan)
        os.fsync(self._descriptor)
        self.plan = plan

    def has_joined(self, directory: str) -> bool:
        """Whether a directory's own ``.migrate-journal``, not only the journal, says that it is part of this write."""
        if directory == self.directories[0]:
            return True
        note = _read_record(directory) if directory in self.directories else None
        return note is not None and note["id"] == self._identity

    def end(self) -> None:
        """Removes the journal and the temporary files of the write; the next run removes what cannot be removed now."""
        with contextlib.suppress(OSError):
            if self.plan is not None:
                # The directories lose their records from here on; after this record nobody undoes the write for that.
                for directory in self.directories:
                    sync_directory(directory)
                self._log(_END_RECORD)
                os.fsync(self._descriptor)
            for directory in self.directories[:0:-1]:
                if _is_own_journal(directory, self._identity):
                    _clean(self.boundary, directory, self._identity)
            for directory in reversed(self._made):
                with contextlib.suppress(OSError):  # it is not empty
                    self.boundary.remove_directory(directory)
            _clean(self.boundary, self.directories[0], self._identity)
        self.close()

    def close(self) -> None:
        """Releases the lock."""
        os.close(self._descriptor)

    def _log(self, record: dict[str, Any]) -> None:
        line = json.dumps(record).encode() + b"\n"
        while line:
            line = line[os.write(self._descriptor, line) :]

    def _read_records(self) -> None:
        """Reads the records of the journal; ignores a last line that is incomplete."""
        with open(self._descriptor, "rb", closefd=False) as file:
            file.seek(0)
            lines = file.read().split(b"\n")[1:-1]
        for record in map(json.loads, lines):
            if "directory" not in record:
                self.plan = None if record == _END_RECORD else record
                self.is_ended = record == _END_RECORD
                continue
            directory = os.path.normpath(os.path.join(self.directories[0], record["directory"]))
            self.directories += [directory] if directory not in self.directories else []
            self._made += [directory] if record["made"] else []

    def require_inside(self) -> None:
        """Raises NotWritten, with the directory to name on the command line, if the run may not write everywhere."""
        outside = [one for one in self.directories if not self.boundary.holds(os.path.join(one, JOURNAL))]
        if outside:
            top = os.path.commonpath(self.directories)
            message = f"takes part in an interrupted write that reaches {outside[0]}, outside of the given paths"
            help = f"Run `{program()} write {top}`, which completes it."
            raise Unwritable(trouble("FT005", self.directories[0], message, help))


def begin(boundary: Boundary, directory: str) -> Journal:
    """Makes a new journal.

    Args:
      directory: the first, in sorted order, of the directories to write in, so that no two runs wait for each other.
    """
    identity = os.urandom(8).hex()
    return Journal(boundary, identity, directory, _create(boundary, directory, identity, {}))


def find(boundary: Boundary, directory: str) -> Journal | None:
    """Returns the journal of a dead process that a directory's ``.migrate-journal`` leads to; None if there is none.

    Waits while a living process writes. Removes a ``.migrate-journal`` that leads to no journal.

    Raises:
      NotWritten: if another run still writes, or the journal is not valid or not the user's, or is outside.
    """
    with journal_errors(directory):
        for first, note in _find_journals(boundary, directory):
            with contextlib.suppress(FileNotFoundError):  # the write has just ended
                descriptor = _lock_dead_journal(os.path.join(first, JOURNAL), os.O_RDWR | os.O_APPEND)
                if descriptor is None:
                    continue
                journal = Journal(boundary, note["id"], first, descriptor)
                try:
                    journal._read_records()
                    journal.require_inside()
                except BaseException:
                    journal.close()
                    raise
                return journal
    return None


def unfinished_write(directory: str) -> Finding | None:
    """Returns an error if an interrupted write has changed only some files; waits for a living one, changes nothing."""
    try:
        for first, _ in _find_journals(None, directory):
            with contextlib.suppress(FileNotFoundError):
                descriptor = _lock_dead_journal(os.path.join(first, JOURNAL), os.O_RDONLY)
                if descriptor is not None:
                    os.close(descriptor)
                    break
        else:
            return None
    except NotWritten as problem:
        return problem.finding
    shown = os.path.relpath(first) if is_below(first, os.path.realpath(os.curdir)) else first
    help = f"Run `{program()} write {shown}`, which completes or undoes it first."
    return trouble("FT005", shown, "an interrupted write is waiting to be completed", help)


def _find_journals(boundary: Boundary | None, directory: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields the directory and first record of the journal of a directory, again and again until it has none.

    Args:
      boundary: where the run may remove a ``.migrate-journal`` that leads to no journal; None to change nothing.
    """
    with journal_errors(directory):
        until = time.monotonic() + _WAIT_SECONDS
        while True:
            try:
                note = _read_record(directory)
            except UnfinishedJournal:
                # A living write keeps the lock while it writes its first record.
                if boundary is None or _remove_unfinished(boundary, directory):
                    return
                note = {}
            if note is None:
                return
            first = os.path.realpath(os.path.join(directory, note.get("journal", os.curdir)))
            if note:
                record = _read_record(first)
                if record is not None and record["id"] == note["id"]:
                    yield first, note
                elif boundary is None:
                    return  # no file is half written
                elif _read_record(directory) == note:
                    # A write removes its journal last, so a record that still names it is left over.
                    _clean(boundary, directory, note["id"])
                    continue
            if time.monotonic() > until:
                help = "Run it again when the other one has ended."
                raise Unwritable(trouble("FT005", directory, "another run is writing in this directory", help))
            time.sleep(0.02)


@contextlib.contextmanager
def journal_errors(directory: str) -> Iterator[None]:
    """Raises Unwritable for errors with a ``.migrate-journal`` in the ``with`` statement."""
    try:
        yield
    except NotWritten:
        raise
    except OSError as error:
        message = f"holds an interrupted write that cannot be finished: {reason(error)}"
        raise Unwritable(trouble("FT005", directory, message, "Give permission, then run it again.")) from error
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        message = f"holds a file {JOURNAL} that this release did not write here"
        raise Unwritable(trouble("FT005", directory, message, "Look at it, then remove it.")) from error


def _create(boundary: Boundary, directory: str, identity: str, more: dict[str, Any]) -> int:
    """Makes a ``.migrate-journal``, locks it, writes its first record, and returns its descriptor."""
    path = os.path.join(directory, JOURNAL)
    descriptor = boundary.create(path, 0o644)
    try:
        status = os.fstat(descriptor)
        # Another run that found it before it was locked has taken it for a dead process's.
        if not _lock(descriptor) or not _is_named(path, status):
            raise FileExistsError(path)
        record = {"version": _VERSION, "id": identity, "inode": status.st_ino, **more}
        os.write(descriptor, json.dumps(record).encode() + b"\n")
        os.fsync(descriptor)
    except FileExistsError:
        os.close(descriptor)
        raise
    except BaseException:
        with contextlib.suppress(OSError):
            boundary.remove(path)
        os.close(descriptor)
        raise
    return descriptor


def _remove_unfinished(boundary: Boundary, directory: str) -> bool:
    """Removes a ``.migrate-journal`` without a record, if its process has died; returns whether it has."""
    path = os.path.join(directory, JOURNAL)
    with contextlib.suppress(FileNotFoundError):
        descriptor = _lock_dead_journal(path, os.O_RDONLY)
        if descriptor is None:
            return False
        try:
            with contextlib.suppress(UnfinishedJournal):
                _read_record(directory)
                return False
            boundary.remove(path)
        finally:
            os.close(descriptor)
    return True


def _lock_dead_journal(path: str, flags: int) -> int | None:
    """Locks a dead process's journal and returns its descriptor; None if the process lives."""
    descriptor = os.open(path, flags | _NO_LINK)
    try:
        # Since the file was opened, its process may have ended and another one made a new file.
        if _lock(descriptor) and _is_named(path, os.fstat(descriptor)):
            return descriptor
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


def _is_named(path: str, status: os.stat_result) -> bool:
    try:
        return os.path.samestat(status, os.lstat(path))
    except FileNotFoundError:
        return False


def _lock(descriptor: int) -> bool:
    if fcntl is None:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True


def _read_record(directory: str) -> dict[str, Any] | None:
    """Returns the first record of a directory's ``.migrate-journal``; None without one; raises UnfinishedJournal."""
    try:
        descriptor = os.open(os.path.join(directory, JOURNAL), os.O_RDONLY | _NO_LINK)
    except FileNotFoundError:
        return None
    with open(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise ValueError("no regular file")
        if hasattr(os, "geteuid") and status.st_uid != os.geteuid():
            raise PermissionError(None, "another user began it, who has to run the tool again")
        line = file.readline()
    if not line:
        raise UnfinishedJournal
    record = json.loads(line)
    if record["version"] != _VERSION or not _IDENTITY.fullmatch(record["id"]):
        raise ValueError("of another release")
    if record["inode"] != status.st_ino:
        raise ValueError("a copy")
    return dict(record)


def _is_own_journal(directory: str, identity: str) -> bool:
    """Whether the ``.migrate-journal`` of a directory is this write's, or has no record yet."""
    try:
        note = _read_record(directory)
    except UnfinishedJournal:
        return True
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return note is not None and note["id"] == identity


def _clean(boundary: Boundary, directory: str, identity: str) -> None:
    """Removes a write's temporary files from a directory, and its ``.migrate-journal`` last."""
    for name in os.listdir(directory):
        if name.startswith(TEMPORARY_PREFIX + identity) and name.endswith(TEMPORARY_SUFFIX):
            boundary.remove(os.path.join(directory, name))
    boundary.remove(os.path.join(directory, JOURNAL))
    sync_directory(directory)
