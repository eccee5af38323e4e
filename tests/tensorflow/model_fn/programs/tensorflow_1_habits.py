"""A job with shared embeddings, the truth of variables and applied layers: `program.py model_dir max_steps`."""

import sys

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()  # Disable eager mode when running with TF2.

WORDS = [tf.feature_column.categorical_column_with_identity(name, 4) for name in "ab"]
COLUMNS = tf.feature_column.shared_embedding_columns(WORDS, 2, initializer=tf.ones_initializer())


def input_fn():
    return tf.data.Dataset.from_tensors(({"a": [[1]], "b": [[3]]}, [[1.0]])).repeat()


def either(average, variable):
    return average if average else variable


def step_or_none(is_counted):
    return tf.train.get_global_step() if is_counted else None


def model_fn(features, labels, mode):
    features = tf.feature_column.input_layer(features, COLUMNS)
    output = tf.keras.layers.Dense(1, name="dense", kernel_initializer="ones").apply(features)
    scale = tf.get_variable("scale", [], initializer=tf.ones_initializer())
    average = tf.train.ExponentialMovingAverage(0.9)
    averaging = average.apply([scale])
    found = average.average(scale)
    shown = either(found, scale)
    step = step_or_none(is_counted=mode == tf.estimator.ModeKeys.TRAIN)
    assert average.average(scale)
    if not step:
        raise ValueError("no step")
    loss = tf.reduce_mean((output * scale - labels) ** 2)
    tf.summary.scalar("scale", shown)
    with tf.control_dependencies([averaging]):
        train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


if __name__ == "__main__":
    estimator = tf.estimator.Estimator(model_fn, sys.argv[1])
    estimator.train(input_fn, max_steps=int(sys.argv[2]))
