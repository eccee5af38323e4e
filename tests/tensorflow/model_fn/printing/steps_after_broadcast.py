"""A hook sets the step once the session is there, as Horovod's broadcast from rank 0 does; ``steps`` counts from it."""

import sys

import tensorflow.compat.v1 as tf


class Broadcast(tf.train.SessionRunHook):
    def begin(self):
        self._receive = tf.assign(tf.train.get_global_step(), 60)

    def after_create_session(self, session, coord):
        session.run(self._receive)


def input_fn():
    return tf.data.Dataset.from_tensors(([[1.0, 2.0]], [[1.0]])).repeat()


def model_fn(features, labels, mode):
    loss = tf.reduce_mean((tf.layers.dense(features, 1, name="dense") - labels) ** 2)
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


if __name__ == "__main__":
    estimator = tf.estimator.Estimator(model_fn, sys.argv[1])
    estimator.train(input_fn, steps=10, hooks=[Broadcast()])
    print("ended at", estimator.latest_checkpoint().split("-")[-1])
