"""A graph for functions that make a session, where programs run eagerly."""

import functools

import tensorflow as tf


def in_own_graph(function):
    """Has a function build and run what it makes in a graph of its own.

    Args:
      function: it makes the session in which it runs that graph.

    Returns:
      The function; what it returns must hold no tensors.
    """

    @functools.wraps(function)
    def run(*args, **kwargs):
        with tf.Graph().as_default():
            return function(*args, **kwargs)

    return run
