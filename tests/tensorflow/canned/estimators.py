"""Canned estimators, each trained, and one of a kind evaluated and asked for a prediction; TensorFlow 2.12 to 2.15.

usage: estimators.py DIRECTORY MAX_STEPS [NAME...]; what they give is written to DIRECTORY/results.json.
"""

import json
import sys
from pathlib import Path

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

random = np.random.RandomState(0)
FEATURES = {
    "x": random.rand(80, 3).astype(np.float32),
    "age": random.rand(80).astype(np.float32) * 80,
    "word": np.array(["a", "b", "c", "other"])[random.randint(0, 4, 80)],
    "code": random.randint(0, 6, 80),
    "weight": random.rand(80).astype(np.float32),
}
TWO, THREE = random.randint(0, 2, 80), random.randint(0, 3, 80)
NAMED = np.array(["u", "v", "w"])[THREE]
VALUES, PAIRS = random.rand(80).astype(np.float32), random.rand(80, 2).astype(np.float32)

column = tf.feature_column
X = column.numeric_column("x", (3,))
WORD = column.categorical_column_with_vocabulary_list("word", ["a", "b", "c"], num_oov_buckets=1)
CODE = column.categorical_column_with_identity("code", 6)
AGES = column.bucketized_column(column.numeric_column("age"), [20, 40, 60])
CROSSED = column.crossed_column(["word", AGES], 12)
WIDE = [X, WORD, CODE, AGES, CROSSED]
FEW = [X, column.embedding_column(CODE, 4)]
DEEP = [X, AGES, column.indicator_column(WORD), column.embedding_column(CODE, 4), column.indicator_column(CROSSED)]
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


def batches(labels):
    return tf.data.Dataset.from_tensor_slices((FEATURES, labels)).batch(16)


def _plain(values):
    return [value.decode() if isinstance(value, bytes) else value for value in values]


def report(metrics, predictions):
    prediction = {name: np.asarray(value) for name, value in next(predictions).items()}
    return {
        "metrics": {name: float(value) for name, value in metrics.items()},
        "prediction": {name: [str(value.dtype), _plain(value.tolist())] for name, value in prediction.items()},
    }


def dnn_default(model_dir, steps):
    estimator = tf1.estimator.DNNClassifier([8, 4], DEEP, model_dir)
    estimator.train(lambda: batches(TWO).repeat(), max_steps=steps)
    estimator.export_saved_model(f"{model_dir}/served", serve)
    estimator.export_saved_model(f"{model_dir}/parsed", PARSED)
    return report(estimator.evaluate(lambda: batches(TWO)), estimator.predict(lambda: batches(TWO)))


def dnn_adam(model_dir, steps):
    estimator = tf1.estimator.DNNClassifier([8, 4], FEW, model_dir, optimizer=tf1.train.AdamOptimizer(0.01))
    estimator.train(lambda: batches(TWO).repeat(), max_steps=steps)


def dnn_ftrl(model_dir, steps):
    estimator = tf1.estimator.DNNClassifier(
        [8, 4], FEW, model_dir, optimizer=tf1.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01)
    )
    estimator.train(lambda: batches(TWO).repeat(), max_steps=steps)


def dnn_momentum(model_dir, steps):
    estimator = tf1.estimator.DNNClassifier([8, 4], FEW, model_dir, optimizer=tf1.train.MomentumOptimizer(0.01, 0.9))
    estimator.train(lambda: batches(TWO).repeat(), max_steps=steps)


def dnn_rmsprop(model_dir, steps):
    estimator = tf1.estimator.DNNClassifier(
        [8, 4], FEW, model_dir, optimizer=tf1.train.RMSPropOptimizer(0.01, momentum=0.5)
    )
    estimator.train(lambda: batches(TWO).repeat(), max_steps=steps)


def dnn_sgd(model_dir, steps):
    estimator = tf1.estimator.DNNClassifier([8, 4], FEW, model_dir, optimizer=tf1.train.GradientDescentOptimizer(0.05))
    estimator.train(lambda: batches(TWO).repeat(), max_steps=steps)


