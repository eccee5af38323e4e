"""A convolutional network of contrib.slim with batch normalization, written for TensorFlow 1.15.

Trains and evaluates on random images. Started again in the same
--model_dir it resumes at the newest checkpoint. Migrated, it needs tf_slim==1.1.0, and
from TensorFlow 2.16 on tf_keras with TF_USE_LEGACY_KERAS=1.
"""

import argparse

import numpy as np
import tensorflow.compat.v1 as tf

from tf2_recovery.contrib.slim import slim
from tf2_recovery.estimator.estimator import Estimator, EstimatorSpec, ModeKeys
from tf2_recovery.estimator.model_checkpoints import ModelCheckpoints


def network(images, training):
    normalized = {
        "decay": 0.9,
        "is_training": training,
        "updates_collections": tf.GraphKeys.UPDATE_OPS,
    }
    with slim.arg_scope(
        [slim.conv2d, slim.separable_conv2d],
        normalizer_fn=slim.batch_norm,
        normalizer_params=normalized,
        weights_regularizer=slim.l2_regularizer(1e-3),
    ):
        net = slim.conv2d(images, 4, [3, 3], scope="first")
        net = slim.separable_conv2d(
            net, None, [3, 3], depth_multiplier=1, scope="second"
        )
    net = slim.flatten(slim.max_pool2d(net, [2, 2], scope="pool"))
    return slim.fully_connected(net, 3, activation_fn=None, scope="logits")


def model_fn(features, labels, mode):
    logits = network(features, mode == ModeKeys.TRAIN)
    loss = (
        tf.losses.sparse_softmax_cross_entropy(labels, logits)
        + tf.losses.get_regularization_loss()
    )
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train_op = tf.train.AdamOptimizer(0.01).minimize(
            loss, tf.train.get_global_step()
        )
    metrics = {
        "accuracy": tf.metrics.accuracy(
            predictions=tf.argmax(logits, 1),
            labels=tf.cast(labels, tf.int64),
        )
    }
    return EstimatorSpec(
        mode, {"logits": logits}, loss, train_op, eval_metric_ops=metrics
    )


def input_fn():
    random = np.random.RandomState(0)
    images = random.rand(24, 8, 8, 3).astype(np.float32)
    labels = random.randint(0, 3, 24).astype(np.int32)
    return tf.data.Dataset.from_tensor_slices((images, labels)).batch(4).repeat()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model_dir", required=True)
    parser.add_argument("--max_steps", type=int, default=100)
    args = parser.parse_args()
    estimator = Estimator(
        model_fn,
        checkpoints=ModelCheckpoints(
            args.model_dir, max_to_keep=3, checkpoint_interval=5
        ),
    )
    estimator.train(input_fn, max_steps=args.max_steps)
    print(estimator.evaluate(input_fn, steps=1))


if __name__ == "__main__":
    main()
