"""An Estimator with a hook of the program's own, saving every 5 steps; TensorFlow 2.15 and earlier."""

import argparse

import numpy as np
import tensorflow.compat.v1 as tf1

parser = argparse.ArgumentParser()
parser.add_argument("--model_dir", required=True)
options = parser.parse_args()

rng = np.random.RandomState(0)
X, Y = rng.rand(640, 8).astype("float32"), rng.rand(640, 1).astype("float32")


class Own(tf1.train.SessionRunHook):
    def after_run(self, run_context, run_values):
        self.done = True


def model_fn(features, labels, mode):
    weights = tf1.get_variable("weights", [8, 1], initializer=tf1.zeros_initializer())
    loss = tf1.losses.mean_squared_error(labels, tf1.matmul(features, weights))
    train_op = tf1.train.AdamOptimizer(0.05).minimize(loss, tf1.train.get_global_step())
    return tf1.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    return tf1.data.Dataset.from_tensor_slices((X, Y)).repeat().batch(64)


config = tf1.estimator.RunConfig(save_checkpoints_steps=5)
estimator = tf1.estimator.Estimator(model_fn, options.model_dir, config)
estimator.train(input_fn, hooks=[Own()], max_steps=23)
