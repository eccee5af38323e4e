"""Runs a function with a session in a graph of its own, in eager programs."""

import functools

import tensorflow as tf


def in_own_graph(function):
    """Decorates a function so that each call has a new default graph.

    Args:
      function: builds a graph and runs it in a session that it makes.

    Returns:
      The decorated function. It must not return tensors: their graph is gone.
    """

    @functools.wraps(function)
    def run(*args, **kwargs):
        with tf.Graph().as_default():
            return function(*args, **kwargs)

    return run
