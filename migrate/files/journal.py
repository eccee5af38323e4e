"""What a write of several files leaves behind while it lasts, so that whoever comes after a kill can end it.

In each directory where a file is to change stands a file ``.migrate-journal``. The first one's is the journal: a record
a line, the last of which, the plan, says what becomes of what; until it stands there whole, nothing has changed. Those
of the other directories name the first, so that a run on any part of the tree finds it. A process holds a lock on the
journal as long as it lives: what is not locked is a dead process's.
"""

import contextlib
import json
import os
import re
import secrets
import stat
import time
from collections.abc import Iterator
from typing import Any

from migrate.files.trouble import NotWritten, Unwritable, reason, trouble
from migrate.files.write import TEMPORARY_PREFIX, TEMPORARY_SUFFIX, remove, sync_directory

try:
    import fcntl
except ImportError:  # Windows, where nobody can remove a file that another process has open
    fcntl = None  # type: ignore[assignment]

JOURNAL = ".migrate-journal"
"""What a write of several files puts into each of their directories while it lasts."""
_VERSION = 1
_ENDED = {"ended": True}
_PATIENCE = 30.0
"""Seconds to wait for the end of another run that writes in the same directory."""
_IDENTITY = re.compile("[0-9a-f]{16}")
_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class Journal:
    """The journal of one write, locked by this process.

    Attributes:
      directories: those with a ``.migrate-journal`` of this write, without symbolic links; the first holds the journal.
      plan: what is to become of what; None as long as nothing has changed, and when all has.
      is_ended: whether all has.
    """

    def __init__(self, identity: str, directory: str, descriptor: int) -> None:
        self._identity, self._descriptor = identity, descriptor
        self._made: list[str] = []
        self.directories = [directory]
        self.plan: dict[str, Any] | None = None
        self.is_ended = False

    def temporary(self, directory: str, name: str) -> str:
        """The path of a file that ends with the write."""
        return os.path.join(directory, f"{TEMPORARY_PREFIX}{self._identity}-{name}{TEMPORARY_SUFFIX}")

    def enter(self, directory: str) -> None:
        """Puts a ``.migrate-journal`` into another directory, which is made if there is none.

        Raises:
          FileExistsError: there is one.
          OSError: the operating system refuses.
        """
        place = os.path.relpath(directory, self.directories[0])
        is_made = not os.path.isdir(directory)
        self._log({"directory": place, "made": is_made})
        if is_made:
            os.makedirs(directory)
            self._made.append(directory)
        note = {"version": _VERSION, "id": self._identity, "journal": os.path.relpath(self.directories[0], directory)}
        os.close(_create(directory, self._identity, note))
        self.directories.append(directory)

    def commit(self, plan: dict[str, Any]) -> None:
        """Makes the plan last: from here on, whoever finds the journal ends what it says."""
        for directory in self.directories:
            sync_directory(directory)
        self._log(plan)
        os.fsync(self._descriptor)
        self.plan = plan

    def is_at_home_in(self, directory: str) -> bool:
        """Whether a directory is one of this write's: it says so itself, whatever the journal says."""
        if directory == self.directories[0]:
            return True
        note = _read(directory) if directory in self.directories else None
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
                if self.is_at_home_in(directory):
                    _clean(directory, self._identity)
            for directory in reversed(self._made):
                with contextlib.suppress(OSError):  # something stands in it
                    os.rmdir(directory)
            _clean(self.directories[0], self._identity)
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
            lines = file.read().split(b"\n")[1:-1]
        for record in map(json.loads, lines):
            if "directory" not in record:
                self.plan = None if record == _ENDED else record
                self.is_ended = record == _ENDED
                continue
            directory = os.path.normpath(os.path.join(self.directories[0], record["directory"]))
            self.directories += [directory] if directory not in self.directories else []
            self._made += [directory] if record["made"] else []


def begin(directory: str) -> Journal:
    """A new journal.

    Args:
      directory: the first of all that are written in, in their order, so that no two runs wait for one another.

    Raises:
      FileExistsError: there is a ``.migrate-journal``.
      OSError: the operating system refuses.
    """
    identity = secrets.token_hex(8)
    return Journal(identity, directory, _create(directory, identity, {"version": _VERSION, "id": identity}))


