"""Reads the saved states of a training, and moves the program's files into place."""

import collections
import contextlib
import enum
import io
import os
import pickle
import re
import shutil
import stat
import sys

import numpy as np
import tensorflow as tf

from ..synced_files import sync_files

_PLAIN = {"_reconstruct", "_frombuffer", "scalar", "ndarray", "dtype", "deque"}
_PLAIN |= {"convert_to_tensor"}
FILLED = list, dict, set, collections.deque, np.ndarray
_OWNERS = "numpy", "collections", "tensorflow"
TIME = re.compile(r"20\d\d\D?\d\d\D?\d\d(\D{0,2}\d\d){2,}|(?<!\d)1[5-9]\d{8,11}(?!\d)")
_VALUE = "variables/{}/.ATTRIBUTES/VARIABLE_VALUE"
_OF_FILES = "number", "saved", "files", "file", "part", "in_file"


def directory_for(saved):
    """Returns the directory of the saved states for a program that saves to a path.

    It is below RECOVERY_DIRECTORY or the current directory: programs list their own.
    """
    saved = TIME.sub("time", os.fspath(saved).partition("{")[0])
    folder, name = os.path.split(saved)
    name = re.sub(r"\.(h5|hdf5|keras|ckpt|weights)\b", "", name)
    name = re.sub(r"[^\w.-]+", "_", name).strip("._-") or "model"
    scheme, sign, folder = folder.rpartition("://")
    folder = os.path.normpath(folder) if sign else os.path.abspath(folder)
    named = os.environ.get("RECOVERY_DIRECTORY")
    here = os.path.abspath(named or os.getcwd())
    below, is_root = os.path.relpath(folder, here), os.path.dirname(here) == here
    own = os.path.realpath(folder)  # It may be a mounted disk, or a link to one.
    if not (sign or is_root) and (named or _is_one_disk(here, own)):
        below = folder.lstrip(os.sep) if below.startswith("..") else below
        return os.path.normpath(os.path.join(here, ".recovery", below, name))
    folder = scheme + sign + folder
    above, own = os.path.split(folder)
    is_root = os.path.dirname(above) == above
    if "://" in above or (not is_root and _is_one_disk(above, folder)):
        return os.path.join(above, ".recovery", own, name)
    return os.path.join(folder, ".recovery", name)


def check_place(directory, model):
    """Raises ValueError where the states of a model's training cannot be kept."""
    resolver = model.distribute_strategy.cluster_resolver
    jobs = resolver.cluster_spec().as_dict() if resolver else {}
    workers = sum(len(jobs[job]) for job in jobs if job != "evaluator")
    for is_so, problem in (
        (not tf.executing_eagerly(), "it runs without eager execution"),
        ("horovod" in sys.modules, "Horovod trains it"),
        (workers > 1, "several workers train it"),
        (re.search(r"[][*?\\]", directory), "TensorFlow finds no such name"),
    ):
        if is_so:
            raise ValueError(problem)


def _is_one_disk(*paths):
    disks = set()
    for path in paths:
        while not os.path.exists(path):  # The program may make it later.
            path = os.path.dirname(path)
        disks.add((os.stat(path).st_dev, os.access(path, os.W_OK)))
    return len(disks) == 1


def newest_state(directory, first=0):
    """Returns (note, values) of the newest readable state; ({}, []) if there is none.

    A loop that begins behind the turn that saved the last file, at turn ``first``, gets
    the state of that file; any other gets that of a turn's begin, if it is there.
    """
    state, files = ({}, []), {}
    found = [re.fullmatch(r"note-(\d+)", name) for name in names_in(directory)]
    for number in sorted((int(one[1]) for one in found if one), reverse=True):
        try:
            with tf.io.gfile.GFile(f"{directory}/note-{number}", "rb") as file:
                note = read(file.read())
            values = tf.train.load_checkpoint(f"{directory}/ckpt-{number}")
            names = map(_VALUE.format, range(note["variables"]))
            values = [values.get_tensor(name) for name in names]
            if note.get("within") in (None, first):
                return {**note, **files}, values
            if not files:
                files = {name: note[name] for name in _OF_FILES}
                state = (note, values) if note["turn"] == note["epoch"] else state
        except Exception as error:  # A truncated file may raise any error.
            tf.get_logger().warning("Cannot read %s, %s: %s", directory, number, error)
    return state


def read(content):
    """Returns pickled plain data; executes nothing, and rejects anything else."""
    return _Reader(io.BytesIO(content)).load()


class _Reader(pickle.Unpickler):
    def find_class(self, module, name):
        if name in _PLAIN and module.split(".")[0] in _OWNERS:
            return super().find_class(module, name)
        found = getattr(sys.modules.get(module), name, None)
        if _is_record(found):
            return found
        raise pickle.UnpicklingError(f"{module}.{name} is no plain data")


