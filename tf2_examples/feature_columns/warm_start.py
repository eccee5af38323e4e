"""Regressors of which the second begins with the weights of the first, written for TensorFlow 2.12 to 2.15."""

import argparse
import os

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from tf2_recovery.estimator.model_checkpoints import ModelCheckpoints
from tf2_recovery.estimator.run_config import RunConfig
from tf2_recovery.premade.dnn import DNNRegressor


def input_fn():
    random = np.random.RandomState(0)
    codes, sizes = random.randint(0, 8, 200), random.rand(200, 3).astype(np.float32)
    features = {"code": codes, "size": sizes}
    values = sizes.sum(axis=1) + codes
    dataset = tf.data.Dataset.from_tensor_slices((features, values))
    return dataset.repeat().batch(10)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model_dir", required=True)
    parser.add_argument("--max_steps", type=int, default=100)
    args = parser.parse_args()
    code = tf.feature_column.categorical_column_with_identity("code", 8)
    columns = [
        tf.feature_column.embedding_column(code, 3),
        tf.feature_column.numeric_column("size", shape=(3,)),
    ]
    first_dir = os.path.join(args.model_dir, "first")
    config = RunConfig(tf_random_seed=1)
    first = DNNRegressor(
        [8],
        columns,
        optimizer="Adagrad",
        config=config,
        checkpoints=ModelCheckpoints(first_dir, checkpoint_interval=20),
    )
    first.train(input_fn, max_steps=30)
    second = DNNRegressor(
        [8],
        columns,
        optimizer=tf1.train.RMSPropOptimizer(0.01, momentum=0.5),
        config=config,
        warm_start_from=first_dir,
        checkpoints=ModelCheckpoints(args.model_dir, checkpoint_interval=20),
    )
    second.train(input_fn, max_steps=args.max_steps)
    metrics = second.evaluate(input_fn, steps=20)
    print("average_loss", metrics["average_loss"])


if __name__ == "__main__":
    main()
