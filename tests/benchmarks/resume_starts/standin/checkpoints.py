"""``tf.train``: checkpoints of objects."""

import os
from os.path import exists

from .anything import Anything
from .files import NotFoundError, checkpoint_state, put_list, put_prefix, read_prefix
from .layers import Layer, Variable, as_chain, weights_of
from .models import Optimizer
from .state import start


def _held(one):
    """What a checkpoint saves of an object, by name."""
    if isinstance(one, Layer):
        return {f"layer-{number}": leaf for number, leaf in enumerate(one.leaves)}
    if isinstance(one, (list, tuple)):
        return {str(number): each for number, each in enumerate(one)}
    if isinstance(one, dict):
        return one
    if isinstance(one, (Checkpoint, Module)):
        return {key: value for key, value in vars(one).items() if _is_trackable(value)}
    return {}


def _is_trackable(one):
    return isinstance(one, (Layer, Optimizer, Variable, Checkpoint, Module, list, tuple, dict)) and not (
        isinstance(one, (str, bytes))
    )


def _written(one):
    if isinstance(one, Variable):
        value = one.value
        return {"value": value if isinstance(value, (int, float, str, bool)) or value is None else 0}
    if isinstance(one, Optimizer):
        return {"iterations": int(one.iterations)}
    if isinstance(one, Layer) and one.leaves == [one]:
        return {"chain": one.chain, "named": one.name}
    return {"in": {key: _written(value) for key, value in _held(one).items()}}


def _put_back(one, content, missed, name=""):
    """Fill an object, and note what of it was not saved, or was saved and is not there."""
    if isinstance(one, Variable):
        one.value = content.get("value", one.value)
    elif isinstance(one, Optimizer):
        one.iterations.assign(content.get("iterations", 0))
    elif isinstance(one, Layer) and one.leaves == [one] and "in" not in content:
        one.chain = as_chain(content["chain"])
    else:
        held, saved = _held(one), content.get("in", {})
        missed += [f"{name}/{key}" for key in held.keys() ^ saved.keys() if key not in ("save_counter", "untracked")]
        for key in held.keys() & saved.keys():
            _put_back(held[key], saved[key], missed, f"{name}/{key}")


class Status:
    """What a restore has come to."""

    def __init__(self, missed):
        self.missed = missed

    def assert_consumed(self):
        if self.missed:
            raise AssertionError(f"not matched: {', '.join(sorted(self.missed)[:5])}")
        return self

    assert_existing_objects_matched = assert_nontrivial_match = assert_consumed

    def expect_partial(self):
        return self

    def initialize_or_restore(self, *args):
        return self

    run_restore_ops = initialize_or_restore


class Module:
    """A ``tf.Module``."""

    def __init__(self, name=None):
        self.name = name

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return Anything(name)


class Checkpoint:
    """A ``tf.train.Checkpoint``."""

    def __init__(self, root=None, **objects):
        vars(self).update(vars(root) if isinstance(root, Checkpoint) else {} if root is None else {"root": root})
        vars(self).update(objects)
        self.save_counter = vars(self).get("save_counter") or Variable(0)

    def write(self, file_prefix, options=None):
        """Save under a name."""
        path = os.fspath(file_prefix)
        put_prefix(path, _written(self))
        return path

    def save(self, file_prefix, options=None):
        """Save under a name with a number."""
        self.save_counter.assign_add(1)
        path = self.write(f"{os.fspath(file_prefix)}-{int(self.save_counter)}")
        put_list(os.path.dirname(path) or ".", os.path.basename(path), [os.path.basename(path)])
        self._note(path)
        return path

    def _note(self, path):
        held = TrackableView(self).descendants()
        leaves = [leaf for one in held if isinstance(one, Layer) for leaf in one.leaves]
        numbers = {key: value.value for key, value in vars(self).items() if type(value) is Variable}
        numbers = {key: value for key, value in numbers.items() if isinstance(value, (int, float, str))}
        start.saved(path, weights_of(dict.fromkeys(leaves)), numbers=numbers, checkpoint=True)

    def restore(self, save_path, options=None):
        """Fill what is held here."""
        missed = []
        if save_path is None or isinstance(save_path, Anything):
            return Status(missed)
        path = os.fspath(save_path)
        if not exists(path + ".index"):
            raise NotFoundError(f"Failed to find any matching files for {path}")
        _put_back(self, read_prefix(path), missed)
        start.write("restore", path=os.path.relpath(path), missed=missed[:3])
        return Status(missed)

    read = restore


