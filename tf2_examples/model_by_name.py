"""One of several models, chosen as the program starts, written for TensorFlow 2.12 to 2.15.

Which estimator is trained, with which settings and exporters, is known only then.
Started again in the same --model_dir it resumes at the newest checkpoint.
"""

import argparse

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from tf2_recovery.estimator.estimator import Estimator, EstimatorSpec, ModeKeys
from tf2_recovery.estimator.export import build_parsing_serving_input_receiver_fn
from tf2_recovery.estimator.model_exporters import FinalExporter
from tf2_recovery.estimator.run_config import RunConfig
from tf2_recovery.estimator.train_and_evaluate import (
    EvalSpec,
    TrainSpec,
    train_and_evaluate,
)

FEATURES = {"x": tf.io.FixedLenFeature([8], tf.float32)}


def model_fn(features, labels, mode, params):
    net = features["x"]
    for number, width in enumerate(params["widths"]):
        kernel = tf1.get_variable(f"kernel_{number}", [net.shape[1], width])
        net = tf.nn.relu(tf.matmul(net, kernel))
    kernel = tf1.get_variable("kernel", [net.shape[1], 1])
    predictions = tf.matmul(net, kernel)
    if mode == ModeKeys.PREDICT:
        return EstimatorSpec(mode, predictions=predictions)
    loss = tf1.losses.mean_squared_error(labels, predictions)
    optimizer = tf1.train.AdamOptimizer(params["rate"])
    train_op = optimizer.minimize(loss, global_step=tf1.train.get_global_step())
    return EstimatorSpec(mode, loss=loss, train_op=train_op)


def deep(config):
    params = {"widths": [16, 8], "rate": 0.01}
    return Estimator(model_fn, config=config, params=params)


def linear(config):
    params = {"widths": [], "rate": 0.1}
    return Estimator(model_fn, config=config, params=params)


MODELS = {"deep": deep, "linear": linear}


def input_fn():
    x = np.random.RandomState(0).rand(600, 8).astype(np.float32)
    dataset = tf.data.Dataset.from_tensor_slices(({"x": x}, x[:, :1] * x[:, 1:2]))
    return dataset.repeat().batch(32)


def settings(args):
    config = RunConfig(
        model_dir=args.model_dir, tf_random_seed=1, keep_checkpoint_max=3
    )
    if args.save_steps:
        config = config.replace(save_checkpoints_steps=args.save_steps)
    return config


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model_dir", required=True)
    parser.add_argument("--model", choices=MODELS, default="deep")
    parser.add_argument("--max_steps", type=int, default=1000)
    parser.add_argument("--save_steps", type=int, default=100)
    args = parser.parse_args()

    estimator = MODELS[args.model](settings(args))
    serving = build_parsing_serving_input_receiver_fn(FEATURES)
    exporters = [FinalExporter("final", serving)]
    train_spec = TrainSpec(input_fn, max_steps=args.max_steps)
    eval_spec = EvalSpec(
        input_fn, steps=5, exporters=exporters, start_delay_secs=0, throttle_secs=0
    )
    train_and_evaluate(estimator, train_spec, eval_spec)


if __name__ == "__main__":
    main()
