# Part of tf2_recovery, written by estimator-migrate 0.1.0 (content e64a60d733a50aa4).
"""A checkpoint of TensorFlow 2 that holds variables under their TensorFlow 1 names."""

import errno
import os
import re
import types
from concurrent.futures import ThreadPoolExecutor

import tensorflow as tf

from .model_fn_checkpoints import is_by_name, variable_key

_ITERATOR = "batches/.ATTRIBUTES/ITERATOR_STATE"


class NamedCheckpoint(tf.train.Checkpoint):
    """What ``tf.train.CheckpointManager`` saves as an Estimator's ``Saver`` would.

    Whoever reads a checkpoint by the names of its variables, an Estimator too, finds
    them. An iterator that is set as the attribute ``batches`` is saved with them.

    Args:
      variables: a dict from name to ``tf.Variable``.
      keys: for a variable that a checkpoint has elsewhere, its name there, and which
        part of that it is, as ``tf.raw_ops.SaveV2`` wants it: a dict from the
        variable's name to both.
      write_graph: writes the graph to a path, for the file ``.meta``; None for none.
      sync: whether a save is on the disk before the list of checkpoints names it, and
        the list when the save is done, so that both outlast a power cut; on local disks.
    """

    def __init__(self, variables, keys=(), write_graph=None, sync=True):
        super().__init__(variables=variables)
        self._write_graph, self._graph, self._sync = write_graph, None, sync
        own = {name: (name, "") for name in variables}
        # A dict, or a function, would become a part of the checkpoint.
        self._keys = types.MappingProxyType({**own, **dict(keys)})
        self._bytes = sum(_size(variable) for variable in variables.values())
        put = tf.function(self._put, autograph=False)
        self._put_in_graph = lambda *given: put(*given)
        self._writes = 0

    @property
    def save_counter(self):
        """How many saves ``tf.train.CheckpointManager`` has begun, a ``tf.Variable``."""
        counter = super().save_counter
        if int(counter) > self._writes:
            # It saves by another way than below, which writes objects.
            self._writes = int(counter)
            tf.get_logger().warning(
                "This TensorFlow saves objects: an Estimator, and other readers of names, "
                "cannot read these checkpoints. This program can."
            )
        return counter

    def write(self, file_prefix, options=None):
        """Saves.

        Args:
          file_prefix: the path to write, without ``.index``.
          options: a ``tf.train.CheckpointOptions``; its callbacks are called.

        Returns:
          The path.

        Raises:
          tf.errors.DataLossError: what is on the disk is not whole; no list names it,
            and no older checkpoint is deleted for it.
        """
        self._writes += 1
        more = {}
        if hasattr(self, "batches"):
            more[_ITERATOR] = tf.raw_ops.SerializeIterator(
                resource_handle=self._iterator(), external_state_policy=2  # fail
            )
        tf.io.gfile.makedirs(os.path.dirname(file_prefix))
        self._put_in_graph(tf.constant(file_prefix), more)
        _check_written(file_prefix, self._bytes)
        if self._write_graph:
            self._put_graph(file_prefix + ".meta")
        if self._sync:
            _sync_files(file_prefix, ".data-00000-of-00001", ".index", ".meta")
        for callback in getattr(options, "experimental_write_callbacks", None) or ():
            callback(file_prefix)  # a manager's list names the new one, the old ones go
        if self._write_graph:
            _delete_graphs(file_prefix)
        if self._sync:
            _sync_files(os.path.join(os.path.dirname(file_prefix), "checkpoint"), "")
        return file_prefix

    def _put(self, prefix, more):
        """Writes the variables, and more: a dict from key to tensor."""
        names, parts = zip(*self._keys.values(), *((key, "") for key in more))
        tensors = [self.variables[name].read_value() for name in self._keys]
        written = tf.raw_ops.SaveV2(
            prefix=prefix,
            tensor_names=names,
            shape_and_slices=parts,
            tensors=tensors + list(more.values()),
        )
        with tf.control_dependencies([written]):
            return tf.identity(prefix)  # what nobody returns, a function may not run

    def _put_graph(self, path):
        """Writes ``.meta`` once; from then on it is the same file under more names."""
        if path == self._graph:
            return
        if tf.io.gfile.exists(path):
            tf.io.gfile.remove(path)
        if self._graph and tf.io.gfile.exists(self._graph):
            try:
                os.link(self._graph, path)
            except OSError:  # not on a local disk
                tf.io.gfile.copy(self._graph, path)
        else:
            self._write_graph(path)
        self._graph = path

    def _write(self, file_prefix, options=None):  # what a CheckpointManager calls
        return self.write(file_prefix, options)

    def read(self, save_path, options=None):
        """Restores, by name or from ``tf.train.Checkpoint(variables=variables)``.

        Args:
          save_path: the checkpoint's path; an Estimator may have written it.
          options: taken for the sake of ``tf.train.Checkpoint``.

        Raises:
          ValueError: the checkpoint lacks variables, or has them in another shape.
        """
        keys = dict(self._keys)
        if not is_by_name(save_path):
            keys = {name: (variable_key(name), "") for name in keys}
        saved = tf.train.load_checkpoint(save_path).get_variable_to_shape_map()
        _check_fit(save_path, saved, self.variables, keys)
        variables = [self.variables[name] for name in keys]
        values = _values(save_path, keys.values(), [v.dtype for v in variables])
        for variable, value in zip(variables, values):
            variable.assign(value)
        if hasattr(self, "batches") and _ITERATOR in saved:
            (state,) = _values(save_path, [(_ITERATOR, "")], [tf.variant])
            tf.raw_ops.DeserializeIterator(
                resource_handle=self._iterator(), serialized=state
            )

    def restore(self, save_path, options=None):
        """Restores as ``read`` does; this is what a ``CheckpointManager`` calls."""
        self.read(save_path, options)

    def _iterator(self):
        (handle,) = tf.nest.flatten(self.batches, expand_composites=True)
        return handle


