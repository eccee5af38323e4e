"""Where a training saves that is given its callbacks."""

import os


def directory_beside(callbacks):
    """Returns a directory for checkpoints, beside the files of a ``ModelCheckpoint``.

    Args:
      callbacks: the callbacks of a ``fit``, a list; the first ``ModelCheckpoint`` in it
        counts.

    Raises:
      ValueError: there is no ``ModelCheckpoint`` in it.
    """
    paths = [str(one.filepath) for one in callbacks or [] if hasattr(one, "filepath")]
    if not paths:
        raise ValueError("No ModelCheckpoint among the callbacks says where to save.")
    folder, name = os.path.split(paths[0].partition("{")[0])
    for suffix in (".h5", ".hdf5", ".keras", ".weights"):
        name = name[: -len(suffix)] if name.endswith(suffix) else name
    name = name.strip("._-=")
    return os.path.join(folder, f"{name}_recovery" if name else "recovery")
