"""Canned estimators that a function chooses, makes and gives another metric, and others train; TensorFlow 2.12 to 2.15.

usage: estimators_handed_on.py DIRECTORY MAX_STEPS [NAME...]; what they give is written to DIRECTORY/results.json.
"""

import numpy as np
import tensorflow as tf
from jobs import every, judged, start, trained

random = np.random.RandomState(0)
FEATURES = {
    "x": random.rand(80, 3).astype(np.float32),
    "weight": random.rand(80).astype(np.float32),
    "code": random.randint(0, 6, 80),
    "next": np.array([[code, code + 1] for code in random.randint(0, 5, 80)]),
}
VALUES, TWO = random.rand(80).astype(np.float32), random.randint(0, 2, 80)
COLUMNS = [tf.feature_column.numeric_column("x", (3,))]
WORDS = [tf.feature_column.categorical_column_with_identity(name, 6) for name in ("next", "code")]
with tf.Graph().as_default():
    SHARED = [*COLUMNS, *tf.compat.v1.feature_column.shared_embedding_columns(WORDS, 4, combiner="sqrtn")]


def weighed(features, labels, predictions, config):
    error, weight = tf.abs(labels - predictions["predictions"][:, 0]), features["weight"]
    every = tf.fill(tf.shape(labels), float(config.save_summary_steps))
    means = {"error": tf.compat.v1.metrics.mean(error, weight), "label/mean": tf.compat.v1.metrics.mean(labels + 1)}
    return {**means, "every": tf.compat.v1.metrics.mean(every)}


def made(kind, model_dir):
    config = tf.estimator.RunConfig(save_summary_steps=20)
    if kind == "wide":
        estimator = tf.compat.v1.estimator.LinearRegressor(COLUMNS, model_dir, config=config)
    else:
        estimator = tf.estimator.DNNRegressor(
            hidden_units=["8"],
            feature_columns=COLUMNS,
            model_dir=model_dir,
            config=config.replace(keep_checkpoint_max=2),
        )
    return tf.estimator.add_metrics(estimator, weighed)


def wide(model_dir, steps):
    return judged(made("wide", model_dir), VALUES, steps, FEATURES)


def deep(model_dir, steps):
    return judged(made("deep", model_dir), VALUES, steps, FEATURES)


def shared(model_dir, steps):
    return judged(tf.compat.v1.estimator.DNNRegressor([8], SHARED, model_dir), VALUES, steps, FEATURES)


def deep_of_a_head(model_dir, steps):
    head = tf.estimator.BinaryClassHead()
    trained(tf.estimator.DNNEstimator(head, [8], COLUMNS, model_dir, batch_norm=True), TWO, steps, FEATURES)


def wide_of_a_head(model_dir, steps):
    head = tf.estimator.RegressionHead(weight_column="weight")
    return judged(tf.estimator.LinearEstimator(head, COLUMNS, model_dir, optimizer="SGD"), VALUES, steps, FEATURES)


ALL = every(globals())

if __name__ == "__main__":
    start(*ALL)
