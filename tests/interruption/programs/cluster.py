"""An Estimator trained by a chief, a worker and a parameter server, and evaluated by a task of its own."""

import argparse

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

parser = argparse.ArgumentParser()
parser.add_argument("--model_dir", required=True)
parser.add_argument("--max_steps", type=int, default=40)
options = parser.parse_args()

rng = np.random.RandomState(0)
X, Y = rng.rand(640, 8).astype("float32"), rng.rand(640, 1).astype("float32")


def input_fn():
    return tf.data.Dataset.from_tensor_slices((X, Y)).repeat().batch(64)


def model_fn(features, labels, mode):
    weights = tf1.get_variable("weights", [8, 1], initializer=tf1.zeros_initializer())
    loss = tf1.losses.mean_squared_error(labels, tf.matmul(features, weights))
    train_op = tf1.train.AdamOptimizer(0.05).minimize(loss, global_step=tf1.train.get_global_step())
    return tf1.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


config = tf1.estimator.RunConfig(options.model_dir, save_checkpoints_steps=10)
estimator = tf1.estimator.Estimator(model_fn, config=config)
tf1.estimator.train_and_evaluate(
    estimator,
    tf1.estimator.TrainSpec(input_fn, max_steps=options.max_steps),
    tf1.estimator.EvalSpec(input_fn, steps=2, start_delay_secs=0, throttle_secs=0),
)
