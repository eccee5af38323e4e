"""An Estimator with a model_fn, of 40 steps with 24 MiB of state, which saves every 5 steps."""

import argparse

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

parser = argparse.ArgumentParser()
parser.add_argument("--model_dir", required=True)
options = parser.parse_args()

rng = np.random.RandomState(0)
x, y = rng.rand(40, 64).astype("float32"), rng.randint(0, 10, 40).astype("int32")


def input_fn():
    return tf.data.Dataset.from_tensor_slices((x, y)).repeat().batch(8)


def model_fn(features, labels, mode):
    net = features
    for index, (rows, columns) in enumerate([(64, 1400), (1400, 1400), (1400, 10)]):
        weights = tf1.get_variable(f"weights_{index}", [rows, columns])
        net = tf.matmul(tf.nn.relu(net), weights)
    loss = tf1.losses.sparse_softmax_cross_entropy(labels=labels, logits=net)
    step = tf1.train.get_global_step()
    train_op = tf1.train.AdamOptimizer().minimize(loss, global_step=step)
    return tf1.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


config = tf1.estimator.RunConfig(save_checkpoints_steps=5, keep_checkpoint_max=2)
estimator = tf1.estimator.Estimator(model_fn, options.model_dir, config)
estimator.train(input_fn, max_steps=40)