def _size(variable):
    """The bytes that a checkpoint holds of a variable; at least, for strings."""
    if variable.dtype == tf.string:
        return 0
    return variable.dtype.size * variable.shape.num_elements()


def _check_written(prefix, expected):
    """Raises a DataLossError where fewer bytes are there than expected."""
    try:
        count = len(tf.train.load_checkpoint(prefix).get_variable_to_shape_map())
        found = tf.io.gfile.stat(prefix + ".data-00000-of-00001").length
    except (tf.errors.OpError, RuntimeError, ValueError) as error:
        raise tf.errors.DataLossError(None, None, f"{prefix}: {error}") from error
    if found < expected or not count:
        message = f"{prefix} has {found} bytes of {expected}"
        raise tf.errors.DataLossError(None, None, message)


def _sync_files(prefix, *endings):
    """Waits until files, and their names in their directory, are on the disk."""
    paths = [prefix + ending for ending in endings if os.path.exists(prefix + ending)]
    if paths:
        paths.append(os.path.dirname(prefix) or ".")
        with ThreadPoolExecutor(len(paths)) as threads:  # at once: a disk joins syncs
            list(threads.map(_sync, paths))


def _sync(path):
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    except OSError as error:
        if error.errno != errno.EINVAL:  # a file system that cannot
            raise
    finally:
        os.close(opened)


def _delete_graphs(prefix):
    """Deletes each ``.meta`` whose checkpoint a manager has deleted."""
    directory, name = os.path.split(prefix)
    base = re.escape(name.rpartition("-")[0])
    there = set(tf.io.gfile.listdir(directory))
    for name in there:
        graph = re.fullmatch(rf"({base}-\d+)\.meta", name)
        if graph and graph[1] + ".index" not in there:
            tf.io.gfile.remove(os.path.join(directory, name))


def _values(path, keys, dtypes):
    names, parts = zip(*keys)
    return tf.raw_ops.RestoreV2(
        prefix=path, tensor_names=names, shape_and_slices=parts, dtypes=dtypes
    )


def _check_fit(path, saved, variables, keys):
    """Raises a ValueError that names the variables that a checkpoint does not fit."""
    missing, misshapen = [], []
    for name, (key, part) in keys.items():
        whole = [int(size) for size in part.split()[:-1]]  # of "10 4 0,5:0,4"
        shape = whole or variables[name].shape.as_list()
        if key not in saved:
            missing.append(key)
        elif saved[key] != shape:
            misshapen.append(f"{key} {saved[key]}, not {shape}")
    if missing or misshapen:
        raise ValueError(
            f"{path} does not fit the model_fn. Missing in it: "
            f"{', '.join(missing) or 'none'}. Of another shape: "
            f"{', '.join(misshapen) or 'none'}."
        )
