"""More of ``tests.contrib_cases``: feature columns of ``tf.contrib.layers``, linear estimators of contrib.learn."""

import tempfile

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from tests.contrib_cases import evaluated
from tests.contrib_estimator_cases import FixedStart

COUNT = 12
WORDS = ["red", "green", "blue", "", "none of them"]
NUMBERS = np.cos(np.arange(COUNT)).astype(np.float32)
FEATURES = {
    "age": np.linspace(10.0, 70.0, COUNT).astype(np.float32),
    "pair": np.sin(np.arange(2 * COUNT)).reshape(COUNT, 2).astype(np.float32),
    "number": np.arange(COUNT) % 7,
    "word": np.array([WORDS[place % 5] for place in range(COUNT)]),
}


def features():
    """The features, those of words and their weights sparse."""
    found = {name: tf.constant(value) for name, value in FEATURES.items() if name != "word"}
    indices = [[place, rank] for place in range(COUNT) for rank in range(place % 3)]
    words = [WORDS[(place + rank) % 5] or "black" for place, rank in indices]
    found["words"] = tf.SparseTensor(indices, words, [COUNT, 3])
    weights = np.linspace(0.5, 2.0, len(indices)).astype(np.float32)
    found["weights"] = tf.SparseTensor(indices, weights, [COUNT, 3])
    found["word"] = tf.constant(FEATURES["word"])[:, None]
    found["other"] = tf.constant(FEATURES["word"][::-1])[:, None]
    return found


class Columns:
    """A column of each kind."""

    def __init__(self, of, vocabulary):
        layers = of("layers")
        self.age = layers.real_valued_column("age")
        self.buckets = layers.bucketized_column(self.age, boundaries=[18, 25, 25, 40, 60])
        self.pair = layers.real_valued_column("pair", dimension=2, normalizer=lambda given: given * 2.0)
        self.pairs = layers.bucketized_column(layers.real_valued_column("pair", 2), [-0.5, 0.0, 0.5])
        self.number = layers.sparse_column_with_integerized_feature("number", bucket_size=5)
        self.words = layers.sparse_column_with_hash_bucket("words", hash_bucket_size=30)
        self.word = layers.sparse_column_with_keys("word", keys=WORDS[:3])
        self.listed = layers.sparse_column_with_vocabulary_file("words", vocabulary, 1, vocab_size=3)
        self.keyed = layers.sparse_column_with_hash_bucket("words", 5, "mean", hash_keys=[[3, 5], [7, 11]])
        self.weighted = layers.weighted_sparse_column(self.words, "weights")
        self.crossed = layers.crossed_column([self.words, self.word], hash_bucket_size=50)
        self.nested = layers.crossed_column({self.crossed, self.buckets}, 40)
        self.by_key = layers.crossed_column([self.words, self.pairs], 1000, hash_key=17)
        self.wide = [self.age, self.buckets, self.pair, self.pairs, self.number, self.words, self.word]
        self.wide += [self.keyed, self.weighted, self.crossed, self.nested, self.by_key]
        self.deep = [
            self.pair,
            self.buckets,
            layers.one_hot_column(self.word),
            layers.one_hot_column(self.weighted),
            layers.embedding_column(self.words, dimension=3),
            layers.embedding_column(self.crossed, 2, combiner="sqrtn", max_norm=1.0),
            layers.embedding_column(self.listed, 2),
        ]
        other = layers.sparse_column_with_keys("other", keys=WORDS[:3])
        self.deep += layers.shared_embedding_columns([self.word, other], dimension=2)


def vocabulary(directory):
    path = directory + "/vocabulary.txt"
    with open(path, "w") as file:
        file.write("\n".join(WORDS[:3]))
    return path


def feature_columns(of):
    with tempfile.TemporaryDirectory() as directory:
        columns = Columns(of, vocabulary(directory))
        layers = of("layers")

        def wide():
            outputs, found, bias = layers.weighted_sum_from_feature_columns(features(), columns.wide, 2)
            return {"outputs": outputs, "bias": bias, **{column.name: found[column][0] for column in columns.wide}}

        yield (
            "deep",
            evaluated(lambda: {"net": layers.input_from_feature_columns(features(), columns.deep)}, loads=True),
        )
        yield "wide", evaluated(wide, loads=True)
        spec = layers.create_feature_spec_for_parsing(columns.wide + columns.deep)
        yield "spec", {key: str(spec[key]).replace("tf.", "") for key in sorted(spec)}
        yield "names", [one.name for one in columns.wide + columns.deep]
        yield "order", [one.name for one in sorted(columns.wide + columns.deep, key=lambda one: one.key)]


def columns_in_tensorflow(of):
    """The same columns, given to functions of ``tf.feature_column``, as to its premade estimators."""
    with tempfile.TemporaryDirectory() as directory:
        columns = Columns(of, vocabulary(directory))
        given = tf1.feature_column
        # They refuse two columns of one name.
        wide, deep = ({one.name: one for one in some}.values() for some in (columns.wide, columns.deep))
        yield "linear", evaluated(lambda: {"y": given.linear_model(features(), wide, units=2)}, loads=True)
        yield "dense", evaluated(lambda: {"net": given.input_layer(features(), deep)}, loads=True)
        yield "parsed", sorted(given.make_parse_example_spec(list(wide)))


