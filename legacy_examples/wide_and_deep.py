"""Wide and deep on visits to a shop, with many kinds of feature columns, written for TensorFlow 2.12 to 2.15.

Started again in the same --model_dir it resumes at the newest checkpoint.
"""

import argparse
import itertools

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

COUNTRIES = ["at", "ch", "de"]


def feature_columns():
    """Returns the wide and the deep columns."""
    column = tf.feature_column
    minutes = column.numeric_column("minutes", normalizer_fn=lambda m: m / 60.0)
    ages = column.bucketized_column(column.numeric_column("age"), [20, 40, 60])
    country = column.categorical_column_with_vocabulary_list(
        "country", COUNTRIES, num_oov_buckets=1
    )
    shelf = column.categorical_column_with_identity("shelf", 6)
    article = column.categorical_column_with_hash_bucket("article", 20)
    weighted = column.weighted_categorical_column(article, "minutes")
    crossed = column.crossed_column(["country", ages], 12)
    wide = [minutes, ages, country, weighted, crossed]
    deep = [
        minutes,
        ages,
        column.indicator_column(country),
        column.embedding_column(shelf, 3),
        column.embedding_column(article, 4, combiner="sqrtn"),
    ]
    return wide, deep


def input_fn():
    random = np.random.RandomState(0)
    features = {
        "minutes": random.rand(160).astype(np.float32) * 90,
        "age": random.randint(10, 80, 160).astype(np.float32),
        "country": np.array([*COUNTRIES, "fr", ""])[random.randint(0, 5, 160)],
        "shelf": random.randint(0, 6, 160),
        "article": np.array([f"a{n}" for n in random.randint(0, 40, 160)]),
    }
    bought = (features["minutes"] + features["age"] > 80).astype(np.int32)
    dataset = tf.data.Dataset.from_tensor_slices((features, bought))
    return dataset.repeat().batch(16)


def evaluation_input_fn():
    return input_fn().take(10)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model_dir", required=True)
    parser.add_argument("--max_steps", type=int, default=100)
    args = parser.parse_args()
    wide, deep = feature_columns()
    classifier = tf1.estimator.DNNLinearCombinedClassifier(
        model_dir=args.model_dir,
        linear_feature_columns=wide,
        linear_optimizer=tf1.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01),
        dnn_feature_columns=deep,
        dnn_optimizer=tf1.train.AdagradOptimizer(0.05),
        dnn_hidden_units=[16, 8],
        config=tf1.estimator.RunConfig(save_checkpoints_steps=5),
    )
    classifier.train(input_fn, max_steps=args.max_steps)
    metrics = classifier.evaluate(evaluation_input_fn, steps=10)
    print("accuracy", metrics["accuracy"], "step", metrics["global_step"])
    for prediction in itertools.islice(classifier.predict(input_fn), 3):
        print(prediction["class_ids"], prediction["probabilities"])


if __name__ == "__main__":
    main()
