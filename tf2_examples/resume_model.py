"""Keras ``fit`` that resumes with the newest model that its ``ModelCheckpoint`` saved.

The epoch stands in the file's name.
"""

import argparse
import glob
import os
import re

import numpy as np
import tensorflow as tf

from tf2_recovery.keras.backup_and_restore import BackupAndRestore


def newest_file(directory):
    files = glob.glob(os.path.join(directory, "model-*.keras"))
    return max(files, key=os.path.getmtime) if files else None


def build_model():
    model = tf.keras.Sequential(
        [
            tf.keras.Input((28, 28)),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(16, activation="relu"),
            tf.keras.layers.Dense(10),
        ]
    )
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer="adam", loss=loss, metrics=["accuracy"])
    return model


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model_dir", required=True)
    parser.add_argument("--data", required=True, help="an .npz in MNIST's layout")
    parser.add_argument("--epochs", type=int, default=5)
    args = parser.parse_args()

    tf.keras.utils.set_random_seed(1)
    with np.load(args.data) as arrays:
        images, labels = arrays["x_train"] / np.float32(255), arrays["y_train"]

    os.makedirs(args.model_dir, exist_ok=True)
    latest = newest_file(args.model_dir)
    if latest is not None:
        model = tf.keras.models.load_model(latest)
        initial_epoch = int(re.search(r"model-(\d+)", latest).group(1))
    else:
        model = build_model()
        initial_epoch = 0

    callbacks = [
        tf.keras.callbacks.ModelCheckpoint(
            os.path.join(args.model_dir, "model-{epoch:02d}.keras")
        ),
        tf.keras.callbacks.CSVLogger(os.path.join(args.model_dir, "log.csv")),
    ]
    model.fit(
        images,
        labels,
        batch_size=50,
        epochs=args.epochs,
        initial_epoch=initial_epoch,
        shuffle=False,
        verbose=0,
        callbacks=BackupAndRestore.beside(callbacks),
    )


if __name__ == "__main__":
    main()
