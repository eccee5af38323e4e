"""A Keras model that an Estimator trains, written for TensorFlow 2.12 to 2.15.

Started again in the same --model_dir it resumes at the newest checkpoint.
"""

import argparse
import itertools

import numpy as np
import tensorflow as tf

from tf2_recovery.keras_logs import EvaluationLog, TrainingLog
from tf2_recovery.keras_predictions import predict_outputs
from tf2_recovery.keras_step_recovery import (
    CheckpointRecovery,
    drop_empty_checkpoint_list,
)


def build_model():
    inputs = tf.keras.Input((3,), name="x")
    net = tf.keras.layers.Dense(8, activation="relu", name="hidden")(inputs)
    model = tf.keras.Model(inputs, tf.keras.layers.Dense(1, name="sum")(net))
    model.compile(optimizer=tf.keras.optimizers.Adam(0.01), loss="mse", metrics=["mae"])
    return model


def input_fn():
    x = np.random.RandomState(0).rand(64, 3).astype(np.float32)
    y = x.sum(axis=1, keepdims=True)
    return tf.data.Dataset.from_tensor_slices(({"x": x}, y)).repeat().batch(8)


def evaluation_input_fn():
    return input_fn().take(10)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model_dir", required=True)
    parser.add_argument("--max_steps", type=int, default=100)
    args = parser.parse_args()
    model = build_model()
    estimator = model
    drop_empty_checkpoint_list(args.model_dir)
    recovery = CheckpointRecovery(
        tf.train.CheckpointManager(
            tf.train.Checkpoint(model=estimator, optimizer=estimator.optimizer),
            args.model_dir,
            max_to_keep=5,
            step_counter=estimator.optimizer.iterations,
            checkpoint_interval=5,
        )
    )
    training_log = TrainingLog(
        args.model_dir, summary_steps=100, log_steps=100, tags={"loss": "loss_1"}
    )
    if recovery.restore() < args.max_steps:
        estimator.fit(
            input_fn().take(args.max_steps - recovery.step),
            verbose=0,
            callbacks=[training_log, recovery],
        )
    metrics = {
        "global_step": recovery.restore(),
        **estimator.evaluate(
            evaluation_input_fn(),
            steps=8,
            verbose=0,
            return_dict=True,
            callbacks=[EvaluationLog(training_log.directory)],
        ),
    }
    print("mae", metrics["mae"], "step", metrics["global_step"])
    for prediction in itertools.islice(predict_outputs(recovery, input_fn()), 3):
        print("sum", prediction["sum"])


if __name__ == "__main__":
    main()
