"""A ``fit`` of 8 epochs of 5 steps, with 24 MiB of state, that recovers by what Keras itself has."""

import argparse
import os

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--model_dir", required=True)
parser.add_argument("--way", choices=["backup", "backup-double", "model-checkpoint"], required=True)
options = parser.parse_args()

os.makedirs(options.model_dir, exist_ok=True)
tf.keras.utils.set_random_seed(7)
inputs = tf.keras.Input((64,))
net = tf.keras.layers.Dense(1400, activation="relu")(inputs)
net = tf.keras.layers.Dense(1400, activation="relu")(net)
model = tf.keras.Model(inputs, tf.keras.layers.Dense(10)(net))
model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
rng = np.random.RandomState(0)
examples = rng.rand(40, 64).astype("float32"), rng.randint(0, 10, 40).astype("int32")
data = tf.data.Dataset.from_tensor_slices(examples).repeat().batch(8)

first = 0
if options.way == "model-checkpoint":
    weights = os.path.join(options.model_dir, "model.weights.h5")
    if os.path.exists(weights):
        model.load_weights(weights)
        first = int(model.optimizer.iterations.numpy()) // 5
    recovery = tf.keras.callbacks.ModelCheckpoint(weights, save_weights_only=True)
else:
    double = {"double_checkpoint": True} if options.way == "backup-double" else {}
    recovery = tf.keras.callbacks.BackupAndRestore(options.model_dir, **double)
model.fit(data, steps_per_epoch=5, epochs=8, initial_epoch=first, verbose=0, callbacks=[recovery])
