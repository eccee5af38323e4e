"""Carries an Estimator's step-0 checkpoint over for the migrated program; usage: carry_initial.py FROM TO."""

import sys

import tensorflow as tf

from tests.tensorflow.checkpoints.job import carry

inputs = {"x": tf.keras.Input((28, 28), name="x")}
net = tf.keras.layers.Flatten()(inputs["x"])
for units in (256, 32):
    net = tf.keras.layers.Dense(units, activation="relu")(net)
model = tf.keras.Model(inputs, tf.keras.layers.Dense(10)(net))
model.compile(optimizer=tf.keras.optimizers.Adam(0.001, epsilon=1e-08), loss="mse")
carry(sys.argv[1], model, sys.argv[2])
