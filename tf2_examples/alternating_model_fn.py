"""Trains and evaluates by turns, and saves by the clock, written for TensorFlow 2.12 to 2.15."""

import argparse

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from tf2_recovery.estimator.estimator import Estimator, EstimatorSpec, ModeKeys
from tf2_recovery.estimator.model_checkpoints import ModelCheckpoints


def model_fn(features, labels, mode):
    weights = tf1.get_variable("weights", [4, 1], initializer=tf1.zeros_initializer())
    outputs = tf.matmul(features, weights)
    if mode == ModeKeys.PREDICT:
        return EstimatorSpec(mode, predictions=outputs)
    loss = tf1.losses.mean_squared_error(labels, outputs)
    optimizer = tf1.train.MomentumOptimizer(0.01, 0.9)
    train_op = optimizer.minimize(loss, global_step=tf1.train.get_global_step())
    return EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    x = np.linspace(0, 1, 400, dtype=np.float32).reshape(100, 4)
    dataset = tf.data.Dataset.from_tensor_slices((x, x.sum(axis=1, keepdims=True)))
    return tf1.data.make_one_shot_iterator(dataset.repeat().batch(10)).get_next()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model_dir", required=True)
    parser.add_argument("--max_steps", type=int, default=100)
    args = parser.parse_args()

    estimator = Estimator(
        model_fn, checkpoints=ModelCheckpoints(args.model_dir, save_secs=120)
    )
    for max_steps in range(10, args.max_steps + 1, 10):
        estimator.train(input_fn, max_steps=max_steps)
        metrics = estimator.evaluate(input_fn, steps=10)
        print("step", metrics["global_step"], "loss", metrics["loss"])


if __name__ == "__main__":
    main()
