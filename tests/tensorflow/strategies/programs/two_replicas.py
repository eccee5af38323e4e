"""A canned estimator whose RunConfig trains it on two replicas, both on this machine's processor.

usage: two_replicas.py MODEL_DIR MAX_STEPS
"""

import sys

import numpy as np
import tensorflow as tf

processor = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(processor, [tf.config.LogicalDeviceConfiguration()] * 2)
features = np.random.RandomState(0).rand(64, 4).astype(np.float32)
labels = np.random.RandomState(1).randint(0, 3, 64).astype(np.int32)


def input_fn():
    return tf.data.Dataset.from_tensor_slices(({"x": features}, labels)).repeat().batch(4)


def main(model_dir, max_steps):
    strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
    config = tf.compat.v1.estimator.RunConfig(
        model_dir=model_dir,
        tf_random_seed=1,
        save_checkpoints_steps=4,
        save_summary_steps=1,
        train_distribute=strategy,
        session_config=tf.compat.v1.ConfigProto(device_count={"CPU": 2}, allow_soft_placement=True),
    )
    columns = [tf.feature_column.numeric_column("x", shape=(4,))]
    optimizer = tf.compat.v1.train.AdamOptimizer(0.01)
    classifier = tf.compat.v1.estimator.DNNClassifier([5], columns, n_classes=3, optimizer=optimizer, config=config)
    classifier.train(input_fn, max_steps=max_steps)
    metrics = classifier.evaluate(input_fn, steps=3)
    print(*(f"{name}={float(metrics[name])}" for name in ("global_step", "accuracy", "average_loss", "loss")))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
