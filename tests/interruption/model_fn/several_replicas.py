"""A model_fn with batch normalisation, which an Estimator trains on two replicas on this machine's processor."""

import argparse

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

processor = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(processor, [tf.config.LogicalDeviceConfiguration()] * 2)
parser = argparse.ArgumentParser()
parser.add_argument("--model_dir")
parser.add_argument("--max_steps", type=int)
parser.add_argument("--optimizer", default="adam")
parser.add_argument("--rows", type=int, default=24)
parser.add_argument("--times", type=int)
parser.add_argument("--warm_start")


def input_fn():
    """Six batches, which two replicas draw in three steps."""
    rows, classes = np.random.RandomState(0).rand(args.rows, 4), np.arange(args.rows) % 3
    return tf.data.Dataset.from_tensor_slices(({"x": rows.astype("float32")}, classes)).repeat(args.times).batch(4)


def model_fn(features, labels, mode):
    training = mode == tf.estimator.ModeKeys.TRAIN
    seeded = tf1.initializers.glorot_uniform(seed=3)
    net = tf1.layers.dense(features["x"], 5, kernel_initializer=seeded)
    net = tf1.layers.batch_normalization(net, training=training, momentum=0.9)
    net = tf1.layers.dense(net, 3, kernel_initializer=seeded)
    loss = tf1.losses.sparse_softmax_cross_entropy(labels, net)
    if not training:
        return tf.estimator.EstimatorSpec(mode, loss=loss)
    step = tf1.train.get_global_step()
    rate = tf1.train.exponential_decay(0.05, step, 3, 0.9)
    optimizer = tf1.train.AdamOptimizer(rate)
    if args.optimizer == "momentum":
        optimizer = tf1.train.MomentumOptimizer(rate, 0.9)
    with tf1.control_dependencies(tf1.get_collection(tf1.GraphKeys.UPDATE_OPS)):
        train_op = optimizer.minimize(loss, step)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def main():
    strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
    config = tf.estimator.RunConfig(
        model_dir=args.model_dir,
        save_checkpoints_steps=3,
        save_summary_steps=1,
        train_distribute=strategy,
        eval_distribute=strategy,
        session_config=tf1.ConfigProto(device_count={"CPU": 2}, allow_soft_placement=True),
    )
    estimator = tf.estimator.Estimator(model_fn, config=config, warm_start_from=args.warm_start)
    estimator.train(input_fn, max_steps=args.max_steps)
    metrics = estimator.evaluate(input_fn, steps=3)
    print(int(metrics["global_step"]), float(metrics["loss"]).hex())


if __name__ == "__main__":
    args = parser.parse_args()
    main()
