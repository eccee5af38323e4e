# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content f5e1bea99dae4546).
"""Reads the saved states of a training, and moves the program's files into place."""

import collections
import contextlib
import io
import os
import pickle
import re

import numpy as np
import tensorflow as tf

from ..synced_files import sync_files

_PLAIN = {"_reconstruct", "_frombuffer", "scalar", "ndarray", "dtype", "deque"}
_OLD = ".replaced"  # The name in a part of the SavedModel that it replaces.
_VALUE = "variables/{}/.ATTRIBUTES/VARIABLE_VALUE"


def directory_for(saved):
    """Returns the directory of the saved states for a program that saves to a path.

    It is not in the folder of that path, which the program may list for its newest file.
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
    while not os.path.exists(above):  # The program may make it later.
        above = os.path.dirname(above)
    return os.access(above, os.W_OK)


def newest_state(directory):
    """Returns (note, values) of the newest readable state; ({}, []) if there is none."""
    found = [re.fullmatch(r"note-(\d+)", name) for name in names_in(directory)]
    for number in sorted((int(one[1]) for one in found if one), reverse=True):
        try:
            with tf.io.gfile.GFile(f"{directory}/note-{number}", "rb") as file:
                note = read(file.read())
            values = tf.train.load_checkpoint(f"{directory}/ckpt-{number}")
            names = map(_VALUE.format, range(note["variables"]))
            return note, [values.get_tensor(name) for name in names]
        except Exception as error:  # A truncated file may raise any error.
            tf.get_logger().warning("Cannot read %s, %s: %s", directory, number, error)
    return {}, []


def read(content):
    """Returns pickled plain data; executes nothing, and rejects anything else."""
    return _Reader(io.BytesIO(content)).load()


class _Reader(pickle.Unpickler):
    def find_class(self, module, name):
        if name in _PLAIN and module.split(".")[0] in ("numpy", "collections"):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} is no plain data")


def is_plain(value):
    """Returns whether a value is a number, text, array, None or a collection of these."""
    if isinstance(value, dict):
        return type(value) is dict and is_plain([*value.keys(), *value.values()])
    if type(value) in (list, tuple, set, collections.deque):
        return all(map(is_plain, value))
    array = isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "biufc"
    return array or value is None or type(value) in (bool, int, float, str, bytes)


def names_in(directory):
    """Returns the sorted names in a directory; [] if it is missing."""
    if not tf.io.gfile.isdir(directory):
        return []
    names = [name.rstrip("/") for name in tf.io.gfile.listdir(directory)]
    return sorted(name for name in names if name != _OLD)


def remove_tree(path):
    """Removes a file or directory, if it exists."""
    with contextlib.suppress(tf.errors.OpError):
        tf.io.gfile.rmtree(path)


def put_in_place(part, folder):
    """Moves files from part to folder; returns False if there are none, or on failure."""
    names = sorted(names_in(part), key=lambda n: (n == "checkpoint", ".index" in n))
    try:
        for name in names:  # A checkpoint's index after its data, the list at last.
            place = os.path.join(folder, name)
            if tf.io.gfile.isdir(place):  # A SavedModel.
                tf.io.gfile.rename(place, os.path.join(part, _OLD))
            tf.io.gfile.rename(os.path.join(part, name), place, overwrite=True)
    except tf.errors.OpError:  # Also if the folder is on another disk.
        return False
    sync_files(folder or ".")
    return names != []


def variable_of(one):
    """Returns the ``tf.Variable`` of a Keras 3 variable, or any other object itself."""
    value = getattr(one, "value", None)
    return value if isinstance(value, tf.Variable) else one


def replicas_of(variable):
    """Returns a variable's replicas, one for each device, a list."""
    is_one = not isinstance(variable, tf.Variable)
    return [variable] if is_one else getattr(variable, "values", [variable])


def places_trained_by(optimizer, weights):
    """Returns the indices of the weights that an optimizer trains, a list of ints."""
    inner = getattr(optimizer, "inner_optimizer", optimizer)
    own = getattr(inner, "_trainable_variables", None)
    if own is not None:  # Keras 3.
        own = [id(variable_of(one)) for one in own]
        return [n for n, one in enumerate(weights) if id(one) in own]
    own = getattr(inner, "_index_dict", None) or getattr(inner, "_slots", ())
    return [n for n, one in enumerate(weights) if one._unique_id in own]


def build_config_of(model):
    """Returns the argument of ``model.build_from_config``, None if it is no plain data."""
    config = model.get_build_config() if model.built else None
    return config if is_plain(config) else None


def has_saved(saved, now, most):
    """Returns whether weights are all that was saved last, or with 2 before it too."""
    found = (now.get(number) in marks[:most] for number, marks in saved.items())
    return bool(saved) and all(found)
