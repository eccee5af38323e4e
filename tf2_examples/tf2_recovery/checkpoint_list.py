# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content ad4165271268e1bb).
"""Which checkpoints a directory lists, and which of them can be read."""

import os
import re

import tensorflow as tf
import tensorflow.compat.v1 as tf1


def latest_checkpoint(directory):
    """Returns the path of the latest checkpoint that can be read, or None.

    Args:
      directory: of the checkpoints; nothing in it is changed.
    """
    whole = _whole(directory, _read_list(directory)[0], _on_disk(directory))
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
    names, times, preserved = _read_list(directory)
    whole = _whole(directory, names, found)
    if (found or names) and not whole:
        raise ValueError(f"None of the checkpoints in {directory} can be read.")
    managed = {name: times.get(name) or found[name] for name in whole if name in found}
    if whole == names and [*managed.items()] == [*times.items()]:
        drop_empty_list(directory)
    elif managed:  # else of another name, which a hook of the program's keeps
        # As if the first of them had been kept for good.
        preserved = preserved or min(managed.values()) - 1
        _write_list(directory, whole[-1], managed, preserved)


def drop_empty_list(directory):
    """Removes a list that says nothing, with which no manager can be made."""
    path = os.path.join(directory, "checkpoint")
    if tf.io.gfile.exists(path) and not _read_list(directory)[0]:
        tf.io.gfile.remove(path)


def _read_list(directory):
    """Returns what the list says.

    Returns:
      The names, the latest at the end; a dict with the times of those that a manager
      keeps, None where the list has none; the time of the last one that is kept for
      good, or None.
    """
    try:
        state = tf.train.get_checkpoint_state(directory)
    except ValueError:  # the file is empty, or no text
        state = None
    if not state:
        return [], {}, None
    managed = [os.path.basename(path) for path in state.all_model_checkpoint_paths]
    latest = os.path.basename(state.model_checkpoint_path)
    times = dict.fromkeys(managed)
    times.update(zip(managed, state.all_model_checkpoint_timestamps))
    names = [*(name for name in managed if name != latest), latest]
    return names, times, state.last_preserved_timestamp or None


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


def _on_disk(directory):
    """Returns the time of each checkpoint, in seconds, by name and in order of step."""
    steps, times = {}, {}
    for path in tf.io.gfile.glob(os.path.join(directory, "*.index")):
        match = re.fullmatch(r"((?:model\.)?ckpt-(\d+))\.index", os.path.basename(path))
        if match:
            steps[match[1]] = int(match[2])
            times[match[1]] = tf.io.gfile.stat(path).mtime_nsec / 1e9
    return {name: times[name] for name in sorted(steps, key=steps.get)}


def _whole(directory, *several):
    """Returns the names up to the latest that can be read, of the first list with one."""
    for names in map(list, several):
        while names and not _can_be_read(os.path.join(directory, names[-1])):
            tf1.logging.warning("Cannot read checkpoint %s: passed over", names.pop())
        if names:
            return names
    return []


_known = set()  # what this process has written or read, and need not read again


def note_written(path):
    """Takes a checkpoint for one that can be read, as it was just written."""
    _known.add(_identity(path))


def _can_be_read(path):
    try:
        identity = _identity(path)
        if identity not in _known:
            reader = tf.train.load_checkpoint(path)
            for name, dtype in reader.get_variable_to_dtype_map().items():
                if dtype != tf.variant:  # an iterator's, which no reader returns
                    reader.get_tensor(name)
            _known.add(identity)
    except (tf.errors.OpError, IndexError, RuntimeError, ValueError):
        return False
    return True


def files_of(path):
    """Returns the paths of the files of a checkpoint, in order of name.

    A directory is listed: for a pattern TensorFlow starts threads, at each save.
    """
    directory, name = os.path.split(path)
    names = sorted(tf.io.gfile.listdir(directory))
    return [os.path.join(directory, n) for n in names if n.startswith(name + ".")]


def _identity(path):
    """Returns what changes with the files of a checkpoint."""
    files = [file for file in files_of(path) if not file.endswith(".meta")]
    stats = [tf.io.gfile.stat(file) for file in files]
    # TensorFlow rounds times to seconds.
    exact = [os.stat(file).st_mtime_ns for file in files if os.path.exists(file)]
    return path, *((stat.mtime_nsec, stat.length) for stat in stats), *exact
