"""One task of a cluster with parameter servers; usage: parameter_servers.py DIRECTORY MAX_STEPS."""

import sys
import time

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from migrate.recovery.estimator.estimator import Estimator, EstimatorSpec
from migrate.recovery.estimator.run_config import RunConfig
from migrate.recovery.estimator.train_and_evaluate import EvalSpec, TrainSpec, train_and_evaluate

X = np.arange(64, dtype="f").reshape(16, 4) / 64


def input_fn():
    return tf.data.Dataset.from_tensor_slices((X, X.sum(1, keepdims=True))).repeat().batch(4)


def model_fn(features, labels, mode):
    w = tf1.get_variable("w", [4, 1], initializer=tf1.zeros_initializer())
    b = tf1.get_variable("b", [1], initializer=tf1.ones_initializer())
    loss = tf1.losses.mean_squared_error(labels, features @ w + b)
    if mode == "eval":
        return EstimatorSpec(mode, loss=loss)
    print("variables on", w.device, b.device, flush=True)
    op = tf1.train.AdamOptimizer(0.01).minimize(loss, global_step=tf1.train.get_global_step())
    return EstimatorSpec(mode, loss=loss, train_op=op)


class Slow(tf1.train.SessionRunHook):
    """Takes long over a step, so that several tasks train at once."""

    def begin(self):
        self._taken = 0

    def after_run(self, run_context, run_values):
        self._taken += 1
        time.sleep(0.2)

    def end(self, session):
        print("took", self._taken, flush=True)


directory, max_steps = sys.argv[1], int(sys.argv[2])
config = RunConfig(directory, save_checkpoints_steps=10, experimental_max_worker_delay_secs=1)
train_and_evaluate(
    Estimator(model_fn, config=config),
    TrainSpec(input_fn, max_steps, hooks=[Slow()]),
    EvalSpec(input_fn, 2, start_delay_secs=0, throttle_secs=1),
)
print("done", flush=True)
