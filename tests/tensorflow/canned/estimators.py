"""Canned estimators, each trained, and one of a kind evaluated and asked for a prediction; TensorFlow 2.12 to 2.15.

usage: estimators.py DIRECTORY MAX_STEPS [NAME...]; what they give is written to DIRECTORY/results.json.
"""

import tensorflow as tf
import tensorflow.compat.v1 as tf1
from jobs import DEEP, FEW, NAMED, NARROW, PAIRS, THREE, TWO, VALUES, WIDE, every, judged, start, trained

PARSED = tf1.estimator.export.build_parsing_serving_input_receiver_fn(
    tf1.feature_column.make_parse_example_spec([*WIDE, *DEEP])
)


def serve():
    fed = {
        "x": tf1.placeholder(tf.float32, [None, 3]),
        "age": tf1.placeholder(tf.float32, [None]),
        "word": tf1.placeholder(tf.string, [None]),
        "code-of": tf1.placeholder(tf.int64, [None], name="code"),
    }
    features = {name.removesuffix("-of"): value for name, value in fed.items()}
    return tf1.estimator.export.ServingInputReceiver(features, fed)


def exported(estimator, labels, steps, names):
    told = judged(estimator, labels, steps)
    for name in names:
        estimator.export_saved_model(f"{estimator.model_dir}/{name}", {"served": serve, "parsed": PARSED}[name])
    return told


def dnn_default(model_dir, steps):
    estimator = tf1.estimator.DNNClassifier([8, 4], DEEP, model_dir)
    return exported(estimator, TWO, steps, ["served", "parsed"])


def dnn_adam(model_dir, steps):
    trained(tf1.estimator.DNNClassifier([8, 4], FEW, model_dir, optimizer=tf1.train.AdamOptimizer(0.01)), TWO, steps)


def dnn_momentum(model_dir, steps):
    momentum = tf1.train.MomentumOptimizer(0.01, 0.9)
    estimator = tf1.estimator.DNNClassifier([8, 4], FEW, model_dir, optimizer=momentum, activation_fn=tf.nn.tanh)
    trained(estimator, TWO, steps)


def dnn_rmsprop(model_dir, steps):
    rmsprop = tf1.train.RMSPropOptimizer(0.01, momentum=0.5)
    trained(tf1.estimator.DNNClassifier([8, 4], FEW, model_dir, optimizer=rmsprop), TWO, steps)


def dnn_named(model_dir, steps):
    estimator = tf1.estimator.DNNClassifier(
        [8, 4], FEW, model_dir, n_classes=3, label_vocabulary=["u", "v", "w"], optimizer="Adam", batch_norm=True
    )
    return exported(estimator, NAMED, steps, ["parsed"])


def dnn_values(model_dir, steps):
    mean = tf1.losses.Reduction.MEAN
    estimator = tf1.estimator.DNNRegressor([8], FEW, model_dir, weight_column="weight", loss_reduction=mean)
    return judged(estimator, VALUES, steps)


def linear_default(model_dir, steps):
    return judged(tf1.estimator.LinearClassifier(WIDE, model_dir), TWO, steps)


def linear_adam(model_dir, steps):
    adam = tf1.train.AdamOptimizer(0.01)
    return judged(tf1.estimator.LinearClassifier(NARROW, model_dir, n_classes=3, optimizer=adam), THREE, steps)


def linear_values(model_dir, steps):
    estimator = tf1.estimator.LinearRegressor(
        NARROW, model_dir, 2, weight_column="weight", optimizer=tf1.train.GradientDescentOptimizer(0.001)
    )
    return exported(estimator, PAIRS, steps, ["parsed"])


def combined_default(model_dir, steps):
    estimator = tf1.estimator.DNNLinearCombinedClassifier(
        model_dir, WIDE, dnn_feature_columns=DEEP, dnn_hidden_units=[8, 4]
    )
    return exported(estimator, TWO, steps, ["served"])


def combined_adam(model_dir, steps):
    estimator = tf1.estimator.DNNLinearCombinedRegressor(
        model_dir, NARROW, lambda: tf1.train.AdamOptimizer(0.01), FEW, "Adam", [8], batch_norm=True
    )
    return judged(estimator, VALUES, steps)


def baseline_classes(model_dir, steps):
    return judged(tf1.estimator.BaselineClassifier(model_dir), TWO, steps)


ALL = every(globals())

if __name__ == "__main__":
    start(*ALL)
