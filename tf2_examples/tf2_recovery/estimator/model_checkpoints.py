# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 8da2b5a80e4dabbf).
"""The checkpoints of a session, which a ``tf.train.CheckpointManager`` keeps."""

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
    mend_checkpoint_list,
    note_written,
    time_of_latest,
)
from .run_config import is_chief_task, read_tf_config


def unnamed_directory():
    """Returns where an Estimator's checkpoints are that is given no directory."""
    directory = read_tf_config().get("model_dir")
    if not directory:
        directory = tempfile.mkdtemp()
        tf1.logging.warning("Using temporary folder as model directory: %s", directory)
    return directory


class ModelCheckpoints(tf.train.CheckpointManager):
    """A ``CheckpointManager`` of a session's variables, under their TF1 names.

    The files are those of an Estimator (``model.ckpt-STEP``), which reads them in turn.
    A torn newest checkpoint is passed over, a lost list of checkpoints is made anew.

    Args:
      directory: of the checkpoints, the model_dir; it may be new. None is the one that
        TF_CONFIG names, or a temporary one.
      max_to_keep: how many to keep; None or 0 for all.
      checkpoint_interval: the steps from one save to the next; or
      save_secs: the seconds. With neither nothing is saved.
      keep_checkpoint_every_n_hours: the hours between checkpoints kept for good. None
        keeps every one that this process saves, as an Estimator's Saver does.

    Raises:
      ValueError: both intervals are given; or there are checkpoints, but none that can
        be read.
    """

    sync_saves = True
    """Whether a save waits until it is on the disk, if that is a local one."""

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
        self._kept = max_to_keep or None, keep_checkpoint_every_n_hours
        directory = unnamed_directory() if directory is None else directory
        self.read_list(os.fspath(directory), is_chief_task())

    @property
    def checkpoint_interval(self):
        """The steps from one save to the next, an int, or None."""
        return self._save_steps

    def settings(self):
        """Returns what a ``RunConfig`` calls these settings, a dict."""
        return {
            "model_dir": self.directory,
            "save_checkpoints_steps": self._save_steps,
            "save_checkpoints_secs": self.save_secs,
            "keep_checkpoint_max": self._kept[0],
            "keep_checkpoint_every_n_hours": self._kept[1],
        }

    def read_list(self, directory, is_chief):
        """Reads which checkpoints there are, and mends the list where it is broken.

        Args:
          directory: of the checkpoints.
          is_chief: whether this process writes there; only then it may mend.
        """
        (mend_checkpoint_list if is_chief else drop_empty_list)(directory)
        # TensorFlow has no other name for this; Keras takes the same.
        with tf.__internal__.eager_context.eager_mode():
            saved = _SessionCheckpoint()
            # Made later, in a strategy's scope, it would wait for the other workers.
            saved.save_counter.assign(0)
            saved.lists_newest_alone = self._kept[0] is None
            super().__init__(
                saved,
                directory,
                max_to_keep=self._kept[0],
                keep_checkpoint_every_n_hours=self._kept[1] or _EVERY_SAVE,
                checkpoint_name="model.ckpt",
            )
            if self._kept[1] is None:
                # Those that earlier processes saved go in their turn; the latest counts
                # as saved here, for an Estimator writes it again as it starts.
                latest = time_of_latest(directory) or time.time()
                self._last_preserved_timestamp = latest - 1e-3


_EVERY_SAVE = 1e-9
"""The hours between two saves, or less."""


class _SessionCheckpoint(tf.train.Checkpoint):
    """What a manager saves: what a session's Saver does, synced to the disk."""

    write_session = staticmethod(lambda prefix: None)  # set for the time of a save
    lists_newest_alone = False
    """Whether the list names one checkpoint: a Saver's does, of a job that keeps all."""

    def _write(self, file_prefix, options=None):  # what a CheckpointManager calls
        self.write_session(file_prefix)
        directory = os.path.dirname(file_prefix)
        # What the list names must be on the disk before, or a power cut loses the job.
        _sync(*files_of(file_prefix), directory)
        note_written(file_prefix)
        for callback in options.experimental_write_callbacks:
            callback(file_prefix)  # the list names the new one, the old ones go
        if self.lists_newest_alone:
            list_newest(file_prefix)
        names = tf.io.gfile.listdir(directory)
        for name in names:
            meta = re.fullmatch(r"(model\.ckpt-\d+)\.meta", name)
            if meta and meta[1] + ".index" not in names:  # it went with its checkpoint
                tf.io.gfile.remove(os.path.join(directory, name))
        _sync(os.path.join(directory, "checkpoint"), directory)
        return file_prefix


def _sync(*paths):
    """Waits until what a save wrote is on the disk."""
    if ModelCheckpoints.sync_saves:
        sync_files(*paths)


