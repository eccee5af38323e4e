"""A program for TensorFlow 1 that shares a helper with one for TensorFlow 2."""

import sys

import helper
import tensorflow as tf


def input_fn():
    return tf.data.Dataset.from_tensors(([[1.0, 2.0]], [[1.0]])).repeat()


def model_fn(features, labels, mode):
    loss = tf.reduce_mean((tf.layers.dense(features, 1, name="dense") - labels) ** 2)
    print(helper.named(tf.trainable_variables()), isinstance(loss, tf.Variable))
    print([isinstance(variable, tf.Variable) for variable in tf.global_variables()])
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


if __name__ == "__main__":
    estimator = tf.estimator.Estimator(model_fn, sys.argv[1])
    estimator.train(input_fn, max_steps=3, hooks=[helper.Quiet()])
    print("trained", estimator.latest_checkpoint().split("-")[-1])
