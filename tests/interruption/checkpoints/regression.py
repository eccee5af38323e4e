"""A canned regressor; TensorFlow 2.12 to 2.15."""

import argparse

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1


def train_input_fn():
    x = np.random.RandomState(0).rand(64, 3).astype(np.float32)
    dataset = tf.data.Dataset.from_tensor_slices(({"x": x}, x.sum(axis=1)))
    return dataset.repeat().batch(8)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model_dir", required=True)
    parser.add_argument("--max_steps", type=int, default=100)
    args = parser.parse_args()
    estimator = tf1.estimator.DNNRegressor(
        [4],
        [tf.feature_column.numeric_column("x", (3,))],
        args.model_dir,
        optimizer=tf1.train.AdamOptimizer(0.01),
    )
    estimator.train(train_input_fn, max_steps=args.max_steps)


if __name__ == "__main__":
    main()
