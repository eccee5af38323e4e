"""Trains a small network with each of six optimizers, one Estimator after the other; TensorFlow 2.12 to 2.15."""

import argparse
import os

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

OPTIMIZERS = {
    "adam": lambda: tf1.train.AdamOptimizer(0.01),
    "momentum": lambda: tf1.train.MomentumOptimizer(0.1, 0.9),
    "adagrad": lambda: tf1.train.AdagradOptimizer(0.1),
    "rmsprop": lambda: tf1.train.RMSPropOptimizer(0.01),
    "ftrl": lambda: tf1.train.FtrlOptimizer(0.1, l1_regularization_strength=0.001),
    "sgd": lambda: tf1.train.GradientDescentOptimizer(0.1),
}


def model_fn(features, labels, mode, params):
    hidden = tf.nn.relu(tf.matmul(features, tf1.get_variable("w1", [8, 16])))
    logits = tf.matmul(hidden, tf1.get_variable("w2", [16, 10]))
    loss = tf1.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)
    optimizer = OPTIMIZERS[params["optimizer"]]()
    train_op = optimizer.minimize(loss, global_step=tf1.train.get_global_step())
    return tf1.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    random = np.random.RandomState(0)
    x, y = random.rand(640, 8).astype("f"), random.randint(0, 10, 640).astype("int32")
    return tf.data.Dataset.from_tensor_slices((x, y)).shuffle(640, seed=1).repeat().batch(64)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model_dir", required=True)
    parser.add_argument("--max_steps", type=int, required=True)
    parser.add_argument("--optimizers", nargs="*", default=list(OPTIMIZERS))
    args = parser.parse_args()

    for name in args.optimizers:
        config = tf1.estimator.RunConfig(save_summary_steps=1, save_checkpoints_steps=20)
        estimator = tf1.estimator.Estimator(
            model_fn, os.path.join(args.model_dir, name), config, params={"optimizer": name}
        )
        estimator.train(input_fn, max_steps=args.max_steps)


if __name__ == "__main__":
    main()
