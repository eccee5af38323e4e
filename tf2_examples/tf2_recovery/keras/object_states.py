# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 6b4ac98fb9277779).
"""Reads what a training changes in the objects of its program, and sets it again."""

import collections
import contextlib
import inspect
import pickle
import sys
import types
import zlib
from collections.abc import Iterable

import numpy as np
import tensorflow as tf

from .commands import is_moment, modules_of_program
from .saved_states import FILLED, fill, pickled, plain_of, read
from .trained_variables import (
    all_variables,
    has_value,
    replicas_of,
    variable_of,
    variables_of,
)

_LARGE, _SAMPLES, _LISTS = 2**24, 1000, (list, dict, collections.deque)
_OF_KERAS = "model", "params", "validation_data", "built"  # What Keras sets.
_FIXED = type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType
_OF_TENSORFLOW = "tensorflow", "keras", "tf_keras"
_UNSEEN = "numpy", "random", "matplotlib", "logging"  # These begin anew.


class ObjectStates:
    """What objects hold, and what of it has changed since this was made.

    Objects of the program's classes, lists and dicts are searched for plain data and
    variables. An object of an installed package is compared as a whole, by its pickle.

    Args:
      roots: the objects, a dict by name; the one named "" may be of any class.
      kept: returns the variables that are saved otherwise, a list.
      models: the models that are.

    Attributes:
      first: the CRC-32 of small plain data when this was made, a dict by place.
      numbers: the ints among them, a dict by place.
      arrays: the CRC-32 of the arrays, a dict by place.
    """

    def __init__(self, roots, kept=list, models=()):
        self._roots, self._kept, self._models = roots, kept, [*map(id, models)]
        self._first, self._restored, self._found = {}, (), {}
        self.first, self.numbers, self.arrays = {}, {}, {}
        for place, one, content in self._values():
            mark = self._mark(place, one, content)
            self._first[place] = one, mark
            if content is None or is_moment(one) or isinstance(one, set):
                continue  # The order of a set is another one in each process.
            self.first.update({place: mark} if _size(one) < 2**20 else {})
            self.numbers.update({place: one} if type(one) is int else {})
            self.arrays.update({place: mark} if isinstance(one, np.ndarray) else {})

    def changes(self):
        """Returns a dict of changed data by place, pickled, and if it is filled in place.

        Raises:
          ValueError: other things have changed: a part of a state would not fit the rest.
        """
        found, now, names, size = {}, {}, collections.Counter(), 0
        most = _LARGE + sum(map(_size, self._kept()))  # Such as the best weights.
        for place, one, content in self._values():
            old, mark = self._first.get(place, ()) or (self, None)
            now[place], is_new, is_one = one, old is self, old is one
            in_list = isinstance(now.get(place[:-1]), _LISTS)
            names[id(one)] += isinstance(one, FILLED)
            if is_moment(one):
                continue
            if isinstance(one, tf.Variable):
                if not is_one:
                    raise ValueError(f"{_text(place)} is a new variable")
                is_same = has_value(one, mark)
            elif content is None and is_one and mark == self._mark(place, one, None):
                continue
            elif content is None:
                if _package_of(one) in _UNSEEN and self._parts(place, one) is None:
                    continue
                raise ValueError(f"{_text(place)} has changed, and is no plain data")
            else:
                if (is_new and in_list) or not (is_one or _is_exact(one)):
                    raise ValueError(f"{_text(place)} is new")
                is_same = not is_new and mark == zlib.crc32(content)
            if is_same and place not in self._restored:
                continue
            size += _size(one)
            if size > most:
                raise ValueError(f"{_text(place)} is larger than the model")
            if content is None or _size(one) > _LARGE:
                content = pickled(plain_of(one))
            found[place] = content, is_one
        for place in self._first.keys() - now.keys():
            raise ValueError(f"{_text(place)} is gone")
        for place, (_, is_one) in found.items():
            if names[id(now[place])] > 1 and not is_one:
                raise ValueError(f"{_text(place)} has another name")
        return found

    def fits(self, changed, marks):
        """Returns whether what an earlier start has changed belongs to these objects.

        Args:
          marks: its ``arrays``. Those that it has not changed are the same now: a state
            by their rows would not fit other data.
        """
        for place in marks.keys() - changed.keys():
            if self.arrays.get(place) not in (None, marks[place]):
                return False
        now = {place: one for place, one, _ in self._values()}
        return all(self._has_place(now, *one) for one in changed.items())

    def _has_place(self, now, place, change):
        own, owner, value = now.get(place), now.get(place[:-1]), read(change[0])
        if isinstance(own, tf.Variable):
            return own.shape == np.shape(value)
        if change[1] and isinstance(value, FILLED):
            is_array = isinstance(value, np.ndarray)
            is_same = type(plain_of(own)) is type(value)
            return is_same and (not is_array or own.shape == value.shape)
        if isinstance(owner, dict):
            return place[-1] in owner
        is_list = owner is None or isinstance(owner, (*_LISTS, tuple))
        return place in now or not is_list

    def restore(self, changed):
        """Sets what ``changes`` has returned."""
        now, self._restored = {place: one for place, one, _ in self._values()}, changed
        for place, (content, is_filled) in changed.items():
            value, own = read(content), now.get(place)
            if isinstance(own, tf.Variable):
                own.assign(value)
            elif is_filled and isinstance(value, FILLED):
                fill(own, value)
            else:
                _set(now[place[:-1]], place[-1], value)

    def _values(self):
        """Yields each place, a tuple of names, the value there, and plain data pickled."""
        self._modules = {one.__name__ for one in modules_of_program()}
        kept = {id(one) for each in self._kept() for one in (each, *replicas_of(each))}
        seen, waiting = {}, [((name,), one) for name, one in self._roots.items()]
        for place, one in waiting:  # The list grows, and keeps all alive.
            is_tracked = hasattr(type(one), "_trackable_children")
            is_tracked |= isinstance(one, tf.keras.metrics.Metric)
            one = variable_of(one) if is_tracked else one
            is_variable, is_known = isinstance(one, tf.Variable), id(one) in seen
            if not is_known:
                seen[id(one)] = None if is_variable else _content(one)
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
            parts = self._parts(place, one) or {}
            waiting += [((*place, name), part) for name, part in parts.items()]

    def _parts(self, place, one):
        """Returns a dict of what an object of the program holds; None for any other."""
        if isinstance(one, types.FunctionType):
            is_hook = len(place) == 1 and one.__module__ in self._modules
            return _used_by(one) if is_hook else None
        if isinstance(one, (list, tuple, collections.deque)):
            return dict(enumerate(one))
        if isinstance(one, np.ndarray):
            return dict(enumerate(one.flat)) if one.dtype == object else None
        if isinstance(one, dict):  # By its place where a key is no name.
            keys = [
                n if type(n) in (str, int) else f"{at}th" for at, n in enumerate(one)
            ]
            return dict(zip(keys, one.values()))
        kind = one if isinstance(one, type) else type(one)
        name = one.__name__ if isinstance(one, types.ModuleType) else kind.__module__
        is_space = kind.__name__ in ("Namespace", "SimpleNamespace")
        if not (is_space or place == ("",) or name in self._modules):
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

    def _mark(self, place, one, content):
        """Returns what tells a change of a value: a CRC-32, a tensor, or None."""
        if isinstance(one, tf.Variable):
            return one.read_value()
        owner, sums = _package_of(one), _Sum()
        if content is not None:
            return zlib.crc32(content)
        is_fixed = isinstance(one, _FIXED) or owner in (*_UNSEEN, *_OF_TENSORFLOW)
        if is_fixed or self._parts(place, one) is not None:
            return None
        with contextlib.suppress(Exception):  # Many objects have no pickle.
            pickle.Pickler(sums, 4).dump(one)
            return sums.crc
        return None

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
        is_plain = one is not None and _content(one) is not None
        return is_plain or self._parts((), one) is not None


