"""Wraps methods of TensorFlow and Keras, once the program itself has imported their module."""

import functools
import importlib.abc
import importlib.machinery
import os
import sys

from . import event_log

environments = {}
"""Watched package -> the environment variables when its import began."""


class _Loader(importlib.abc.Loader):
    """The module's own loader, with a call after the module has run."""

    def __init__(self, loader, watch):
        self.loader = loader
        self.watch = watch

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        if "." not in module.__name__:
            environments[module.__name__] = dict(os.environ)
        # The module keeps its own loader: inspect and autograph read the source through it.
        module.__loader__ = self.loader
        if module.__spec__ is not None:
            module.__spec__.loader = self.loader
        self.loader.exec_module(module)
        with event_log.contain_errors(module.__name__):
            self.watch(module)


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, watches):
        self.watches = watches

    def find_spec(self, name, path, target=None):
        watch = self.watches.get(name)
        if watch is None:
            return None
        for finder in sys.meta_path:
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(name, path, target)
            if spec is not None and spec.loader is not None:
                spec.loader = _Loader(spec.loader, watch)
                return spec
        return None


def watch(watches):
    """Calls ``watches[name](module)`` after the import of each module in ``watches``."""
    sys.meta_path.insert(0, _Finder(watches))


def wrap_method(owner, name, wrapper):
    """Makes ``owner.name`` call ``wrapper(original, self, *args, **kwargs)``, if the class defines this method."""
    original = owner.__dict__.get(name)
    if original is None:
        return

    @functools.wraps(original)
    def wrapped(self, *args, **kwargs):
        return wrapper(original, self, *args, **kwargs)

    # Tells autograph that there is nothing to convert here, as tf.autograph.experimental.do_not_convert does.
    wrapped.autograph_info__ = {}
    setattr(owner, name, wrapped)
