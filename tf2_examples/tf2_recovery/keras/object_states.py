# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 1efc0ede29ca818b).
"""Reads what a training changes in the objects of its program, and sets it again."""

import collections
import contextlib
import pickle
import time
import types
import zlib

import numpy as np
import tensorflow as tf

from .commands import is_moment
from .program_objects import LARGE, LISTS, ProgramObjects, set_value, size_of
from .saved_states import FILLED, TIME, fill, pickled, plain_of, read
from .trained_variables import has_value

_FIXED = type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType
_OF_TENSORFLOW = "tensorflow", "keras", "tf_keras"
_UNSEEN = "numpy", "random", "matplotlib", "logging"  # These begin anew.


class ObjectStates:
    """What objects hold, and what of it has changed since this was made.

    An object of an installed package is compared as a whole, by its pickle.

    Args:
      roots, kept, models: as for ``ProgramObjects``.

    Attributes:
      checksums: the CRC-32 of small plain data when this was made, a dict by place.
      numbers: the ints among them, a dict by place.
      arrays: the CRC-32 of the arrays, a dict by place.
    """

    def __init__(self, roots, kept=list, models=()):
        self._objects = ProgramObjects(roots, kept, models)
        self._first, self._restored = {}, ()
        self.checksums, self.numbers, self.arrays = {}, {}, {}
        for place, one, content in self._objects.values():
            mark = self._mark(place, one, content)
            self._first[place] = one, mark
            is_of_start = is_moment(one) or (isinstance(one, str) and TIME.search(one))
            if content is None or is_of_start or isinstance(one, set):
                continue  # The order of a set is another one in each process.
            self.checksums.update({place: mark} if size_of(one) < 2**20 else {})
            self.numbers.update({place: one} if type(one) is int else {})
            self.arrays.update({place: mark} if isinstance(one, np.ndarray) else {})

    def changes(self):
        """Returns a dict of changed data by place, pickled, and if it is filled in place.

        For a time it is None: it is pickled with the time of now.

        Raises:
          ValueError: other things have changed: a part of a state would not fit the rest.
        """
        found, now, names, size = {}, {}, collections.Counter(), 0
        most = LARGE + sum(map(size_of, self._objects.kept()))  # Such as best weights.
        for place, one, content in self._objects.values():
            now[place] = one
            names[id(one)] += isinstance(one, FILLED)
            if not self._has_changed(place, one, content, now.get(place[:-1])):
                continue
            size += size_of(one)
            if size > most:
                raise ValueError(f"{_text(place)} is larger than the model")
            if content is None or size_of(one) > LARGE:
                content = pickled(plain_of(one))
            found[place] = content, self._first.get(place, (None,))[0] is one
            if is_moment(one):  # The time until a later start does not count.
                found[place] = pickled((one, time.time())), None
        for place in self._first.keys() - now.keys():
            raise ValueError(f"{_text(place)} is gone")
        for place, (_, is_filled) in found.items():
            if names[id(now[place])] > 1 and not is_filled:
                raise ValueError(f"{_text(place)} has another name")
        return found

    def _has_changed(self, place, one, content, owner):
        """Returns whether a value is to be kept: it has changed, or had before a restore.

        Raises:
          ValueError: what has changed is neither plain data nor a variable's value.
        """
        is_new = place not in self._first
        first, mark = self._first.get(place, (None, None))
        is_one, is_array = not is_new and first is one, isinstance(one, np.ndarray)
        if is_moment(one) and is_moment(first):
            return False
        if isinstance(one, tf.Variable):
            if not is_one:
                raise ValueError(f"{_text(place)} is a new variable")
            is_same = has_value(one, mark)
        elif content is not None:
            is_added = is_new and isinstance(owner, LISTS)
            if is_added or not (is_one or type(plain_of(one)) is type(one)):
                raise ValueError(f"{_text(place)} is new")
            is_same = not is_new and mark == zlib.crc32(content)
        elif is_one and mark == self._mark(place, one, None):
            return False
        elif _package_of(first) == _package_of(one) in _UNSEEN and not is_array:
            return False  # The program has made one before it trains.
        else:
            raise ValueError(f"{_text(place)} has changed, and is no plain data")
        return not is_same or place in self._restored

    def fits(self, changed, marks):
        """Returns whether what an earlier start has changed belongs to these objects.

        Args:
          marks: its ``arrays``. Those that it has not changed are the same now: a state
            by their rows would not fit other data.
        """
        for place in marks.keys() - changed.keys():
            if self.arrays.get(place) not in (None, marks[place]):
                return False
        now = {place: one for place, one, _ in self._objects.values()}
        return all(_has_place(now, *one) for one in changed.items())

    def restore(self, changed):
        """Sets what ``changes`` has returned."""
        now = {place: one for place, one, _ in self._objects.values()}
        self._restored = changed
        for place, (content, is_filled) in changed.items():
            value, own = read(content), now.get(place)
            if is_filled is None:
                value = value[0] + time.time() - value[1]
            if isinstance(own, tf.Variable):
                own.assign(value)
            elif is_filled and isinstance(value, FILLED):
                fill(own, value)
            else:
                set_value(now[place[:-1]], place[-1], value)

    def _mark(self, place, one, content):
        """Returns what tells a change of a value: a CRC-32, a tensor, or None."""
        if isinstance(one, tf.Variable):
            return one.read_value()
        owner, sums = _package_of(one), _Sum()
        if content is not None:
            return zlib.crc32(content)
        is_fixed = isinstance(one, _FIXED) or owner in (*_UNSEEN, *_OF_TENSORFLOW)
        if is_fixed or self._objects.parts(place, one) is not None:
            return None
        with contextlib.suppress(Exception):  # Many objects have no pickle.
            pickle.Pickler(sums, 4).dump(one)
            return sums.crc
        return None


class _Sum:
    """Counts and sums what a pickler writes."""

    def __init__(self):
        self.crc = self.size = 0

    def write(self, part):
        self.crc, self.size = zlib.crc32(part, self.crc), self.size + len(part)
        if self.size > 4 * LARGE:
            raise ValueError("it is large")


def _has_place(now, place, change):
    """Returns whether the objects have a place for a changed value."""
    (content, is_filled), own, owner = change, now.get(place), now.get(place[:-1])
    value = read(content)
    if isinstance(own, tf.Variable):
        return own.shape == np.shape(value)
    if is_filled and isinstance(value, FILLED):
        is_array = isinstance(value, np.ndarray)
        is_same = type(plain_of(own)) is type(value)
        return is_same and (not is_array or own.shape == value.shape)
    if isinstance(owner, dict):
        return place[-1] in owner
    is_list = owner is None or isinstance(owner, (*LISTS, tuple))
    return place in now or not is_list


def _package_of(one):
    return type(one).__module__.partition(".")[0]


def _text(place):
    return ".".join(map(str, place))
