# Part of tf2_recovery, written by estimator-migrate 0.1.0 (content 7a2cd5a315cf3e6f).
"""What code for a session may ask of a model_fn's training, which has none."""

from concurrent.futures import ThreadPoolExecutor

import tensorflow as tf


class TrainingSession:
    """Computes what a hook or a listener asks its session for.

    Args:
      train: a ``ModelFnTraining``.

    Attributes:
      graph: the model_fn's graph.
    """

    def __init__(self, train):
        self._train, self.graph, self._functions = train, train.graph, {}
        # Hooks run in the graph, functions do not; each thread has a place of its own.
        self._eager = ThreadPoolExecutor(1)

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """Computes tensors, and runs operations, that need no batch."""
        if feed_dict:
            raise ValueError("A hook cannot feed tensors here.")
        names = fetch_names(self.graph, fetches)
        key = tuple(tf.nest.flatten(names))
        if key not in self._functions:
            elements = [self.graph.as_graph_element(name) for name in key]
            part, given = self._train.part(elements), self._train.given(())
            self._functions[key] = tf.function(
                lambda: fetch_tensors(key, part.run(given)), autograph=False
            )
        values = self._eager.submit(lambda: self._functions[key]()).result()
        return fetch_results(names, values)


def fetch_names(graph, fetches):
    """Replaces what is fetched, be it a variable or a name, by names of the graph."""
    return tf.nest.map_structure(
        lambda fetch: None if fetch is None else graph.as_graph_element(fetch).name,
        fetches,
    )


def fetch_tensors(names, values):
    """Returns those of the values that are tensors, by their names."""
    pairs = zip(names, values)
    return {name: value for name, value in pairs if isinstance(value, tf.Tensor)}


def fetch_results(names, values):
    """Replaces names by numpy values, and those of operations by None, as a session."""
    return tf.nest.map_structure(
        lambda name: values[name].numpy() if name in values else None, names
    )
