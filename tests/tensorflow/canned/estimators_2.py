"""Canned estimators of TensorFlow 2, each trained, and some evaluated and asked to predict; TensorFlow 2.12 to 2.15.

usage: estimators_2.py DIRECTORY MAX_STEPS [NAME...]; what they give is written to DIRECTORY/results.json.
"""

import json
import sys
from pathlib import Path

import numpy as np
import tensorflow as tf

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
    estimator = tf.estimator.DNNClassifier([8, 4], DEEP, model_dir)
    estimator.train(lambda: batches(TWO).repeat(), max_steps=steps)
    return report(estimator.evaluate(lambda: batches(TWO)), estimator.predict(lambda: batches(TWO)))


def dnn_adam(model_dir, steps):
    estimator = tf.estimator.DNNClassifier(
        [8, 4], DEEP, model_dir, n_classes=3, batch_norm=True, optimizer=tf.keras.optimizers.legacy.Adam(0.01)
    )
    estimator.train(lambda: batches(THREE).repeat(), max_steps=steps)
    return report(estimator.evaluate(lambda: batches(THREE)), estimator.predict(lambda: batches(THREE)))


def dnn_rmsprop(model_dir, steps):
    estimator = tf.estimator.DNNClassifier([8, 4], DEEP, model_dir, optimizer="RMSProp", weight_column="weight")
    estimator.train(lambda: batches(TWO).repeat(), max_steps=steps)
    return report(estimator.evaluate(lambda: batches(TWO)), estimator.predict(lambda: batches(TWO)))


def dnn_rmsprop_momentum(model_dir, steps):
    estimator = tf.estimator.DNNClassifier(
        [8, 4], FEW, model_dir, n_classes=3, optimizer=tf.keras.optimizers.legacy.RMSprop(0.01, momentum=0.5)
    )
    estimator.train(lambda: batches(THREE).repeat(), max_steps=steps)


def dnn_momentum(model_dir, steps):
    decay = tf.keras.optimizers.schedules.ExponentialDecay(0.05, 10, 0.5)
    estimator = tf.estimator.DNNRegressor(
        [8], FEW, model_dir, optimizer=lambda: tf.keras.optimizers.legacy.SGD(decay, momentum=0.9, nesterov=True)
    )
    estimator.train(lambda: batches(VALUES).repeat(), max_steps=steps)


def linear_default(model_dir, steps):
    estimator = tf.estimator.LinearClassifier(WIDE, model_dir, n_classes=3, label_vocabulary=["u", "v", "w"])
    estimator.train(lambda: batches(NAMED).repeat(), max_steps=steps)
    return report(estimator.evaluate(lambda: batches(NAMED)), estimator.predict(lambda: batches(NAMED)))


def linear_sgd(model_dir, steps):
    estimator = tf.estimator.LinearRegressor(WIDE, model_dir, 2, weight_column="weight", optimizer="SGD")
    estimator.train(lambda: batches(PAIRS).repeat(), max_steps=steps)
    return report(estimator.evaluate(lambda: batches(PAIRS)), estimator.predict(lambda: batches(PAIRS)))


def combined_default(model_dir, steps):
    estimator = tf.estimator.DNNLinearCombinedClassifier(
        model_dir, WIDE, dnn_feature_columns=DEEP, dnn_hidden_units=[8, 4]
    )
    estimator.train(lambda: batches(TWO).repeat(), max_steps=steps)
    return report(estimator.evaluate(lambda: batches(TWO)), estimator.predict(lambda: batches(TWO)))


def combined_adam(model_dir, steps):
    estimator = tf.estimator.DNNLinearCombinedRegressor(
        model_dir, WIDE, tf.keras.optimizers.legacy.Adam(0.01, decay=0.1), DEEP, "Adagrad", [8]
    )
    estimator.train(lambda: batches(VALUES).repeat(), max_steps=steps)
    return report(estimator.evaluate(lambda: batches(VALUES)), estimator.predict(lambda: batches(VALUES)))


def one_feature(labels, *names):
    """Batches for TensorFlow 2's baselines, which fail at their first step where there are more features than one."""
    return tf.data.Dataset.from_tensor_slices(({name: FEATURES[name] for name in ("x", *names)}, labels)).batch(16)


def baseline_default(model_dir, steps):
    estimator = tf.estimator.BaselineClassifier(model_dir, n_classes=3, weight_column="weight")
    estimator.train(lambda: one_feature(THREE, "weight").repeat(), max_steps=steps)
    metrics = estimator.evaluate(lambda: one_feature(THREE, "weight"))
    return report(metrics, estimator.predict(lambda: one_feature(THREE, "weight")))


def baseline_sgd(model_dir, steps):
    estimator = tf.estimator.BaselineRegressor(model_dir, 2, optimizer=tf.keras.optimizers.legacy.SGD(0.1, decay=0.1))
    estimator.train(lambda: one_feature(PAIRS).repeat(), max_steps=steps)
    return report(estimator.evaluate(lambda: one_feature(PAIRS)), estimator.predict(lambda: one_feature(PAIRS)))


ALL = (
    dnn_default,
    dnn_adam,
    dnn_rmsprop,
    dnn_rmsprop_momentum,
    dnn_momentum,
    linear_default,
    linear_sgd,
    combined_default,
    combined_adam,
    baseline_default,
    baseline_sgd,
)


def main():
    directory, steps = Path(sys.argv[1]), int(sys.argv[2])
    chosen = [one for one in ALL if one.__name__ in sys.argv[3:]] or ALL
    results = {one.__name__: one(str(directory / one.__name__), steps) for one in chosen}
    (directory / "results.json").write_text(json.dumps(results))


if __name__ == "__main__":
    main()
