"""Writes a file's new bytes to a temporary file with the same attributes, and replaces the file by it."""

import contextlib
import os
import stat
from collections.abc import Iterator
from typing import NamedTuple

from migrate.files.boundary import Boundary, OutsideError
from migrate.files.trouble import StaleFile, Unwritable, reason, trouble

_BY_HAND = "Put it back by hand."


class Step(NamedTuple):
    """The change of one file; ``put`` and ``put_back`` can be called again after an interruption anywhere.

    Attributes:
      boundary: where the run may write.
      path: the file's path for messages.
      target: the path without symbolic links.
      temporary: the path of the new bytes, next to the target, until it is replaced.
      backup: the path of the old bytes, next to the target, after it is replaced.
      old: the digest of the old bytes; None for a new file.
      new: the digest of the new bytes; None to remove the file.
    """

    boundary: Boundary
    path: str
    target: str
    temporary: str
    backup: str
    old: str | None
    new: str | None

    def check(self) -> None:
        """Raises NotWritten if somebody has changed the file."""
        now = digest_of(self.target)
        if now == self.old:
            return
        if now is None:
            raise missing_file_error(self.path)
        if self.old is None:
            raise stale_file_error(
                self.path, "exists already, and is not overwritten", "Move it away, or choose another name."
            )
        raise stale_file_error(self.path, "has changed since it was read, and is not overwritten", "Run migrate again.")

    def put(self) -> None:
        """Gives the file its new bytes unless it has them; raises NotWritten if it cannot."""
        with raise_unwritable(self.path, self.old):
            now, waiting = digest_of(self.target), digest_of(self.temporary)
            was_put = now is not None if self.old is None else os.path.lexists(self.backup)
            if now == self.new or (now != self.old and waiting is None and was_put):
                return  # put before; somebody may have changed it since
            self.check()
            if waiting != self.new:
                raise stale_file_error(self.path, "has no new text any more", "Run migrate again.")
            if self.old is None:
                put_new(self.boundary, self.path, self.temporary, self.target)
                return
            self._back_up()
            if self.new is None:
                self.boundary.remove(self.target)
            else:
                self.boundary.replace(self.temporary, self.target)

    def put_back(self) -> None:
        """Gives the file its old bytes unless it has them; raises NotWritten if it cannot."""
        with raise_unwritable(self.path, self.old):
            now = digest_of(self.target)
            if now == self.old or (now != self.new and os.path.lexists(self.temporary)):
                return  # never put, or changed by somebody before that
            if now != self.new:
                raise stale_file_error(self.path, "has changed since it was written, and is not put back", _BY_HAND)
            if self.old is None:
                self.boundary.remove(self.target)
            elif digest_of(self.backup) == self.old:
                self.boundary.replace(self.backup, self.target)
            else:
                raise stale_file_error(self.path, "cannot be put back: its old text is gone", _BY_HAND)

    def _back_up(self) -> None:
        """Adds a second name for the old bytes: a hard link if the file system can, else a copy."""
        self.boundary.remove(self.backup)
        try:
            self.boundary.link(self.target, self.backup)
        except OSError:
            self.boundary.copy(self.target, self.backup)


def digest(data: bytes) -> str:
    """Returns the SHA-256 digest of a file's bytes."""
    from hashlib import sha256

    return sha256(data).hexdigest()


def digest_of(path: str) -> str | None:
    """Returns the digest of a regular file that is no link; None if there is no file."""
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
"""A killed write leaves such files, until the next run that writes there."""


@contextlib.contextmanager
def raise_unwritable(path: str, expected: bytes | str | None) -> Iterator[None]:
    """Raises Unwritable for an OSError in the ``with`` statement."""
    try:
        yield
    except OSError as error:
        raise unwritable(path, expected, error) from error


def unwritable(path: str, expected: bytes | str | None, error: OSError) -> Unwritable:
    """Returns the exception for a file that cannot be written; ``expected`` is None for a new file."""
    state = "No file was made" if expected is None else "The file is as it was"
    remedy = "name the directory as well" if isinstance(error, OutsideError) else "make room or give permission"
    help = f"{state}: {remedy}, then run migrate again."
    return Unwritable(trouble("FT005", path, f"cannot be written: {reason(error)}", help))


def _regular(path: str, target: str) -> os.stat_result:
    try:
        before = os.stat(target)
    except FileNotFoundError as error:
        raise missing_file_error(path) from error
    if not stat.S_ISREG(before.st_mode):
        raise stale_file_error(path, "is no longer a regular file", "Run migrate again.")
    return before


def write_temporary(
    boundary: Boundary, path: str, target: str, temporary: str, data: bytes, expected: bytes | None
) -> None:
    """Writes the new bytes of a file to ``temporary``, flushed to disk and with the file's attributes.

    Raises:
      StaleFile: FT004, if the file does not exist any more, or a new file's name is taken.
      OSError: if the operating system refuses.
    """
    before = None if expected is None else _regular(path, target)
    if expected is None and os.path.lexists(path):
        raise existing_file_error(path)
    # A new file gets the mode of the user's umask; an existing one's is set below, and nobody else may read it before.
    descriptor = boundary.create(temporary, 0o666 if before is None else 0o600)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if before is not None:
                _copy_attributes(target, temporary, before)
            os.fsync(descriptor)
    except BaseException:
        with contextlib.suppress(OSError):
            boundary.remove(temporary)
        raise


def _copy_attributes(target: str, temporary: str, before: os.stat_result) -> None:
    if hasattr(os, "chown"):
        with contextlib.suppress(PermissionError):
            os.chown(temporary, -1, before.st_gid)
        with contextlib.suppress(PermissionError):
            os.chown(temporary, before.st_uid, -1)
    if hasattr(os, "listxattr"):
        # Not every file system has attributes, and only root may set some.
        with contextlib.suppress(OSError):
            for attribute in os.listxattr(target):
                with contextlib.suppress(OSError):
                    os.setxattr(temporary, attribute, os.getxattr(target, attribute))
    # Last, because a change of owner clears the set-user-id bit.
    os.chmod(temporary, stat.S_IMODE(before.st_mode))


def put_new(boundary: Boundary, path: str, temporary: str, target: str) -> None:
    """Gives a new file its name unless the name is taken: by a link, because a rename would replace a file."""
    try:
        boundary.link(temporary, target)
    except FileExistsError as error:
        raise existing_file_error(path) from error
    except OSError as error:
        # A file system without hard links.
        if os.path.lexists(target):
            raise existing_file_error(path) from error
        boundary.rename(temporary, target)
    else:
        boundary.remove(temporary)


def sync_directory(directory: str) -> None:
    """Flushes the renames in a directory to disk, if the file system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def existing_file_error(path: str) -> StaleFile:
    return stale_file_error(path, "exists already, and is not overwritten", "Move it away, or choose another name.")


def missing_file_error(path: str) -> StaleFile:
    return stale_file_error(path, "is gone since it was read", "Run migrate again.")


def stale_file_error(path: str, message: str, help: str) -> StaleFile:
    return StaleFile(trouble("FT004", path, message, help))
