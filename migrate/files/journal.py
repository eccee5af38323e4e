"""What a write leaves behind while it lasts, so that whoever comes after a kill can end it.

In each directory where a file is to change stands a file ``.migrate-journal``. The first one's is the journal: a record
a line, the last of which, the plan, says what becomes of what; until it stands there whole, nothing has changed. Those
of the other directories name the first, so that a run on any part of the tree finds it. A process holds a lock on the
journal as long as it lives: what is not locked is a dead process's. Each names the inode that it was written to: one
that came with a clone, an archive or a copy is nobody's, and nothing is done that it says.
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
from migrate.files.sources import is_below
from migrate.files.trouble import NotWritten, Unwritable, reason, trouble
from migrate.files.write import TEMPORARY_PREFIX, TEMPORARY_SUFFIX, sync_directory
from migrate.findings.finding import Finding
from migrate.findings.invocation import program

try:
    import fcntl
except ImportError:  # Windows, where nobody can remove a file that another process has open
    fcntl = None  # type: ignore[assignment]

JOURNAL = ".migrate-journal"
"""What a write puts into each of its directories while it lasts."""
_VERSION = 1
_ENDED = {"ended": True}
_PATIENCE = 30.0
"""Seconds to wait for the end of another run that writes in the same directory."""
_IDENTITY = re.compile("[0-9a-f]{16}")
_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class UnfinishedJournal(ValueError):
    """A ``.migrate-journal`` whose first record was not written yet."""


class Journal:
    """The journal of one write, locked by this process.

    Attributes:
      boundary: where the run may write.
      directories: those with a ``.migrate-journal`` of this write, without symbolic links; the first holds the journal.
      plan: what is to become of what; None as long as nothing has changed, and when all has.
      is_ended: whether all has.
    """

    def __init__(self, boundary: Boundary, identity: str, directory: str, descriptor: int) -> None:
        self.boundary, self._identity, self._descriptor = boundary, identity, descriptor
        self._made: list[str] = []
        self.directories = [directory]
        self.plan: dict[str, Any] | None = None
        self.is_ended = False

    def temporary(self, directory: str, name: str) -> str:
        """The path of a file that ends with the write."""
        return os.path.join(directory, f"{TEMPORARY_PREFIX}{self._identity}-{name}{TEMPORARY_SUFFIX}")

    def enter(self, directory: str) -> None:
        """Puts a ``.migrate-journal`` into another directory, which is made if there is none."""
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
        """Makes the plan last: whoever finds the journal from here on completes it."""
        for directory in self.directories:
            sync_directory(directory)
        self._log(plan)
        os.fsync(self._descriptor)
        self.plan = plan

    def is_at_home_in(self, directory: str) -> bool:
        """Whether a directory is one of this write's: it says so itself, whatever the journal says."""
        if directory == self.directories[0]:
            return True
        note = _read_record(directory) if directory in self.directories else None
        return note is not None and note["id"] == self._identity

    def end(self) -> None:
        """Removes all that the write has left but the files themselves; what cannot be is left to the next run."""
        with contextlib.suppress(OSError):
            if self.plan is not None:
                # From here on directories take part no longer, and nothing may be taken back for it.
                for directory in self.directories:
                    sync_directory(directory)
                self._log(_ENDED)
                os.fsync(self._descriptor)
            for directory in self.directories[:0:-1]:
                if _belongs(directory, self._identity):
                    _clean(self.boundary, directory, self._identity)
            for directory in reversed(self._made):
                with contextlib.suppress(OSError):  # something stands in it
                    self.boundary.remove_directory(directory)
            _clean(self.boundary, self.directories[0], self._identity)
        self.close()

    def close(self) -> None:
        """Gives the lock back."""
        os.close(self._descriptor)

    def _log(self, record: dict[str, Any]) -> None:
        line = json.dumps(record).encode() + b"\n"
        while line:
            line = line[os.write(self._descriptor, line) :]

    def _recall(self) -> None:
        """Reads what stands in the journal; a line that was not written whole is none."""
        with open(self._descriptor, "rb", closefd=False) as file:
            file.seek(0)
            lines = file.read().split(b"\n")[1:-1]
        for record in map(json.loads, lines):
            if "directory" not in record:
                self.plan = None if record == _ENDED else record
                self.is_ended = record == _ENDED
                continue
            directory = os.path.normpath(os.path.join(self.directories[0], record["directory"]))
            self.directories += [directory] if directory not in self.directories else []
            self._made += [directory] if record["made"] else []

    def require_inside(self) -> None:
        """Makes sure that the run may write in all directories of the write.

        Raises:
          NotWritten: it may not; the finding names the directory to give to the command.
        """
        outside = [one for one in self.directories if not self.boundary.holds(os.path.join(one, JOURNAL))]
        if outside:
            top = os.path.commonpath(self.directories)
            message = f"takes part in an interrupted write that reaches {outside[0]}, outside of the given paths"
            help = f"Run `{program()} write {top}`, which completes it."
            raise Unwritable(trouble("FT005", self.directories[0], message, help))


