"""The guide's premade classifier as a Keras model that BackupAndRestore resumes, written by hand.

Trains on MNIST until --interrupt_at stops it, then trains on to --max_steps.
Started again in the same --model_dir it resumes at its last backup.
With --continue_from it begins where a job of fault_tolerance_run_config.py has saved last.
"""

import argparse
import os
import tempfile

import numpy as np
import tensorflow as tf


class Interruption(Exception):
    """Ends a ``fit`` that is to be resumed."""


class InterruptCallback(tf.keras.callbacks.Callback):
    """Raises Interruption once the given number of steps has been run."""

    def __init__(self, steps):
        super().__init__()
        self._steps = steps

    def on_train_begin(self, logs=None):
        self._step = 0

    def on_train_batch_begin(self, batch, logs=None):
        if self._step == self._steps:
            raise Interruption(f"after {self._step} steps")
        self._step += 1


def load_data(path):
    """Returns images in [0, 1] and labels, from FILE.npz or from Keras."""
    if path is None:
        return tf.keras.datasets.mnist.load_data()
    with np.load(path) as data:
        return (data["x_train"], data["y_train"]), (data["x_test"], data["y_test"])


def build_model(dropout=0.2):
    """Returns the classifier, compiled as the Estimator trains it: Adam's epsilon, a loss summed over the batch."""
    layers = [tf.keras.Input((28, 28)), tf.keras.layers.Flatten()]
    for units in (256, 32):
        layers += [
            tf.keras.layers.Dense(units, activation="relu"),
            tf.keras.layers.Dropout(dropout),
        ]
    model = tf.keras.Sequential([*layers, tf.keras.layers.Dense(10)])
    loss = tf.keras.losses.SparseCategoricalCrossentropy(
        from_logits=True, reduction="sum"
    )
    model.compile(
        tf.keras.optimizers.Adam(0.001, epsilon=1e-8), loss, metrics=["accuracy"]
    )
    return model


def load_estimator_checkpoint(model, model_dir):
    """Loads weights, Adam's slots and the step of a premade DNNClassifier by their names; returns the step."""
    names = [
        f"dnn/{layer}/{part}"
        for layer in ("hiddenlayer_0", "hiddenlayer_1", "logits")
        for part in ("kernel", "bias")
    ]
    checkpoint = tf.train.load_checkpoint(model_dir)
    optimizer = model.optimizer
    optimizer.build(model.trainable_variables)
    for variable, name in zip(model.trainable_variables, names):
        variable.assign(checkpoint.get_tensor(name))
    for slots, suffix in (
        (optimizer._momentums, "Adam"),
        (optimizer._velocities, "Adam_1"),
    ):
        for slot, name in zip(slots, names):
            slot.assign(checkpoint.get_tensor(f"{name}/t_0/{suffix}"))
    optimizer.iterations.assign(checkpoint.get_tensor("global_step"))
    return int(checkpoint.get_tensor("global_step"))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model_dir", default=None, help="default: a new directory")
    parser.add_argument("--data", default=None, help="FILE.npz in MNIST's layout")
    parser.add_argument("--max_steps", type=int, default=10)
    parser.add_argument("--save_steps", type=int, default=1, help="steps of an epoch")
    parser.add_argument("--interrupt_at", type=int, default=5)
    parser.add_argument(
        "--continue_from", default=None, help="an Estimator's model_dir"
    )
    args = parser.parse_args()
    if args.max_steps % args.save_steps:
        parser.error("--max_steps must be a multiple of --save_steps")
    backup_dir = os.path.join(args.model_dir or tempfile.mkdtemp(), "backup")

    (x_train, y_train), (x_test, y_test) = load_data(args.data)
    x_train, x_test = x_train / 255.0, x_test / 255.0
    dataset = tf.data.Dataset.from_tensor_slices((x_train, y_train))
    dataset = dataset.shuffle(1000).repeat().batch(50)

    model = build_model()
    step = (
        load_estimator_checkpoint(model, args.continue_from)
        if args.continue_from
        else 0
    )
    # A backup after each epoch. It is kept at the end: a finished job that is started again trains nothing.
    backup = tf.keras.callbacks.BackupAndRestore(backup_dir, delete_checkpoint=False)

    def train(*callbacks):
        model.fit(
            dataset,
            epochs=args.max_steps // args.save_steps,
            initial_epoch=step // args.save_steps,
            steps_per_epoch=args.save_steps,
            callbacks=[backup, *callbacks],
            verbose=0,
        )

    # The first call is interrupted, the second resumes at its last backup.
    try:
        train(InterruptCallback(args.interrupt_at))
    except Interruption as interruption:
        print("interrupted", interruption)
    train()
    accuracy = model.evaluate(x_test, y_test, verbose=0, return_dict=True)["accuracy"]
    print("step", int(model.optimizer.iterations.numpy()), "accuracy", accuracy)


if __name__ == "__main__":
    main()
