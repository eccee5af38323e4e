"""Files that are on the disk before anything names them."""

import contextlib
import os
import threading


def sync_files(*paths):
    """Waits until files, and the names in directories, are on the disk, if it is local."""
    # One after the other is slower; an executor takes nothing when the program ends.
    others = [threading.Thread(target=_sync_one, args=(path,)) for path in paths[1:]]
    for other in others:
        other.start()
    for path in paths[:1]:
        _sync_one(path)
    for other in others:
        other.join()


def sync_folder(path):
    """Waits until a directory and all that is in it is on the disk, if it is local."""
    folders = [(top, names) for top, _, names in os.walk(path)]
    files = [os.path.join(top, name) for top, names in folders for name in names]
    sync_files(*files, *(top for top, _ in folders))


def _sync_one(path):
    with contextlib.suppress(FileNotFoundError):  # It was removed, or is remote.
        opened = os.open(path, os.O_RDONLY)
        with contextlib.suppress(OSError):  # A file system that cannot.
            os.fsync(opened)
        os.close(opened)
