"""The operations that train variables, as ``tensorflow.python.training.training_ops`` gave them."""

import inspect

import tensorflow as tf


class _TrainingOps:
    """Has each operation of ``tf.raw_ops`` as a function that takes its arguments by place too."""

    def __getattr__(self, name):
        plain = name.replace("_", "")
        found = (op for op in dir(tf.raw_ops) if op.lower() == plain)
        op = getattr(tf.raw_ops, next(found, name))  # which says what it lacks
        names = list(inspect.signature(op).parameters)

        def call(*args, **kwargs):
            return op(**dict(zip(names, args)), **kwargs)

        return call


training_ops = _TrainingOps()
