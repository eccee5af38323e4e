"""Makes a TPUEstimator off TPUs, its config by branches, and hands it to another file; TensorFlow 2.12 to 2.15."""

import argparse

import handed_on_fit
import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1


def model_fn(features, labels, mode, params):
    weights = tf1.get_variable("w", [8, 1], initializer=tf1.zeros_initializer())
    predictions = tf.matmul(features["x"], weights)
    loss = tf1.losses.mean_squared_error(labels, predictions) * params["batch_size"]
    if mode != tf1.estimator.ModeKeys.TRAIN:
        metrics = (lambda error: {"error": tf1.metrics.mean(error)}, [(predictions - labels) ** 2])
        return tf1.estimator.tpu.TPUEstimatorSpec(mode, loss=loss, predictions=predictions, eval_metrics=metrics)
    optimizer = tf1.train.AdamOptimizer(params["rate"])
    train_op = optimizer.minimize(loss, global_step=tf1.train.get_global_step())
    return tf1.estimator.tpu.TPUEstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn(params):
    """Every batch is the same, so that the step resumed at does not show in the weights."""
    x = np.random.RandomState(0).rand(params["batch_size"], 8).astype("f")
    return tf.data.Dataset.from_tensors(({"x": x}, x[:, :1])).repeat()


def make(args):
    per_host = tf1.estimator.tpu.InputPipelineConfig.PER_HOST_V2
    tpu_config = tf1.estimator.tpu.TPUConfig(iterations_per_loop=5, per_host_input_for_training=per_host)
    common = {"tpu_config": tpu_config, "save_summary_steps": 1, "tf_random_seed": 7}
    if args.every:
        config = tf1.estimator.tpu.RunConfig(save_checkpoints_steps=args.every, **common)
    else:
        config = tf1.estimator.tpu.RunConfig(save_checkpoints_secs=600, **common)
    return tf1.estimator.tpu.TPUEstimator(
        model_fn=model_fn,
        model_dir=args.model_dir,
        config=config,
        params={"rate": 0.01},
        use_tpu=args.use_tpu,
        train_batch_size=32,
        eval_batch_size=16,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model_dir", required=True)
    parser.add_argument("--max_steps", type=int, required=True)
    parser.add_argument("--every", type=int, default=0)
    parser.add_argument("--use_tpu", action="store_true")
    args = parser.parse_args()
    handed_on_fit.fit(make(args), input_fn, args.max_steps)


if __name__ == "__main__":
    main()
