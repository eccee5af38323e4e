"""The package tf_slim, which contrib.slim and contrib.layers live on in."""

import functools
import importlib

import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow.python.framework import ops
from tensorflow.python.ops import array_ops, control_flow_ops, variable_scope


class _Slim:
    """tf_slim, imported when a name of it is used: a program without it needs no tf_slim."""

    def __getattr__(self, name):
        return getattr(_with_what_it_needs(), name)


@functools.cache
def _with_what_it_needs():
    """Gives tf_slim 1.1.0 what it takes from places where TensorFlow 2 has it no more.

    A tf_slim that looks elsewhere, or a TensorFlow that has it, stays as it is.
    """
    importlib.import_module("tf_slim.nets")
    here = tf1.cond, tf1.case, tf1.while_loop, tf1.Assert
    for module, found in (
        (ops, (tf.Tensor, tf.IndexedSlices)),
        (array_ops, (tf.stack, tf.unstack)),
        (control_flow_ops, here),
    ):
        for one in found:
            if not hasattr(module, one.__name__):
                setattr(module, one.__name__, one)
    if not hasattr(variable_scope, "variable"):
        variable_scope.variable = tf1.Variable
    layers = importlib.import_module("tf_slim.layers.layers")
    layers.normalization_layers = tf1.layers
    return importlib.import_module("tf_slim")


slim = _Slim()
