"""The files that weights, models and checkpoints are saved in: small JSON, whatever they are called."""

import json
import os
import random
from os.path import exists, isfile
from pathlib import Path

from .layers import as_chain
from .state import REAL_OPEN, start

HDF5 = (".h5", ".hdf5", ".keras", ".hdf", ".he5")


class OpError(Exception):
    """An error of TensorFlow."""

    message = property(str)


class NotFoundError(OpError):
    """There is no such file."""


class DataLossError(OpError):
    """A file is not whole."""


class InvalidArgumentError(OpError):
    """Something does not fit."""


class OutOfRangeError(OpError):
    """The data have ended."""


def put(path, content):
    """Write JSON, with the folders above it."""
    path = Path(str(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    with REAL_OPEN(path, "w") as file:
        text = json.dumps(content)
        if content and start.is_torn():
            file.write(text[: len(text) // 2])
            file.flush()
        start.is_killed_by("torn", start.saves + 1 if content else 0)
        file.write(text)


def read(path):
    """JSON that was written; raises DataLossError where it is not whole."""
    with REAL_OPEN(path) as file:
        try:
            return json.load(file)
        except ValueError as error:
            raise DataLossError(f"{path} is not whole") from error


def put_prefix(path, content):
    """Write two files of a checkpoint in TensorFlow's format: the index comes to its place when it is whole."""
    path, number = str(path), random.SystemRandom().random()
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with REAL_OPEN(f"{path}.data-00000-of-00001", "w") as file:
        json.dump({"of": number}, file)
    start.is_killed_by("torn", start.saves + 1)
    with REAL_OPEN(f"{path}.index.part", "w") as file:
        json.dump({**content, "of": number}, file)
    os.replace(f"{path}.index.part", f"{path}.index")


def read_prefix(path):
    """What two files of a checkpoint hold; raises DataLossError where they are of two saves."""
    content = read(f"{path}.index")
    data = f"{path}.data-00000-of-00001"
    if exists(data) and read(data).get("of") != content.get("of"):
        raise DataLossError(f"{path} is of two saves")
    return content


def put_list(directory, newest, paths, name="checkpoint"):
    """Write the file that names a directory's checkpoints."""
    lines = [f'model_checkpoint_path: "{newest}"', *(f'all_model_checkpoint_paths: "{one}"' for one in paths)]
    part = os.path.join(directory, name + ".tmp")
    with REAL_OPEN(part, "w") as file:
        file.write("\n".join(lines) + "\n")
    os.replace(part, os.path.join(directory, name))


class State:
    """What the file ``checkpoint`` of a directory says."""

    def __init__(self, newest, paths):
        self.model_checkpoint_path, self.all_model_checkpoint_paths = newest, paths


def checkpoint_state(directory, latest_filename=None):
    """What the list of a directory says; None without one."""
    path = os.path.join(str(directory), latest_filename or "checkpoint")
    if not isfile(path):
        return None
    with REAL_OPEN(path) as file:
        found = [line.split('"')[1] for line in file if line.count('"') == 2]
    found = [one if os.path.isabs(one) else os.path.join(str(directory), one) for one in found]
    return State(found[0], found[1:]) if found else None


def latest_checkpoint(checkpoint_dir, latest_filename=None):
    """The newest checkpoint of a directory, by its list."""
    state = checkpoint_state(checkpoint_dir, latest_filename)
    path = state and state.model_checkpoint_path
    return path if path and exists(path + ".index") else None


def save_leaves(path, leaves, as_prefix, **more):
    """Write the chains of layers into a file, the two files of a prefix, or a SavedModel."""
    content = {"leaves": [[one.name, type(one).__name__, one.trainable, one.chain] for one in leaves], **more}
    if as_prefix == "folder":
        put(os.path.join(path, "saved_model.pb"), {})
        put(os.path.join(path, "keras_metadata.pb"), {})
        put_prefix(os.path.join(path, "variables", "variables"), content)
    elif as_prefix:
        put_prefix(path, content)
        put_list(os.path.dirname(path) or ".", os.path.basename(path), [os.path.basename(path)])
    else:
        put(path, content)


def load_content(path):
    """What was written under a path, in whichever of the three ways."""
    path = str(path)
    if isfile(path):
        return read(path)
    for one in (path, os.path.join(path, "variables", "variables")):
        if isfile(f"{one}.index"):
            return read_prefix(one)
    start.write("missing", path=os.path.abspath(path))
    if path.endswith(HDF5):
        raise FileNotFoundError(2, "Unable to open file: No such file or directory", path)
    raise NotFoundError(f"Failed to find any matching files for {path}")


def fill(leaves, content, path, by_name=False, skip=False):
    """Put what was written into layers."""
    written = content.get("leaves", [])
    if "of all" in content:  # A file from elsewhere, which fits whatever it is loaded into.
        for leaf in leaves:
            leaf.chain = as_chain(content["of all"])
        return
    if by_name:
        known = {name: chain for name, _, _, chain in written}
        for leaf in leaves:
            leaf.chain = as_chain(known.get(leaf.name, leaf.chain))
        return
    if len(written) != len(leaves) and not skip:
        message = f"Layer count mismatch when loading weights from file {path}: {len(leaves)}, {len(written)} saved"
        raise ValueError(message)
    for leaf, (_, _, _, chain) in zip(leaves, written, strict=False):
        leaf.chain = as_chain(chain)