def _package_of(one):
    return type(one).__module__.partition(".")[0]


def _text(place):
    return ".".join(map(str, place))


def _is_exact(one):
    """Returns whether data are of the class that they have when they are read again."""
    return type(plain_of(one)) is type(one)


def _size(data):
    """Returns about how many bytes data have."""
    if isinstance(data, (*_LISTS, tuple, set)) and data:
        parts = [*data.values()] if isinstance(data, dict) else [*data]
        every = 1 + len(parts) // _SAMPLES
        return every * sum(8 + _size(one) for one in parts[::every])
    if isinstance(data, np.ndarray):
        return data.nbytes
    if isinstance(data, (tf.Tensor, tf.Variable)):
        return data.dtype.size * (data.shape.num_elements() or 0)
    return len(data) if isinstance(data, (str, bytes)) else 8


def _content(one):
    """Returns plain data pickled, of large ones samples; None for anything else."""
    data = plain_of(one)
    if _size(data) > _LARGE:
        if hasattr(data, "shape"):
            data, most = np.asarray(data), [_SAMPLES, *[8] * (data.ndim - 1)]
            every = zip(data.shape, most)
            data = (
                data.shape,
                data[tuple(slice(None, None, 1 + n // m) for n, m in every)],
            )
        else:
            parts = [*data.values()] if isinstance(data, dict) else [*data]
            data = len(parts), parts[:: 1 + len(parts) // _SAMPLES], parts[-1]
    return pickled(data)


class _Sum:
    """Counts and sums what a pickler writes."""

    def __init__(self):
        self.crc = self.size = 0

    def write(self, part):
        self.crc, self.size = zlib.crc32(part, self.crc), self.size + len(part)
        if self.size > 4 * _LARGE:
            raise ValueError("it is large")


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


def _set(owner, name, value):
    """Sets a value of an object, a dict or list, or a function that uses it."""
    if isinstance(owner, types.FunctionType):
        if name in owner.__code__.co_freevars:
            place = owner.__code__.co_freevars.index(name)
            owner.__closure__[place].cell_contents = value
        else:
            owner.__globals__[name] = value
    elif isinstance(owner, (*_LISTS, np.ndarray)):
        (owner.flat if isinstance(owner, np.ndarray) else owner)[name] = value
    elif name == "monitor_op" and isinstance(value, str):
        setattr(owner, name, getattr(sys.modules["keras"].ops, value))
    else:
        setattr(owner, name, value)
