"""Canned estimators, each trained, and one of a kind evaluated and asked for a prediction; TensorFlow 2.12 to 2.15.

usage: estimators.py DIRECTORY MAX_STEPS [NAME...]; what they give is written to DIRECTORY/results.json.
"""

import tensorflow as tf
import tensorflow.compat.v1 as tf1
from jobs import DEEP, FEW, NAMED, PAIRS, THREE, TWO, VALUES, WIDE, every, judged, start, trained

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


def dnn_default(model_dir, steps):
    estimator = tf1.estimator.DNNClassifier([8, 4], DEEP, model_dir)
    told = judged(estimator, TWO, steps)
    estimator.export_saved_model(f"{model_dir}/served", serve)
    estimator.export_saved_model(f"{model_dir}/parsed", PARSED)
    return told


def dnn_adam(model_dir, steps):
    trained(tf1.estimator.DNNClassifier([8, 4], FEW, model_dir, optimizer=tf1.train.AdamOptimizer(0.01)), TWO, steps)


def dnn_ftrl(model_dir, steps):
    trained(
        tf1.estimator.DNNClassifier(
            [8, 4], FEW, model_dir, optimizer=tf1.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01)
        ),
        TWO,
        steps,
    )


def dnn_momentum(model_dir, steps):
    trained(
        tf1.estimator.DNNClassifier([8, 4], FEW, model_dir, optimizer=tf1.train.MomentumOptimizer(0.01, 0.9)),
        TWO,
        steps,
    )


def dnn_rmsprop(model_dir, steps):
    trained(
        tf1.estimator.DNNClassifier([8, 4], FEW, model_dir, optimizer=tf1.train.RMSPropOptimizer(0.01, momentum=0.5)),
        TWO,
        steps,
    )


def dnn_sgd(model_dir, steps):
    trained(
        tf1.estimator.DNNClassifier([8, 4], FEW, model_dir, optimizer=tf1.train.GradientDescentOptimizer(0.05)),
        TWO,
        steps,
    )


def dnn_named(model_dir, steps):
    estimator = tf1.estimator.DNNClassifier(
        [8, 4], DEEP, model_dir, n_classes=3, label_vocabulary=["u", "v", "w"], optimizer="Adam", batch_norm=True
    )
    told = judged(estimator, NAMED, steps)
    estimator.export_saved_model(f"{model_dir}/served", serve)
    estimator.export_saved_model(f"{model_dir}/parsed", PARSED)
    return told


def dnn_values(model_dir, steps):
    return judged(
        tf1.estimator.DNNRegressor(
            [8], DEEP, model_dir, weight_column="weight", loss_reduction=tf1.losses.Reduction.MEAN
        ),
        VALUES,
        steps,
    )


def linear_default(model_dir, steps):
    return judged(tf1.estimator.LinearClassifier(WIDE, model_dir), TWO, steps)


def linear_adam(model_dir, steps):
    return judged(
        tf1.estimator.LinearClassifier(WIDE, model_dir, n_classes=3, optimizer=tf1.train.AdamOptimizer(0.01)),
        THREE,
        steps,
    )


def linear_values(model_dir, steps):
    estimator = tf1.estimator.LinearRegressor(
        WIDE, model_dir, 2, weight_column="weight", optimizer=tf1.train.GradientDescentOptimizer(0.001)
    )
    told = judged(estimator, PAIRS, steps)
    estimator.export_saved_model(f"{model_dir}/served", serve)
    estimator.export_saved_model(f"{model_dir}/parsed", PARSED)
    return told


def combined_default(model_dir, steps):
    estimator = tf1.estimator.DNNLinearCombinedClassifier(
        model_dir, WIDE, dnn_feature_columns=DEEP, dnn_hidden_units=[8, 4]
    )
    told = judged(estimator, TWO, steps)
    estimator.export_saved_model(f"{model_dir}/served", serve)
    estimator.export_saved_model(f"{model_dir}/parsed", PARSED)
    return told


def combined_adam(model_dir, steps):
    return judged(
        tf1.estimator.DNNLinearCombinedRegressor(
            model_dir, WIDE, lambda: tf1.train.AdamOptimizer(0.01), DEEP, "Adam", [8], batch_norm=True
        ),
        VALUES,
        steps,
    )


def baseline_classes(model_dir, steps):
    return judged(tf1.estimator.BaselineClassifier(model_dir), TWO, steps)


ALL = every(globals())

if __name__ == "__main__":
    start(*ALL)
