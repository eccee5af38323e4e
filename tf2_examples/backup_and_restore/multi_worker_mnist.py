"""MNIST from a file, and a small network for it, for ``multi_worker_main``."""

import numpy as np
import tensorflow as tf


def mnist_dataset(path, split, batch_size):
    """Batches of the split ``train`` or ``test`` of an .npz in MNIST's layout."""
    with np.load(path) as arrays:
        images = arrays[f"x_{split}"] / np.float32(255)
        labels = arrays[f"y_{split}"].astype(np.int64)
    dataset = tf.data.Dataset.from_tensor_slices((images[..., np.newaxis], labels))
    return dataset.repeat().batch(batch_size)


def build_and_compile_cnn_model():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Conv2D(32, 3, activation="relu"),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(128, activation="relu"),
            tf.keras.layers.Dense(10),
        ]
    )
    model.compile(
        loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        optimizer=tf.keras.optimizers.SGD(learning_rate=0.001),
        metrics=["accuracy"],
    )
    return model
