"""Prints why each of several programs is refused on two replicas; usage: refused_replicas.py."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from migrate.recovery.model_fn_replicas import ReplicatedTraining
from migrate.recovery.model_fn_spec import EstimatorSpec

processor = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(processor, [tf.config.LogicalDeviceConfiguration()] * 2)
DATASET = tf.data.Dataset.from_tensors({"x": [[1.0]]}).repeat()
MIRRORED = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])


def spec(features, mode, **more):
    loss = tf.reduce_sum(features["x"] * tf1.get_variable("w", []))
    step = tf1.train.get_global_step()
    return EstimatorSpec(mode, loss=loss, train_op=tf1.train.AdamOptimizer().minimize(loss, step), **more)


def with_scaffold(features, mode):
    return spec(features, mode, scaffold=tf1.train.Scaffold())


def with_a_count_for_each_replica(features, mode):
    on_read = tf.VariableSynchronization.ON_READ
    tf1.get_variable("seen", [], synchronization=on_read, aggregation=tf.VariableAggregation.SUM, trainable=False)
    return spec(features, mode)


for strategy, model_fn in (
    (MIRRORED, with_scaffold),
    (MIRRORED, with_a_count_for_each_replica),
    (tf.distribute.experimental.CentralStorageStrategy(), spec),
):
    try:
        ReplicatedTraining(strategy, model_fn, DATASET)
        print("trains")
    except ValueError as problem:
        print(problem)
