# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 2705dc94e764f27b).
"""Files that are on the disk before anything names them."""

import os
import threading


def sync_files(*paths):
    """Waits until files, and the names in directories, are on the disk, if it is local."""
    local = [path for path in paths if os.path.exists(path)]
    # One after the other is slower; an executor takes nothing when the program ends.
    others = [threading.Thread(target=_sync_one, args=(path,)) for path in local[1:]]
    for other in others:
        other.start()
    for path in local[:1]:
        _sync_one(path)
    for other in others:
        other.join()


def sync_folder(path):
    """Waits until a directory and all that is in it is on the disk, if it is local."""
    found = [
        os.path.join(top, name) for top, _, names in os.walk(path) for name in names
    ]
    sync_files(*found, *[top for top, _, _ in os.walk(path)])


def _sync_one(path):
    try:
        opened = os.open(path, os.O_RDONLY)
    except FileNotFoundError:  # it was removed meanwhile
        return
    try:
        os.fsync(opened)
    except OSError:  # a file system that cannot
        pass
    finally:
        os.close(opened)
