"""What the programs of canned estimators share: data and columns, what an estimator tells at its end, their start."""

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
NARROW = [X, CODE]
FEW = [X, column.embedding_column(CODE, 4)]
DEEP = [X, AGES, column.indicator_column(WORD), column.embedding_column(CODE, 4), column.indicator_column(CROSSED)]


def batches(labels, features=FEATURES):
    return tf.data.Dataset.from_tensor_slices((features, labels)).batch(16)


def report(metrics, predictions):
    prediction = {name: np.asarray(value) for name, value in next(predictions).items()}
    plain = {
        name: [one.decode() if isinstance(one, bytes) else one for one in v.tolist()] for name, v in prediction.items()
    }
    return {
        "metrics": {name: float(value) for name, value in metrics.items()},
        "prediction": {name: [str(value.dtype), plain[name]] for name, value in prediction.items()},
    }


def trained(estimator, labels, steps, features=FEATURES):
    estimator.train(lambda: batches(labels, features).repeat(), max_steps=steps)


def judged(estimator, labels, steps, features=FEATURES):
    """Trains, evaluates and asks for a prediction."""
    trained(estimator, labels, steps, features)
    metrics = estimator.evaluate(lambda: batches(labels, features))
    return report(metrics, estimator.predict(lambda: batches(labels, features)))


def every(names):
    """The functions of a program that train an estimator, by its global names."""
    codes = [(one, getattr(one, "__code__", None)) for one in names.values()]
    return [one for one, code in codes if code is not None and code.co_varnames[:2] == ("model_dir", "steps")]


def start(*functions):
    """Runs those that the command line names, or all, and writes what they give to DIRECTORY/results.json."""
    directory, steps = Path(sys.argv[1]), int(sys.argv[2])
    chosen = [one for one in functions if one.__name__ in sys.argv[3:]] or functions
    results = {one.__name__: one(str(directory / one.__name__), steps) for one in chosen}  # None without a report
    (directory / "results.json").write_text(json.dumps(results))
