"""One file of a write of several: how it gets its new bytes, and how it gets the old ones back."""

import hashlib
import os
import stat
from dataclasses import dataclass

from migrate.files.boundary import Boundary
from migrate.files.write import missing_file, put_new, raise_unwritable, stale_file

_BY_HAND = "Put it back by hand."


@dataclass(frozen=True)
class Step:
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
    return hashlib.sha256(data).hexdigest()


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
