"""The package tf_slim, which contrib.slim and contrib.layers live on in."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1
import tf_slim
import tf_slim.nets
from tensorflow.python.framework import ops
from tensorflow.python.ops import array_ops, control_flow_ops, variable_scope
from tf_slim.layers import layers


def _with_what_it_needs(package):
    """Gives tf_slim 1.1.0 what it takes from places where TensorFlow 2 has it no more.

    A tf_slim that looks elsewhere, or a TensorFlow that has it, stays as it is.
    """
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
    layers.normalization_layers = tf1.layers
    return package


slim = _with_what_it_needs(tf_slim)
