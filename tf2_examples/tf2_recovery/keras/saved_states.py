# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content be5bff857625adec).
"""The states of a training in its directory, and the variables that they are of."""

import collections
import contextlib
import io
import os
import pickle
import re
import zlib

import numpy as np
import tensorflow as tf

from ..synced_files import sync_files

UNREADABLE = (tf.errors.OpError, OSError, LookupError, ValueError, RuntimeError)
"""What TensorFlow raises where a file is torn or gone."""
_PLAIN = {"_reconstruct", "_frombuffer", "scalar", "ndarray", "dtype", "deque"}


def directory_for(saved):
    """Returns where the trainings of a program are kept that saves a path.

    It is in no folder that a program lists to find its newest file.
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
    found = [re.fullmatch(r"note-(\d+)", name) for name in names_in(directory)]
    states = []
    for number in sorted((int(one[1]) for one in found if one), reverse=True):
        path = os.path.join(directory, f"ckpt-{number}")
        note = os.path.join(directory, f"note-{number}")
        with contextlib.suppress(*UNREADABLE), tf.io.gfile.GFile(note, "rb") as file:
            known = read(file.read())
            if isinstance(known, dict) and tf.io.gfile.exists(path + ".index"):
                states.append((path, known))
    return states


def read(content):
    """Returns what was pickled, or None if it is torn or no plain data."""
    try:
        return _Reader(io.BytesIO(content)).load()
    except Exception:  # A torn pickle raises what its bytes happen to mean.
        return None


class _Reader(pickle.Unpickler):
    def find_class(self, module, name):
        if name in _PLAIN and module.split(".")[0] in ("numpy", "collections"):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} is no plain data")


def is_plain(value):
    """Returns whether a value consists of numbers, texts, arrays and lists of them."""
    if isinstance(value, dict):
        return type(value) is dict and is_plain([*value.keys(), *value.values()])
    if type(value) in (list, tuple, set, collections.deque):
        return all(map(is_plain, value))
    array = isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "biufc"
    return array or value is None or type(value) in (bool, int, float, str, bytes)


def names_in(directory):
    """Returns the names of what is in a directory, sorted, without hidden ones."""
    if not tf.io.gfile.isdir(directory):
        return []
    names = [name.rstrip("/") for name in tf.io.gfile.listdir(directory)]
    return sorted(name for name in names if name[0] != ".")


def remove_tree(path):
    """Removes a directory, if it is there."""
    with contextlib.suppress(tf.errors.OpError):
        tf.io.gfile.rmtree(path)


def remove_all(path):
    """Removes a directory, and those above it up to ``.recovery`` where they are empty."""
    remove_tree(path)
    with contextlib.suppress(OSError):  # They may be used by another.
        while os.path.basename(path) != ".recovery":
            path = os.path.dirname(path)
            os.rmdir(path)


def is_replaceable(path, part):
    """Returns whether a file can be put in its place by a rename from ``part``."""
    if "://" in path:
        return True
    is_here = os.stat(os.path.dirname(path) or ".").st_dev == os.stat(part).st_dev
    return is_here and not os.path.islink(path)


def put_in_place(part, folder):
    """Returns whether files were there: a start beside this one may clear up."""
    names = sorted(names_in(part), key=lambda n: (n == "checkpoint", ".index" in n))
    try:
        for name in names:  # The index comes last, then the list that names it.
            place = os.path.join(folder, name)
            if tf.io.gfile.isdir(place):  # A SavedModel.
                tf.io.gfile.rename(place, os.path.join(part, ".old"))
            tf.io.gfile.rename(os.path.join(part, name), place, overwrite=True)
    except tf.errors.OpError:
        return False
    if names:
        remove_tree(part)
        sync_files(folder or ".")
    return names != []


def variable_of(one):
    """Returns the TensorFlow variable of a variable of Keras 3, or what is given."""
    value = getattr(one, "value", None)  # Of Keras 3 a variable holds TensorFlow's.
    return value if isinstance(value, tf.Variable) else one


def weights_of(models):
    """Returns the weights of those models that are built, each once, a list."""
    found = []
    for model in models:
        with contextlib.suppress(ValueError):  # Keras 2 has none before it builds it.
            found += model.weights
    return list({id(one): one for one in found}.values())


def replicas_of(variable):
    """Returns the variables that stand for one on each device, a list."""
    is_one = not isinstance(variable, tf.Variable)
    return [variable] if is_one else getattr(variable, "values", [variable])


def digest_of(variable):
    """Returns a short name of a variable's value, an int."""
    one = replicas_of(variable)[0]
    on_read = tf.VariableSynchronization.ON_READ  # Each replica has another value.
    if one is not variable and one.synchronization == on_read:
        return 0
    value = np.ascontiguousarray(one.read_value())
    return zlib.crc32(value.reshape(-1).view(np.uint8))


def places_trained_by(optimizer, weights):
    """Returns which of the weights an optimizer trains, a list of ints."""
    inner = getattr(optimizer, "inner_optimizer", optimizer)
    own = getattr(inner, "_trainable_variables", None)
    if own is not None:  # Of Keras 3.
        return [n for n, one in enumerate(weights) if any(one is each for each in own)]
    own = getattr(inner, "_index_dict", None) or getattr(inner, "_slots", ())
    return [n for n, one in enumerate(weights) if one._unique_id in own]


def build_config_of(model):
    """Returns what ``model.build_from_config`` takes, plain data; None if not built."""
    try:
        config = model.get_build_config() if model.built else None
    except Exception as error:  # Of any layer.
        tf.get_logger().info("%s does not say how it was built: %s", model.name, error)
        return None
    return config if is_plain(config) else None


def has_saved(saved, now, most):
    """Returns whether weights are all that was saved last, or with 2 before it too."""
    found = (now.get(number) in marks[:most] for number, marks in saved.items())
    return bool(saved) and all(found)
