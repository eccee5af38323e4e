"""Functions for ``--model``: the models that stand for the estimators of programs/train_estimators.py, well and ill."""

import tensorflow as tf

from tests.tensorflow.checkpoints.job import build

ADAM = "v1-three-AdamOptimizer"


def adam():
    return build(ADAM)


def one_layer_more():
    return build(ADAM, units=(8, 5, 4))


def one_layer_less():
    return build(ADAM, units=(8,))


def wider():
    return build(ADAM, units=(8, 6))


def without_slots():
    return build(ADAM, optimizer=tf.keras.optimizers.SGD(0.01))


def nadam():
    return build(ADAM, optimizer=tf.keras.optimizers.Nadam())


def momentum_of_a_schedule():
    schedule = tf.keras.optimizers.schedules.ExponentialDecay(0.01, 10, 0.5)
    return build("v1-three-MomentumOptimizer", optimizer=tf.keras.optimizers.SGD(schedule, momentum=0.9))


def other_momentum():
    return build("v2-three-SGD_momentum", optimizer=tf.keras.optimizers.SGD(0.01, momentum=0.5))


def other_rate():
    return build("v2-three-SGD", optimizer=tf.keras.optimizers.SGD(0.5))


def with_other_layers():
    inputs = {"x": tf.keras.Input((6,), name="x")}
    net = tf.keras.layers.LayerNormalization(name="extra")(inputs["x"])
    model = tf.keras.Model(inputs, tf.keras.layers.Dense(3)(net))
    model.compile(optimizer=tf.keras.optimizers.Adam(0.01), loss="mse")
    return model


def nothing():
    return None