def told(found):
    if isinstance(found, dict):
        return {key: np.asarray(value).tolist() for key, value in sorted(found.items())}
    return [told(one) if isinstance(one, dict) else np.asarray(one).tolist() for one in found]


LABELS = {2: np.arange(COUNT)[:, None] % 2, 3: np.arange(COUNT) % 3, "numbers": NUMBERS, "pairs": FEATURES["pair"]}


def _trained(of, made, labels, steps):
    def input_fn():
        return features(), tf.constant(LABELS[labels])

    made.fit(input_fn=input_fn, steps=steps, monitors=[FixedStart()])
    yield "variables", {one: made.get_variable_value(one) for one in sorted(made.get_variable_names())}
    yield "evaluated", told(made.evaluate(input_fn=input_fn, steps=1))
    yield "predicted", told(list(made.predict(input_fn=lambda: features())))


def linear_estimators(of):
    learn = of("learn")
    core = tf.feature_column
    with tempfile.TemporaryDirectory() as directory:
        columns = Columns(of, vocabulary(directory))
        plain = [core.numeric_column("age"), core.bucketized_column(core.numeric_column("pair", 2), [0.0])]
        plain.append(core.categorical_column_with_vocabulary_list("word", WORDS[:3]))
        deep = [core.numeric_column("pair", 2), core.indicator_column(plain[-1])]
        both = {"linear_feature_columns": columns.wide, "dnn_feature_columns": columns.deep, "dnn_hidden_units": [4, 3]}
        sgd = tf1.train.GradientDescentOptimizer(0.1)
        few = [columns.age, columns.words]
        cases = (
            ("two", "LinearClassifier", {"feature_columns": columns.wide}, 2),
            ("three", "LinearClassifier", {"feature_columns": few, "n_classes": 3, "gradient_clip_norm": 0.5}, 3),
            ("by name", "LinearClassifier", {"feature_columns": few, "optimizer": "Adagrad"}, 2),
            ("core", "LinearClassifier", {"feature_columns": plain, "weight_column_name": "age"}, 2),
            ("numbers", "LinearRegressor", {"feature_columns": [columns.age], "optimizer": lambda: sgd}, "numbers"),
            ("pairs", "LinearRegressor", {"feature_columns": few, "label_dimension": 2}, "pairs"),
            ("both", "DNNLinearCombinedClassifier", both, 2),
            ("as one", "DNNLinearCombinedClassifier", {**both, "fix_global_step_increment_bug": True}, 2),
            ("core both", "DNNLinearCombinedRegressor", {**both, "linear_feature_columns": plain[:2]}, "numbers"),
            ("core deep", "DNNLinearCombinedRegressor", {**both, "dnn_feature_columns": deep}, "numbers"),
            ("wide alone", "DNNLinearCombinedClassifier", {"linear_feature_columns": few, "n_classes": 3}, 3),
            ("dnn", "DNNClassifier", {"feature_columns": columns.deep, "hidden_units": [3], "n_classes": 3}, 3),
        )
        for name, kind, options, labels in cases:
            # Two optimizers count each call twice, and where the run reads the counter is its own affair: the call
            # that reaches 6 may read 4 and be followed by another, the one that reaches 8 is the last of 7 steps.
            twice = both.keys() <= options.keys() and "fix_global_step_increment_bug" not in options
            with tempfile.TemporaryDirectory() as model_dir:
                made = getattr(learn, kind)(model_dir=model_dir, **options)
                for what, value in _trained(of, made, labels, 7 if twice else 6):
                    yield f"contrib.learn's {kind}, {name}, {what}", value


def validation_monitors(of):
    """Evaluates each saved step during training, and ends it early."""
    learn, keys = of("learn"), of.raw("learn", "PredictionKey")
    yield "keys", [getattr(keys, name) for name in ("CLASSES", "PROBABILITIES", "LOGITS", "LOGISTIC", "SCORES")]
    column = of("layers").real_valued_column("pair", dimension=2)
    for rounds, minimizes in ((None, True), (4, True), (3, False)):

        def input_fn():
            return {"pair": tf.constant(FEATURES["pair"])}, tf.constant(LABELS["numbers"])

        with tempfile.TemporaryDirectory() as directory:
            config = learn.RunConfig(save_checkpoints_steps=2, tf_random_seed=1)
            optimizer = tf1.train.GradientDescentOptimizer(0.05)
            made = learn.LinearRegressor([column], directory, optimizer=optimizer, config=config)
            metrics = {"error": learn.MetricSpec(tf1.metrics.mean_absolute_error, prediction_key=keys.SCORES)}
            monitor = of("learn.monitors").ValidationMonitor(
                input_fn=input_fn,
                eval_steps=1,
                every_n_steps=2,
                metrics=metrics,
                early_stopping_rounds=rounds,
                early_stopping_metric_minimize=minimizes,
                check_interval_secs=None,
            )
            made.fit(input_fn=input_fn, steps=15, monitors=[monitor])
            yield f"{rounds} {minimizes}", [made.get_variable_value("global_step"), monitor.early_stopped]
            found = told(monitor.best_metrics or {})
            yield f"{rounds} {minimizes}, best", [monitor.best_step, found]


LEARN_CASES = (feature_columns, columns_in_tensorflow, linear_estimators, validation_monitors)
