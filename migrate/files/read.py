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


def regular_bytes(path: str) -> bytes:
    """Returns the bytes of a regular file of at most 512 MiB; raises OSError for any other, without blocking."""
    if not stat.S_ISREG(os.stat(path).st_mode):  # opening a device may have an effect
        raise OSError(errno.EINVAL, "not a regular file", path)
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):  # it was replaced after the check
            raise OSError(errno.EINVAL, "not a regular file", path)
        if status.st_size > _LARGEST:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), path)
        data = os.read(descriptor, status.st_size + 1)
        if len(data) == status.st_size:
            return data
        return b"".join([data, *iter(lambda: os.read(descriptor, status.st_size + 1), b"")])
    finally:
        os.close(descriptor)


def read(path: str) -> bytes:
    """Returns the bytes of a regular file or of a link to one; raises Unreadable (FT001)."""
    try:
        return regular_bytes(path)
    except (OSError, ValueError) as error:
        raise Unreadable(_why_unreadable(path) or unreadable_finding(path, error)) from error


def _why_unreadable(path: str) -> Finding | None:
    """Returns FT001 for a path that is no regular file, or that is too large; None if it is neither."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    if status.st_size <= _LARGEST or not stat.S_ISREG(status.st_mode):
        return file_type_error(path, status.st_mode)
    message = f"holds {status.st_size / 2**30:.1f} GiB, more than any program"
    return trouble("FT001", path, message, "Clear a notebook's outputs, or leave the file out.")
