"""A linear classifier of three named classes, with Ftrl; TensorFlow 2.12 to 2.15."""

import argparse

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from tf2_recovery.evaluation_listener import EvaluationListener
from tf2_recovery.heads import CannedClasses
from tf2_recovery.model_fn_evaluation import evaluate_model_fn
from tf2_recovery.model_fn_manager import ModelFnCheckpointManager
from tf2_recovery.model_fn_training import ModelFnTraining
from tf2_recovery.premade_networks import linear_logits
from tf2_recovery.premade_optimizers import (
    canned_optimizer,
    canned_train_op,
    whole_variables,
)
from tf2_recovery.run_training import run_training

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
    model_dir = args.model_dir
    optimizer = lambda: tf1.train.FtrlOptimizer(
        tf1.train.exponential_decay(0.5, tf1.train.get_global_step(), 20, 0.9)
    )
    n_classes = len(CLASSES)

    def model_fn(features, labels, mode):
        head = CannedClasses(
            n_classes=n_classes, label_vocabulary=CLASSES, weight_column="weight"
        )
        with tf.compat.v1.variable_scope("linear", partitioner=whole_variables()):
            logits = linear_logits(features, COLUMNS, head.units)
            return head.spec(
                features,
                labels,
                mode,
                logits,
                lambda loss: canned_train_op(loss, canned_optimizer(optimizer, 0.2)),
            )

    dataset = input_fn()
    training = ModelFnTraining(model_fn, dataset, summary_dir=model_dir)
    manager = ModelFnCheckpointManager(
        training, model_dir, max_to_keep=5, checkpoint_interval=20
    )
    run_training(
        training,
        manager,
        max_steps=args.max_steps,
        saving_listeners=[
            EvaluationListener(
                lambda: evaluate_model_fn(model_fn, input_fn, model_dir, steps=20)
            )
        ],
    )
    metrics = evaluate_model_fn(model_fn, input_fn, model_dir, steps=20)
    print("accuracy", metrics["accuracy"], "loss", metrics["loss"])


if __name__ == "__main__":
    main()
