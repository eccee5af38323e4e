"""A regressor that begins with the weights of another job, written for TensorFlow 2.12 to 2.15.

Started again in the same --model_dir it resumes at the newest checkpoint.
"""

import argparse

import numpy as np
import tensorflow as tf

from tf2_recovery.keras_columns import DenseColumns, FeatureNetwork, example_batch
from tf2_recovery.keras_logs import EvaluationLog, TrainingLog
from tf2_recovery.keras_metrics import value_metrics
from tf2_recovery.keras_recovery import drop_empty_checkpoint_list
from tf2_recovery.keras_warm_start import WarmStartedRecovery


def input_fn():
    random = np.random.RandomState(0)
    features = {
        "code": random.randint(0, 6, 160),  # of eight: two are never read
        "size": random.rand(160, 3).astype(np.float32),
    }
    values = features["size"].sum(axis=1) + features["code"]
    dataset = tf.data.Dataset.from_tensor_slices((features, values))
    return dataset.repeat().batch(16)


def evaluation_input_fn():
    return input_fn().take(10)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model_dir", required=True)
    parser.add_argument("--max_steps", type=int, default=100)
    parser.add_argument("--warm_start_from", help="the directory of the other job")
    args = parser.parse_args()
    code = tf.feature_column.categorical_column_with_identity("code", 8)
    columns = [
        tf.feature_column.embedding_column(code, 3),
        tf.feature_column.numeric_column("size", shape=(3,)),
    ]
    layers = [DenseColumns(columns)]
    for units in [8]:
        layers.append(tf.keras.layers.Dense(units, activation="relu"))
    layers.append(tf.keras.layers.Dense(1))
    regressor = FeatureNetwork(layers)
    regressor(example_batch(columns))  # makes its variables
    regressor.compile(
        optimizer=tf.keras.optimizers.Adam(0.01, epsilon=1e-08),
        loss=tf.keras.losses.MeanSquaredError(reduction="sum"),
        metrics=value_metrics(),
    )
    drop_empty_checkpoint_list(args.model_dir)
    recovery = WarmStartedRecovery(
        tf.train.CheckpointManager(
            tf.train.Checkpoint(model=regressor, optimizer=regressor.optimizer),
            args.model_dir,
            max_to_keep=5,
            step_counter=regressor.optimizer.iterations,
            checkpoint_interval=5,
        ),
        warm_start_from=args.warm_start_from,
    )
    training_log = TrainingLog(
        args.model_dir,
        summary_steps=100,
        log_steps=100,
        tags={"loss": "loss", "average_loss": "average_loss"},
    )
    if recovery.restore() < args.max_steps:
        regressor.fit(
            input_fn().take(args.max_steps - recovery.step),
            verbose=0,
            callbacks=[training_log, recovery],
        )
    metrics = {
        "global_step": recovery.restore(),
        **regressor.evaluate(
            evaluation_input_fn(),
            steps=10,
            verbose=0,
            return_dict=True,
            callbacks=[EvaluationLog(training_log.directory)],
        ),
    }
    print("average_loss", metrics["average_loss"], "step", metrics["global_step"])


if __name__ == "__main__":
    main()
