"""A custom estimator on the workers that TF_CONFIG names; usage: two_workers.py MODEL_DIR train|train_and_evaluate."""

import sys

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1


def input_fn():
    features = np.random.RandomState(0).rand(64, 4).astype(np.float32)
    numbered = {"x": features, "number": np.arange(64)}
    return tf.data.Dataset.from_tensor_slices((numbered, np.arange(64) % 3)).repeat().batch(4)


def model_fn(features, labels, mode):
    seeded = tf1.initializers.glorot_uniform(seed=3)
    net = tf1.layers.dense(features["x"], 3, kernel_initializer=seeded)
    loss = tf1.losses.sparse_softmax_cross_entropy(labels, net)
    first = tf.print("drew", features["number"][0], output_stream=sys.stdout)
    with tf1.control_dependencies([first]):
        train_op = tf1.train.AdamOptimizer(0.01).minimize(loss, tf1.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


strategy = tf.distribute.MultiWorkerMirroredStrategy() if sys.argv[2] != "alone" else None
config = tf.estimator.RunConfig(model_dir=sys.argv[1], tf_random_seed=1, train_distribute=strategy)
estimator = tf.estimator.Estimator(model_fn, config=config)
if sys.argv[2] == "train_and_evaluate":
    specs = tf.estimator.TrainSpec(input_fn, max_steps=5), tf.estimator.EvalSpec(input_fn, steps=1)
    tf.estimator.train_and_evaluate(estimator, *specs)
else:
    estimator.train(input_fn, max_steps=5)
