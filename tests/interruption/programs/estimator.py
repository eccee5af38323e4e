"""A small Estimator job: batch normalisation, dropout, Adam with a decaying rate; saves every 5 steps, keeps 3."""

import argparse

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

parser = argparse.ArgumentParser()
parser.add_argument("--model_dir", required=True)
parser.add_argument("--max_steps", type=int, default=23)
parser.add_argument("--evaluate", action="store_true")
options = parser.parse_args()

rng = np.random.RandomState(0)
X, Y = rng.rand(640, 8).astype("float32"), rng.randint(0, 10, 640).astype("int32")


def input_fn():
    return tf.data.Dataset.from_tensor_slices(({"x": X}, Y)).repeat().batch(64)


def model_fn(features, labels, mode):
    training = mode == tf1.estimator.ModeKeys.TRAIN
    hidden = tf1.layers.dense(features["x"], 16, activation=tf.nn.relu, name="hidden")
    hidden = tf1.layers.batch_normalization(hidden, training=training)
    hidden = tf1.layers.dropout(hidden, 0.2, seed=1, training=training)
    logits = tf1.layers.dense(hidden, 10, name="logits")
    loss = tf1.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)
    step = tf1.train.get_global_step()
    optimizer = tf1.train.AdamOptimizer(tf1.train.exponential_decay(0.05, step, 5, 0.9))
    with tf1.control_dependencies(tf1.get_collection(tf1.GraphKeys.UPDATE_OPS)):
        train_op = optimizer.minimize(loss, global_step=step)
    return tf1.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


config = tf1.estimator.RunConfig(options.model_dir, tf_random_seed=7, save_checkpoints_steps=5, keep_checkpoint_max=3)
estimator = tf1.estimator.Estimator(model_fn, config=config)
estimator.train(input_fn, max_steps=options.max_steps)
if options.evaluate:
    print(estimator.evaluate(input_fn, steps=2))
