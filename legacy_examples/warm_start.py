"""A regressor that begins with the weights of another job, written for TensorFlow 2.12 to 2.15.

Started again in the same --model_dir it resumes at the newest checkpoint.
"""

import argparse

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1


def input_fn():
    random = np.random.RandomState(0)
    features = {
        "code": random.randint(0, 6, 160),  # of eight: two are never read
        "size": random.rand(160, 3).astype(np.float32),
    }
    values = features["size"].sum(axis=1) + features["code"]
    dataset = tf.data.Dataset.from_tensor_slices((features, values))
    return dataset.repeat().batch(16)


def evaluation_input_fn():
    return input_fn().take(10)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model_dir", required=True)
    parser.add_argument("--max_steps", type=int, default=100)
    parser.add_argument("--warm_start_from", help="the directory of the other job")
    args = parser.parse_args()
    code = tf.feature_column.categorical_column_with_identity("code", 8)
    regressor = tf1.estimator.DNNRegressor(
        [8],
        [
            tf.feature_column.embedding_column(code, 3),
            tf.feature_column.numeric_column("size", shape=(3,)),
        ],
        args.model_dir,
        optimizer=tf1.train.AdamOptimizer(0.01),
        config=tf1.estimator.RunConfig(save_checkpoints_steps=5),
        warm_start_from=args.warm_start_from,
    )
    regressor.train(input_fn, max_steps=args.max_steps)
    metrics = regressor.evaluate(evaluation_input_fn, steps=10)
    print("average_loss", metrics["average_loss"], "step", metrics["global_step"])


if __name__ == "__main__":
    main()
