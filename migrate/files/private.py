"""A folder of one user's in a directory that others may share."""

import contextlib
import os
import secrets
import stat

from migrate.files.write import TEMPORARY_PREFIX, TEMPORARY_SUFFIX

_OTHERS = 0o077


class PrivateFolder:
    """Keeps files that no other user can have made or changed.

    Args:
      directory: where the folder stands; both are made when something is to be kept.
    """

    def __init__(self, directory: str) -> None:
        self._user = os.geteuid() if hasattr(os, "geteuid") else None
        self._path = os.path.join(directory, "estimator-migrate" + ("" if self._user is None else f"-{self._user}"))

    def read(self, name: str) -> bytes | None:
        """The bytes of a file; None where there is none, or where another user could have had a hand in it."""
        try:
            if not self._is_own(os.lstat(self._path), stat.S_IFDIR):
                return None
            flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
            with open(os.open(os.path.join(self._path, name), flags), "rb") as file:
                return file.read() if self._is_own(os.fstat(file.fileno()), stat.S_IFREG) else None
        except OSError:
            return None

    def write(self, name: str, data: bytes) -> None:
        """Keeps a file, whole or not at all; where it cannot be kept, nothing is."""
        temporary = os.path.join(self._path, f"{TEMPORARY_PREFIX}{secrets.token_hex(8)}{TEMPORARY_SUFFIX}")
        with contextlib.suppress(OSError):
            os.makedirs(os.path.dirname(self._path), exist_ok=True)
            with contextlib.suppress(FileExistsError):
                os.mkdir(self._path, 0o700)
            if not self._is_own(os.lstat(self._path), stat.S_IFDIR):
                return
            try:
                with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                    file.write(data)
                os.replace(temporary, os.path.join(self._path, name))
            finally:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(temporary)

    def _is_own(self, status: os.stat_result, kind: int) -> bool:
        is_private = self._user is None or (status.st_uid == self._user and not status.st_mode & _OTHERS)
        return stat.S_IFMT(status.st_mode) == kind and is_private
