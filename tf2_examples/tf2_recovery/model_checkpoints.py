# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 6079c5cd36c89bc8).
"""The checkpoints of a session, which a ``tf.train.CheckpointManager`` keeps."""

import contextlib
import math
import os
import re
import tempfile
from concurrent.futures import ThreadPoolExecutor

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from .run_config import is_chief_task, read_tf_config

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None


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
      keep_checkpoint_every_n_hours: the hours between checkpoints kept for good.

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
        if is_chief:
            mend_checkpoint_list(directory)
        else:
            _drop_empty_list(directory)
        # TensorFlow has no other name for this; Keras takes the same.
        with tf.__internal__.eager_context.eager_mode():
            saved = _SessionCheckpoint()
            # Made later, in a strategy's scope, it would wait for the other workers.
            saved.save_counter.assign(0)
            super().__init__(
                saved,
                directory,
                max_to_keep=self._kept[0],
                keep_checkpoint_every_n_hours=self._kept[1],
                checkpoint_name="model.ckpt",
            )


class _SessionCheckpoint(tf.train.Checkpoint):
    """What a manager saves: what a session's Saver does, synced to the disk."""

    write_session = staticmethod(lambda prefix: None)  # set for the time of a save

    def _write(self, file_prefix, options=None):  # what a CheckpointManager calls
        self.write_session(file_prefix)
        _check_written(file_prefix)
        directory = os.path.dirname(file_prefix)
        # What the list names must be on the disk before, or a power cut loses the job.
        _sync(*tf.io.gfile.glob(file_prefix + ".*"), directory)
        _whole.add(_identity(file_prefix))
        for callback in options.experimental_write_callbacks:
            callback(file_prefix)  # the list names the new one, the old ones go
        for meta in tf.io.gfile.glob(os.path.join(directory, "model.ckpt-*.meta")):
            is_left = not tf.io.gfile.exists(meta[: -len("meta")] + "index")
            if is_left and re.fullmatch(r".*-\d+\.meta", meta):
                tf.io.gfile.remove(meta)
        _sync(os.path.join(directory, "checkpoint"), directory)
        return file_prefix


class ManagedSaver(tf1.train.Saver):
    """The Saver of a training, whose saves go through a ``ModelCheckpoints``.

    Args:
      manager: the ``ModelCheckpoints``.
      iterators: what saves iterators, ``SaveableObject``s: they are written too, and
        whoever needs one restores it.
    """

    def __init__(self, manager, iterators=()):
        self._manager, self._iterators = manager, list(iterators)
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
        self._reader = saver_of_objects(self._manager.latest_checkpoint)
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
                native(sess, prefix, write_meta_graph=False, write_state=False)
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


@contextlib.contextmanager
def told_of_others(directory):
    """A context that holds a directory, and warns where another process holds it.

    The kernel lets go of it with the process, however that ends. Where a file system
    cannot hold a directory, nothing is said.
    """
    held = None
    try:
        held = os.open(directory, os.O_RDONLY)
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        tf1.logging.warning(
            "Another process trains in %s: they overwrite one another.", directory
        )
    except (OSError, AttributeError):
        pass
    try:
        yield
    finally:
        if held is not None:
            os.close(held)


def saver_of_objects(path):
    """Returns a Saver for a checkpoint of objects, as early releases wrote; or None."""
    is_there = path and tf1.train.checkpoint_exists(path)
    names = (
        tf.train.load_checkpoint(path).get_variable_to_shape_map() if is_there else ()
    )
    if "_CHECKPOINTABLE_OBJECT_GRAPH" not in names:
        return None
    return tf1.train.Saver({_key(v.op.name): v for v in tf1.global_variables()})


def _key(name):
    """Returns the key of a variable in a checkpoint of objects."""
    escaped = name.replace(".", "..").replace("/", ".S")
    return f"variables/{escaped}/.ATTRIBUTES/VARIABLE_VALUE"


def _check_fits(graph, path):
    """Raises a ValueError where a checkpoint lacks variables, or has them otherwise."""
    shapes = tf.train.load_checkpoint(path).get_variable_to_shape_map()
    if "_CHECKPOINTABLE_OBJECT_GRAPH" in shapes:
        return
    missing, other = [], []
    for variable in graph.get_collection(tf1.GraphKeys.GLOBAL_VARIABLES):
        part = variable._save_slice_info  # of a partitioned one
        name = part.full_name if part else variable.op.name
        shape = tf.TensorShape(part.full_shape if part else variable.shape)
        if name not in shapes:
            missing.append(name)
        elif not shape.is_compatible_with(shapes[name]):
            other.append(f"{name} {shapes[name]}, not {shape.as_list()}")
    if missing or other:
        told = [", ".join(sorted({*names})) or "none" for names in (missing, other)]
        raise ValueError(
            f"{path} does not fit the model_fn. Missing in it: {told[0]}. Of another "
            f"shape: {told[1]}."
        )


def _check_written(prefix):
    """Raises a DataLossError where a checkpoint has fewer bytes than its tensors."""
    reader = tf.train.load_checkpoint(prefix)
    shapes, dtypes = (
        reader.get_variable_to_shape_map(),
        reader.get_variable_to_dtype_map(),
    )
    sized = [name for name in shapes if dtypes[name] not in (tf.string, tf.variant)]
    expected = sum(dtypes[name].size * math.prod(shapes[name]) for name in sized)
    files = tf.io.gfile.glob(prefix + ".data-*")
    found = sum(tf.io.gfile.stat(file).length for file in files)
    if found < expected:
        message = f"{prefix} has {found} bytes of {expected}"
        raise tf.errors.DataLossError(None, None, message)


