"""A canned Estimator of 40 steps with 24 MiB of state, which saves every 5 steps."""

import argparse

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--model_dir", required=True)
options = parser.parse_args()

rng = np.random.RandomState(0)
x, y = rng.rand(40, 64).astype("float32"), rng.randint(0, 10, 40).astype("int32")


def input_fn():
    return tf.data.Dataset.from_tensor_slices(({"x": x}, y)).repeat().batch(8)


classifier = tf.estimator.DNNClassifier(
    feature_columns=[tf.feature_column.numeric_column("x", shape=[64])],
    hidden_units=[1400, 1400],
    n_classes=10,
    optimizer=tf.keras.optimizers.legacy.Adam(0.001),
    model_dir=options.model_dir,
    config=tf.estimator.RunConfig(save_checkpoints_steps=5, keep_checkpoint_max=2),
)
classifier.train(input_fn, max_steps=40)
