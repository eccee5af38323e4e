"""Trains in a class that holds the estimator, with a listener and an export at the end; TensorFlow 2.12 to 2.15."""

import argparse

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1


class Events(tf1.train.CheckpointSaverListener):
    """Prints what it hears, and the first weight as it is then."""

    def begin(self):
        print("begin")
        self.weight = tf1.get_default_graph().get_tensor_by_name("first:0")

    def before_save(self, session, global_step_value):
        print("before", global_step_value, session.run(self.weight).tobytes().hex())

    def after_save(self, session, global_step_value):
        print("after", global_step_value)

    def end(self, session, global_step_value):
        print("end", global_step_value)


def model_fn(features, labels, mode, params):
    weights = tf1.get_variable("w", [8, 1], initializer=tf1.zeros_initializer())
    tf.identity(weights[0, 0], name="first")
    predictions = tf.matmul(features["x"], weights)
    if mode == tf1.estimator.ModeKeys.PREDICT:
        return tf1.estimator.EstimatorSpec(mode, predictions=predictions)
    loss = tf1.losses.mean_squared_error(labels, predictions)
    optimizer = tf1.train.AdamOptimizer(params["rate"])
    train_op = optimizer.minimize(loss, global_step=tf1.train.get_global_step())
    return tf1.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    """Every batch is the same, so that the step resumed at does not show in the weights."""
    x = np.random.RandomState(0).rand(64, 8).astype("f")
    return tf.data.Dataset.from_tensors(({"x": x}, x[:, :1])).repeat()


class Runner:
    def __init__(self, args):
        config = tf1.estimator.RunConfig(save_summary_steps=1, save_checkpoints_steps=20, tf_random_seed=7)
        if args.every:
            config = config.replace(save_checkpoints_steps=args.every)
        self.estimator = tf1.estimator.Estimator(model_fn, args.model_dir, config, params={"rate": 0.01})

    def fit(self, max_steps):
        features = {"x": tf.io.FixedLenFeature([8], tf.float32)}
        serving = tf1.estimator.export.build_parsing_serving_input_receiver_fn(features)
        train = tf1.estimator.TrainSpec(input_fn, max_steps, saving_listeners=[Events()])
        final = tf1.estimator.FinalExporter("final", serving)
        tf1.estimator.train_and_evaluate(
            self.estimator, train, tf1.estimator.EvalSpec(input_fn, steps=2, throttle_secs=0, exporters=[final])
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model_dir", required=True)
    parser.add_argument("--max_steps", type=int, required=True)
    parser.add_argument("--every", type=int, default=0)
    args = parser.parse_args()
    Runner(args).fit(args.max_steps)


if __name__ == "__main__":
    main()