def begin(boundary: Boundary, directory: str) -> Journal:
    """A new journal.

    Args:
      directory: the first of all that are written in, in their order, so that no two runs wait for one another.
    """
    identity = os.urandom(8).hex()
    return Journal(boundary, identity, directory, _create(boundary, directory, identity, {}))


def find(boundary: Boundary, directory: str) -> Journal | None:
    """The journal of a dead process that a directory's ``.migrate-journal`` leads to.

    Waits for a living one's end. What leads to no journal is removed.

    Returns:
      None where there is nothing to end.

    Raises:
      NotWritten: another run still writes, or the journal is somebody else's, or none, or reaches out of the boundary.
    """
    with journal_errors(directory):
        for first, note in _leads(boundary, directory):
            with contextlib.suppress(FileNotFoundError):  # it ended in this moment
                descriptor = _lock_of_the_dead(os.path.join(first, JOURNAL), os.O_RDWR | os.O_APPEND)
                if descriptor is None:
                    continue
                journal = Journal(boundary, note["id"], first, descriptor)
                try:
                    journal._recall()
                    journal.require_inside()
                except BaseException:
                    journal.close()
                    raise
                return journal
    return None


def unfinished_write(directory: str) -> Finding | None:
    """Why what stands in a directory may be half written; nothing is changed, but a living write is waited for."""
    try:
        for first, _ in _leads(None, directory):
            with contextlib.suppress(FileNotFoundError):
                descriptor = _lock_of_the_dead(os.path.join(first, JOURNAL), os.O_RDONLY)
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


def _leads(boundary: Boundary | None, directory: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Again and again the directory of the journal that a ``.migrate-journal`` leads to, until there is none.

    Args:
      boundary: where the run may write, and removes what leads nowhere; None where it changes nothing.
    """
    with journal_errors(directory):
        until = time.monotonic() + _PATIENCE
        while True:
            try:
                note = _read_record(directory)
            except UnfinishedJournal:
                # A living write has the lock until its first record is whole.
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
                    return  # nothing is half written
                elif _read_record(directory) == note:
                    # A write removes its journal last: what still leads there now leads nowhere.
                    _clean(boundary, directory, note["id"])
                    continue
            if time.monotonic() > until:
                help = "Run it again when the other one has ended."
                raise Unwritable(trouble("FT005", directory, "another run is writing in this directory", help))
            time.sleep(0.02)


@contextlib.contextmanager
def journal_errors(directory: str) -> Iterator[None]:
    """Raises Unwritable for what fails with a ``.migrate-journal`` within the ``with`` statement."""
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
    """Makes a ``.migrate-journal`` and locks it before it says anything; its descriptor."""
    path = os.path.join(directory, JOURNAL)
    descriptor = boundary.create(path, 0o644)
    try:
        status = os.fstat(descriptor)
        # Who found it before it was locked took it for a dead process's.
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
    """Removes a ``.migrate-journal`` whose writer died before its first record stood there; whether it did."""
    path = os.path.join(directory, JOURNAL)
    with contextlib.suppress(FileNotFoundError):
        descriptor = _lock_of_the_dead(path, os.O_RDONLY)
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


def _lock_of_the_dead(path: str, flags: int) -> int | None:
    """The descriptor of a journal, now this process's; None where another one lives that has it."""
    descriptor = os.open(path, flags | _NO_LINK)
    try:
        # The one that had it may have ended, and another one begun, since the file was opened.
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
    """Returns the first record of a directory's ``.migrate-journal``, None for no journal; raises UnfinishedJournal."""
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


def _belongs(directory: str, identity: str) -> bool:
    """Whether a directory that the journal names is still marked as this write's, or was about to be."""
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