def dnn_named(model_dir, steps):
    estimator = tf1.estimator.DNNClassifier(
        [8, 4], DEEP, model_dir, n_classes=3, label_vocabulary=["u", "v", "w"], optimizer="Adam", batch_norm=True
    )
    estimator.train(lambda: batches(NAMED).repeat(), max_steps=steps)
    estimator.export_saved_model(f"{model_dir}/served", serve)
    estimator.export_saved_model(f"{model_dir}/parsed", PARSED)
    return report(estimator.evaluate(lambda: batches(NAMED)), estimator.predict(lambda: batches(NAMED)))


def dnn_values(model_dir, steps):
    estimator = tf1.estimator.DNNRegressor(
        [8], DEEP, model_dir, weight_column="weight", loss_reduction=tf1.losses.Reduction.MEAN
    )
    estimator.train(lambda: batches(VALUES).repeat(), max_steps=steps)
    return report(estimator.evaluate(lambda: batches(VALUES)), estimator.predict(lambda: batches(VALUES)))


def linear_default(model_dir, steps):
    estimator = tf1.estimator.LinearClassifier(WIDE, model_dir)
    estimator.train(lambda: batches(TWO).repeat(), max_steps=steps)
    return report(estimator.evaluate(lambda: batches(TWO)), estimator.predict(lambda: batches(TWO)))


def linear_adam(model_dir, steps):
    estimator = tf1.estimator.LinearClassifier(WIDE, model_dir, n_classes=3, optimizer=tf1.train.AdamOptimizer(0.01))
    estimator.train(lambda: batches(THREE).repeat(), max_steps=steps)
    return report(estimator.evaluate(lambda: batches(THREE)), estimator.predict(lambda: batches(THREE)))


def linear_values(model_dir, steps):
    estimator = tf1.estimator.LinearRegressor(
        WIDE, model_dir, 2, weight_column="weight", optimizer=tf1.train.GradientDescentOptimizer(0.001)
    )
    estimator.train(lambda: batches(PAIRS).repeat(), max_steps=steps)
    estimator.export_saved_model(f"{model_dir}/served", serve)
    estimator.export_saved_model(f"{model_dir}/parsed", PARSED)
    return report(estimator.evaluate(lambda: batches(PAIRS)), estimator.predict(lambda: batches(PAIRS)))


def combined_default(model_dir, steps):
    estimator = tf1.estimator.DNNLinearCombinedClassifier(
        model_dir, WIDE, dnn_feature_columns=DEEP, dnn_hidden_units=[8, 4]
    )
    estimator.train(lambda: batches(TWO).repeat(), max_steps=steps)
    estimator.export_saved_model(f"{model_dir}/served", serve)
    estimator.export_saved_model(f"{model_dir}/parsed", PARSED)
    return report(estimator.evaluate(lambda: batches(TWO)), estimator.predict(lambda: batches(TWO)))


def combined_adam(model_dir, steps):
    estimator = tf1.estimator.DNNLinearCombinedRegressor(
        model_dir,
        WIDE,
        lambda: tf1.train.AdamOptimizer(0.01),
        DEEP,
        "Adam",
        [8],
        batch_norm=True,
    )
    estimator.train(lambda: batches(VALUES).repeat(), max_steps=steps)
    return report(estimator.evaluate(lambda: batches(VALUES)), estimator.predict(lambda: batches(VALUES)))


def baseline_classes(model_dir, steps):
    estimator = tf1.estimator.BaselineClassifier(model_dir)
    estimator.train(lambda: batches(TWO).repeat(), max_steps=steps)
    return report(estimator.evaluate(lambda: batches(TWO)), estimator.predict(lambda: batches(TWO)))


ALL = (
    dnn_default,
    dnn_adam,
    dnn_ftrl,
    dnn_momentum,
    dnn_rmsprop,
    dnn_sgd,
    dnn_named,
    dnn_values,
    linear_default,
    linear_adam,
    linear_values,
    combined_default,
    combined_adam,
    baseline_classes,
)


def main():
    directory, steps = Path(sys.argv[1]), int(sys.argv[2])
    chosen = [one for one in ALL if one.__name__ in sys.argv[3:]] or ALL
    results = {one.__name__: one(str(directory / one.__name__), steps) for one in chosen}  # None without a report
    (directory / "results.json").write_text(json.dumps(results))


if __name__ == "__main__":
    main()
