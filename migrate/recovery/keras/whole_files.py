"""The saves of a program's own files: each file is whole, or is not in its place."""

import contextlib
import functools
import os

import tensorflow as tf

from ..synced_files import sync_files
from .saved_states import names_in


def watch_saves(models, trainings):
    """Has Keras' own ``save`` and ``save_weights`` write through ``write_whole``.

    Args:
      models: those whose classes are changed.
      trainings: a list of ``SavedTraining``; it may grow.
    """
    for kind in {kind for model in models for kind in type(model).__mro__}:
        for name in {"save", "save_weights"} & {*vars(kind)}:
            write = vars(kind)[name]
            is_keras = kind.__module__.startswith(("keras.", "tf_keras."))
            if is_keras and not hasattr(write, "_watched"):
                setattr(kind, name, _watched(write, trainings))


def _watched(write, trainings):
    @functools.wraps(write)
    def save(model, filepath, *args, **kwargs):
        is_over = args[0] if args else kwargs.get("overwrite", True)
        own = [one for one in trainings if one.has_weights_of(model)]
        if own and is_over and isinstance(filepath, (str, os.PathLike)):
            path = os.fspath(filepath)
            return own[-1].write_whole(model, write, path, *args, **kwargs)
        return write(model, filepath, *args, **kwargs)

    save._watched = True
    return save


def is_replaceable(path, parts):
    """Returns whether a file can be put in its place by a rename; makes ``parts``."""
    if tf.io.gfile.exists(parts):
        tf.io.gfile.rmtree(parts)
    tf.io.gfile.makedirs(parts)
    if "://" in path:
        return True
    is_usual = os.path.isfile(path) or os.path.isdir(path) or not os.path.exists(path)
    is_here = os.stat(os.path.dirname(path) or ".").st_dev == os.stat(parts).st_dev
    return is_usual and is_here and not os.path.islink(path)


def put_in_place(parts, folder):
    """Returns whether the files were there: a start beside this one may clear up."""
    names = sorted(names_in(parts), key=lambda n: (n == "checkpoint", ".index" in n))
    try:
        for name in names:  # The index comes last, then the list that names it.
            place = os.path.join(folder, name)
            if tf.io.gfile.isdir(place):  # A SavedModel.
                tf.io.gfile.rename(place, os.path.join(parts, ".old"))
            tf.io.gfile.rename(os.path.join(parts, name), place, overwrite=True)
    except tf.errors.NotFoundError:
        return False
    with contextlib.suppress(tf.errors.NotFoundError):
        tf.io.gfile.rmtree(parts)
    sync_files(folder or ".")
    return names != []
