"""Which parameter server gets a variable, as ``tf.contrib.training`` chose it."""

import hashlib

import numpy as np
import tensorflow as tf


class RandomStrategy:
    """Places an operation by a hash of its name.

    Args:
      num_ps_tasks: how many parameter servers there are.
      seed: another one gives other places.
    """

    def __init__(self, num_ps_tasks, seed=0):
        self._num_tasks, self._seed = num_ps_tasks, seed

    def __call__(self, op):
        """Returns the number of a parameter server."""
        key = f"{op.name}_{self._seed}".encode()
        return int(hashlib.md5(key).hexdigest(), 16) % self._num_tasks


class GreedyLoadBalancingStrategy:
    """Places an operation where the least load is so far.

    Args:
      num_tasks: how many parameter servers there are.
      load_fn: takes an operation, returns its load.
    """

    def __init__(self, num_tasks, load_fn):
        self._load_fn, self._loads = load_fn, np.zeros(num_tasks)

    def __call__(self, op):
        """Returns the number of a parameter server."""
        task = np.argmin(self._loads)
        self._loads[task] += self._load_fn(op)
        return task


def byte_size_load_fn(op):
    """Returns how many bytes the output of an operation has.

    Raises:
      ValueError: it has not one output, or the shape is not known.
    """
    if len(op.outputs) != 1:
        raise ValueError(f"Op {op} must have a single output")
    shape = op.outputs[0].shape
    if not shape.is_fully_defined():
        shape = tf.TensorShape(op.get_attr("shape"))  # of a scalar variable
    shape.assert_is_fully_defined()
    return shape.num_elements() * op.outputs[0].dtype.size
