"""One of three workers, each of which prints what it comes to; usage: three_workers.py DIRECTORY."""

import os
import sys
import time

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from migrate.recovery.model_fn_input_context import input_context
from migrate.recovery.model_fn_spec import EstimatorSpec
from migrate.recovery.model_fn_workers import WorkersTraining

PICKED = ([0, 1, 1, 4], [2], [1, 4, 3])
"""The rows of a table that each worker's batch looks up."""


def model_fn(features, mode):
    table = tf1.get_variable("table", [5, 2])
    tf1.get_variable("is_read", initializer=lambda: tf.random.uniform([8]) > 0.5, trainable=False)
    loss = tf.reduce_sum(tf.nn.embedding_lookup(table, features["rows"])) * tf1.get_variable("scale", [])
    step = tf1.train.get_global_step()
    return EstimatorSpec(mode, loss=loss, train_op=tf1.train.GradientDescentOptimizer(0.5).minimize(loss, step))


def made(timeout_secs=60):
    training = WorkersTraining(strategy, model_fn, dataset, timeout_secs=timeout_secs)
    manager = tf.train.CheckpointManager(training.checkpoint, directory, max_to_keep=1)
    return training, manager


def values(training):
    return {name: variable.numpy() for name, variable in training.variables.items()}


strategy = tf.distribute.MultiWorkerMirroredStrategy()
context = input_context(strategy)
number = context.input_pipeline_id
print("draws as", number, "of", context.num_input_pipelines)
directory = sys.argv[1]
dataset = tf.data.Dataset.from_tensors({"rows": tf.constant(PICKED[number])}).repeat()

training, manager = made()
training.restore(manager)
before = values(training)
print("begins with", before["table"].tobytes().hex(), before["is_read"].tolist())
training(iter(dataset), 1, 0)
after = values(training)
wanted = before["table"].copy()
np.subtract.at(wanted, np.concatenate(PICKED), 0.5 * before["scale"] / 3)
# Rows are added in another order than here, and may come near 0.
np.testing.assert_allclose(after["table"], wanted, rtol=1e-6, atol=1e-6)
summed = sum(before["table"][rows].sum() for rows in PICKED)
np.testing.assert_allclose(after["scale"], before["scale"] - 0.5 * summed / 3, rtol=1e-5, atol=1e-6)
if training.is_chief:
    manager.save(checkpoint_number=1)
training.wait_for_all()
print("ends with", after["table"].tobytes().hex(), float(after["scale"]).hex())

directory = os.path.join(directory, str(number)) if number == 1 else directory
training, manager = made(timeout_secs=3)
try:
    training.restore(manager)
except RuntimeError as problem:
    print(str(problem).partition(":")[0])
if number == 0:
    began = time.monotonic()
    try:
        training(iter(dataset), 2, 0)
    except tf.errors.OpError as problem:
        print("waits for the others", type(problem).__name__, problem)
        assert time.monotonic() - began < 30
else:
    time.sleep(8)
