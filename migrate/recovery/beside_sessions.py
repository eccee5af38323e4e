"""Estimators in a program that builds graphs and runs sessions of its own."""

import functools

import tensorflow as tf

from .estimator import Estimator


def beside_sessions(method):
    """Has a method work eagerly where the code that calls it is in graph mode.

    Args:
      method: of an ``Estimator``; may return a generator, as ``predict`` does.
    """

    @functools.wraps(method)
    def call(*args, **kwargs):
        # TensorFlow has no other name for this; Keras takes the same.
        with tf.__internal__.eager_context.eager_mode():
            found = method(*args, **kwargs)
        return _eager_items(found) if hasattr(found, "__next__") else found

    return call


def _eager_items(generator):
    """Yields the items of a generator, which works eagerly in between alone."""
    try:
        while True:
            with tf.__internal__.eager_context.eager_mode():
                item = next(generator, generator)
            if item is generator:
                return
            yield item
    finally:
        generator.close()


Estimator.train = beside_sessions(Estimator.train)
Estimator.evaluate = beside_sessions(Estimator.evaluate)
Estimator.predict = beside_sessions(Estimator.predict)
Estimator._export = beside_sessions(Estimator._export)
