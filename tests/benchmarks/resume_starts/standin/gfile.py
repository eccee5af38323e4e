"""``tf.io.gfile``, over the files that there are."""

import glob as globs
import os
import shutil
from os.path import isdir
from types import SimpleNamespace

from .anything import Anything
from .files import NotFoundError
from .layers import as_chain
from .state import REAL_OPEN, start


def _paths(function):
    def called(*paths, **kwargs):
        return function(*(os.fspath(one) if isinstance(one, os.PathLike) else one for one in paths), **kwargs)

    return called


def gfile_open(name, mode="r"):
    """A file; what is missing is an error of TensorFlow's."""
    try:
        return REAL_OPEN(os.fspath(name), mode)
    except FileNotFoundError as error:
        raise NotFoundError(f"{name}; No such file or directory") from error


def glob(pattern):
    """The paths that fit a pattern or one of several."""
    return [path for one in ([pattern] if isinstance(pattern, str) else pattern) for path in sorted(globs.glob(one))]


def listdir(path):
    """The names in a folder."""
    if not isdir(path):
        raise NotFoundError(f"Could not find directory {path}")
    return os.listdir(path)


def rename(src, dst, overwrite=False):
    """Move a file; of a model's it is noted what is there now."""
    os.replace(src, dst)
    if str(src) in _saved:
        start.saved(dst, _saved.pop(str(src)))


def stat(path):
    """The time and the size of a file."""
    found = os.stat(path)
    return SimpleNamespace(mtime_nsec=found.st_mtime_ns, length=found.st_size, is_directory=isdir(path))


_saved = {}


def note_saved(path, weights):
    """What a file holds that may be moved."""
    _saved[str(path)] = [[*as_chain(one[:2]), one[2]] for one in weights]


def makedirs(path):
    """Make a folder and those above it."""
    os.makedirs(path, exist_ok=True)


_FUNCTIONS = {
    "exists": os.path.exists,
    "isdir": os.path.isdir,
    "is_directory": os.path.isdir,
    "glob": glob,
    "listdir": listdir,
    "list_directory": listdir,
    "makedirs": makedirs,
    "make_dirs": makedirs,
    "mkdir": makedirs,
    "mk_dir": makedirs,
    "remove": os.remove,
    "rename": rename,
    "stat": stat,
    "copy": lambda src, dst, overwrite=False: shutil.copy(src, dst),
    "rmtree": shutil.rmtree,
    "delete_recursively": shutil.rmtree,
    "walk": os.walk,
    "join": os.path.join,
}
_OLD = {"IsDirectory": "isdir", "ListDirectory": "listdir", "MakeDirs": "makedirs", "MkDir": "mkdir"}
_OLD |= {"DeleteRecursively": "rmtree", "Exists": "exists", "Glob": "glob", "Remove": "remove", "Walk": "walk"}


def gfile(name):
    """One of its functions, by its name of today or of TensorFlow 1."""
    if name in ("GFile", "Open", "FastGFile"):
        return gfile_open
    function = _FUNCTIONS.get(_OLD.get(name, name))
    return Anything(name) if function is None else _paths(function)
