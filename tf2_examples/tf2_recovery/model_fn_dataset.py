# Part of tf2_recovery, written by estimator-migrate 0.1.0 (content 7344fdcc9f1f653e).
"""Turns what an Estimator's ``input_fn`` returns into a ``tf.data.Dataset``."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from .model_fn_call import call_input_fn, features_and_labels
from .model_fn_session import input_in_graph


def dataset_from_input_fn(
    input_fn, params=None, config=None, input_context=None, seed=None, mode="train"
):
    """Returns the data of an ``input_fn`` as a ``tf.data.Dataset``.

    Where input_fn returns the tensors of a batch, each iteration calls it in a graph of
    its own, as an Estimator does, and takes batch after batch from there.

    Args:
      input_fn: returns a Dataset; or tensors, as of ``iterator.get_next()`` or of TF1's
        queues.
      params: a dict for the input_fn.
      config: what the input_fn reads from a ``RunConfig``, if anything.
      input_context: a ``tf.distribute.InputContext`` for the input_fn, if it names one.
      seed: the random seed of the graph of an input_fn that returns tensors.
      mode: what the data are for, as the input_fn is told: "train", "eval" or "infer".
    """
    given = params, config, input_context
    with tf.Graph().as_default():
        batch = call_input_fn(input_fn, mode, *given)
    if isinstance(batch, tf.data.Dataset):
        return call_input_fn(input_fn, mode, *given)
    features_and_labels(batch)  # raises an error where it is neither

    def batches():
        with tf.Graph().as_default():
            tf1.set_random_seed(seed)
            batch, hooks = input_in_graph(input_fn, mode, *given)
            session = tf1.train.MonitoredSession(hooks=hooks)
        with session:
            while not session.should_stop():
                yield session.run(batch)

    signature = tf.nest.map_structure(tf.type_spec_from_value, batch)
    return tf.data.Dataset.from_generator(batches, output_signature=signature)
