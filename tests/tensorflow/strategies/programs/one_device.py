"""An Estimator with a strategy or with none; usage: one_device.py MODEL_DIR EXPRESSION."""

import sys

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1


def input_fn():
    features = np.random.RandomState(0).rand(64, 4).astype(np.float32)
    return tf.data.Dataset.from_tensor_slices(({"x": features}, np.arange(64) % 3)).repeat().batch(4)


def model_fn(features, labels, mode):
    seeded = tf1.initializers.glorot_uniform(seed=3)
    net = tf1.layers.dense(features["x"], 3, kernel_initializer=seeded)
    net = tf1.layers.batch_normalization(net, training=True)
    loss = tf1.losses.sparse_softmax_cross_entropy(labels, net)
    with tf1.control_dependencies(tf1.get_collection(tf1.GraphKeys.UPDATE_OPS)):
        train_op = tf1.train.AdamOptimizer(0.01).minimize(loss, tf1.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


config = tf.estimator.RunConfig(model_dir=sys.argv[1], tf_random_seed=1, train_distribute=eval(sys.argv[2]))
tf.estimator.Estimator(model_fn, config=config).train(input_fn, max_steps=7)
