"""Reads and repairs ``checkpoint``, the file that lists a directory's checkpoints."""

import os
import re

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from ..synced_files import sync_files


def latest_checkpoint(directory):
    """Returns the path of the latest checkpoint that can be read, or None.

    Args:
      directory: of the checkpoints; no file in it is changed.
    """
    check_name(directory)
    usable = _usable_names(directory, _read_list(directory)[0], _save_times(directory))
    return os.path.join(directory, usable[-1]) if usable else None


def repair_checkpoint_list(directory):
    """Repairs the file ``checkpoint``, from which a manager learns what it may delete.

    A manager that finds no list begins from scratch. After the repair

    - every listed checkpoint counts for ``max_to_keep``, whoever wrote it: an Estimator
      lists no times of saving, and a manager ignores checkpoints without one;
    - the latest checkpoint can be read: truncated ones are skipped with a warning. Each
      process reads the latest checkpoint once to check this;
    - a lost list exists again, made from the files in the directory;
    - the list of a copied directory names the files of the copy. Its absolute paths led
      to those of the original, which were restored and later deleted.

    Raises:
      ValueError: none of the checkpoints can be read; or TensorFlow takes the
        directory's name for a pattern.
    """
    check_name(directory)
    _adopt_copied_list(directory)
    found = _save_times(directory)
    names, times, preserved = _read_list(directory)
    usable = _usable_names(directory, names, found)
    if (found or names) and not usable:
        raise ValueError(f"None of the checkpoints in {directory} can be read.")
    managed = {name: times.get(name) or found[name] for name in usable if name in found}
    if usable == names and [*managed.items()] == [*times.items()]:
        drop_empty_list(directory)
    elif managed:  # empty if a user's hook gave the files another name
        # keep_checkpoint_every_n_hours counts from just before the first checkpoint.
        preserved = preserved or min(managed.values()) - 1
        _write_list(directory, usable[-1], managed, preserved)


def list_newest(path):
    """Rewrites the list of a directory to name only a checkpoint that was just saved."""
    directory, name = os.path.split(path)
    _, times, preserved = _read_list(directory)
    time = times[name]
    _write_list(directory, name, {name: time}, preserved or time - 1)


def time_of_latest(directory):
    """Returns when the latest listed checkpoint was saved, in epoch seconds, or None."""
    names, times, _ = _read_list(directory)
    return times.get(names[-1]) if names else None


def drop_empty_list(directory):
    """Removes a list that is empty or unreadable: a manager cannot be made with it."""
    check_name(directory)
    path = os.path.join(directory, "checkpoint")
    if tf.io.gfile.exists(path) and not _read_list(directory)[0]:
        tf.io.gfile.remove(path)


def check_name(directory):
    """Raises a ValueError for a directory that TensorFlow takes for a pattern."""
    if re.search(r"\[[^]]+\]", directory) or ("\\" in directory and os.sep != "\\"):
        raise ValueError(
            f"{directory}: TensorFlow takes [...] and \\ in the name of a directory for "
            "a pattern and finds no checkpoint there. Choose another name."
        )


def _adopt_copied_list(directory):
    """Rewrites a list with paths in another directory to name the files in this one."""
    state = _checkpoint_state(directory)
    listed = list(state.all_model_checkpoint_paths) if state else []
    paths = [*dict.fromkeys([*listed, state.model_checkpoint_path])] if state else []
    elsewhere = [path for path in paths if _is_elsewhere(path, directory)]
    if not elsewhere:
        return
    own = {os.path.join(directory, os.path.basename(one)) for one in paths}
    here = {os.path.basename(one) for one in own if tf.io.gfile.exists(one + ".index")}
    copied = [path for path in listed if os.path.basename(path) in here]
    original = os.path.dirname(elsewhere[0])
    if not here and _save_times(directory):
        return  # the caller makes the list from those files
    if not here:
        raise ValueError(
            f"The list {os.path.join(directory, 'checkpoint')} names checkpoints in "
            f"{original}, and none of them is here: copy them, too, or remove the list."
        )
    latest = state.model_checkpoint_path
    if os.path.basename(latest) not in here:
        latest = [path for path in paths if os.path.basename(path) in here][-1]
    times = dict(zip(listed, state.all_model_checkpoint_timestamps))
    tf1.logging.warning(
        "The list of checkpoints in %s named those in %s: from now on it names the files "
        "of the same names here.",
        directory,
        original,
    )
    _write_list(
        directory,
        os.path.basename(latest),
        {os.path.basename(path): times.get(path) for path in copied},
        state.last_preserved_timestamp or None,
    )


