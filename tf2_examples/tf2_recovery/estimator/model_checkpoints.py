# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 4ef47c3710862793).
"""Saves and restores a session's variables by a ``tf.train.CheckpointManager``."""

import os
import re
import tempfile
import time

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from ..synced_files import sync_files
from .checkpoint_list import (
    drop_empty_list,
    files_of,
    list_newest,
    mark_readable,
    repair_checkpoint_list,
    time_of_latest,
)
from .run_config import is_chief_task, read_tf_config


def unnamed_directory():
    """Returns the model_dir of TF_CONFIG; without one, a new temporary directory."""
    directory = read_tf_config().get("model_dir")
    if not directory:
        directory = tempfile.mkdtemp()
        tf1.logging.warning("Using temporary folder as model directory: %s", directory)
    return directory


class ModelCheckpoints(tf.train.CheckpointManager):
    """A ``CheckpointManager`` of a session's variables, under their TF1 names.

    Reads and writes the files of an Estimator (``model.ckpt-STEP``). Skips a truncated
    newest checkpoint, and writes a lost list of checkpoints anew.

    Args:
      directory: of the checkpoints, the model_dir; need not exist. None for the one that
        TF_CONFIG names, or else a temporary one.
      max_to_keep: how many to keep, an int; None or 0 for all.
      checkpoint_interval: the steps from one save to the next; or
      save_secs: the seconds. With neither, nothing is saved.
      keep_checkpoint_every_n_hours: the hours between checkpoints that are never deleted.
        None keeps every one that this process saves, as an Estimator's Saver does.

    Raises:
      ValueError: both intervals are given, or none of the checkpoints can be read.
    """

    sync_saves = True
    """Whether a save waits until the files are on the disk; a remote one never waits."""

    def __init__(
        self,
        directory,
        max_to_keep=5,
        checkpoint_interval=None,
        save_secs=None,
        keep_checkpoint_every_n_hours=10000,
    ):
        if checkpoint_interval and save_secs:
            raise ValueError("checkpoint_interval and save_secs cannot be both set.")
        self.save_secs, self._save_steps = save_secs, checkpoint_interval
        self._retention = max_to_keep or None, keep_checkpoint_every_n_hours
        directory = unnamed_directory() if directory is None else directory
        self.read_list(os.fspath(directory), is_chief_task())

    @property
    def checkpoint_interval(self):
        """The steps from one save to the next, an int; None where seconds count."""
        return self._save_steps

    def settings(self):
        """Returns these settings as a dict of a ``RunConfig``'s arguments."""
        return {
            "model_dir": self.directory,
            "save_checkpoints_steps": self._save_steps,
            "save_checkpoints_secs": self.save_secs,
            "keep_checkpoint_max": self._retention[0],
            "keep_checkpoint_every_n_hours": self._retention[1],
        }

    def read_list(self, directory, is_chief):
        """Reads the list of checkpoints, and repairs it if this process may.

        Args:
          directory: of the checkpoints.
          is_chief: whether this process saves; no other may repair the list.
        """
        (repair_checkpoint_list if is_chief else drop_empty_list)(directory)
        # TensorFlow has no public name for this; Keras uses the same one.
        with tf.__internal__.eager_context.eager_mode():
            saved = _SessionCheckpoint()
            # Made later, in a strategy's scope, it would wait for the other workers.
            saved.save_counter.assign(0)
            saved.lists_newest_alone = self._retention[0] is None
            super().__init__(
                saved,
                directory,
                max_to_keep=self._retention[0],
                keep_checkpoint_every_n_hours=self._retention[1] or _EVERY_SAVE,
                checkpoint_name="model.ckpt",
            )
            if self._retention[1] is None:
                # Earlier processes' checkpoints are deleted in turn, except the latest:
                # an Estimator writes that again as it starts, and then keeps it.
                latest = time_of_latest(directory) or time.time()
                self._last_preserved_timestamp = latest - 1e-3


