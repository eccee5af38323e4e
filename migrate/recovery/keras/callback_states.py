"""Reads and sets the state of the callbacks of a training."""

import collections
import contextlib
import inspect
import operator
import pickle
import sys
import zlib

import numpy as np
import tensorflow as tf

from .commands import is_moment
from .saved_states import FILLED, fill, is_plain, plain_of, read
from .trained_variables import variable_of


def names_of(callbacks):
    """Returns a name for each callback: its class, and a number among those of it."""
    kinds = [f"{type(one).__module__}.{type(one).__qualname__}" for one in callbacks]
    return [f"{kind} {kinds[:n].count(kind)}" for n, kind in enumerate(kinds)]


def parts_of(callback):
    """Returns a dict of what a callback has or uses, each as a list of its parts."""
    return {name: _parts(value) for name, value in _used_by(callback).items()}


def _parts(value):
    value = [*value.values()] if isinstance(value, dict) else value
    return [*value] if isinstance(value, (list, set, collections.deque)) else [value]


def _is_large(parts):
    arrays = [one for one in parts if isinstance(one, np.ndarray)]
    return sum(one.nbytes for one in arrays) > 2**20


def samples_of(given):
    """Returns the CRC-32 of samples of large arrays in what ``parts_of`` gave, a list."""
    parts = [part for parts in given.values() for part in parts]
    large = [one for one in parts if isinstance(one, np.ndarray) and _is_large([one])]
    return [zlib.crc32(one[:: 1 + len(one) // 64].tobytes()) for one in large]


def state_of(callback, given, samples):
    """Returns a dict of a callback's pickled data, without large data of ``given``.

    A part of a state would not fit the rest: where something has changed that is no plain
    data, or has models of its own, or large data were changed in place, it is {}.
    """
    used = _used_by(callback)
    if samples_of(given) != samples or _has_models(callback):
        return {}
    variables, outside = _variables_of(used), _outside(callback, used)
    state = {name: one.numpy() for name, one in variables.items()}
    outside = {name: plain_of(one) for name, one in outside.items()}
    state.update((name, one) for name, one in outside.items() if is_plain(one))
    for name, one in used.items():
        parts, value, first = _parts(one), plain_of(one), given.get(name, ())
        is_same = len(parts) == len(first) and all(map(operator.is_, parts, first))
        is_data = is_same and (_is_large(parts) or isinstance(value, tuple))
        if name == "monitor_op" and value is not None:  # A function, set by Keras.
            value = value.__name__
        if not (is_same or is_plain(value) or name in variables or name == "model"):
            return {}
        if is_plain(value) and not is_data and name in vars(callback):
            state[name] = value
    state.pop("params", None)
    return {n: pickle.dumps(one) for n, one in state.items() if not is_moment(one)}


def _has_models(callback):
    """Returns whether a callback has models whose weights are not the trained one's."""
    kinds, own = tf.keras.Model, vars(callback)
    model = getattr(callback, "model", None)
    trained = {id(one) for one in getattr(model, "weights", ())}
    models = [one for one in own.values() if isinstance(one, kinds)]
    return any(id(one) not in trained for model in models for one in model.weights)


def set_state(callback, state):
    """Sets a state that ``state_of`` has returned."""
    used = _used_by(callback)
    variables, outside = _variables_of(used), _outside(callback, used)
    for name, content in state.items():
        value, own = read(content), outside.get(name, getattr(callback, name, None))
        kinds = [(type(x), getattr(x, "shape", 0)) for x in (own, plain_of(own), value)]
        if name in variables:
            variables[name].assign(value)
        elif isinstance(value, FILLED) and kinds[-1] in kinds[:-1]:
            fill(own, value)
        elif name in outside:
            _set_outside(callback, name.strip(), value)
        elif name == "monitor_op" and value is not None:
            setattr(callback, name, getattr(sys.modules["keras"].ops, value))
        else:
            setattr(callback, name, value)


def has_grown(old, state, epochs):
    """Returns whether an int is larger, by one of epochs, than its CRC-32 in old tells."""
    for name, content in state.items():
        value = read(content)
        before = [value - n for n in epochs if n > 0] if type(value) is int else ()
        if old.get(name) in [zlib.crc32(pickle.dumps(one)) for one in before]:
            return True
    return False


def numbers_of(model):
    """Returns the numbers that are attributes of a model, a dict."""
    own = {name: one for name, one in vars(model).items() if name[0] != "_"}
    if any(isinstance(one, np.ndarray) for one in own.values()):
        return {}  # They may belong together.
    return {name: one for name, one in own.items() if type(one) in (int, float)}


def _functions_of(callback):
    """Returns the functions that a callback runs in each epoch, a list."""
    hooks = "on_epoch_begin", "on_epoch_end", "on_train_batch_end", "on_batch_end"
    found = [getattr(callback, name, None) for name in hooks]
    return [getattr(one, "__func__", one) for one in found if inspect.isroutine(one)]


def _used_by(callback):
    """Returns a dict of what a callback has or its methods use."""
    found = dict(vars(callback))
    for one in _functions_of(callback):
        # The hook may be no Python function, or use a variable that is set later.
        with contextlib.suppress(TypeError, ValueError):
            used = inspect.getclosurevars(one)
            found.update({**used.globals, **used.nonlocals})
    return found


def _variables_of(used):
    """Returns a dict of the variables among what a callback has or its methods use."""
    found = {**used}
    for name, value in used.items():
        if isinstance(value, (list, tuple)):
            found.update({f"{name}.{place}": one for place, one in enumerate(value)})
    found = {name: variable_of(one) for name, one in found.items()}
    return {name: one for name, one in found.items() if isinstance(one, tf.Variable)}


def _outside(callback, used):
    """Returns the numbers and collections that only a callback's methods use, a dict."""
    used = {n: one for n, one in used.items() if n not in vars(callback)}
    used = {n: one for n, one in used.items() if not _is_large(_parts(one))}
    kinds = (int, float, *FILLED)
    return {f"{n} ": one for n, one in used.items() if isinstance(one, kinds)}


def _set_outside(callback, name, value):
    """Sets a number that a callback's methods use, by its name."""
    for one in _functions_of(callback):
        code = getattr(one, "__code__", None)
        if code is not None and name in code.co_freevars:
            one.__closure__[code.co_freevars.index(name)].cell_contents = value
        elif code is not None and name in code.co_names and name in one.__globals__:
            one.__globals__[name] = value
