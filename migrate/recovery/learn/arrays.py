"""Arrays in place of an input_fn, in the batches that ``tf.contrib.learn`` made of them."""

import operator

import numpy as np
import tensorflow as tf


def array_input(x, y=None, batch_size=None, shuffle=False, epochs=1):
    """Returns an input_fn whose dataset has the batches of arrays.

    Args:
      x: an array, a ``pandas.DataFrame``, or a dict of arrays; examples along the first
        axis.
      y: likewise the labels, or None.
      batch_size: an int; None for all examples in one batch.
      shuffle: whether each epoch has an order of its own: those of
        ``numpy.random.RandomState(42)``, as in TensorFlow 1.
      epochs: how often; None for without end.

    Raises:
      ValueError: one of them is an iterator, a column has no numbers, or the size is
        below 1.
    """
    x, y = _arrays(x, _features_of), _arrays(y, _labels)
    given = x if y is None else (x, y)
    count = len(next(iter(x.values())) if isinstance(x, dict) else x)
    size = count if batch_size is None else batch_size
    if size < 1:
        raise ValueError(f"Invalid batch_size {size}.")

    def batches():
        random, epoch = np.random.RandomState(42), 0
        while epochs is None or epoch < epochs:
            order = random.permutation(count) if shuffle else np.arange(count)
            for start in range(0, count, size):
                chosen = order[start : start + size]
                yield tf.nest.map_structure(operator.itemgetter(chosen), given)
            epoch += 1

    def spec(array):
        return tf.TensorSpec([None, *array.shape[1:]], array.dtype)

    specs = tf.nest.map_structure(spec, given)
    return lambda: tf.data.Dataset.from_generator(batches, output_signature=specs)


class SKCompat:
    """Arrays for an estimator of ``tf.contrib.learn``, as its class of that name.

    Args:
      estimator: a ``LearnEstimator``.
    """

    def __init__(self, estimator):
        self._estimator = estimator

    def fit(self, x, y, batch_size=128, steps=None, max_steps=None, monitors=None):
        """Trains on shuffled batches; see ``LearnEstimator.fit``."""
        self._estimator.fit(
            input_fn=array_input(x, y, batch_size, shuffle=True, epochs=None),
            steps=steps,
            max_steps=max_steps,
            monitors=monitors,
        )
        return self

    def score(self, x, y, batch_size=128, steps=None, metrics=None, name=None):
        """Evaluates on the examples in their order; see ``LearnEstimator.evaluate``."""
        input_fn = array_input(x, y, batch_size)
        evaluate = self._estimator.evaluate
        return evaluate(input_fn=input_fn, steps=steps, metrics=metrics, name=name)

    def predict(self, x, batch_size=128, outputs=None):
        """Returns the predictions of all examples: an array, or a dict of arrays."""
        input_fn = array_input(x, None, batch_size)
        batches = list(self._estimator.predicted_batches(input_fn, outputs))
        if not isinstance(batches[0], dict):
            return np.concatenate(batches)
        return {
            key: np.concatenate([one[key] for one in batches]) for key in batches[0]
        }


def _arrays(given, of_one):
    if given is None:
        return None
    if isinstance(given, dict):
        return {key: of_one(value) for key, value in given.items()}
    return of_one(given)


def _features_of(given):
    array = _numbers(given)
    if hasattr(given, "columns"):
        array = array.astype(float)  # as TensorFlow 1 took a DataFrame
    return array.reshape(-1, 1) if array.ndim == 1 else array


def _labels(given):
    array = _numbers(given)
    has_one = array.ndim > 1 and array.shape[1] == 1
    return array.reshape(array.shape[0], *array.shape[2:]) if has_one else array


def _numbers(given):
    if hasattr(given, "__next__"):
        raise ValueError("Give arrays: an iterator of examples is not supported.")
    array = np.asarray(given)
    if hasattr(given, "columns") and array.dtype.kind not in "biuf":
        raise ValueError("The columns of a DataFrame must be int, float, or bool.")
    return array