def _sync(*paths):
    """Waits until files, and their names in their directory, are on the disk."""
    local = [path for path in paths if os.path.exists(path)]
    if ModelCheckpoints.sync_saves and local:
        with ThreadPoolExecutor(len(local)) as at_once:  # one after the other is slower
            list(at_once.map(_sync_one, local))


def _sync_one(path):
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    except OSError:  # a file system that cannot
        pass
    finally:
        os.close(opened)


def latest_checkpoint(directory):
    """Returns the path of the latest checkpoint that can be read, or None.

    Args:
      directory: of the checkpoints; nothing in it is changed.
    """
    names = _named(directory)[0]
    whole = _without_torn(directory, names) or _without_torn(
        directory, _on_disk(directory)
    )
    return os.path.join(directory, whole[-1]) if whole else None


def mend_checkpoint_list(directory):
    """Makes the file ``checkpoint``, a directory's list of checkpoints, safe to use.

    A manager deletes in time what that file lists, and begins from scratch where it is
    lost. After this

    - what the list names counts for ``max_to_keep`` and is deleted in time, whoever
      wrote it: an Estimator lists no times, and a manager passes over what has none;
    - the latest checkpoint can be read: a torn one is passed over, with a warning. To
      know that, the latest is read once;
    - a list that was lost is there again, made from the files.

    Raises:
      ValueError: there are checkpoints, but none that can be read.
    """
    found = _on_disk(directory)
    names, listed, times, preserved = _named(directory)
    whole = _without_torn(directory, names) or _without_torn(directory, found)
    if (found or names) and not whole:
        raise ValueError(f"None of the checkpoints in {directory} can be read.")
    managed = {name: times.get(name, found[name]) for name in whole if name in found}
    if whole and not managed:
        return  # of another name, which a hook of the program's keeps
    if whole != names or list(managed) != listed or managed != times:
        if preserved is None:  # as if the first of them had been kept for good
            preserved = min(managed.values()) - 1
        _write_list(directory, whole[-1], managed, preserved)
    else:
        _drop_empty_list(directory)


def _drop_empty_list(directory):
    """Removes a list that says nothing, with which no manager can be made."""
    path = os.path.join(directory, "checkpoint")
    if tf.io.gfile.exists(path) and not _named(directory)[0]:
        tf.io.gfile.remove(path)


def _named(directory):
    """Returns the names in the list, the latest at the end, and what it says of them.

    Returns:
      All names, those that are managed, a dict with their times, and the time of the
      last one that is kept for good, or None.
    """
    try:
        state = tf.train.get_checkpoint_state(directory)
    except ValueError:  # the file is empty, or no text
        state = None
    if not state:
        return [], [], {}, None
    listed = [os.path.basename(path) for path in state.all_model_checkpoint_paths]
    latest = os.path.basename(state.model_checkpoint_path)
    times = dict(zip(listed, state.all_model_checkpoint_timestamps))
    preserved = state.last_preserved_timestamp if times else None
    return [*(n for n in listed if n != latest), latest], listed, times, preserved


def _on_disk(directory):
    """Returns the time of each checkpoint, in seconds, by name and in order of step."""
    steps, times = {}, {}
    for path in tf.io.gfile.glob(os.path.join(directory, "*.index")):
        match = re.fullmatch(r"((?:model\.)?ckpt-(\d+))\.index", os.path.basename(path))
        if match:
            steps[match[1]] = int(match[2])
            times[match[1]] = tf.io.gfile.stat(path).mtime_nsec / 1e9
    return {name: times[name] for name in sorted(steps, key=steps.get)}


def _without_torn(directory, names):
    names = list(names)
    while names and not _is_whole(os.path.join(directory, names[-1])):
        tf1.logging.warning("Cannot read checkpoint %s: passed over", names.pop())
    return names


_whole = set()  # what this process has written or read, and need not read again


def _is_whole(path):
    try:
        identity = _identity(path)
        if identity not in _whole:
            reader = tf.train.load_checkpoint(path)
            for name, dtype in reader.get_variable_to_dtype_map().items():
                if dtype != tf.variant:  # an iterator's, which no reader returns
                    reader.get_tensor(name)
            _whole.add(identity)
    except (tf.errors.OpError, IndexError, RuntimeError, ValueError):
        return False
    return True


def _identity(path):
    """Returns what changes with the files of a checkpoint."""
    files = [*sorted(tf.io.gfile.glob(f"{path}.data-*")), f"{path}.index"]
    stats = [tf.io.gfile.stat(file) for file in files]
    # TensorFlow rounds times to seconds.
    exact = [os.stat(file).st_mtime_ns for file in files if os.path.exists(file)]
    return path, *((stat.mtime_nsec, stat.length) for stat in stats), *exact


def _write_list(directory, latest, managed, preserved):
    """Writes ``checkpoint``, a text of TensorFlow's ``CheckpointState``, in one go."""
    lines = [f'model_checkpoint_path: "{latest}"']
    lines += [f'all_model_checkpoint_paths: "{name}"' for name in managed]
    lines += [f"all_model_checkpoint_timestamps: {t}" for t in managed.values()]
    lines += [f"last_preserved_timestamp: {preserved}"]
    path = os.path.join(directory, "checkpoint")
    with tf.io.gfile.GFile(path + ".new", "w") as file:
        file.write("\n".join(lines) + "\n")
    tf.io.gfile.rename(path + ".new", path, overwrite=True)


def saved_step(path):
    """Returns the global step of a checkpoint, an int."""
    names = tf.train.load_checkpoint(path).get_variable_to_shape_map()
    for key in ("global_step", _key("global_step")):
        if key in names:
            return int(tf.train.load_variable(path, key))
    return int(path.rpartition("-")[2])  # a Saver of the model_fn's names it otherwise
