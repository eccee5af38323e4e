"""Runs on TensorFlow 1 and 2."""

import tensorflow as tf

_Hook = tf.estimator.SessionRunHook if hasattr(tf, "estimator") else tf.compat.v1.train.SessionRunHook


class Quiet(_Hook):
    def begin(self):
        pass


def named(variables):
    if not all(isinstance(variable, tf.Variable) for variable in variables):
        raise ValueError("All must be of tf.Variable type.")
    return [variable.name for variable in variables]
