"""Premade DNNs over numbers alone, each with an optimizer or a head of its own; TensorFlow 2.12 to 2.15.

usage: estimators_numbers.py DIRECTORY MAX_STEPS [NAME...]; DIRECTORY/results.json is written.
"""

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from jobs import every, report, start

random = np.random.RandomState(0)
FEATURES = {"x": random.rand(80, 3).astype(np.float32), "unused": random.randint(0, 6, 80)}
TWO, THREE, VALUES = random.randint(0, 2, 80), random.randint(0, 3, 80), random.rand(80).astype(np.float32)
COLUMNS = [tf.feature_column.numeric_column("x", (3,))]


def batches(labels):
    return tf.data.Dataset.from_tensor_slices((FEATURES, labels)).batch(16)


def dnn_momentum(model_dir, steps):
    estimator = tf1.estimator.DNNRegressor([8, 4], COLUMNS, model_dir, optimizer=tf1.train.MomentumOptimizer(0.01, 0.9))
    estimator.train(lambda: batches(VALUES).repeat(), max_steps=steps)


def dnn_ftrl(model_dir, steps):
    estimator = tf1.estimator.DNNRegressor(
        [8, 4], COLUMNS, model_dir, optimizer=tf1.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01)
    )
    estimator.train(lambda: batches(VALUES).repeat(), max_steps=steps)


def dnn_sgd(model_dir, steps):
    estimator = tf1.estimator.DNNRegressor(
        [8, 4], COLUMNS, model_dir, optimizer=lambda: tf1.train.GradientDescentOptimizer(0.05)
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


def dnn_adam_2(model_dir, steps):
    estimator = tf.estimator.DNNRegressor([8, 4], COLUMNS, model_dir, optimizer="Adam")
    estimator.train(lambda: batches(VALUES).repeat(), max_steps=steps)


def dnn_ftrl_2(model_dir, steps):
    estimator = tf.estimator.DNNRegressor([8, 4], COLUMNS, model_dir, optimizer="Ftrl")
    estimator.train(lambda: batches(VALUES).repeat(), max_steps=steps)


def dnn_two(model_dir, steps):
    estimator = tf1.estimator.DNNClassifier([8, 4], COLUMNS, model_dir)
    estimator.train(lambda: batches(TWO).repeat(), max_steps=steps)
    return report(estimator.evaluate(lambda: batches(TWO)), estimator.predict(lambda: batches(TWO)))


def dnn_three_adam(model_dir, steps):
    estimator = tf1.estimator.DNNClassifier(
        [8, 4], COLUMNS, model_dir, n_classes=3, optimizer=tf1.train.AdamOptimizer(0.01)
    )
    estimator.train(lambda: batches(THREE).repeat(), max_steps=steps)
    return report(estimator.evaluate(lambda: batches(THREE)), estimator.predict(lambda: batches(THREE)))


def dnn_values_2(model_dir, steps):
    estimator = tf.estimator.DNNRegressor([8, 4], COLUMNS, model_dir)
    estimator.train(lambda: batches(VALUES).repeat(), max_steps=steps)
    return report(estimator.evaluate(lambda: batches(VALUES)), estimator.predict(lambda: batches(VALUES)))


def dnn_three_2(model_dir, steps):
    estimator = tf.estimator.DNNClassifier([8, 4], COLUMNS, model_dir, n_classes=3)
    estimator.train(lambda: batches(THREE).repeat(), max_steps=steps)
    return report(estimator.evaluate(lambda: batches(THREE)), estimator.predict(lambda: batches(THREE)))


def dnn_tanh(model_dir, steps):
    estimator = tf1.estimator.DNNClassifier([8, 4], COLUMNS, model_dir, n_classes=3, activation_fn=tf.nn.tanh)
    estimator.train(lambda: batches(THREE).repeat(), max_steps=steps)


def dnn_one_layer(model_dir, steps):
    config = tf1.estimator.RunConfig(model_dir, save_checkpoints_steps=20, keep_checkpoint_max=9)
    estimator = tf1.estimator.DNNRegressor(feature_columns=COLUMNS, hidden_units=[4], config=config)
    estimator.train(lambda: batches(VALUES).repeat(), max_steps=steps)


ALL = every(globals())

if __name__ == "__main__":
    start(*ALL)
