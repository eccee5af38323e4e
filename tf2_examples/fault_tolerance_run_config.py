"""A canned DNNClassifier whose RunConfig settles recovery, written for TensorFlow 2.12 to 2.15.

Trains on MNIST until --interrupt_at stops it, then trains on to --max_steps.
Started again in the same --model_dir it resumes at the newest checkpoint.
"""

import argparse
import tempfile

import numpy as np
import tensorflow as tf

from tf2_recovery.keras_logs import EvaluationLog, TrainingLog
from tf2_recovery.keras_step_recovery import (
    CheckpointRecovery,
    drop_empty_checkpoint_list,
)


class InterruptHook(tf.keras.callbacks.Callback):
    """Asks training to stop once it has run the given number of steps."""

    def __init__(self, steps):
        super().__init__()
        self._steps = steps

    def on_train_begin(self, logs=None):
        self._step = 0

    def on_train_batch_begin(self, batch, logs=None):
        self._step += 1

    def on_train_batch_end(self, batch, logs=None):
        if self._step == self._steps:
            self.model.stop_training = True


def load_data(path):
    """Returns images in [0, 1] and labels, from FILE.npz or from Keras."""
    if path is None:
        return tf.keras.datasets.mnist.load_data()
    with np.load(path) as data:
        return (data["x_train"], data["y_train"]), (data["x_test"], data["y_test"])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model_dir", default=None, help="default: a new directory")
    parser.add_argument("--data", default=None, help="FILE.npz in MNIST's layout")
    parser.add_argument("--max_steps", type=int, default=10)
    parser.add_argument("--interrupt_at", type=int, default=5)
    args = parser.parse_args()
    model_dir = args.model_dir or tempfile.mkdtemp()

    (x_train, y_train), (x_test, y_test) = load_data(args.data)
    x_train, x_test = x_train / 255.0, x_test / 255.0

    inputs = {"x": tf.keras.Input((28, 28), name="x")}
    net = tf.keras.layers.Flatten()(inputs["x"])
    for units in [256, 32]:
        net = tf.keras.layers.Dense(units, activation="relu")(net)
        net = tf.keras.layers.Dropout(0.2)(net)
    classifier = tf.keras.Model(inputs, tf.keras.layers.Dense(10)(net))
    classifier.compile(
        optimizer=tf.keras.optimizers.Adam(0.001, epsilon=1e-08),
        loss=tf.keras.losses.SparseCategoricalCrossentropy(
            from_logits=True, reduction="sum"
        ),
        metrics=[
            tf.keras.metrics.SparseCategoricalAccuracy("accuracy"),
            tf.keras.metrics.SparseCategoricalCrossentropy(
                "average_loss", from_logits=True
            ),
        ],
    )
    # A checkpoint after every step: nothing is lost, whenever the job dies.
    drop_empty_checkpoint_list(model_dir)
    recovery = CheckpointRecovery(
        tf.train.CheckpointManager(
            tf.train.Checkpoint(model=classifier, optimizer=classifier.optimizer),
            model_dir,
            max_to_keep=5,
            step_counter=classifier.optimizer.iterations,
            checkpoint_interval=1,
        )
    )
    training_log = TrainingLog(
        model_dir,
        summary_steps=1,
        log_steps=100,
        tags={"loss": "loss", "average_loss": "average_loss"},
    )
    train_dataset = (
        tf.data.Dataset.from_tensor_slices(({"x": x_train}, y_train.astype(np.int32)))
        .shuffle(1000)
        .repeat(10)
        .batch(50)
    )
    test_dataset = tf.data.Dataset.from_tensor_slices(
        ({"x": x_test}, y_test.astype(np.int32))
    ).batch(128)

    # The first call is interrupted, the second resumes at its last checkpoint.
    if recovery.restore() < args.max_steps:
        classifier.fit(
            train_dataset.take(args.max_steps - recovery.step),
            verbose=0,
            callbacks=[training_log, recovery, InterruptHook(args.interrupt_at)],
        )
    if recovery.restore() < args.max_steps:
        classifier.fit(
            train_dataset.take(args.max_steps - recovery.step),
            verbose=0,
            callbacks=[training_log, recovery],
        )
    metrics = {
        "global_step": recovery.restore(),
        **classifier.evaluate(
            test_dataset,
            verbose=0,
            return_dict=True,
            callbacks=[EvaluationLog(training_log.directory)],
        ),
    }
    print("step", metrics["global_step"], "accuracy", metrics["accuracy"])


if __name__ == "__main__":
    main()