class CheckpointManager:
    """A ``tf.train.CheckpointManager``."""

    def __init__(self, checkpoint, directory, max_to_keep=None, *args, checkpoint_name="ckpt", **kwargs):
        self.checkpoint, self.directory, self.kept = checkpoint, os.fspath(directory), max_to_keep
        self.prefix, self.checkpoint_interval = os.path.join(self.directory, checkpoint_name), None
        self.checkpoint_interval = kwargs.get("checkpoint_interval")
        state = checkpoint_state(self.directory)
        self._paths = list(state.all_model_checkpoint_paths) if state else []

    checkpoints = property(lambda self: list(self._paths))

    @property
    def latest_checkpoint(self):
        return self._paths[-1] if self._paths else None

    def save(self, checkpoint_number=None, check_interval=True, options=None):
        """Save, list it, and remove what is too old."""
        self.checkpoint.save_counter.assign_add(1)
        number = int(self.checkpoint.save_counter) if checkpoint_number is None else int(checkpoint_number)
        path = self.checkpoint.write(f"{self.prefix}-{number}")
        self._paths = [*(one for one in self._paths if one != path), path]
        gone = self._paths[: -self.kept] if self.kept else []
        self._paths = self._paths[len(gone) :]
        names = [os.path.basename(one) for one in self._paths]
        put_list(self.directory, names[-1], names)
        for one in gone:
            self.remove(one)
        self.checkpoint._note(path)
        return path

    def remove(self, path):
        """Remove the files of a checkpoint."""
        self._paths = [one for one in self._paths if one != path]
        for suffix in (".index", ".data-00000-of-00001"):
            if exists(path + suffix):
                os.remove(path + suffix)

    def restore_or_initialize(self):
        """Restore the newest, if there is one."""
        if self.latest_checkpoint:
            self.checkpoint.restore(self.latest_checkpoint)
        return self.latest_checkpoint


class TrackableView:
    """What hangs on an object."""

    def __init__(self, root):
        self.root = root

    @classmethod
    def children(cls, one):
        """The objects that one holds."""
        if isinstance(one, Layer):
            inner = {str(number): each for number, each in enumerate(one._inner)}
            optimizer = vars(one).get("optimizer")
            return {**inner, **({"optimizer": optimizer} if optimizer is not None else {})}
        return {"iterations": one.iterations} if isinstance(one, Optimizer) else _held(one)

    def descendants(self):
        """All of them, each once, the object itself before them."""
        found, waiting = {}, [self.root]
        while waiting:
            one = waiting.pop(0)
            if id(one) not in found:
                found[id(one)] = one
                waiting += self.children(one).values()
        return list(found.values())


class Reader:
    """A checkpoint's names."""

    def __init__(self, path):
        self.names = {"_CHECKPOINTABLE_OBJECT_GRAPH": "string"}
        waiting = [("", read_prefix(path))]
        while waiting:
            name, content = waiting.pop()
            waiting += [(f"{name}/{key}".strip("/"), value) for key, value in content.get("in", {}).items()]
            for key in content.keys() - {"in", "of"}:
                end = "_iterations" if key == "iterations" else key
                self.names[f"{name}/{end}/.ATTRIBUTES/VARIABLE_VALUE"] = "float32"

    def get_variable_to_dtype_map(self):
        return dict(self.names)

    def get_variable_to_shape_map(self):
        return {key: [] for key in self.names}


def list_variables(path):
    """Names and shapes."""
    return [(name, []) for name in Reader(os.fspath(path)).names]
