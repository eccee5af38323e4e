"""Wide and deep on census data, with every kind of feature column, written for TensorFlow 2.12 to 2.15.

Trains, evaluates and exports. Started again in the same --model_dir it resumes at the
newest checkpoint.
"""

import argparse
import csv
import itertools
import os

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from tf2_recovery.estimator.export import build_parsing_serving_input_receiver_fn
from tf2_recovery.estimator.model_checkpoints import ModelCheckpoints
from tf2_recovery.estimator.run_config import RunConfig
from tf2_recovery.premade.combined import DNNLinearCombinedClassifier

NUMBERS = ("age", "education_num", "hours_per_week")
WORDS = ("workclass", "occupation", "relationship")


def feature_columns(vocabulary_file):
    """Returns the wide and the deep columns."""
    column = tf.feature_column
    age = column.numeric_column("age")
    hours = column.numeric_column("hours_per_week")
    scaled = column.numeric_column(
        "hours_per_week", normalizer_fn=lambda hours: hours / 40.0
    )
    workclass = column.categorical_column_with_vocabulary_list(
        "workclass", ["private", "state", "self"], num_oov_buckets=1
    )
    relationship = column.categorical_column_with_vocabulary_file(
        "relationship", vocabulary_file, vocabulary_size=3, default_value=0
    )
    occupation = column.categorical_column_with_hash_bucket("occupation", 20)
    region = column.categorical_column_with_identity("region", 5)
    weighted = column.weighted_categorical_column(region, "education_num")
    ages = column.bucketized_column(age, [25, 35, 45, 55])
    crossed = column.crossed_column(["occupation", ages], 50)
    wide = [workclass, relationship, occupation, weighted, ages, crossed, hours]
    deep = [
        scaled,
        ages,
        column.indicator_column(workclass),
        column.indicator_column(crossed),
        column.embedding_column(occupation, 4, combiner="sqrtn"),
        column.embedding_column(region, 2),
    ]
    return wide, deep


def load(path):
    """Returns the features of a census as a dict of arrays, and the labels."""
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    features = {name: np.array([row[name] for row in rows]) for name in WORDS}
    for name in NUMBERS:
        features[name] = np.array([float(row[name]) for row in rows], np.float32)
    features["region"] = np.array([int(row["region"]) for row in rows])
    return features, np.array([int(row["income"] == ">50K") for row in rows])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model_dir", required=True)
    parser.add_argument("--data", required=True, help="a directory with census.csv")
    parser.add_argument("--max_steps", type=int, default=200)
    args = parser.parse_args()
    wide, deep = feature_columns(os.path.join(args.data, "relationship.txt"))
    features, labels = load(os.path.join(args.data, "census.csv"))

    def train_input_fn():
        dataset = tf.data.Dataset.from_tensor_slices((features, labels))
        return dataset.shuffle(100, seed=1).repeat().batch(16)

    def eval_input_fn():
        return tf.data.Dataset.from_tensor_slices((features, labels)).batch(16)

    classifier = DNNLinearCombinedClassifier(
        linear_feature_columns=wide,
        linear_optimizer=tf1.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01),
        dnn_feature_columns=deep,
        dnn_optimizer=tf1.train.AdagradOptimizer(0.05),
        dnn_hidden_units=[16, 8],
        batch_norm=True,
        config=RunConfig(tf_random_seed=1),
        checkpoints=ModelCheckpoints(args.model_dir, checkpoint_interval=20),
    )
    classifier.train(train_input_fn, max_steps=args.max_steps)
    metrics = classifier.evaluate(eval_input_fn)
    for name in sorted(metrics):
        print(name, metrics[name])
    predictions = classifier.predict(eval_input_fn)
    for prediction in itertools.islice(predictions, 3):
        print(prediction["class_ids"], prediction["probabilities"])
    columns = tf.feature_column.make_parse_example_spec(wide + deep)
    classifier.export_saved_model(
        os.path.join(args.model_dir, "export"),
        build_parsing_serving_input_receiver_fn(columns),
    )


if __name__ == "__main__":
    main()
