"""An Estimator that a chief and workers train on parameter servers, each in its own time, and evaluate apart."""

import argparse
import time

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

parser = argparse.ArgumentParser()
parser.add_argument("--model_dir", required=True)
parser.add_argument("--max_steps", type=int, required=True)


class Slow(tf1.train.SessionRunHook):
    """Takes long over a step, so that chief and workers train at once."""

    def after_run(self, run_context, run_values):
        time.sleep(0.05)


def input_fn():
    x = np.random.RandomState(0).rand(640, 8).astype("float32")
    return tf.data.Dataset.from_tensor_slices((x, x[:, :1])).repeat().batch(64)


def model_fn(features, labels, mode):
    weights = tf1.get_variable("weights", [8, 1], initializer=tf1.zeros_initializer())
    bias = tf1.get_variable("bias", [1], initializer=tf1.zeros_initializer())
    loss = tf1.losses.mean_squared_error(labels, tf.matmul(features, weights) + bias)
    if mode == tf1.estimator.ModeKeys.EVAL:
        return tf1.estimator.EstimatorSpec(mode, loss=loss)
    train_op = tf1.train.AdamOptimizer(0.05).minimize(loss, global_step=tf1.train.get_global_step())
    return tf1.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def main():
    args = parser.parse_args()
    config = tf1.estimator.RunConfig(
        args.model_dir, save_checkpoints_steps=10, keep_checkpoint_max=None, experimental_max_worker_delay_secs=0
    )
    tf1.estimator.train_and_evaluate(
        tf1.estimator.Estimator(model_fn, config=config),
        tf1.estimator.TrainSpec(input_fn, max_steps=args.max_steps, hooks=[Slow()]),
        tf1.estimator.EvalSpec(input_fn, steps=2, start_delay_secs=0, throttle_secs=1),
    )


if __name__ == "__main__":
    main()
