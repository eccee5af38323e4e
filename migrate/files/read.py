"""Reads the bytes of one file, or explains why it cannot be read."""

import errno
import os
import stat

from migrate.files.trouble import Unreadable, reason, trouble
from migrate.findings.finding import Finding

_HELP: dict[type[Exception], str] = {
    FileNotFoundError: "Check the spelling of the path, or leave it out.",
    PermissionError: "Give yourself permission to read it, or leave it out.",
}

_LARGEST = 2**29
"""The size in bytes of the largest file that is read: a larger one would need too much memory."""


def unreadable_finding(path: str, error: OSError | ValueError) -> Finding:
    """Returns FT001 for a file or directory that the operating system would not open or list."""
    if isinstance(error, FileNotFoundError) and os.path.islink(path):
        message = f"is a symbolic link to {os.readlink(path)}, which does not exist"
        return trouble("FT001", path, message, "Fix or remove the link.")
    help = _HELP.get(type(error), "Fix this, or leave the path out.")
    return trouble("FT001", path, f"cannot be read: {reason(error)}", help)


def file_type_error(path: str, mode: int) -> Finding | None:
    """Returns FT001 for a path that is no regular file, such as a FIFO, which would block; None for a regular file.

    Args:
      mode: its ``st_mode``, links followed.
    """
    if stat.S_ISREG(mode):
        return None
    kinds = {stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket", stat.S_IFDIR: "a directory"}
    kind = kinds.get(stat.S_IFMT(mode), "a device")
    return trouble("FT001", path, f"is {kind}, not a file", "Name a regular file, or leave the path out.")


def _size_error(path: str, size: int) -> Finding | None:
    if size <= _LARGEST:
        return None
    message = f"holds {size / 2**30:.1f} GiB, more than any program"
    return trouble("FT001", path, message, "Clear a notebook's outputs, or leave the file out.")


def regular_bytes(path: str) -> bytes:
    """Returns the bytes of a regular file of at most 512 MiB; raises OSError for any other, without blocking."""
    if not stat.S_ISREG(os.stat(path).st_mode):  # opening a device may have an effect
        raise OSError(errno.EINVAL, "not a regular file", path)
    with open(path, "rb", buffering=0, opener=_open_nonblocking) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):  # it was replaced after the check
            raise OSError(errno.EINVAL, "not a regular file", path)
        if status.st_size > _LARGEST:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), path)
        return file.read()


def _open_nonblocking(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def read(path: str) -> bytes:
    """Returns the bytes of a regular file or of a link to one; raises Unreadable (FT001)."""
    try:
        status = os.stat(path)
        trouble_found = file_type_error(path, status.st_mode) or _size_error(path, status.st_size)
        if trouble_found is None:
            return regular_bytes(path)
    except (OSError, ValueError) as error:
        raise Unreadable(unreadable_finding(path, error)) from error
    raise Unreadable(trouble_found)
