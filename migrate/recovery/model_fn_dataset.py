"""Turns what an Estimator's ``input_fn`` returns into a ``tf.data.Dataset``."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from migrate.recovery.model_fn_session import input_in_graph


def dataset_of(input_fn, params=None, config=None):
    """Returns the training data of an ``input_fn`` that returns the tensors of a batch.

    Each iteration calls input_fn in a graph of its own, as an Estimator does.

    Args:
      input_fn: returns tensors, as of ``iterator.get_next()`` or of TF1's queues.
      params, config: passed on where input_fn names them.
    """
    with tf.Graph().as_default():
        batch, _ = input_in_graph(input_fn, "train", params, config)
        structure = tf.nest.map_structure(tf.type_spec_from_value, batch)

    def batches():
        with tf.Graph().as_default():
            batch, hooks = input_in_graph(input_fn, "train", params, config)
            session = tf1.train.MonitoredSession(hooks=hooks)
        with session:
            while not session.should_stop():
                yield session.run(batch)

    return tf.data.Dataset.from_generator(batches, output_signature=structure)
