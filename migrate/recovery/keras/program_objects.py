"""Finds the plain data and the variables in the objects of a program."""

import collections
import contextlib
import functools
import inspect
import sys
import types
import zlib
from collections.abc import Iterable

import numpy as np
import tensorflow as tf

from .commands import modules_of_program
from .saved_states import FILLED, pickled, plain_of
from .trained_variables import all_variables, replicas_of, variable_of, variables_of

LARGE, LISTS = 2**24, (list, dict, collections.deque)
_SAMPLES = 1000
_OF_KERAS = "model", "params", "validation_data", "built"  # What Keras sets.


class ProgramObjects:
    """What the objects of a program hold, place by place.

    Objects of the program's classes, lists and dicts are searched for plain data and
    variables; an object of an installed package is one value.

    Args:
      roots: the objects, a dict by name; the one named "" may be of any class.
      kept: returns the variables that are saved otherwise, a list.
      models: the models that are.
    """

    def __init__(self, roots, kept=list, models=()):
        self.kept = kept
        self._roots, self._models = roots, [*map(id, models)]
        self._found = {}  # The variables of a metric or checkpoint, by its id.

    def values(self):
        """Yields each place, a tuple of names, the value there, and plain data pickled."""
        self._modules = {one.__name__ for one in modules_of_program()}
        kept = {id(one) for each in self.kept() for one in (each, *replicas_of(each))}
        seen, waiting = {}, [((name,), one) for name, one in self._roots.items()]
        for place, one in waiting:  # The list grows, and keeps all alive.
            is_tracked = hasattr(type(one), "_trackable_children")
            is_tracked |= isinstance(one, tf.keras.metrics.Metric)
            one = variable_of(one) if is_tracked else one
            is_variable, is_known = isinstance(one, tf.Variable), id(one) in seen
            if not is_known:
                seen[id(one)] = None if is_variable else content_of(one)
            content, is_filled = seen[id(one)], isinstance(one, FILLED)
            if id(one) in kept or (is_known and content is None and not is_filled):
                continue
            # A function's own variables are those that the loop carries.
            if content is None or len(place) > 1 or is_filled:
                yield place, one, content
            if is_known or is_variable or content is not None:
                continue
            if is_tracked and id(one) not in self._models:
                found = enumerate(self._variables_of(one))
                waiting += [((*place, f"variable {n}"), part) for n, part in found]
            parts = self.parts(place, one) or {}
            waiting += [((*place, name), part) for name, part in parts.items()]

    def parts(self, place, one):
        """Returns what an object of the program holds, a dict; None for any other."""
        if isinstance(one, types.FunctionType):
            is_hook = len(place) == 1 and one.__module__ in self._modules
            return _used_by(one) if is_hook else None
        if isinstance(one, types.MethodType):
            return {"__self__": one.__self__}
        if isinstance(one, (list, tuple, collections.deque)):
            return dict(enumerate(one))
        if isinstance(one, np.ndarray):
            return dict(enumerate(one.flat)) if one.dtype == object else None
        if isinstance(one, dict):  # By its place where a key is no name.
            keys = [n if type(n) in (str, int) else f"{k}th" for k, n in enumerate(one)]
            return dict(zip(keys, one.values()))
        kind = one if isinstance(one, type) else type(one)
        name = one.__name__ if isinstance(one, types.ModuleType) else kind.__module__
        is_space = kind.__name__ in ("Namespace", "SimpleNamespace")
        is_open = is_space or isinstance(one, tf.keras.callbacks.Callback)
        if not (is_open or place == ("",) or name in self._modules):
            return None
        found = {n: x for n, x in _attributes_of(one).items() if n[:2] != "__"}
        found = {n: x for n, x in found.items() if n.lstrip("_") not in _OF_KERAS}
        if place != ("",) and hasattr(kind, "_trackable_children"):
            own = [each for each in kind.__mro__ if each.__module__ in self._modules]
            names = {name for each in own for name in _names_in(each)}
            found = {n: x for n, x in found.items() if n in names and self._is_own(x)}
        if found.get("monitor_op") is not None:  # A function that Keras sets.
            found["monitor_op"] = found["monitor_op"].__name__
        return found

    def _variables_of(self, one):
        """Returns the variables of a layer, metric, optimizer or checkpoint, a list."""
        if isinstance(one, tf.keras.layers.Layer):
            return variables_of([one])
        if hasattr(one, "apply_gradients"):
            return all_variables([], [one])
        if id(one) not in self._found:  # Later ones, such as a counter, are Keras' own.
            found = getattr(one, "variables", None)
            found = found or tf.train.TrackableView(one).children(one).values()
            found = [*map(variable_of, found)] if isinstance(found, Iterable) else ()
            self._found[id(one)] = [x for x in found if isinstance(x, tf.Variable)]
        return self._found[id(one)]

    def _is_own(self, one):
        is_plain = one is not None and content_of(one) is not None
        return is_plain or self.parts((), one) is not None


