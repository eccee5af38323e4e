"""Keras ``fit`` that resumes with the newest model that its ``ModelCheckpoint`` saved.

The epoch stands in the file's name.
"""

import argparse
import os

import numpy as np
import tensorflow as tf

from tf2_recovery.keras_recovery import EpochRecovery, drop_empty_checkpoint_list


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
    model = build_model()

    callbacks = [
        tf.keras.callbacks.CSVLogger(
            os.path.join(args.model_dir, "log.csv"), append=True
        )
    ]
    recovery_dir = os.path.join(args.model_dir, "model_recovery")
    drop_empty_checkpoint_list(recovery_dir)
    recovery = EpochRecovery(
        tf.train.CheckpointManager(
            tf.train.Checkpoint(
                model=model, optimizer=model.optimizer, epoch=tf.Variable(0)
            ),
            recovery_dir,
            max_to_keep=2,
        )
    )
    model.fit(
        images,
        labels,
        batch_size=50,
        epochs=args.epochs,
        initial_epoch=recovery.restore(),
        shuffle=False,
        verbose=0,
        callbacks=[recovery, *callbacks],
    )


if __name__ == "__main__":
    main()