_EVERY_SAVE = 1e-9
"""An interval in hours that is shorter than any between two saves."""


class _SessionCheckpoint(tf.train.Checkpoint):
    """Has a manager save a session by its Saver, and syncs the files to the disk."""

    write_session = staticmethod(lambda prefix: None)  # ManagedSaver.save sets it
    lists_newest_alone = False
    """Whether the list names only the newest, as that of a Saver that keeps all does."""

    def _write(self, file_prefix, options=None):  # CheckpointManager calls it
        self.write_session(file_prefix)
        directory = os.path.dirname(file_prefix)
        # Sync before the list names the files: a power cut in between loses nothing.
        _sync(*files_of(file_prefix), directory)
        mark_readable(file_prefix)
        for callback in options.experimental_write_callbacks:
            callback(file_prefix)  # the manager writes the list and deletes old files
        if self.lists_newest_alone:
            list_newest(file_prefix)
        names = tf.io.gfile.listdir(directory)
        for name in names:
            meta = re.fullmatch(r"(model\.ckpt-\d+)\.meta", name)
            if meta and meta[1] + ".index" not in names:  # its checkpoint was deleted
                tf.io.gfile.remove(os.path.join(directory, name))
        _sync(os.path.join(directory, "checkpoint"), directory)
        return file_prefix


def _sync(*paths):
    """Waits until files are on the disk, unless ``sync_saves`` is False."""
    if ModelCheckpoints.sync_saves:
        sync_files(*paths)


class ManagedSaver(tf1.train.Saver):
    """The Saver of a training; it saves by a ``ModelCheckpoints``.

    Args:
      manager: the ``ModelCheckpoints``.
      iterators: ``SaveableObject``s of iterators: saved with the variables, but restored
        by their own hooks.
    """

    def __init__(self, manager, iterators=()):
        self._manager, self._iterators = manager, iterators
        self._reader = self._meta = self._restored_path = None
        settings = manager.settings()
        super().__init__(
            sharded=True,
            max_to_keep=settings["keep_checkpoint_max"],
            keep_checkpoint_every_n_hours=settings["keep_checkpoint_every_n_hours"],
            defer_build=True,
            save_relative_paths=True,
        )

    def build(self):
        path = self._manager.latest_checkpoint
        self._reader = saver_of_objects(path) or _saver_without_signal(path)
        if self._iterators:  # a checkpoint of an older release has none
            self._reader = self._reader or tf1.train.Saver(sharded=True)
            for one in self._iterators:
                tf1.add_to_collection(tf1.GraphKeys.SAVEABLE_OBJECTS, one)
        super().build()

    def restore(self, sess, save_path):
        # TensorFlow restores a value of another shape and raises no error.
        _check_fits(sess.graph, save_path)
        restore = self._reader.restore if self._reader else super().restore
        restore(sess, save_path)
        if STOP_SIGNAL not in _shapes(save_path):
            sess.run([variable.initializer for variable in _signals()])
        self._restored_path = save_path

    def save(self, sess, save_path, global_step=None, **options):
        """Saves as ``tf.compat.v1.train.Saver`` does; returns the path."""
        manager, native = self._manager, super().save
        if save_path != os.path.join(manager.directory, "model.ckpt"):  # a user's save
            return native(sess, save_path, global_step, **options)
        path, restored = f"{save_path}-{int(global_step)}", self._restored_path
        self._restored_path = None
        if path == restored == manager.latest_checkpoint:
            return path  # no rewriting of a file that exists: a kill could lose it
        if not is_chief_task():  # takes part in reading sync-on-read variables
            with tempfile.TemporaryDirectory() as folder:
                part = os.path.join(folder, "model.ckpt")
                native(sess, part, write_meta_graph=False, write_state=False)
            return path
        written = []

        def write(prefix):
            written.append(prefix)
            with sess.graph.as_default():
                try:
                    native(sess, prefix, write_meta_graph=False, write_state=False)
                except tf.errors.OutOfRangeError as error:
                    # A file may not grow; a session would take it for the data's end.
                    kind = tf.errors.ResourceExhaustedError
                    raise kind(error.node_def, error.op, error.message) from error
                if options.get("write_meta_graph", True):
                    self._write_graph(prefix + ".meta")

        manager.checkpoint.write_session = write
        with tf.__internal__.eager_context.eager_mode():
            path = manager.save(int(global_step), check_interval=False)
        if not written:
            tf1.logging.warning("The manager wrote nothing; TensorFlow's Saver does.")
            path = native(sess, save_path, global_step, **options)
        return path

    def _write_graph(self, path):
        """Writes ``.meta`` once; each later save makes a hard link to it."""
        before, self._meta = self._meta, path
        if before == path:
            return
        if tf.io.gfile.exists(path):
            tf.io.gfile.remove(path)
        try:
            os.link(before, path)
        except (OSError, TypeError):  # first save, file deleted, or no local disk
            self.export_meta_graph(path)


