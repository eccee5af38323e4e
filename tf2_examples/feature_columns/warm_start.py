"""Regressors of which the second begins with the weights of the first; TensorFlow 2.12 to 2.15."""

import argparse
import os

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from tf2_recovery.heads import CannedRegression
from tf2_recovery.model_fn_evaluation import evaluate_model_fn
from tf2_recovery.model_fn_manager import ModelFnCheckpointManager
from tf2_recovery.model_fn_training import ModelFnTraining
from tf2_recovery.premade_networks import dnn_logits
from tf2_recovery.premade_optimizers import (
    canned_optimizer,
    canned_train_op,
    whole_variables,
)
from tf2_recovery.run_training import run_training


def input_fn():
    random = np.random.RandomState(0)
    codes, sizes = random.randint(0, 8, 200), random.rand(200, 3).astype(np.float32)
    features = {"code": codes, "size": sizes}
    values = sizes.sum(axis=1) + codes
    dataset = tf.data.Dataset.from_tensor_slices((features, values))
    return dataset.repeat().batch(10)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model_dir", required=True)
    parser.add_argument("--max_steps", type=int, default=100)
    args = parser.parse_args()
    code = tf.feature_column.categorical_column_with_identity("code", 8)
    columns = [
        tf.feature_column.embedding_column(code, 3),
        tf.feature_column.numeric_column("size", shape=(3,)),
    ]
    first_dir = os.path.join(args.model_dir, "first")

    def model_fn(features, labels, mode):
        head = CannedRegression()
        with tf.compat.v1.variable_scope("dnn", partitioner=whole_variables()):
            logits = dnn_logits(features, columns, [8], head.units, mode)
            return head.spec(
                features,
                labels,
                mode,
                logits,
                lambda loss: canned_train_op(loss, canned_optimizer("Adagrad", 0.05)),
            )

    tf.compat.v1.set_random_seed(1)
    dataset = input_fn()
    training = ModelFnTraining(model_fn, dataset, seed=1, summary_dir=first_dir)
    manager = ModelFnCheckpointManager(
        training, first_dir, max_to_keep=5, checkpoint_interval=20
    )
    run_training(training, manager, max_steps=30)
    model_dir = args.model_dir
    optimizer = tf1.train.RMSPropOptimizer(0.01, momentum=0.5)

    def model_fn_2(features, labels, mode):
        head = CannedRegression()
        with tf.compat.v1.variable_scope("dnn", partitioner=whole_variables()):
            logits = dnn_logits(features, columns, [8], head.units, mode)
            return head.spec(
                features,
                labels,
                mode,
                logits,
                lambda loss: canned_train_op(loss, canned_optimizer(optimizer, 0.05)),
            )

    tf.compat.v1.set_random_seed(1)
    dataset_2 = input_fn()
    training_2 = ModelFnTraining(
        model_fn_2, dataset_2, seed=1, summary_dir=model_dir, warm_start_from=first_dir
    )
    manager_2 = ModelFnCheckpointManager(
        training_2, model_dir, max_to_keep=5, checkpoint_interval=20
    )
    run_training(training_2, manager_2, max_steps=args.max_steps)
    metrics = evaluate_model_fn(model_fn_2, input_fn, model_dir, seed=1, steps=20)
    print("average_loss", metrics["average_loss"])


if __name__ == "__main__":
    main()
