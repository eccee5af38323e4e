"""An Estimator that the cluster of TF_CONFIG trains: its workers together, or each in its own time on servers."""

import argparse
import contextlib
import json
import os
import time

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

parser = argparse.ArgumentParser()
parser.add_argument("--model_dir", required=True)
parser.add_argument("--max_steps", type=int, required=True)
parser.add_argument("--pause", type=float, default=0.1)
parser.add_argument("--graph", action="store_true", help="make the strategy in a graph, where it starts no server")
parser.add_argument("--wait", type=int, default=7200)


class Slow(tf1.train.SessionRunHook):
    """Says when this task is about to take its first step, and each that it has taken."""

    def begin(self):
        self._step = tf1.train.get_or_create_global_step()

    def after_create_session(self, session, coord):
        print("ready at", session.run(self._step), flush=True)
        time.sleep(10 * args.pause)

    def before_run(self, run_context):
        return tf1.train.SessionRunArgs(self._step)

    def after_run(self, run_context, run_values):
        print("step", run_values.results, flush=True)
        time.sleep(args.pause)


def input_fn():
    x = np.random.RandomState(0).rand(640, 8).astype("float32")
    return tf.data.Dataset.from_tensor_slices((x, x[:, :1])).repeat().batch(64)


def model_fn(features, labels, mode):
    weights = tf1.get_variable("weights", [8, 1], initializer=tf1.zeros_initializer())
    loss = tf1.losses.mean_squared_error(labels, tf.matmul(features, weights))
    if mode == tf.estimator.ModeKeys.EVAL:
        return tf.estimator.EstimatorSpec(mode, loss=loss)
    train_op = tf1.train.AdamOptimizer(0.05).minimize(loss, global_step=tf1.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def main():
    cluster = json.loads(os.environ["TF_CONFIG"])["cluster"]
    strategy = None
    with tf.Graph().as_default() if args.graph else contextlib.nullcontext():
        if "ps" not in cluster:
            strategy = tf.distribute.experimental.MultiWorkerMirroredStrategy()
    config = tf.estimator.RunConfig(
        args.model_dir,
        save_checkpoints_steps=20,
        keep_checkpoint_max=None,
        train_distribute=strategy,
        experimental_max_worker_delay_secs=0,
        session_creation_timeout_secs=args.wait,
    )
    tf.estimator.train_and_evaluate(
        tf.estimator.Estimator(model_fn, config=config),
        tf.estimator.TrainSpec(input_fn, max_steps=args.max_steps, hooks=[Slow()]),
        tf.estimator.EvalSpec(input_fn, steps=2, start_delay_secs=0, throttle_secs=1),
    )


if __name__ == "__main__":
    args = parser.parse_args()
    main()