def saver_of_objects(path):
    """Returns a Saver for an object-based checkpoint (of early releases), or None."""
    is_there = path and tf1.train.checkpoint_exists(path)
    if not is_there or not _is_object_based(_shapes(path)):
        return None
    return tf1.train.Saver({_object_key(v.op.name): v for v in tf1.global_variables()})


STOP_SIGNAL = "signal_early_stopping/STOP"


def _signals():
    """Returns the variables that hooks for early stopping made, a list."""
    return [v for v in tf1.global_variables() if v.op.name == STOP_SIGNAL]


def _saver_without_signal(path):
    """Returns a Saver for a checkpoint without the early-stopping variable, or None."""
    is_there = path and tf1.train.checkpoint_exists(path)
    if not is_there or not _signals() or STOP_SIGNAL in _shapes(path):
        return None
    others = [v for v in tf1.global_variables() if v.op.name != STOP_SIGNAL]
    return tf1.train.Saver(others, sharded=True)


def saved_step(path):
    """Returns the global step of a checkpoint, an int."""
    shapes = _shapes(path)
    for key in ("global_step", _object_key("global_step")):
        if key in shapes:
            return int(tf1.train.NewCheckpointReader(path).get_tensor(key))
    return int(path.rpartition("-")[2])  # the model_fn's own Saver renamed the step


def _shapes(path):
    """Returns a dict from the names in a checkpoint to their shapes, lists of ints."""
    return tf1.train.NewCheckpointReader(path).get_variable_to_shape_map()


def _is_object_based(names):
    return "_CHECKPOINTABLE_OBJECT_GRAPH" in names


def _object_key(name):
    """Returns the key of a variable in an object-based checkpoint."""
    escaped = name.replace(".", "..").replace("/", ".S")
    return f"variables/{escaped}/.ATTRIBUTES/VARIABLE_VALUE"


def _check_fits(graph, path):
    """Raises a ValueError if a checkpoint lacks a variable or has it in another shape."""
    shapes, missing, other = _shapes(path), [], []
    if _is_object_based(shapes):
        return
    for variable in graph.get_collection(tf1.GraphKeys.GLOBAL_VARIABLES):
        part = variable._save_slice_info  # set if the variable is partitioned
        name = part.full_name if part else variable.op.name
        shape = tf.TensorShape(part.full_shape if part else variable.shape)
        if name not in shapes and name != STOP_SIGNAL:
            missing.append(name)
        elif name in shapes and not shape.is_compatible_with(shapes[name]):
            other.append(f"{name} {shapes[name]}, not {shape.as_list()}")
    if missing or other:
        texts = [", ".join(sorted({*names})) or "none" for names in (missing, other)]
        raise ValueError(
            f"{path} does not fit the model_fn. Missing in it: {texts[0]}. Of another "
            f"shape: {texts[1]}."
        )