def _is_elsewhere(path, directory):
    """Returns whether the path of a checkpoint is in another directory."""
    if "://" in path or "://" in directory:
        return os.path.dirname(path).rstrip("/") != directory.rstrip("/")
    own, other = map(os.path.realpath, (directory, os.path.dirname(path)))
    return own != other


def _checkpoint_state(directory):
    """Returns the ``CheckpointState`` in a directory, or None."""
    try:
        return tf.train.get_checkpoint_state(directory)
    except (ValueError, tf.errors.OpError):  # the file is empty, no text, or missing
        return None


def _read_list(directory):
    """Reads the list of a directory.

    Returns:
      The names, a list with the latest at the end; a dict from each name that a manager
      may delete to its time of saving, None if not listed; the time of the last
      checkpoint that is never deleted, or None. Times are epoch seconds.
    """
    state = _checkpoint_state(directory)
    if not state:
        return [], {}, None
    managed = [os.path.basename(path) for path in state.all_model_checkpoint_paths]
    latest = os.path.basename(state.model_checkpoint_path)
    times = dict.fromkeys(managed)
    times.update(zip(managed, state.all_model_checkpoint_timestamps))
    names = [*(name for name in managed if name != latest), latest]
    return names, times, state.last_preserved_timestamp or None


def _write_list(directory, latest, managed, preserved):
    """Writes ``checkpoint``, a ``CheckpointState`` as text, and renames it into place."""
    lines = [f'model_checkpoint_path: "{latest}"']
    lines += [f'all_model_checkpoint_paths: "{name}"' for name in managed]
    if None not in managed.values():
        lines += [f"all_model_checkpoint_timestamps: {t}" for t in managed.values()]
    lines += [f"last_preserved_timestamp: {preserved}"] if preserved else []
    path = os.path.join(directory, "checkpoint")
    with tf.io.gfile.GFile(path + ".new", "w") as file:
        file.write("\n".join(lines) + "\n")
    sync_files(path + ".new")
    tf.io.gfile.rename(path + ".new", path, overwrite=True)
    sync_files(directory)


def _save_times(directory):
    """Returns a dict from name to time of saving of all checkpoints, in order of step."""
    steps, times = {}, {}
    # No glob: a ? or * in the directory's name would match other directories, too.
    names = tf.io.gfile.listdir(directory) if tf.io.gfile.isdir(directory) else []
    for name in names:
        match = re.fullmatch(r"((?:model\.)?ckpt-(\d+))\.index", name)
        if match:
            stat = tf.io.gfile.stat(os.path.join(directory, name))
            steps[match[1]], times[match[1]] = int(match[2]), stat.mtime_nsec / 1e9
    return {name: times[name] for name in sorted(steps, key=steps.get)}


def _usable_names(directory, *lists):
    """Returns the first list with a readable checkpoint, up to its latest such name."""
    for names in map(list, lists):
        while names and not _can_be_read(os.path.join(directory, names[-1])):
            tf1.logging.warning("Cannot read checkpoint %s: passed over", names.pop())
        if names:
            return names
    return []


_known_readable = set()  # identities of what this process has written or read


def mark_readable(path):
    """Records that a checkpoint can be read, because it was just written."""
    _known_readable.add(_identity(path))


def _can_be_read(path):
    try:
        identity = _identity(path)
        if identity not in _known_readable:
            # Not tf.train.load_checkpoint: it takes one in ram:// for a directory.
            reader = tf1.train.NewCheckpointReader(path)
            for name, dtype in reader.get_variable_to_dtype_map().items():
                if dtype != tf.variant:  # an iterator's state, which cannot be returned
                    reader.get_tensor(name)
            _known_readable.add(identity)
    except (tf.errors.OpError, IndexError, RuntimeError, ValueError):
        return False
    return True


def files_of(path):
    """Returns the paths of the files of a checkpoint, sorted.

    It lists the directory: for a glob TensorFlow would start threads at each save.
    """
    directory, name = os.path.split(path)
    names = sorted(tf.io.gfile.listdir(directory))
    return [os.path.join(directory, n) for n in names if n.startswith(name + ".")]


def _identity(path):
    """Returns a tuple that changes when a file of the checkpoint does."""
    files = [file for file in files_of(path) if not file.endswith(".meta")]
    stats = [tf.io.gfile.stat(file) for file in files]
    # Python's times, because TensorFlow rounds its own to seconds.
    exact = [os.stat(file).st_mtime_ns for file in files if os.path.exists(file)]
    return path, *((stat.mtime_nsec, stat.length) for stat in stats), *exact
