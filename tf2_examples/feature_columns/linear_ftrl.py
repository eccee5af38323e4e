"""A linear classifier of three named classes, with Ftrl, written for TensorFlow 2.12 to 2.15."""

import argparse

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from tf2_recovery.estimator.model_checkpoints import ModelCheckpoints
from tf2_recovery.estimator.train_and_evaluate import (
    EvalSpec,
    TrainSpec,
    train_and_evaluate,
)
from tf2_recovery.premade.linear import LinearClassifier

COLUMNS = [
    tf.feature_column.categorical_column_with_hash_bucket("word", 50),
    tf.feature_column.numeric_column("length"),
]
CLASSES = ["noun", "verb", "other"]


def input_fn():
    random = np.random.RandomState(0)
    words = np.array([f"word{number}" for number in random.randint(0, 40, 200)])
    lengths = random.rand(200).astype(np.float32)
    weights = random.rand(200).astype(np.float32)
    labels = np.array(CLASSES)[random.randint(0, 3, 200)]
    features = {"word": words, "length": lengths, "weight": weights}
    dataset = tf.data.Dataset.from_tensor_slices((features, labels))
    return dataset.repeat().batch(10)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model_dir", required=True)
    parser.add_argument("--max_steps", type=int, default=100)
    args = parser.parse_args()
    classifier = LinearClassifier(
        COLUMNS,
        n_classes=len(CLASSES),
        weight_column="weight",
        label_vocabulary=CLASSES,
        optimizer=lambda: tf1.train.FtrlOptimizer(
            tf1.train.exponential_decay(0.5, tf1.train.get_global_step(), 20, 0.9)
        ),
        checkpoints=ModelCheckpoints(args.model_dir, checkpoint_interval=20),
    )
    train_and_evaluate(
        classifier,
        TrainSpec(input_fn, max_steps=args.max_steps),
        EvalSpec(input_fn, steps=20),
    )
    metrics = classifier.evaluate(input_fn, steps=20)
    print("accuracy", metrics["accuracy"], "loss", metrics["loss"])


if __name__ == "__main__":
    main()
