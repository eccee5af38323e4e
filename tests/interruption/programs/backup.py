"""A small ``fit`` job with stock BackupAndRestore: epochs of 5 steps, a backup after each or every few steps."""

import argparse

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--model_dir", required=True)
parser.add_argument("--save_freq", type=int, help="back up after so many steps; after each epoch by default")
parser.add_argument("--steps_per_epoch", type=int, default=5)
parser.add_argument("--epochs", type=int, default=6)
options = parser.parse_args()

tf.keras.utils.set_random_seed(7)
rng = np.random.RandomState(0)
X, Y = rng.rand(640, 8).astype("float32"), rng.randint(0, 10, 640).astype("int32")
model = tf.keras.Sequential([tf.keras.layers.Dense(16, activation="relu"), tf.keras.layers.Dense(10)])
model.build((None, 8))
model.compile(tf.keras.optimizers.Adam(0.05), tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
data = tf.data.Dataset.from_tensor_slices((X, Y)).repeat().batch(64)
backup = tf.keras.callbacks.BackupAndRestore(options.model_dir, save_freq=options.save_freq or "epoch")
model.fit(data, steps_per_epoch=options.steps_per_epoch, epochs=options.epochs, verbose=0, callbacks=[backup])
