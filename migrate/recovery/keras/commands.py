"""Tells the command of this process, by which a start resumes a training or not."""

import hashlib
import multiprocessing
import os
import re
import sys

_CONFIG = re.compile(r"\.(json|ya?ml|toml|ini|cfg|conf)$")


def is_notebook():
    """Returns whether this process runs the cells of a notebook."""
    main = vars(sys.modules["__main__"])
    return "In" in main and "__file__" not in main


def command_of_process():
    """Returns a digest of arguments, or a notebook's cells, and source; None at a prompt."""
    main, configs = sys.modules["__main__"], set()
    path, run = getattr(main, "__file__", None), getattr(main, "In", None)
    if path is not None:
        run = [os.path.basename(path), *sys.argv[1:]]
        given = (one.rpartition("=")[2] for one in run)
        configs = {os.path.abspath(one) for one in given if _CONFIG.search(one)}
    if run is None:
        return None
    folder = os.path.dirname(os.path.abspath(path or "notebook")) + os.sep
    process = multiprocessing.current_process().name  # Such as the one of each fold.
    digest = hashlib.sha256(repr([process, *run]).encode())
    files = [getattr(one, "__file__", None) or "" for one in [*sys.modules.values()]]
    for one in sorted({*map(os.path.abspath, files), *configs}):
        is_own = one.startswith(folder) and "site-packages" not in one
        if (is_own or one in configs) and os.path.isfile(one):
            with open(one, "rb") as file:
                digest.update(file.read())
    return digest.hexdigest()