class ManagedSaver(tf1.train.Saver):
    """The Saver of a training, whose saves go through a ``ModelCheckpoints``.

    Args:
      manager: the ``ModelCheckpoints``.
      iterators: what saves iterators, ``SaveableObject``s: they are written too, and
        whoever needs one restores it.
    """

    def __init__(self, manager, iterators=()):
        self._manager, self._iterators = manager, iterators
        self._reader = self._meta = self._restored = None
        kept = manager.settings()
        super().__init__(
            sharded=True,
            max_to_keep=kept["keep_checkpoint_max"],
            keep_checkpoint_every_n_hours=kept["keep_checkpoint_every_n_hours"],
            defer_build=True,
            save_relative_paths=True,
        )

    def build(self):
        path = self._manager.latest_checkpoint
        self._reader = saver_of_objects(path) or _saver_without_signal(path)
        if self._iterators:  # an older checkpoint has none of them
            self._reader = self._reader or tf1.train.Saver(sharded=True)
            for one in self._iterators:
                tf1.add_to_collection(tf1.GraphKeys.SAVEABLE_OBJECTS, one)
        super().build()

    def restore(self, sess, save_path):
        # TensorFlow restores a value of another shape without a word.
        _check_fits(sess.graph, save_path)
        restore = self._reader.restore if self._reader else super().restore
        restore(sess, save_path)
        if _SIGNAL not in _shapes(save_path):
            sess.run([variable.initializer for variable in _signals()])
        self._restored = save_path

    def save(self, sess, save_path, global_step=None, **options):
        """Saves as ``tf.compat.v1.train.Saver`` does; returns the path."""
        manager, native = self._manager, super().save
        if save_path != os.path.join(manager.directory, "model.ckpt"):  # not its own
            return native(sess, save_path, global_step, **options)
        path, restored = f"{save_path}-{int(global_step)}", self._restored
        self._restored = None
        if path == restored == manager.latest_checkpoint:
            return path  # it is there: to write it again would put it at risk
        if not is_chief_task():  # a worker's part of what the replicas hold apart
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
                except (
                    tf.errors.OutOfRangeError
                ) as error:  # of a file that may not grow
                    # A session would take it for the end of the data, and end as if done.
                    refused = tf.errors.ResourceExhaustedError
                    raise refused(error.node_def, error.op, error.message) from error
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
        """Writes ``.meta`` once; from then on it is the same file under more names."""
        before, self._meta = self._meta, path
        if before == path:
            return
        if tf.io.gfile.exists(path):
            tf.io.gfile.remove(path)
        try:
            os.link(before, path)
        except (OSError, TypeError):  # the first, deleted, or not on a local disk
            self.export_meta_graph(path)


def saver_of_objects(path):
    """Returns a Saver for a checkpoint of objects, as early releases wrote; or None."""
    is_there = path and tf1.train.checkpoint_exists(path)
    if not is_there or not _is_of_objects(_shapes(path)):
        return None
    return tf1.train.Saver({_key(v.op.name): v for v in tf1.global_variables()})


_SIGNAL = "signal_early_stopping/STOP"


def _signals():
    """Returns the variables that a hook for early stopping makes, a list."""
    return [v for v in tf1.global_variables() if v.op.name == _SIGNAL]


def _saver_without_signal(path):
    """Returns a Saver for a checkpoint of a job that did not stop early; or None."""
    is_there = path and tf1.train.checkpoint_exists(path)
    if not is_there or not _signals() or _SIGNAL in _shapes(path):
        return None
    others = [v for v in tf1.global_variables() if v.op.name != _SIGNAL]
    return tf1.train.Saver(others, sharded=True)


def saved_step(path):
    """Returns the global step of a checkpoint, an int."""
    shapes = _shapes(path)
    for key in ("global_step", _key("global_step")):
        if key in shapes:
            return int(tf1.train.NewCheckpointReader(path).get_tensor(key))
    return int(path.rpartition("-")[2])  # a Saver of the model_fn's names it otherwise


def _shapes(path):
    """Returns the shapes of what a checkpoint holds, a dict by name."""
    return tf1.train.NewCheckpointReader(path).get_variable_to_shape_map()


def _is_of_objects(names):
    return "_CHECKPOINTABLE_OBJECT_GRAPH" in names


def _key(name):
    """Returns the key of a variable in a checkpoint of objects."""
    escaped = name.replace(".", "..").replace("/", ".S")
    return f"variables/{escaped}/.ATTRIBUTES/VARIABLE_VALUE"


def _check_fits(graph, path):
    """Raises a ValueError where a checkpoint lacks variables, or has them otherwise."""
    shapes, missing, other = _shapes(path), [], []
    if _is_of_objects(shapes):
        return
    for variable in graph.get_collection(tf1.GraphKeys.GLOBAL_VARIABLES):
        part = variable._save_slice_info  # of a partitioned one
        name = part.full_name if part else variable.op.name
        shape = tf.TensorShape(part.full_shape if part else variable.shape)
        if name not in shapes and name != _SIGNAL:
            missing.append(name)
        elif name in shapes and not shape.is_compatible_with(shapes[name]):
            other.append(f"{name} {shapes[name]}, not {shape.as_list()}")
    if missing or other:
        told = [", ".join(sorted({*names})) or "none" for names in (missing, other)]
        raise ValueError(
            f"{path} does not fit the model_fn. Missing in it: {told[0]}. Of another "
            f"shape: {told[1]}."
        )
