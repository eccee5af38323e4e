# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 33740ad24267f8da).
"""Where an export stands: a directory below a base, named by the time."""

import os
import time

import tensorflow as tf


def new_export(export_dir_base):
    """Returns where to write an export, a path that is not there yet."""
    while True:
        name = str(int(time.time()))
        if not tf.io.gfile.exists(os.path.join(export_dir_base, name)):
            # Whoever watches for exports sees a whole one or none.
            return os.path.join(export_dir_base, "temp-" + name)
        time.sleep(1)


def finish_export(unfinished, assets_extra=None):
    """Gives an export the name by which it is found.

    Args:
      unfinished: what ``new_export`` gave, written by now.
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
