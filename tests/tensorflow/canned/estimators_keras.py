"""Canned estimators that become Keras models: over numbers alone, each with an optimizer of its own, and in parts.

TensorFlow 2.12 to 2.15.

usage: estimators_keras.py DIRECTORY MAX_STEPS [NAME...]; DIRECTORY/results.json is written.
"""

import json
import sys
from pathlib import Path

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

random = np.random.RandomState(0)
FEATURES = {"x": random.rand(80, 3).astype(np.float32), "code": random.randint(0, 6, 80)}
TWO, VALUES = random.randint(0, 2, 80), random.rand(80).astype(np.float32)
COLUMNS = [tf.feature_column.numeric_column("x", (3,))]
CODE = tf.feature_column.categorical_column_with_identity("code", 6)
IN_TWO = tf1.fixed_size_partitioner(2)


def batches(labels):
    return tf.data.Dataset.from_tensor_slices((FEATURES, labels)).batch(16)


def dnn_momentum(model_dir, steps):
    estimator = tf1.estimator.DNNRegressor([8, 4], COLUMNS, model_dir, optimizer=tf1.train.MomentumOptimizer(0.01, 0.9))
    estimator.train(lambda: batches(VALUES).repeat(), max_steps=steps)


def dnn_rmsprop(model_dir, steps):
    estimator = tf1.estimator.DNNClassifier(
        [8, 4], COLUMNS, model_dir, optimizer=tf1.train.RMSPropOptimizer(0.01, momentum=0.5)
    )
    estimator.train(lambda: batches(TWO).repeat(), max_steps=steps)


def dnn_ftrl(model_dir, steps):
    estimator = tf1.estimator.DNNRegressor(
        [8, 4], COLUMNS, model_dir, optimizer=tf1.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01)
    )
    estimator.train(lambda: batches(VALUES).repeat(), max_steps=steps)


def dnn_sgd(model_dir, steps):
    estimator = tf1.estimator.DNNRegressor(
        [8, 4],
        COLUMNS,
        model_dir,
        optimizer=lambda: tf1.train.GradientDescentOptimizer(0.05),
    )
    estimator.train(lambda: batches(VALUES).repeat(), max_steps=steps)


def dnn_adadelta(model_dir, steps):
    estimator = tf1.estimator.DNNRegressor([8, 4], COLUMNS, model_dir, optimizer=tf1.train.AdadeltaOptimizer(0.5))
    estimator.train(lambda: batches(VALUES).repeat(), max_steps=steps)


def dnn_momentum_2(model_dir, steps):
    decay = tf.keras.optimizers.schedules.ExponentialDecay(0.05, 10, 0.5)
    estimator = tf.estimator.DNNRegressor(
        [8, 4], COLUMNS, model_dir, optimizer=tf.keras.optimizers.legacy.SGD(decay, momentum=0.9, nesterov=True)
    )
    estimator.train(lambda: batches(VALUES).repeat(), max_steps=steps)


def dnn_rmsprop_2(model_dir, steps):
    estimator = tf.estimator.DNNRegressor([8, 4], COLUMNS, model_dir, optimizer="RMSProp")
    estimator.train(lambda: batches(VALUES).repeat(), max_steps=steps)


def dnn_adam_2(model_dir, steps):
    estimator = tf.estimator.DNNRegressor([8, 4], COLUMNS, model_dir, optimizer="Adam")
    estimator.train(lambda: batches(VALUES).repeat(), max_steps=steps)


def dnn_ftrl_2(model_dir, steps):
    estimator = tf.estimator.DNNRegressor([8, 4], COLUMNS, model_dir, optimizer="Ftrl")
    estimator.train(lambda: batches(VALUES).repeat(), max_steps=steps)


def dnn_partitioned(model_dir, steps):
    estimator = tf1.estimator.DNNRegressor(
        [8], [tf.feature_column.embedding_column(CODE, 4)], model_dir, input_layer_partitioner=IN_TWO
    )
    estimator.train(lambda: batches(VALUES).repeat(), max_steps=steps)


def linear_partitioned(model_dir, steps):
    estimator = tf1.estimator.LinearClassifier([*COLUMNS, CODE], model_dir, partitioner=IN_TWO)
    estimator.train(lambda: batches(TWO).repeat(), max_steps=steps)


ALL = (
    dnn_partitioned,
    linear_partitioned,
    dnn_momentum,
    dnn_rmsprop,
    dnn_ftrl,
    dnn_sgd,
    dnn_adadelta,
    dnn_momentum_2,
    dnn_rmsprop_2,
    dnn_adam_2,
    dnn_ftrl_2,
)


def main():
    directory, steps = Path(sys.argv[1]), int(sys.argv[2])
    chosen = [one for one in ALL if one.__name__ in sys.argv[3:]] or ALL
    results = {one.__name__: one(str(directory / one.__name__), steps) for one in chosen}
    (directory / "results.json").write_text(json.dumps(results))


if __name__ == "__main__":
    main()
