"""Names of the Estimator by the private paths that they have in TensorFlow 1."""

import sys

import tensorflow.compat.v1 as tf
from tensorflow.python.estimator.model_fn import ModeKeys as Modes


def input_fn():
    return tf.data.Dataset.from_tensors(([[1.0, 2.0]], [[1.0]])).repeat()


def model_fn(features, labels, mode):
    loss = tf.reduce_mean((tf.layers.dense(features, 1, name="dense") - labels) ** 2)
    if mode == Modes.TRAIN:
        train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
    return tf.estimator.EstimatorSpec(mode, loss=loss)


if __name__ == "__main__":
    estimator = tf.estimator.Estimator(model_fn, sys.argv[1])
    estimator.train(input_fn, max_steps=3)
    print("trained", estimator.evaluate(input_fn, steps=2)["global_step"])
