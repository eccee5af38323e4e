# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 388caecf11bc2bb4).
"""The states of a training in its directory, and where that directory is."""

import collections
import contextlib
import io
import os
import pickle
import re

import numpy as np
import tensorflow as tf

UNREADABLE = (tf.errors.OpError, OSError, LookupError, ValueError, RuntimeError)
"""What TensorFlow raises where a file is torn or gone."""
_PLAIN = {"_reconstruct", "_frombuffer", "scalar", "ndarray", "dtype", "deque"}


def directory_for(saved):
    """Returns where the trainings of a program are kept.

    It is in no folder that a program lists to find its newest file.

    Args:
      saved: what the program saves its model as, a path.
    """
    folder, name = os.path.split(os.fspath(saved).partition("{")[0])
    name = re.sub(r"\.(h5|hdf5|keras|ckpt|weights)\b", "", name)
    name = re.sub(r"[^\w.-]+", "_", name).strip("._-") or "model"
    if "://" not in folder and not os.path.isabs(folder) and folder[:2] != "..":
        return os.path.abspath(os.path.join(".recovery", folder, name))
    above, own = os.path.split(folder)
    is_root = os.path.dirname(above) == above
    if "://" in above or (not is_root and _is_one_disk(above, folder)):
        return os.path.join(above, ".recovery", own, name)
    return os.path.join(folder, ".recovery", name)


def _is_one_disk(above, folder):
    if os.path.exists(folder) and os.stat(above).st_dev != os.stat(folder).st_dev:
        return False
    while not os.path.exists(above):  # The program makes it later.
        above = os.path.dirname(above)
    return os.access(above, os.W_OK)


def states_in(directory):
    """Returns the path and the note of each state in a directory, the newest first."""
    found = [re.fullmatch(r"ckpt-(\d+)\.index", name) for name in names_in(directory)]
    after, states = None, []
    path = os.path.join(directory, "after")
    with contextlib.suppress(*UNREADABLE), tf.io.gfile.GFile(path, "rb") as file:
        after = read(file.read())
    for number in sorted((int(one[1]) for one in found if one), reverse=True):
        path = os.path.join(directory, f"ckpt-{number}")
        with contextlib.suppress(*UNREADABLE):
            reader = tf.train.load_checkpoint(path)
            note = read(reader.get_tensor("note/.ATTRIBUTES/py_state"))
            states += [(path, one) for one in (after, note) if _is_of(one, number)]
    return states


def _is_of(note, number):
    return isinstance(note, dict) and note["number"] == number


def read(content):
    """Returns what was pickled, or None if it is torn or no plain data."""
    try:
        return _Reader(io.BytesIO(content)).load()
    except Exception:  # A torn pickle raises what its bytes happen to mean.
        return None


def is_plain(value):
    """Returns whether a value consists of numbers, texts, arrays and lists of them."""
    if isinstance(value, dict):
        return type(value) is dict and is_plain([*value.keys(), *value.values()])
    if type(value) in (list, tuple, set, collections.deque):
        return all(map(is_plain, value))
    array = isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "biufc"
    return array or value is None or type(value) in (bool, int, float, str, bytes)


class _Reader(pickle.Unpickler):
    def find_class(self, module, name):
        if name in _PLAIN and module.split(".")[0] in ("numpy", "collections"):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} is no plain data")


def names_in(directory):
    """Returns the names of what is in a directory, sorted, without hidden ones."""
    if not tf.io.gfile.isdir(directory):
        return []
    names = [name.rstrip("/") for name in tf.io.gfile.listdir(directory)]
    return sorted(name for name in names if name[0] != ".")


def remove_all(path):
    """Removes a directory, and those above it up to ``.recovery`` where they are empty."""
    with contextlib.suppress(OSError, tf.errors.OpError):  # It may be used by another.
        if tf.io.gfile.exists(path):
            tf.io.gfile.rmtree(path)
        while os.path.basename(path) != ".recovery":
            path = os.path.dirname(path)
            os.rmdir(path)
