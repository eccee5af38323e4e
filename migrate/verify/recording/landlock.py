"""Linux' Landlock: the kernel refuses this process, and all that it starts, to change files but below some directories.

It needs no rights, and reaches what Python does not see: TensorFlow's kernels, HDF5, and programs that are started.
"""

import ctypes
import os
import struct
import sys

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
"""The numbers of the system calls, the same on every architecture."""
VERSION, BELOW_PATH = 1, 1
NO_NEW_PRIVILEGES = 38
LEAST_VERSION, TRUNCATES = 2, 3
"""The first that lets a file be renamed into another directory, as a checkpoint is, and the first with ``truncate``."""

WRITE_FILE = 1 << 1
REMOVE_DIRECTORY, MAKE_DIRECTORY = 1 << 4, 1 << 7
REMOVE_AND_MAKE = sum(1 << bit for bit in range(4, 14))
TRUNCATE = 1 << 14


def restrict(directories, above, devices):
    """Let this thread, and those that it starts, change files below some directories alone; for ever.

    Args:
      directories: where anything may be changed.
      above: where directories may be made, and removed if they are empty.
      devices: where files that are there may be written to, and below ``/dev/shm`` anything.

    Returns:
      Whether the kernel can: Linux from 5.19 on, if it is built with Landlock.
    """
    if not sys.platform.startswith("linux"):
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    version = libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(VERSION))
    if version < LEAST_VERSION:
        return False
    handled = WRITE_FILE | REMOVE_AND_MAKE | (TRUNCATE if version >= TRUNCATES else 0)
    rules = [(path, handled) for path in (*directories, "/dev/shm")]
    rules += [(path, REMOVE_DIRECTORY | MAKE_DIRECTORY) for path in above]
    rules += [(path, handled & (WRITE_FILE | TRUNCATE)) for path in devices]
    attribute = struct.pack("Q", handled)
    ruleset = libc.syscall(CREATE_RULESET, attribute, ctypes.c_size_t(len(attribute)), ctypes.c_uint32(0))
    if ruleset < 0:
        return False
    try:
        for path, access in rules:
            if not _allow(libc, ruleset, path, access):
                return False
        libc.prctl(NO_NEW_PRIVILEGES, ctypes.c_ulong(1), ctypes.c_ulong(0), ctypes.c_ulong(0), ctypes.c_ulong(0))
        return bool(libc.syscall(RESTRICT_SELF, ruleset, ctypes.c_uint32(0)) == 0)
    finally:
        os.close(ruleset)


def _allow(libc, ruleset, path, access):
    """Add a rule; a directory that is not there needs none."""
    try:
        directory = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return True
    try:
        rule = struct.pack("=Qi", access, directory)
        return bool(libc.syscall(ADD_RULE, ruleset, BELOW_PATH, rule, ctypes.c_uint32(0)) == 0)
    finally:
        os.close(directory)
