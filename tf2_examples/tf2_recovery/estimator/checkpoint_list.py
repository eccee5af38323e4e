# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content d367b665763b2d75).
"""Which checkpoints a directory lists, and which of them can be read."""

import os
import re

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from ..synced_files import sync_files


def latest_checkpoint(directory):
    """Returns the path of the latest checkpoint that can be read, or None.

    Args:
      directory: of the checkpoints; nothing in it is changed.
    """
    check_name(directory)
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
    - a list that was lost is there again, made from the files;
    - the list of a directory that was copied names the files of the copy: by absolute
      paths it led to those of the original, which were restored and deleted.

    Raises:
      ValueError: there are checkpoints, but none that can be read; or the directory's
        name is one that TensorFlow takes for a pattern.
    """
    check_name(directory)
    _bring_home(directory)
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


def list_newest(path):
    """Makes the list of a directory name one checkpoint, which was just saved there."""
    directory, name = os.path.split(path)
    _, times, preserved = _read_list(directory)
    time = times[name]
    _write_list(directory, name, {name: time}, preserved or time - 1)


def time_of_latest(directory):
    """Returns when the latest checkpoint of the list was saved, in seconds; or None."""
    names, times, _ = _read_list(directory)
    return times.get(names[-1]) if names else None


def drop_empty_list(directory):
    """Removes a list that says nothing, with which no manager can be made."""
    check_name(directory)
    path = os.path.join(directory, "checkpoint")
    if tf.io.gfile.exists(path) and not _read_list(directory)[0]:
        tf.io.gfile.remove(path)


def check_name(directory):
    """Raises a ValueError for a name of which TensorFlow finds no file."""
    if re.search(r"\[[^]]+\]", directory) or ("\\" in directory and os.sep != "\\"):
        raise ValueError(
            f"{directory}: TensorFlow takes [...] and \\ in the name of a directory for "
            "a pattern and finds no checkpoint there. Choose another name."
        )


def _bring_home(directory):
    """Writes a list anew that names files elsewhere which are here, too."""
    state = _state(directory)
    listed = list(state.all_model_checkpoint_paths) if state else []
    paths = [*dict.fromkeys([*listed, state.model_checkpoint_path])] if state else []
    away = [path for path in paths if _leads_away(path, directory)]
    if not away:
        return
    here = {os.path.basename(path) for path in paths if _has_files(path, directory)}
    kept = [path for path in listed if os.path.basename(path) in here]
    others = os.path.dirname(away[0])
    if not here and _on_disk(directory):
        return  # they take the place of the list
    if not here:
        raise ValueError(
            f"The list {os.path.join(directory, 'checkpoint')} names checkpoints in "
            f"{others}, and none of them is here: copy them, too, or remove the list."
        )
    latest = state.model_checkpoint_path
    if os.path.basename(latest) not in here:
        latest = [path for path in paths if os.path.basename(path) in here][-1]
    times = dict(zip(listed, state.all_model_checkpoint_timestamps))
    tf1.logging.warning(
        "The list of checkpoints in %s named those in %s: from now on it names the files "
        "of the same names here.",
        directory,
        others,
    )
    _write_list(
        directory,
        os.path.basename(latest),
        {os.path.basename(path): times.get(path) for path in kept},
        state.last_preserved_timestamp or None,
    )


def _leads_away(path, directory):
    """Whether the path of a checkpoint is one in another directory."""
    if "://" in path or "://" in directory:
        return os.path.dirname(path).rstrip("/") != directory.rstrip("/")
    own, other = map(os.path.realpath, (directory, os.path.dirname(path)))
    return own != other


def _has_files(path, directory):
    index = f"{os.path.basename(path)}.index"
    return tf.io.gfile.exists(os.path.join(directory, index))


def _state(directory):
    """Returns the ``CheckpointState`` in a directory, or None."""
    try:
        return tf.train.get_checkpoint_state(directory)
    except (ValueError, tf.errors.OpError):  # empty, no text, or no file
        return None


def _read_list(directory):
    """Returns what the list says.

    Returns:
      The names, the latest at the end; a dict with the times of those that a manager
      keeps, None where the list has none; the time of the last one that is kept for
      good, or None.
    """
    state = _state(directory)
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
    if None not in managed.values():
        lines += [f"all_model_checkpoint_timestamps: {t}" for t in managed.values()]
    lines += [f"last_preserved_timestamp: {preserved}"] if preserved else []
    path = os.path.join(directory, "checkpoint")
    with tf.io.gfile.GFile(path + ".new", "w") as file:
        file.write("\n".join(lines) + "\n")
    sync_files(path + ".new")
    tf.io.gfile.rename(path + ".new", path, overwrite=True)
    sync_files(directory)


def _on_disk(directory):
    """Returns the time of each checkpoint, in seconds, by name and in order of step."""
    steps, times = {}, {}
    # Listed: in a pattern the ? and * of a directory's name stand for others, too.
    names = tf.io.gfile.listdir(directory) if tf.io.gfile.isdir(directory) else []
    for name in names:
        match = re.fullmatch(r"((?:model\.)?ckpt-(\d+))\.index", name)
        if match:
            stat = tf.io.gfile.stat(os.path.join(directory, name))
            steps[match[1]], times[match[1]] = int(match[2]), stat.mtime_nsec / 1e9
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
            # tf.train.load_checkpoint takes a checkpoint in ram:// for a directory.
            reader = tf1.train.NewCheckpointReader(path)
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
