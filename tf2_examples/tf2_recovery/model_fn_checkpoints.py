# Part of tf2_recovery, written by estimator-migrate 0.1.0 (content ab2915fa2d8b4388).
"""Finds the checkpoint to continue from, be it an Estimator's or a manager's."""

import os
import re

import tensorflow as tf


def mend_checkpoint_list(model_dir):
    """Makes the file ``checkpoint``, a directory's list of checkpoints, safe to use.

    Call it before ``tf.train.CheckpointManager(..., model_dir)``, which deletes in time
    whatever that file lists, and begins from scratch when it is lost. Afterwards

    - what the list names counts for ``max_to_keep`` and is deleted in time, whoever
      wrote it: an Estimator lists no times, and a manager passes over what has none;
    - the latest checkpoint can be read: a torn one is passed over, with a warning. To
      know that, the latest is read once;
    - a list that was lost is there again, made from the files.

    Args:
      model_dir: the Estimator's directory; it may be new.

    Raises:
      ValueError: there are checkpoints, but none that can be read.
    """
    found = _on_disk(model_dir)
    try:
        state = tf.train.get_checkpoint_state(model_dir)
    except ValueError:  # the file is there, but empty
        state = None
    listed, names, times, preserved = [], [], {}, None
    if state:
        listed = [os.path.basename(path) for path in state.all_model_checkpoint_paths]
        latest = os.path.basename(state.model_checkpoint_path)
        names = [*(name for name in listed if name != latest), latest]
        times = dict(zip(listed, state.all_model_checkpoint_timestamps))
        preserved = state.last_preserved_timestamp if times else None
    whole = _without_torn(model_dir, names) or _without_torn(model_dir, found)
    if (found or names) and not whole:
        raise ValueError(f"None of the checkpoints in {model_dir} can be read.")
    managed = {name: times.get(name, found[name]) for name in whole if name in found}
    if whole != names or list(managed) != listed or managed != times:
        if preserved is None:  # as if the first of them had been kept for good
            preserved = min(managed.values()) - 1
        _write_list(model_dir, whole[-1], managed, preserved)


def _on_disk(model_dir):
    """Returns the time of each checkpoint, in seconds, by name and in order of step."""
    steps, times = {}, {}
    for path in tf.io.gfile.glob(os.path.join(model_dir, "*.index")):
        match = re.fullmatch(r"((?:model\.)?ckpt-(\d+))\.index", os.path.basename(path))
        if match:
            steps[match[1]] = int(match[2])
            times[match[1]] = tf.io.gfile.stat(path).mtime_nsec / 1e9
    return {name: times[name] for name in sorted(steps, key=steps.get)}


def _without_torn(model_dir, names):
    names = list(names)
    while names and not _is_whole(os.path.join(model_dir, names[-1])):
        tf.get_logger().warning("Cannot read checkpoint %s: passed over", names.pop())
    return names


def _is_whole(path):
    try:
        reader = tf.train.load_checkpoint(path)
        for name, dtype in reader.get_variable_to_dtype_map().items():
            if dtype != tf.variant:  # an iterator's, which no reader returns
                reader.get_tensor(name)
    except (tf.errors.OpError, IndexError, RuntimeError, ValueError):
        return False
    return True


def _write_list(model_dir, latest, managed, preserved):
    """Writes ``checkpoint``, a text of TensorFlow's ``CheckpointState``, in one go."""
    lines = [f'model_checkpoint_path: "{latest}"']
    lines += [f'all_model_checkpoint_paths: "{name}"' for name in managed]
    lines += [f"all_model_checkpoint_timestamps: {t}" for t in managed.values()]
    lines += [f"last_preserved_timestamp: {preserved}"]
    path = os.path.join(model_dir, "checkpoint")
    tf.io.write_file(path + ".new", "\n".join(lines) + "\n")
    tf.io.gfile.rename(path + ".new", path, overwrite=True)


def variable_key(name):
    """Returns the key of a variable in the checkpoints of ``train.checkpoint``."""
    escaped = name.replace(".", "..").replace("/", ".S")
    return f"variables/{escaped}/.ATTRIBUTES/VARIABLE_VALUE"


def is_by_name(path):
    """Returns whether an Estimator, or a ``Saver``, wrote a checkpoint."""
    saved = tf.train.load_checkpoint(path).get_variable_to_shape_map()
    return "_CHECKPOINTABLE_OBJECT_GRAPH" not in saved


def saved_step(path):
    """Returns the global step of a checkpoint, an int."""
    key = str if is_by_name(path) else variable_key
    return int(tf.train.load_variable(path, key("global_step")))
