"""Turns what an Estimator's ``input_fn`` returns into a ``tf.data.Dataset``."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from .model_fn_call import call_with_known, features_and_labels


def dataset_from_input_fn(input_fn, params=None, config=None, seed=None, mode="train"):
    """Returns the data of an ``input_fn`` as a ``tf.data.Dataset``.

    Where input_fn returns the tensors of a batch, each iteration calls it in a graph of
    its own, as an Estimator does, and takes batch after batch from there.

    Args:
      input_fn: returns a Dataset; or tensors, as of ``iterator.get_next()`` or of TF1's
        queues.
      params: a dict for the input_fn.
      config: what the input_fn reads from a ``RunConfig``, if anything.
      seed: the random seed of the graph of an input_fn that returns tensors.
      mode: what the data are for, as the input_fn is told: "train", "eval" or "infer".
    """

    def call():
        with tf.device("/cpu:0"):
            return call_with_known(input_fn, mode=mode, params=params, config=config)

    with tf.Graph().as_default():
        batch = call()
    if isinstance(batch, tf.data.Dataset):
        return call()
    features_and_labels(batch)  # raises an error where it is neither

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
