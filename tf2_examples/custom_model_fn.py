"""A custom model_fn with layers, batch normalization, dropout and a decayed learning rate; TensorFlow 2.12 to 2.15.

Trains and evaluates on MNIST, and exports what it evaluated. Started again in the
same --model_dir it resumes at the newest checkpoint.
"""

import argparse
import os

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from tf2_recovery.evaluation_listener import EvaluationListener
from tf2_recovery.model_fn_evaluation import evaluate_model_fn
from tf2_recovery.model_fn_export import export_model_fn
from tf2_recovery.model_fn_exporters import BestResult, keep_newest_exports
from tf2_recovery.model_fn_manager import ModelFnCheckpointManager
from tf2_recovery.model_fn_serving import ServingInputReceiver
from tf2_recovery.model_fn_spec import EstimatorSpec, ModeKeys
from tf2_recovery.model_fn_training import ModelFnTraining
from tf2_recovery.run_training import run_training


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

    model_dir = args.model_dir
    params = {"units": 64, "dropout": args.dropout, "rate": 0.01}
    best = BestResult(os.path.join(model_dir, "eval"))

    def evaluate_and_export():
        metrics = evaluate_model_fn(
            model_fn, eval_input_fn, model_dir, params=params, seed=1, steps=None
        )
        export_dir = os.path.join(model_dir, "export", "latest")
        export_model_fn(
            model_fn, export_dir, serving_input_receiver_fn, model_dir, params=params
        )
        keep_newest_exports(export_dir, 2)
        if best.improves(metrics):
            export_dir = os.path.join(model_dir, "export", "best")
            export_model_fn(
                model_fn,
                export_dir,
                serving_input_receiver_fn,
                model_dir,
                params=params,
            )
            keep_newest_exports(export_dir, 5)

    tf.compat.v1.set_random_seed(1)
    dataset = train_input_fn()
    training = ModelFnTraining(
        model_fn,
        dataset,
        params=params,
        seed=1,
        summary_dir=model_dir,
        save_summary_steps=50,
    )
    manager = ModelFnCheckpointManager(
        training, model_dir, max_to_keep=3, checkpoint_interval=args.save_steps or None
    )
    run_training(
        training,
        manager,
        max_steps=args.max_steps,
        log_every=50,
        saving_listeners=[EvaluationListener(evaluate_and_export, 60)],
    )

    metrics = evaluate_model_fn(
        model_fn, eval_input_fn, model_dir, params=params, seed=1
    )
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
