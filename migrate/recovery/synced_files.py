"""Writes files through to the disk, so that a power cut loses none that others name."""

import contextlib
import os
import threading


def begin(work, *args):
    """Starts work in a thread, which it returns; None if the work is done already."""
    # An executor takes no work at Python's exit, and Python 3.12 starts no thread.
    thread = threading.Thread(target=work, args=args)
    try:
        thread.start()
    except RuntimeError:
        return work(*args)
    return thread


def sync_files(*paths):
    """Waits until files and directories are on the disk; skips remote or missing ones."""
    for other in filter(None, [begin(_sync_one, path) for path in paths]):
        other.join()


def sync_folder_after(earlier, path):
    """Waits for a thread, then until a local directory, with all below it, is on disk."""
    if earlier is not None:
        earlier.join()
    folders = [(top, names) for top, _, names in os.walk(path)]
    files = [os.path.join(top, name) for top, names in folders for name in names]
    sync_files(*files, *(top for top, _ in folders))


def _sync_one(path):
    with contextlib.suppress(FileNotFoundError):  # It was removed, or is remote.
        opened = os.open(path, os.O_RDONLY)
        with contextlib.suppress(OSError):  # The file system has no fsync.
            os.fsync(opened)
        os.close(opened)
