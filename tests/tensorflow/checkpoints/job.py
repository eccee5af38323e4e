"""The Keras models that stand for the estimators of programs/train_estimators.py."""

import numpy as np
import tensorflow as tf

from migrate.checkpoints.bundle import found
from migrate.checkpoints.convert import save, to_program
from migrate.checkpoints.described import describe

keras = tf.keras.optimizers
OPTIMIZERS = {
    "v1-three-default": lambda: keras.Adagrad(0.05, epsilon=0.0),
    "v1-three-AdamOptimizer": lambda: keras.Adam(0.01, epsilon=1e-08),
    "v1-three-FtrlOptimizer": lambda: keras.Ftrl(
        0.05, l1_regularization_strength=0.01, l2_regularization_strength=0.02
    ),
    "v1-three-GradientDescentOptimizer": lambda: keras.SGD(0.01),
    "v1-three-MomentumOptimizer": lambda: keras.SGD(0.01, momentum=0.9),
    "v1-three-Nesterov": lambda: keras.SGD(0.01, momentum=0.9, nesterov=True),
    "v1-three-RMSPropOptimizer": lambda: keras.RMSprop(0.01, momentum=0.5, epsilon=1e-10),
    "v1-three-AdadeltaOptimizer": lambda: keras.Adadelta(0.5, epsilon=1e-08),
    "v1-three-Adam": lambda: keras.Adam(0.05, epsilon=1e-08),
    "v1-three-RMSProp": lambda: keras.RMSprop(0.05, epsilon=1e-10),
    "v2-three-Adagrad": lambda: keras.Adagrad(0.001),
    "v2-three-Adam": lambda: keras.Adam(0.001),
    "v2-three-Ftrl": lambda: keras.Ftrl(0.001),
    "v2-three-RMSProp": lambda: keras.RMSprop(0.001, epsilon=1e-14),
    "v2-three-SGD": lambda: keras.SGD(0.01),
    "v2-three-SGD_momentum": lambda: keras.SGD(0.01, momentum=0.9),
    "v1-two-default": lambda: keras.Adagrad(0.05, epsilon=0.0),
    "v2-two-default": lambda: keras.Adagrad(0.001),
    "v1-value-AdamOptimizer": lambda: keras.Adam(0.01, epsilon=1e-08),
    "v2-value-default": lambda: keras.Adagrad(0.001),
}


def build(name, *, optimizer=None, units=(8, 5), metrics=()):
    """The model that stands for an estimator, by the name of its program."""
    version, target, _ = name.split("-")
    inputs = {"x": tf.keras.Input((6,), name="x")}
    net = inputs["x"]
    for width in units:
        net = tf.keras.layers.Dense(width, activation="relu")(net)
    model = tf.keras.Model(inputs, tf.keras.layers.Dense(3 if target == "three" else 1)(net))
    reduction = "sum" if version == "v1" else "sum_over_batch_size"
    losses = {
        "three": tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction=reduction),
        "two": tf.keras.losses.BinaryCrossentropy(from_logits=True, reduction=reduction),
        "value": tf.keras.losses.MeanSquaredError(reduction=reduction),
    }
    model.compile(optimizer=optimizer or OPTIMIZERS[name](), loss=losses[target], metrics=list(metrics))
    if version == "v1" and isinstance(model.optimizer, keras.RMSprop):
        # tf.compat.v1.train.RMSPropOptimizer starts its mean of squares at 1, Keras at 0.
        model.optimizer.build(model.trainable_variables)
        for slot in model.optimizer.variables:
            if "velocity" in slot.name:
                slot.assign(tf.ones(slot.shape))
    return model


def batches(estimators, name, size=8):
    """One pass over the data that the estimator was trained on, in its order."""
    data = np.load(estimators / "data.npz")
    return tf.data.Dataset.from_tensor_slices(({"x": data["x"]}, data[name.split("-")[1]])).batch(size)


def carry(source, model, directory):
    """Carries an Estimator's checkpoint over for a model, and gives the model its values."""
    checkpoint = tf.train.Checkpoint(model=model, optimizer=model.optimizer)
    save([to_program(found(str(source))[0], describe(checkpoint))], str(directory))
    checkpoint.restore(tf.train.latest_checkpoint(str(directory))).assert_consumed()
    return model
