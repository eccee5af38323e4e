# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 969c4dcf5125e268).
"""Makes a ``tf.data.Dataset`` of an Estimator's ``input_fn``."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from .model_fn_call import call_with_known, features_and_labels


def dataset_from_input_fn(input_fn, params=None, config=None, seed=None, mode="train"):
    """Returns the data of an ``input_fn`` as a ``tf.data.Dataset``.

    If input_fn returns the tensors of a batch, each iteration over the dataset calls it
    in a new graph, as an Estimator does, and runs them once for each batch.

    Args:
      input_fn: returns a Dataset, or tensors such as those of ``iterator.get_next()`` or
        of TF1's queues; may take mode, params and config.
      params: a dict for the input_fn, or None.
      config: an object with what the input_fn reads of a ``RunConfig``, or None.
      seed: the seed of the graph of an input_fn that returns tensors, an int or None.
      mode: the mode for the input_fn: "train", "eval" or "infer".
    """

    def call():
        with tf.device("/cpu:0"):
            return call_with_known(input_fn, mode=mode, params=params, config=config)

    with tf.Graph().as_default():
        batch = call()
    if isinstance(batch, tf.data.Dataset):
        return call()
    features_and_labels(batch)  # raises an error for a tuple of any other length

    def batches():
        with tf.Graph().as_default():
            tf1.set_random_seed(seed)
            batch = call()
            session = tf1.train.MonitoredSession()
        with session:
            while not session.should_stop():
                yield session.run(batch)

    signature = tf.nest.map_structure(tf.type_spec_from_value, batch)
    return tf.data.Dataset.from_generator(batches, output_signature=signature)
