"""Reads and sets the state of the callbacks of a training."""

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
    """Returns a dict of a callback's attributes, each as a list of its parts."""
    attributes = vars(callback).items()
    return {name: _parts(value) for name, value in attributes}


def _parts(value):
    value = [*value.values()] if isinstance(value, dict) else value
    return [*value] if isinstance(value, list) else [value]


def _is_large(parts):
    arrays = [one for one in parts if isinstance(one, np.ndarray)]
    return sum(one.nbytes for one in arrays) > 2**20


def state_of(callback, given):
    """Returns a dict of a callback's pickled data, without large data of ``given``."""
    used = _used_by(callback)
    state = {name: one.numpy() for name, one in _variables_of(used).items()}
    outside = {n: plain_of(one) for n, one in _outside(callback, used).items()}
    state.update((name, one) for name, one in outside.items() if is_plain(one))
    for name, parts in parts_of(callback).items():
        value, first = plain_of(getattr(callback, name)), given.get(name, ())
        is_same = len(parts) == len(first) and all(map(operator.is_, parts, first))
        is_data = is_same and (_is_large(parts) or isinstance(value, tuple))
        if name == "monitor_op" and value is not None:  # A function, set by Keras.
            value = value.__name__
        if is_plain(value) and not is_data and name != "params":
            state[name] = value
    return {n: pickle.dumps(one) for n, one in state.items() if not is_moment(one)}


def set_state(callback, state):
    """Sets a state that ``state_of`` has returned."""
    used = _used_by(callback)
    variables, outside = _variables_of(used), _outside(callback, used)
    for name, content in state.items():
        value, own = read(content), outside.get(name, getattr(callback, name, None))
        if name in variables:
            variables[name].assign(value)
        elif isinstance(own, FILLED) and isinstance(value, FILLED):
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


def cut_rows(path, separator, size, epoch):
    """Removes the rows of an epoch and later ones that a CSVLogger wrote behind a size."""
    with contextlib.suppress(OSError, TypeError), open(path, "rb+") as file:
        file.seek(size)
        rows = file.readlines()
        numbers = [one.split(separator.encode())[0] for one in rows]
        first = epoch - 1 if numbers[:1] == [b"%d" % (epoch - 1)] else epoch
        own = [number == b"%d" % one for one, number in enumerate(numbers, first)]
        if any(own[:1]):
            file.seek(size)
            file.writelines(rows[[*own, False].index(False) :])
            file.truncate()


def numbers_of(model):
    """Returns the numbers that are attributes of a model, a dict."""
    own = {name: one for name, one in vars(model).items() if name[0] != "_"}
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
