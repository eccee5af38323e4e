"""Writing a file's new bytes beside it, with all that the file keeps, and giving them its name."""

import contextlib
import os
import stat
from collections.abc import Iterator
from typing import NamedTuple

from migrate.files.boundary import Boundary, OutsideError
from migrate.files.trouble import StaleFile, Unwritable, reason, trouble

_BY_HAND = "Put it back by hand."


class Step(NamedTuple):
    """What becomes of one file. Each way can be tried again after it was interrupted anywhere.

    Attributes:
      boundary: where the run may write.
      path: the file, as messages name it.
      target: the same without symbolic links.
      temporary: beside it, its new bytes, until they have its name.
      backup: beside it, its old bytes, as soon as they have lost it.
      old: the digest of the old bytes; None for a new file.
      new: the digest of the new bytes; None for a file that goes.
    """

    boundary: Boundary
    path: str
    target: str
    temporary: str
    backup: str
    old: str | None
    new: str | None

    def check(self) -> None:
        """Raises NotWritten where somebody changed the file."""
        now = digest_of(self.target)
        if now == self.old:
            return
        if now is None:
            raise missing_file(self.path)
        if self.old is None:
            raise stale_file(
                self.path, "exists already, and is not overwritten", "Move it away, or choose another name."
            )
        raise stale_file(self.path, "has changed since it was read, and is not overwritten", "Run migrate again.")

    def put(self) -> None:
        """Gives the file its new bytes, if it has not got them; raises NotWritten where that is not possible."""
        with raise_unwritable(self.path, self.old):
            now, waiting = digest_of(self.target), digest_of(self.temporary)
            if now == self.new or (now != self.old and waiting is None and self._was_put(now)):
                return  # also where somebody has changed it since
            self.check()
            if waiting != self.new:
                raise stale_file(self.path, "has no new text any more", "Run migrate again.")
            if self.old is None:
                put_new(self.boundary, self.path, self.temporary, self.target)
                return
            self._keep()
            if self.new is None:
                self.boundary.remove(self.target)
            else:
                self.boundary.replace(self.temporary, self.target)

    def back(self) -> None:
        """Gives the file its old bytes, if it has not kept them; raises NotWritten where that is not possible."""
        with raise_unwritable(self.path, self.old):
            now = digest_of(self.target)
            if now == self.old or (now != self.new and os.path.lexists(self.temporary)):
                return  # also where somebody has changed it before anything was put there
            if now != self.new:
                raise stale_file(self.path, "has changed since it was written, and is not put back", _BY_HAND)
            if self.old is None:
                self.boundary.remove(self.target)
            elif digest_of(self.backup) == self.old:
                self.boundary.replace(self.backup, self.target)
            else:
                raise stale_file(self.path, "cannot be put back: its old text is gone", _BY_HAND)

    def _was_put(self, now: str | None) -> bool:
        return now is not None if self.old is None else os.path.lexists(self.backup)

    def _keep(self) -> None:
        """Gives the old bytes a second name: the same file, where the file system can."""
        self.boundary.remove(self.backup)
        try:
            self.boundary.link(self.target, self.backup)
        except OSError:
            self.boundary.copy(self.target, self.backup)


def digest(data: bytes) -> str:
    """The digest by which the bytes of a file are known again."""
    from hashlib import sha256

    return sha256(data).hexdigest()


def digest_of(path: str) -> str | None:
    """The digest of a regular file, which is no link; None where there is none."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        return None
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(None, "no regular file")
        return digest(file.read())


TEMPORARY_PREFIX = ".migrate-"
TEMPORARY_SUFFIX = ".tmp"
"""What a killed write leaves, until a run that writes there has looked at its journal."""


@contextlib.contextmanager
def raise_unwritable(path: str, expected: bytes | str | None) -> Iterator[None]:
    """Turns what the operating system refuses within the ``with`` statement into Unwritable."""
    try:
        yield
    except OSError as error:
        raise unwritable(path, expected, error) from error


def unwritable(path: str, expected: bytes | str | None, error: OSError) -> Unwritable:
    """Returns the finding for a file that cannot be written; ``expected`` is None for a new one."""
    state = "No file was made" if expected is None else "The file is as it was"
    remedy = "name the directory as well" if isinstance(error, OutsideError) else "make room or give permission"
    help = f"{state}: {remedy}, then run migrate again."
    return Unwritable(trouble("FT005", path, f"cannot be written: {reason(error)}", help))


def _regular(path: str, target: str) -> os.stat_result:
    try:
        before = os.stat(target)
    except FileNotFoundError as error:
        raise missing_file(path) from error
    if not stat.S_ISREG(before.st_mode):
        raise stale_file(path, "is no longer a regular file", "Run migrate again.")
    return before


def write_aside(
    boundary: Boundary, path: str, target: str, temporary: str, data: bytes, expected: bytes | None
) -> None:
    """Writes the new bytes of a file beside it, on disk and with its attributes.

    Raises:
      StaleFile: FT004, when there is no such file any more, or a new one's name is taken.
      OSError: the operating system refuses.
    """
    before = None if expected is None else _regular(path, target)
    if expected is None and os.path.lexists(path):
        raise existing_file(path)
    # A new file gets the mode that the user's umask gives; for an old one, nobody else may read before its mode is set.
    descriptor = boundary.create(temporary, 0o666 if before is None else 0o600)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if before is not None:
                _keep_attributes(target, temporary, before)
            os.fsync(descriptor)
    except BaseException:
        with contextlib.suppress(OSError):
            boundary.remove(temporary)
        raise


def _keep_attributes(target: str, temporary: str, before: os.stat_result) -> None:
    if hasattr(os, "chown"):
        with contextlib.suppress(PermissionError):
            os.chown(temporary, -1, before.st_gid)
        with contextlib.suppress(PermissionError):
            os.chown(temporary, before.st_uid, -1)
    if hasattr(os, "listxattr"):
        # Not every file system has them, and some may only be set by root.
        with contextlib.suppress(OSError):
            for attribute in os.listxattr(target):
                with contextlib.suppress(OSError):
                    os.setxattr(temporary, attribute, os.getxattr(target, attribute))
    # Last, for a change of owner takes the set-user-id bit away.
    os.chmod(temporary, stat.S_IMODE(before.st_mode))


def put_new(boundary: Boundary, path: str, temporary: str, target: str) -> None:
    """Gives the file its name, unless the name is taken: a link never replaces anything, where a renaming would."""
    try:
        boundary.link(temporary, target)
    except FileExistsError as error:
        raise existing_file(path) from error
    except OSError as error:
        # A file system without hard links.
        if os.path.lexists(target):
            raise existing_file(path) from error
        boundary.rename(temporary, target)
    else:
        boundary.remove(temporary)


def sync_directory(directory: str) -> None:
    """Makes the renaming last; the new file stands there whether or not this file system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def existing_file(path: str) -> StaleFile:
    return stale_file(path, "exists already, and is not overwritten", "Move it away, or choose another name.")


def missing_file(path: str) -> StaleFile:
    return stale_file(path, "is gone since it was read", "Run migrate again.")


def stale_file(path: str, message: str, help: str) -> StaleFile:
    return StaleFile(trouble("FT004", path, message, help))
