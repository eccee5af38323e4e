# Part of tf2_recovery, written by estimator-migrate 0.1.0 (content 4dc7d50c951c820c).
"""Reads single variables of a training, as an Estimator's methods did."""

import tensorflow as tf

from .model_fn_checkpoints import is_by_name, variable_key


def get_variable_names(model_dir):
    """Returns the names of the variables in the latest checkpoint of a directory."""
    path = tf.train.latest_checkpoint(model_dir)
    names = [name for name, _ in tf.train.list_variables(path)]
    if is_by_name(path):  # an iterator's state may lie beside them
        return [name for name in names if not name.startswith("batches/.")]
    inside = [name.split("/")[1] for name in names if name.startswith("variables/")]
    return [name.replace(".S", "/").replace("..", ".") for name in inside]


def get_variable_value(model_dir, name):
    """Returns the value of a variable in the latest checkpoint, a numpy array."""
    path = tf.train.latest_checkpoint(model_dir)
    return tf.train.load_variable(
        path, name if is_by_name(path) else variable_key(name)
    )
