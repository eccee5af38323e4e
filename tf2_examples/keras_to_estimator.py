"""A Keras model that an Estimator trains, written for TensorFlow 2.12 to 2.15.

Started again in the same --model_dir it resumes at the newest checkpoint.
"""

import argparse
import itertools

import numpy as np
import tensorflow as tf

from tf2_recovery.estimator.run_config import RunConfig
from tf2_recovery.keras.model_to_estimator import model_to_estimator


def build_model():
    inputs = tf.keras.Input((3,), name="x")
    net = tf.keras.layers.Dense(8, activation="relu", name="hidden")(inputs)
    model = tf.keras.Model(inputs, tf.keras.layers.Dense(1, name="sum")(net))
    model.compile(optimizer=tf.keras.optimizers.Adam(0.01), loss="mse", metrics=["mae"])
    return model


def input_fn():
    x = np.random.RandomState(0).rand(64, 3).astype(np.float32)
    y = x.sum(axis=1, keepdims=True)
    return tf.data.Dataset.from_tensor_slices(({"x": x}, y)).repeat().batch(8)


def evaluation_input_fn():
    return input_fn().take(10)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model_dir", required=True)
    parser.add_argument("--max_steps", type=int, default=100)
    args = parser.parse_args()
    model = build_model()
    config = RunConfig(save_checkpoints_steps=5, keep_checkpoint_max=3)
    estimator = model_to_estimator(
        keras_model=model, model_dir=args.model_dir, config=config
    )
    estimator.train(input_fn, max_steps=args.max_steps)
    metrics = estimator.evaluate(evaluation_input_fn, steps=8)
    print("mae", metrics["mae"], "step", metrics["global_step"])
    for prediction in itertools.islice(estimator.predict(input_fn), 3):
        print("sum", prediction["sum"])


if __name__ == "__main__":
    main()
