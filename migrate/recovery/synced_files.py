"""Writes files through to the disk, so that a power cut loses none that others name."""

import contextlib
import os
import threading


def sync_files(*paths):
    """Waits until files and directories are on the disk; skips remote or missing ones."""
    # Threads: in parallel is faster, and an executor takes no work at Python's exit.
    others = [threading.Thread(target=_sync_one, args=(path,)) for path in paths[1:]]
    for other in others:
        other.start()
    for path in paths[:1]:
        _sync_one(path)
    for other in others:
        other.join()


def sync_folder(path):
    """Waits until a local directory, with all that is below it, is on the disk."""
    folders = [(top, names) for top, _, names in os.walk(path)]
    files = [os.path.join(top, name) for top, names in folders for name in names]
    sync_files(*files, *(top for top, _ in folders))


def _sync_one(path):
    with contextlib.suppress(FileNotFoundError):  # It was removed, or is remote.
        opened = os.open(path, os.O_RDONLY)
        with contextlib.suppress(OSError):  # The file system has no fsync.
            os.fsync(opened)
        os.close(opened)
