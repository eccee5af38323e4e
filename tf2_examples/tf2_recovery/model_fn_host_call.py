# Part of tf2_recovery, written by estimator-migrate 0.1.0 (content 697c7e6982720a68).
"""Runs the ``host_call`` of a ``TPUEstimatorSpec`` on a machine without TPUs."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1


class HostCallHook(tf1.train.SessionRunHook):
    """Computes in every step what a ``host_call`` returns.

    Args:
      fetches: what it returned: operations or tensors, in any structure. Those that
        write summaries write to the graph's own ``tf.summary`` writers.
    """

    def __init__(self, fetches):
        self._fetches = fetches

    def begin(self):
        # What makes each writer of the graph; TensorFlow keeps no public list of them.
        self._make = tf1.get_collection("_SUMMARY_WRITER_V2")
        writers = [operation.inputs[0] for operation in self._make]
        self._flush = [tf.raw_ops.FlushSummaryWriter(writer=one) for one in writers]

    def after_create_session(self, session, coord):
        session.run(self._make)

    def before_run(self, run_context):
        return tf1.train.SessionRunArgs(self._fetches)

    def end(self, session):
        session.run(self._flush)
