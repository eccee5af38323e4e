"""Confines this process, and all processes that it starts, to some directories by Linux' Landlock.

Landlock needs no privileges, and also covers what Python does not see: TensorFlow's kernels, HDF5, other programs.
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
"""The first version that allows renames into another directory, which checkpoints need, and the first with truncate."""

WRITE_FILE = 1 << 1
REMOVE_DIRECTORY, MAKE_DIRECTORY = 1 << 4, 1 << 7
REMOVE_AND_MAKE = sum(1 << bit for bit in range(4, 14))
TRUNCATE = 1 << 14


def restrict(directories, above, devices):
    """Allows this thread and those that it starts only some changes to files; this cannot be undone.

    Args:
      directories: where anything may be changed; anything below ``/dev/shm`` may be, too.
      above: where directories may be made, and removed if they are empty.
      devices: where existing files may be written to.

    Returns:
      Whether the kernel supports it: Linux from 5.19 on, if it is built with Landlock.
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
    """Adds a rule and returns whether it worked; a directory that does not exist needs no rule."""
    try:
        directory = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return True
    try:
        rule = struct.pack("=Qi", access, directory)
        return bool(libc.syscall(ADD_RULE, ruleset, BELOW_PATH, rule, ctypes.c_uint32(0)) == 0)
    finally:
        os.close(directory)
