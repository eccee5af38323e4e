"""Files that are on the disk before anything names them."""

import os
from concurrent.futures import ThreadPoolExecutor


def sync_files(*paths):
    """Waits until files, and the names in directories, are on the disk, if it is local."""
    local = [path for path in paths if os.path.exists(path)]
    if local:
        with ThreadPoolExecutor(len(local)) as at_once:  # one after the other is slower
            others = at_once.map(_sync_one, local[1:])
            _sync_one(local[0])
            list(others)


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
