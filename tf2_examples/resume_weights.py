"""Keras ``fit`` that resumes with the weights that its ``ModelCheckpoint`` saved.

Started again in the same --model_dir it loads them, without the optimizer's state.
"""

import argparse
import os

import numpy as np
import tensorflow as tf

from tf2_recovery.keras.backup_and_restore import BackupAndRestore


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
    model = build_model()

    checkpoint_path = os.path.join(args.model_dir, "cp.weights.h5")
    if os.path.exists(checkpoint_path):
        print("Loading the weights of", checkpoint_path)
        model.load_weights(checkpoint_path)
    checkpoint = tf.keras.callbacks.ModelCheckpoint(
        filepath=checkpoint_path, save_weights_only=True, verbose=1
    )

    model.fit(
        images,
        labels,
        batch_size=50,
        epochs=args.epochs,
        shuffle=False,
        verbose=0,
        callbacks=BackupAndRestore.beside([checkpoint]),
    )


if __name__ == "__main__":
    main()
