# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content ca297a64db92b411).
"""Reads and sets the state of the callbacks of a training."""

import contextlib
import inspect
import pickle
import zlib

import numpy as np
import tensorflow as tf

from .object_states import ObjectStates


def names_of(callbacks):
    """Returns a name for each callback: its class, and a number among those of it."""
    kinds = [f"{type(one).__module__}.{type(one).__qualname__}" for one in callbacks]
    return [f"{kind} {kinds[:n].count(kind)}" for n, kind in enumerate(kinds)]


def states_of(callback, kept, models):
    """Returns the ``ObjectStates`` of what a callback has, and what its methods use."""
    hooks = "on_epoch_begin", "on_epoch_end", "on_train_batch_end", "on_batch_end"
    found = {name: getattr(callback, name, None) for name in hooks}
    found = {name: getattr(one, "__func__", one) for name, one in found.items()}
    found = {name: one for name, one in found.items() if inspect.isfunction(one)}
    if isinstance(callback, tf.keras.callbacks.TensorBoard):
        return ObjectStates({})  # A kill may come while it profiles.
    try:
        return ObjectStates({"": callback, **found}, kept, models)
    except Exception:  # It cannot be compared, and begins anew.
        return ObjectStates({})


def changes_of(states):
    """Returns what has changed, a dict; {} where that is not all plain data."""
    with contextlib.suppress(ValueError):
        return states.changes()
    return {}


def has_grown(old, states, epochs):
    """Returns whether an int is larger, by one of epochs, than its CRC-32 in old tells."""
    for place, value in states.numbers.items():
        before = [value - n for n in epochs if n > 0]
        if old.get(place) in [zlib.crc32(pickle.dumps(one)) for one in before]:
            return True
    return False


def numbers_of(model):
    """Returns the numbers that are attributes of a model, a dict."""
    own = {name: one for name, one in vars(model).items() if name[0] != "_"}
    if any(isinstance(one, np.ndarray) for one in own.values()):
        return {}  # They may belong together.
    return {name: one for name, one in own.items() if type(one) in (int, float)}
