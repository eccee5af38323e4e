"""Moves the weights of the newest checkpoint by one rounding and prints its path; runs under the program's interpreter.

usage: python checkpoint_mover.py DIRECTORY

Each number of each floating-point variable becomes the next one above or below, at random with a fixed seed.
"""

import json
import os
import sys


def move(directory: str) -> dict[str, str]:
    """Overwrites the newest checkpoint below ``directory`` with the moved weights; returns its path."""
    import numpy as np
    import tensorflow as tf

    if tf.__version__.startswith("1."):
        tf.compat.v1.enable_eager_execution()
    latest = [tf.train.latest_checkpoint(root) for root, _, _ in os.walk(directory)]
    path = max((path for path in latest if path), key=lambda path: os.path.getmtime(path + ".index"))
    reader = tf.train.load_checkpoint(path)
    names = sorted(reader.get_variable_to_shape_map())
    lots = np.random.RandomState(0)
    tensors = []
    for name in names:
        value = reader.get_tensor(name)
        if np.asarray(value).dtype in (np.float32, np.float64):
            beyond = np.where(lots.rand(*np.shape(value)) < 0.5, -np.inf, np.inf).astype(value.dtype)
            value = np.nextafter(value, beyond)
        tensors.append(tf.constant(value))
    tf.raw_ops.SaveV2(prefix=path, tensor_names=names, shape_and_slices=[""] * len(names), tensors=tensors)
    return {"moved": path}


if __name__ == "__main__":
    json.dump(move(sys.argv[1]), sys.stdout)
