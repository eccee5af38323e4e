"""Hooks that fetch tensors of the step, written for TensorFlow 2.12 to 2.15."""

import argparse

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from tf2_recovery.estimator.estimator import Estimator, EstimatorSpec
from tf2_recovery.estimator.model_checkpoints import ModelCheckpoints
from tf2_recovery.estimator.run_config import RunConfig


class StopWhenLow(tf1.train.SessionRunHook):
    """Stops training when the loss is low, and says at which step."""

    def __init__(self, loss):
        self._loss = loss

    def begin(self):
        self._step = tf1.train.get_global_step()

    def before_run(self, run_context):
        return tf1.train.SessionRunArgs({"loss": "error:0", "step": self._step})

    def after_run(self, run_context, run_values):
        if run_values.results["loss"] < self._loss:
            run_context.request_stop()

    def end(self, session):
        print("ends after step", session.run(self._step))


def model_fn(features, labels, mode, params):
    weights = tf1.get_variable("weights", [4, 1], initializer=tf1.zeros_initializer())
    error = tf1.losses.mean_squared_error(labels, tf.matmul(features, weights))
    loss = tf.identity(error, name="error")
    optimizer = tf1.train.AdagradOptimizer(params["rate"])
    train_op = optimizer.minimize(loss, global_step=tf1.train.get_global_step())
    norm = tf.norm(weights, name="norm")
    logging = tf1.train.LoggingTensorHook({"norm": norm}, every_n_iter=20)
    return EstimatorSpec(
        mode,
        loss=loss,
        train_op=train_op,
        training_hooks=[logging],
    )


def input_fn(params):
    x = np.linspace(0, 1, 400, dtype=np.float32).reshape(100, 4)
    dataset = tf.data.Dataset.from_tensor_slices((x, x.sum(axis=1, keepdims=True)))
    return dataset.repeat().batch(params["batch_size"])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model_dir", required=True)
    parser.add_argument("--max_steps", type=int, default=100)
    parser.add_argument("--enough", type=float, default=0.0)
    args = parser.parse_args()

    estimator = Estimator(
        model_fn,
        args.model_dir,
        RunConfig(log_step_count_steps=None),
        params={"rate": 0.1, "batch_size": 10},
        checkpoints=ModelCheckpoints(args.model_dir, checkpoint_interval=25),
    )
    estimator.train(
        input_fn, hooks=[StopWhenLow(args.enough)], max_steps=args.max_steps
    )


if __name__ == "__main__":
    main()
