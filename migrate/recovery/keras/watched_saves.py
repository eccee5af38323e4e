"""Makes Keras write the files of a training by its recovery."""

import functools
import os


def watch_saves(models, trainings):
    """Makes Keras' ``save`` and ``save_weights`` write by ``write_whole``.

    Args:
      trainings: the trainings of this process, a list.
    """
    for kind in {kind for model in models for kind in type(model).__mro__}:
        for name in {"save", "save_weights"} & {*vars(kind)}:
            write = vars(kind)[name]
            is_keras = kind.__module__.startswith(("keras.", "tf_keras."))
            if is_keras and not hasattr(write, "_is_watched"):
                setattr(kind, name, _watched(write, trainings))


def _watched(write, trainings):
    @functools.wraps(write)
    def save(model, filepath, *args, **kwargs):
        own = [one for one in trainings if one.places_of(model)]
        is_over = args[0] if args else kwargs.get("overwrite", True)
        if own and is_over and isinstance(filepath, (str, os.PathLike)):
            path = os.fspath(filepath)
            return own[-1].write_whole(write, model, path, *args, **kwargs)
        return write(model, filepath, *args, **kwargs)

    save._is_watched = True
    return save
