"""A custom model_fn with batch normalization, dropout and a decayed learning rate, written for TensorFlow 2.12 to 2.15.

Trains and evaluates on MNIST, and exports what it evaluated. Started again in the
same --model_dir it resumes at the newest checkpoint.
"""

import argparse

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from tf2_recovery.estimator.best_exporter import BestExporter
from tf2_recovery.estimator.estimator import Estimator, EstimatorSpec, ModeKeys
from tf2_recovery.estimator.export import ServingInputReceiver
from tf2_recovery.estimator.model_checkpoints import ModelCheckpoints
from tf2_recovery.estimator.model_exporters import LatestExporter
from tf2_recovery.estimator.run_config import RunConfig
from tf2_recovery.estimator.train_and_evaluate import (
    EvalSpec,
    TrainSpec,
    train_and_evaluate,
)


def model_fn(features, labels, mode, params):
    training = mode == ModeKeys.TRAIN
    net = tf.reshape(features["x"], [-1, 784])
    net = tf1.layers.dense(net, params["units"], activation=tf.nn.relu)
    net = tf1.layers.batch_normalization(net, training=training)
    net = tf1.layers.dropout(net, params["dropout"], seed=1, training=training)
    logits = tf1.layers.dense(net, 10)
    classes = tf.argmax(logits, axis=1)
    if mode == ModeKeys.PREDICT:
        predictions = {"class": classes, "probability": tf.nn.softmax(logits)}
        return EstimatorSpec(mode, predictions=predictions)

    loss = tf1.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)
    if mode == ModeKeys.EVAL:
        metrics = {"accuracy": tf1.metrics.accuracy(labels, classes)}
        return EstimatorSpec(mode, loss=loss, eval_metric_ops=metrics)

    step = tf1.train.get_or_create_global_step()
    rate = tf1.train.exponential_decay(params["rate"], step, 100, 0.9, staircase=True)
    tf1.summary.scalar("rate", rate)
    with tf1.control_dependencies(tf1.get_collection(tf1.GraphKeys.UPDATE_OPS)):
        train_op = tf1.train.AdamOptimizer(rate).minimize(loss, global_step=step)
    return EstimatorSpec(mode, loss=loss, train_op=train_op)


def load_data(path):
    """Returns images in [0, 1] and labels, from FILE.npz or from Keras."""
    if path is None:
        return tf.keras.datasets.mnist.load_data()
    with np.load(path) as data:
        return (data["x_train"], data["y_train"]), (data["x_test"], data["y_test"])


def serving_input_receiver_fn():
    images = tf1.placeholder(tf.float32, [None, 28, 28])
    return ServingInputReceiver({"x": images}, {"x": images})


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model_dir", required=True)
    parser.add_argument("--data", default=None, help="FILE.npz in MNIST's layout")
    parser.add_argument("--max_steps", type=int, default=1000)
    parser.add_argument("--save_steps", type=int, default=100)
    parser.add_argument("--dropout", type=float, default=0.2)
    args = parser.parse_args()

    (x_train, y_train), (x_test, y_test) = load_data(args.data)

    def train_input_fn():
        images = (x_train / 255.0).astype(np.float32)
        dataset = tf.data.Dataset.from_tensor_slices(
            ({"x": images}, y_train.astype(np.int32))
        )
        return dataset.shuffle(1000, seed=1).repeat().batch(50)

    def eval_input_fn():
        images = (x_test / 255.0).astype(np.float32)
        dataset = tf.data.Dataset.from_tensor_slices(
            ({"x": images}, y_test.astype(np.int32))
        )
        return dataset.batch(100)

    config = RunConfig(
        tf_random_seed=1,
        save_summary_steps=50,
        log_step_count_steps=50,
    )
    estimator = Estimator(
        model_fn=model_fn,
        config=config,
        params={"units": 64, "dropout": args.dropout, "rate": 0.01},
        checkpoints=ModelCheckpoints(
            args.model_dir, max_to_keep=3, checkpoint_interval=args.save_steps
        ),
    )
    train_spec = TrainSpec(train_input_fn, max_steps=args.max_steps)
    eval_spec = EvalSpec(
        eval_input_fn,
        steps=None,
        throttle_secs=60,
        exporters=[
            LatestExporter(
                "latest",
                serving_input_receiver_fn,
                exports_to_keep=2,
            ),
            BestExporter("best", serving_input_receiver_fn),
        ],
    )
    train_and_evaluate(estimator, train_spec, eval_spec)

    metrics = estimator.evaluate(eval_input_fn)
    print(
        "step",
        metrics["global_step"],
        "loss",
        metrics["loss"],
        "accuracy",
        metrics["accuracy"],
    )


if __name__ == "__main__":
    main()
