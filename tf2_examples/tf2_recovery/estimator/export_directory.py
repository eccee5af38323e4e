# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content e54e6d15517b8bfc).
"""Names the directory of an export by the time, and publishes it when it is whole."""

import os
import time

import tensorflow as tf


def new_export(export_dir_base):
    """Returns a new path ``temp-TIME`` below a directory, to write an export to."""
    while True:
        name = str(int(time.time()))
        if not tf.io.gfile.exists(os.path.join(export_dir_base, name)):
            # A server that watches the directory must not see an unfinished export.
            return os.path.join(export_dir_base, "temp-" + name)
        time.sleep(1)


def finish_export(unfinished, assets_extra=None):
    """Renames a written export from ``temp-TIME`` to ``TIME``.

    Args:
      unfinished: the path that ``new_export`` returned.
      assets_extra: a dict from a path in ``assets.extra`` to the file to copy there.

    Returns:
      The path of the export: bytes, as the Estimator gave it.
    """
    for name, source in (assets_extra or {}).items():
        copy = os.path.join(unfinished, "assets.extra", name)
        tf.io.gfile.makedirs(os.path.dirname(copy))
        tf.io.gfile.copy(source, copy)
    base, name = os.path.split(unfinished)
    export_dir = os.path.join(base, name[len("temp-") :])
    tf.io.gfile.rename(unfinished, export_dir)
    return tf.compat.as_bytes(export_dir)
