"""Canned estimators of TensorFlow 2, each trained, and some evaluated and asked to predict; TensorFlow 2.12 to 2.15.

usage: estimators_2.py DIRECTORY MAX_STEPS [NAME...]; what they give is written to DIRECTORY/results.json.
"""

import tensorflow as tf
from jobs import DEEP, FEATURES, FEW, NAMED, NARROW, PAIRS, THREE, TWO, VALUES, WIDE, X, every, judged, start, trained

ONE = {"x": FEATURES["x"]}
"""For TensorFlow 2's baselines, which fail at their first step where there are more features than one."""


def dnn_default(model_dir, steps):
    return judged(tf.estimator.DNNClassifier([8, 4], DEEP, model_dir), TWO, steps)


def dnn_adam(model_dir, steps):
    adam = tf.keras.optimizers.legacy.Adam(0.01)
    estimator = tf.estimator.DNNClassifier([8, 4], FEW, model_dir, n_classes=3, batch_norm=True, optimizer=adam)
    return judged(estimator, THREE, steps)


def dnn_rmsprop(model_dir, steps):
    estimator = tf.estimator.DNNClassifier([8, 4], FEW, model_dir, optimizer="RMSProp", weight_column="weight")
    return judged(estimator, TWO, steps)


def dnn_rmsprop_momentum(model_dir, steps):
    rmsprop = tf.keras.optimizers.legacy.RMSprop(0.01, momentum=0.5)
    trained(tf.estimator.DNNClassifier([8, 4], FEW, model_dir, n_classes=3, optimizer=rmsprop), THREE, steps)


def dnn_momentum(model_dir, steps):
    decay = tf.keras.optimizers.schedules.ExponentialDecay(0.05, 10, 0.5)
    estimator = tf.estimator.DNNRegressor(
        [8], FEW, model_dir, optimizer=lambda: tf.keras.optimizers.legacy.SGD(decay, momentum=0.9, nesterov=True)
    )
    trained(estimator, VALUES, steps)


def dnn_adam_by_name(model_dir, steps):
    trained(tf.estimator.DNNRegressor([8, 4], [X], model_dir, optimizer="Adam"), VALUES, steps)


def linear_default(model_dir, steps):
    estimator = tf.estimator.LinearClassifier(WIDE, model_dir, n_classes=3, label_vocabulary=["u", "v", "w"])
    return judged(estimator, NAMED, steps)


def linear_sgd(model_dir, steps):
    estimator = tf.estimator.LinearRegressor(NARROW, model_dir, 2, weight_column="weight", optimizer="SGD")
    return judged(estimator, PAIRS, steps)


def combined_default(model_dir, steps):
    estimator = tf.estimator.DNNLinearCombinedClassifier(
        model_dir, WIDE, dnn_feature_columns=DEEP, dnn_hidden_units=[8, 4]
    )
    return judged(estimator, TWO, steps)


def combined_adam(model_dir, steps):
    adam = tf.keras.optimizers.legacy.Adam(0.01, decay=0.1)
    estimator = tf.estimator.DNNLinearCombinedRegressor(model_dir, NARROW, adam, FEW, "Adagrad", [8])
    return judged(estimator, VALUES, steps)


def baseline_default(model_dir, steps):
    estimator = tf.estimator.BaselineClassifier(model_dir, n_classes=3, weight_column="weight")
    return judged(estimator, THREE, steps, {**ONE, "weight": FEATURES["weight"]})


def baseline_sgd(model_dir, steps):
    estimator = tf.estimator.BaselineRegressor(model_dir, 2, optimizer=tf.keras.optimizers.legacy.SGD(0.1, decay=0.1))
    return judged(estimator, PAIRS, steps, ONE)


ALL = every(globals())

if __name__ == "__main__":
    start(*ALL)
