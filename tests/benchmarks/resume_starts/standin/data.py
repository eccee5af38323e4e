"""Data that are not there: what reads them is given something made up."""

import builtins
import csv
import glob
import io
import json
import os
import pathlib
import pickle
import random
import sys

from .anything import Anything, Number, holds_anything
from .state import REAL_OPEN, start

_real_exists = os.path.exists
_NAMES = [f"{number}.jpg" for number in range(40)]


class MadeUpFile(Anything):
    """A file that is not there."""

    def __iter__(self):
        return iter([Anything("line") for _ in range(3)])

    def read(self, *args):
        return Anything("text")

    def readlines(self, *args):
        return [Anything("line") for _ in range(3)]


def _is_absent(path):
    return isinstance(path, Anything) or (
        isinstance(path, (str, os.PathLike)) and not _real_exists(path) and start.is_made_up(path)
    )


def _exists(function):
    """A test for a path that holds where one is made up, and else notes that there is none."""

    def called(path, *args, **kwargs):
        if isinstance(path, Anything) or function(path, *args, **kwargs):
            return True
        if isinstance(path, (str, os.PathLike)) and os.path.abspath(str(path)) in start.made_up:
            return True
        if os.path.abspath(str(path)).startswith(str(start.root)):
            start.write("asked", path=os.path.abspath(str(path)))
        return False

    return called


def _opened(path, mode="r", *args, **kwargs):
    if not set(mode) & set("wax+") and _is_absent(path):
        return MadeUpFile(str(path))
    if isinstance(path, Anything):
        return io.StringIO()
    return REAL_OPEN(path, mode, *args, **kwargs)


def _unless(function, is_absent, made):
    def called(*args, **kwargs):
        return made() if args and is_absent(args[0]) else function(*args, **kwargs)

    return called


def _found(function):
    """A search that finds made-up names where it must."""

    def called(pattern, *args, **kwargs):
        found = [Anything("path")] if isinstance(pattern, Anything) else list(function(pattern, *args, **kwargs))
        if found:
            return found
        if start.is_made_up(pattern):
            return [str(pattern).replace("**", "0").replace("*", str(number)) for number in range(40)]
        start.write("nothing found", path=os.path.abspath(str(pattern)))
        return found

    return called


def _tolerant(function):
    """A function of numpy that gives anything for anything."""

    def called(*args, **kwargs):
        if holds_anything(args) or (kwargs and holds_anything(list(kwargs.values()))):
            return Anything("array")
        if args and isinstance(args[0], str) and _is_absent(args[0]):
            return Anything("array")
        numbers = [one for each in args for one in (each if isinstance(each, (list, tuple)) else [each])]
        if args and numbers and any(isinstance(one, Number) for one in numbers):
            return next(one for one in numbers if isinstance(one, Number))
        return function(*args, **kwargs)

    called.__name__ = getattr(function, "__name__", "function")
    return called


class _Ufunc:
    """An element-wise function of numpy."""

    def __init__(self, function):
        self._function, self._called = function, _tolerant(function)

    def __call__(self, *args, **kwargs):
        return self._called(*args, **kwargs)

    def __getattr__(self, name):
        return getattr(self._function, name)


def _loosen(module):
    for name, value in list(vars(module).items()):
        if name.startswith("_") or isinstance(value, type) or not callable(value):
            continue
        setattr(module, name, _Ufunc(value) if hasattr(value, "nin") else _tolerant(value))


def install(texts):
    """Let the readers of data give something made up for what is not there.

    Args:
      texts: the program's repository as one text, which tells what it uses.
    """
    builtins.open = _opened
    io.open = _opened
    builtins.input = lambda *args: "1"
    os.listdir = _unless(os.listdir, _is_absent, lambda: list(_NAMES))
    os.scandir = _unless(os.scandir, lambda one: isinstance(one, Anything), lambda: iter(()))
    for name in ("exists", "isfile", "isdir"):
        setattr(os.path, name, _exists(getattr(os.path, name)))
        method = {"exists": "exists", "isfile": "is_file", "isdir": "is_dir"}[name]
        setattr(pathlib.Path, method, _exists(getattr(pathlib.Path, method)))
    os.system = lambda *args: 0
    glob.glob = _found(glob.glob)
    glob.iglob = _found(glob.iglob)
    json.load = _unless(json.load, lambda one: isinstance(one, Anything), Anything)
    json.loads = _unless(json.loads, lambda one: isinstance(one, Anything), Anything)
    json.dump = _written(json.dumps)
    sample = random.sample
    random.sample = lambda given, *args, **kwargs: sample(list(given), *args, **kwargs)  # As it took sets once.
    csv.reader = _unless(csv.reader, lambda one: isinstance(one, Anything), Anything)
    csv.DictReader = _unless(csv.DictReader, lambda one: isinstance(one, Anything), Anything)
    pickle.load = _unless(pickle.load, lambda one: isinstance(one, Anything), Anything)
    pickle.loads = _unless(pickle.loads, lambda one: isinstance(one, Anything), Anything)
    if "pandas" in texts:
        _pandas()
    try:
        import numpy
    except ImportError:
        return
    for module in (numpy, numpy.random, numpy.linalg):
        _loosen(module)
    for name, value in {
        "float": float,
        "int": int,
        "bool": bool,
        "object": object,
        "str": str,
        "Inf": numpy.inf,
    }.items():
        setattr(numpy, name, value)  # As NumPy had them when these programs were written.
    sys.modules.pop("numpy.testing", None)


def _written(dumps):
    """``json.dump`` that writes what is made up, too."""

    def dump(given, file, **kwargs):
        try:
            text = dumps(given, **kwargs)
        except TypeError:
            text = dumps(given, default=str, skipkeys=True)
        file.write(text)

    return dump


def _or_anything(function):
    def called(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except FileNotFoundError:
            raise
        except Exception:
            return Anything("table")

    return called


def _pandas():
    try:
        import pandas
    except ImportError:
        return
    for name in [one for one in dir(pandas) if one.startswith("read_")]:
        setattr(pandas, name, _or_anything(_unless(getattr(pandas, name), _is_absent, Anything)))
    pandas.io.common.EmptyDataError = pandas.errors.EmptyDataError
    pandas.DataFrame.append = lambda self, *args, **kwargs: self
