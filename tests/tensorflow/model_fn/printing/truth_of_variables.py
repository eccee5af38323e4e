"""Asks for the truth of variables, which TensorFlow 1 takes for true."""

import sys

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()  # Variables are true in graph mode.


def input_fn():
    return tf.data.Dataset.from_tensors(([[1.0, 2.0]], [[1.0]])).repeat()


def model_fn(features, labels, mode):
    output = tf.layers.dense(features, 1, name="dense")
    ema = tf.train.ExponentialMovingAverage(0.9)
    averaging = ema.apply(tf.trainable_variables())
    kernel = tf.trainable_variables()[0]
    average = ema.average(kernel)
    shown = average if average else kernel
    print("shown", shown.op.name)
    loss = tf.reduce_mean((output - labels) ** 2)
    tf.summary.histogram("kernel", shown)
    with tf.control_dependencies([averaging]):
        train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


if __name__ == "__main__":
    estimator = tf.estimator.Estimator(model_fn, sys.argv[1])
    estimator.train(input_fn, max_steps=3)
    print("trained", estimator.latest_checkpoint().split("-")[-1])