def find(directory: str) -> Journal | None:
    """The journal of a dead process that a directory's ``.migrate-journal`` leads to.

    Waits for a living one's end. What leads to no journal is removed.

    Returns:
      None where there is nothing to end.

    Raises:
      NotWritten: another run still writes, or the journal is somebody else's, or none.
    """
    with understood(directory):
        until = time.monotonic() + _PATIENCE
        while (note := _read(directory)) is not None:
            first = os.path.realpath(os.path.join(directory, note.get("journal", os.curdir)))
            record = _read(first)
            if record is None or record["id"] != note["id"]:
                # A write removes its journal last: what still leads there now leads nowhere.
                if _read(directory) == note:
                    _clean(directory, note["id"])
                continue
            with contextlib.suppress(FileNotFoundError):  # it ended in this moment
                descriptor = _locked(first)
                if descriptor is not None:
                    journal = Journal(note["id"], first, descriptor)
                    journal._recall()
                    return journal
            if time.monotonic() > until:
                help = "Run it again when the other one has ended."
                raise Unwritable(trouble("FT005", directory, "another run is writing in this directory", help))
            time.sleep(0.02)
    return None


@contextlib.contextmanager
def understood(directory: str) -> Iterator[None]:
    """Turns what goes wrong with a ``.migrate-journal`` within the ``with`` statement into Unwritable."""
    try:
        yield
    except NotWritten:
        raise
    except OSError as error:
        message = f"holds what an interrupted write left, which cannot be ended: {reason(error)}"
        raise Unwritable(trouble("FT005", directory, message, "Give permission, then run it again.")) from error
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        message = f"holds a file {JOURNAL} that this release did not write"
        raise Unwritable(trouble("FT005", directory, message, "Look at it, then remove it.")) from error


def _create(directory: str, identity: str, record: dict[str, Any]) -> int:
    """Makes a ``.migrate-journal``, whole and locked from its first moment; its descriptor."""
    temporary = os.path.join(directory, f"{TEMPORARY_PREFIX}{identity}{TEMPORARY_SUFFIX}")
    descriptor = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)
    try:
        os.write(descriptor, json.dumps(record).encode() + b"\n")
        os.fsync(descriptor)
        _lock(descriptor)
        _link(temporary, os.path.join(directory, JOURNAL))
    except BaseException:
        os.close(descriptor)
        raise
    finally:
        remove(temporary)
    return descriptor


def _link(temporary: str, path: str) -> None:
    """Gives the file its name, unless it is taken."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise
    except OSError as error:
        # A file system without hard links.
        if os.path.lexists(path):
            raise FileExistsError(path) from error
        os.rename(temporary, path)


def _locked(directory: str) -> int | None:
    """The descriptor of a directory's journal, now this process's; None where another one lives that has it."""
    path = os.path.join(directory, JOURNAL)
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | _NO_LINK)
    try:
        # The one that had it may have ended, and another one begun, since the file was opened.
        if _lock(descriptor) and os.path.samestat(os.fstat(descriptor), os.lstat(path)):
            return descriptor
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


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


def _read(directory: str) -> dict[str, Any] | None:
    """The first record of a directory's ``.migrate-journal``; None where there is none."""
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
        record = json.loads(file.readline())
    if record["version"] != _VERSION or not _IDENTITY.fullmatch(record["id"]):
        raise ValueError("of another release")
    return dict(record)


def _clean(directory: str, identity: str) -> None:
    """Removes a write's temporary files from a directory, and its ``.migrate-journal`` last."""
    for name in os.listdir(directory):
        if name.startswith(TEMPORARY_PREFIX + identity) and name.endswith(TEMPORARY_SUFFIX):
            remove(os.path.join(directory, name))
    with contextlib.suppress(FileNotFoundError):
        os.unlink(os.path.join(directory, JOURNAL))
    sync_directory(directory)