def size_of(data):
    """Returns about how many bytes data have."""
    if isinstance(data, (*LISTS, tuple, set)) and data:
        parts = [*data.values()] if isinstance(data, dict) else [*data]
        every = 1 + len(parts) // _SAMPLES
        return every * sum(8 + size_of(one) for one in parts[::every])
    if isinstance(data, np.ndarray):
        return data.nbytes
    if isinstance(data, (tf.Tensor, tf.Variable)):
        return data.dtype.size * (data.shape.num_elements() or 0)
    return len(data) if isinstance(data, (str, bytes)) else 8


def content_of(one):
    """Returns plain data pickled, of large ones their marks; None for anything else."""
    data = plain_of(one)
    if size_of(data) > LARGE:
        if hasattr(data, "shape"):
            data = _checksum_of(data)
        else:
            parts = [*data.values()] if isinstance(data, dict) else [*data]
            data = len(parts), parts[:: 1 + len(parts) // _SAMPLES], parts[-1]
    return pickled(data)


def _checksum_of(array):
    """Returns what tells a change of a large array; of a mapped file, of some rows."""
    shape, every = array.shape, 1 + len(array) // _SAMPLES
    array = np.asarray(array[::every] if isinstance(array, np.memmap) else array)
    if array.dtype.hasobject:
        return array
    parts = (array[n : n + every].tobytes() for n in range(0, len(array), every))
    return shape, functools.reduce(lambda crc, one: zlib.crc32(one, crc), parts, 0)


def _attributes_of(one):
    """Returns a dict of an object's attributes, those in slots too."""
    slots = [vars(kind).get("__slots__", ()) for kind in type(one).__mro__]
    slots = [n for each in slots for n in ([each] if isinstance(each, str) else each)]
    found = {name: getattr(one, name) for name in slots if hasattr(one, name)}
    return {**found, **getattr(one, "__dict__", {})}


def _names_in(kind):
    """Returns the names that the methods of a class use, a list."""
    inner = "__func__", "fget", "python_function", "__wrapped__"
    own = [
        one
        for x in vars(kind).values()
        for one in (x, *(getattr(x, n, 0) for n in inner))
    ]
    codes = [getattr(one, "__code__", None) for one in own]
    for code in codes:  # The list grows.
        codes += [one for one in getattr(code, "co_consts", ()) if inspect.iscode(one)]
    return [name for code in codes for name in getattr(code, "co_names", ())]


def _used_by(function):
    """Returns a dict of the globals and outer variables that a function uses."""
    with contextlib.suppress(TypeError, ValueError):  # One may be set later.
        used = inspect.getclosurevars(function)
        return {**used.globals, **used.nonlocals}
    return {}


def set_value(owner, name, value):
    """Sets a value of an object, a dict or list, or a function that uses it."""
    if isinstance(owner, types.FunctionType):
        if name in owner.__code__.co_freevars:
            place = owner.__code__.co_freevars.index(name)
            owner.__closure__[place].cell_contents = value
        else:
            owner.__globals__[name] = value
    elif isinstance(owner, (*LISTS, np.ndarray)):
        (owner.flat if isinstance(owner, np.ndarray) else owner)[name] = value
    elif name == "monitor_op" and isinstance(value, str):
        setattr(owner, name, getattr(sys.modules["keras"].ops, value))
    else:
        setattr(owner, name, value)
