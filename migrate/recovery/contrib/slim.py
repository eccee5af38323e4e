"""Imports tf_slim, the successor of contrib.slim and contrib.layers."""

import functools
import importlib

import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow.python.framework import ops
from tensorflow.python.ops import array_ops, control_flow_ops, variable_scope


class _Slim:
    """The package tf_slim, imported when one of its names is first used."""

    def __getattr__(self, name):
        return getattr(_patched_slim(), name)


@functools.cache
def _patched_slim():
    """Imports tf_slim, and adds names that tf_slim 1.1.0 needs to TensorFlow's modules.

    Names that TensorFlow still has there are not changed.
    """
    importlib.import_module("tf_slim.nets")
    conditionals = tf1.cond, tf1.case, tf1.while_loop, tf1.Assert
    for module, objects in (
        (ops, (tf.Tensor, tf.IndexedSlices)),
        (array_ops, (tf.stack, tf.unstack)),
        (control_flow_ops, conditionals),
    ):
        for one in objects:
            if not hasattr(module, one.__name__):
                setattr(module, one.__name__, one)
    if not hasattr(variable_scope, "variable"):
        variable_scope.variable = tf1.Variable
    layers = importlib.import_module("tf_slim.layers.layers")
    layers.normalization_layers = tf1.layers
    return importlib.import_module("tf_slim")


slim = _Slim()
