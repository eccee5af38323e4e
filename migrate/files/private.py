"""A folder of one user's in a directory that others may share."""

import contextlib
import os
import stat
import sys

_OTHERS = 0o077
_MOST = 20
"""So many files are kept; those that were written longest ago go."""


def user_cache() -> str | None:
    """The directory in which the user's programs keep what they can make again; None where there is none.

    It is ``XDG_CACHE_HOME`` where that is set, or else what the system has for it: ``~/.cache``.
    """
    given = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(given):  # its specification has others ignored
        return given
    if sys.platform == "win32":
        return os.environ.get("LOCALAPPDATA")
    home = os.path.expanduser(os.path.join("~", "Library/Caches" if sys.platform == "darwin" else ".cache"))
    return home if os.path.isabs(home) else None


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
        import secrets

        from migrate.files.write import TEMPORARY_PREFIX, TEMPORARY_SUFFIX

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
                self._drop_oldest()
            finally:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(temporary)

    def _drop_oldest(self) -> None:
        with os.scandir(self._path) as found:
            files = sorted(found, key=lambda one: one.stat(follow_symlinks=False).st_mtime_ns, reverse=True)
        for one in files[_MOST:]:
            os.unlink(one.path)

    def _is_own(self, status: os.stat_result, kind: int) -> bool:
        is_private = self._user is None or (status.st_uid == self._user and not status.st_mode & _OTHERS)
        return stat.S_IFMT(status.st_mode) == kind and is_private