class _Writer(pickle.Pickler):
    """Raises PicklingError at what is no plain data."""

    def reducer_override(self, one):  # Not called for numbers, texts, lists and dicts.
        if isinstance(one, (np.ndarray, np.generic)):
            is_plain = one.dtype.kind in "biufcSUmMV" and not one.dtype.hasobject
        elif tf.is_tensor(one):
            is_plain = hasattr(one, "numpy") and not isinstance(one, tf.Variable)
            is_plain = is_plain and one.numpy().dtype.kind in "biufcSU"
        else:
            owner = (getattr(one, "__module__", None) or "").partition(".")[0]
            is_plain = getattr(one, "__name__", "") in _PLAIN and owner in _OWNERS
            is_plain |= type(one) is collections.deque or isinstance(one, np.dtype)
            is_plain |= _is_record(one) or _is_record(type(one))
        if is_plain and isinstance(one, enum.Enum):
            return type(one), (one.value,)
        if is_plain:
            return NotImplemented
        raise pickle.PicklingError("it is no plain data")


def _is_record(kind):
    """Returns whether a value is the class of a named tuple or an enumeration."""
    if not isinstance(kind, type) or "." in kind.__qualname__:
        return False
    is_tuple = issubclass(kind, tuple) and hasattr(kind, "_fields")
    return is_tuple or issubclass(kind, enum.Enum)


def pickled(value):
    """Returns a number, text, array, None or collection of these as bytes, or None."""
    content = io.BytesIO()
    with contextlib.suppress(Exception):  # PicklingError, or one of another thread.
        _Writer(content).dump(value)
        return content.getvalue()
    return None


def plain_of(value):
    """Returns a dict or list for one of another class, and a variable's value; or itself."""
    value = value.numpy() if isinstance(value, tf.Variable) else value
    value = [*value] if isinstance(value, list) else value
    return {**value} if isinstance(value, dict) else value


def fill(value, content):
    """Replaces what is in a list, dict, set, deque, NumPy array or variable."""
    if isinstance(value, tf.Variable):
        value.assign(content)
    elif isinstance(value, np.ndarray):
        value[...] = content
    else:
        value.clear()
        (value.extend if hasattr(value, "extend") else value.update)(content)


def names_in(directory):
    """Returns the sorted names in a directory; [] if it is missing."""
    found = tf.io.gfile.listdir(directory) if tf.io.gfile.isdir(directory) else ()
    return sorted(name.rstrip("/") for name in found)


def remove_tree(path):
    """Removes a file or directory, if it exists."""
    with contextlib.suppress(tf.errors.OpError):
        tf.io.gfile.rmtree(path)


def remove_older(directory, number):
    """Removes the states before a number, and directories ckpt-N_temp of killed saves."""
    for name in names_in(directory):
        found = re.match(r"(?:ckpt|note)-(\d+)", name)
        if found and int(found[1]) < number:
            remove_tree(os.path.join(directory, name))


def remove_with_folders(path):
    """Removes a directory, and empty ones above it up to ``.recovery``."""
    remove_tree(path)
    with contextlib.suppress(OSError):  # Another program may use them.
        while os.path.basename(path) != ".recovery":
            path = os.path.dirname(path)
            os.rmdir(path)


def has_space(directory, variables):
    """Returns whether a disk has room for two copies of variables; True for a remote."""
    if "://" in directory:
        return True
    while not os.path.exists(directory):
        directory = os.path.dirname(directory)
    size = sum(one.dtype.size * (one.shape.num_elements() or 0) for one in variables)
    return shutil.disk_usage(directory).free > 2 * size


def files_in(directory):
    """Returns the paths of the files below a directory, those in its folders first."""
    found = tf.io.gfile.walk(directory, topdown=False) if directory else ()
    return [os.path.join(top, name) for top, _, names in found for name in names]


def places_in(part, folder):
    """Returns a dict from each file below a part to its place below a folder."""
    return {n: os.path.join(folder, os.path.relpath(n, part)) for n in files_in(part)}


def mark_of(path):
    """Returns the size and time of a file, a tuple; None if there is none."""
    with contextlib.suppress(tf.errors.OpError):
        found = tf.io.gfile.stat(path)
        return found.length, found.mtime_nsec
    return None


def local(path):
    """Returns a path below the current directory as one relative to it, or any other."""
    below = ".." if "://" in path else os.path.relpath(path)
    return path if below.startswith("..") else below


def put_in_place(part, folder):
    """Moves files from part to folder; returns False if there are none, or on failure."""
    files = places_in(part, folder)
    # A checkpoint's index after its data, the list at last.
    names = sorted(files, key=lambda x: (x.endswith("checkpoint"), ".index" in x))
    try:
        for path in names:
            place = files[path]
            is_there = os.path.isfile(place)
            if is_there and not os.access(place, os.W_OK):
                return False
            if is_there:
                shutil.copymode(place, path)
            with contextlib.suppress(OSError):  # A remote folder.
                other = os.stat(place if is_there else folder or ".")
                if is_there or other.st_mode & stat.S_ISGID:
                    os.chown(path, -1, other.st_gid)
            tf.io.gfile.makedirs(os.path.dirname(place) or ".")
            tf.io.gfile.rename(path, place, overwrite=True)
    except tf.errors.OpError:  # Also if the folder is on another disk.
        return False
    sync_files(folder or ".")
    return files != {}
