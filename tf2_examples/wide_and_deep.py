"""Wide and deep on visits to a shop, with many kinds of feature columns, written for TensorFlow 2.12 to 2.15.

Started again in the same --model_dir it resumes at the newest checkpoint.
"""

import argparse
import itertools

import numpy as np
import tensorflow as tf

from tf2_recovery.keras_columns import (
    DenseColumns,
    FeatureNetwork,
    LinearColumns,
    WideAndDeep,
    example_batch,
)
from tf2_recovery.keras_logs import EvaluationLog, TrainingLog
from tf2_recovery.keras_metrics import predict_classes, two_class_metrics
from tf2_recovery.keras_recovery import CheckpointRecovery, drop_empty_checkpoint_list

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
    layers = [DenseColumns(deep)]
    for units in [16, 8]:
        layers.append(tf.keras.layers.Dense(units, activation="relu"))
    layers.append(tf.keras.layers.Dense(1))
    deep_part = FeatureNetwork(layers)
    classifier = WideAndDeep(wide=LinearColumns(wide), deep=deep_part)
    classifier(example_batch([*wide, *deep]))  # makes its variables
    classifier.compile(
        optimizer=tf.keras.optimizers.Adagrad(0.05, epsilon=0.0),
        wide_optimizer=tf.keras.optimizers.Ftrl(0.1, l1_regularization_strength=0.01),
        loss=tf.keras.losses.BinaryCrossentropy(from_logits=True, reduction="sum"),
        metrics=two_class_metrics(),
    )
    drop_empty_checkpoint_list(args.model_dir)
    recovery = CheckpointRecovery(
        tf.train.CheckpointManager(
            tf.train.Checkpoint(
                model=classifier,
                optimizer=classifier.optimizer,
                wide_optimizer=classifier.wide_optimizer,
            ),
            args.model_dir,
            max_to_keep=5,
            step_counter=classifier.optimizer.iterations,
            checkpoint_interval=5,
        )
    )
    training_log = TrainingLog(
        args.model_dir,
        summary_steps=100,
        log_steps=100,
        tags={"loss": "loss", "average_loss": "average_loss"},
    )
    if recovery.restore() < args.max_steps:
        classifier.fit(
            input_fn().take(args.max_steps - recovery.step),
            verbose=0,
            callbacks=[training_log, recovery],
        )
    metrics = {
        "global_step": recovery.restore(),
        **classifier.evaluate(
            evaluation_input_fn(),
            steps=10,
            verbose=0,
            return_dict=True,
            callbacks=[EvaluationLog(training_log.directory)],
        ),
    }
    print("accuracy", metrics["accuracy"], "step", metrics["global_step"])
    for prediction in itertools.islice(predict_classes(recovery, input_fn()), 3):
        print(prediction["class_ids"], prediction["probabilities"])


if __name__ == "__main__":
    main()
