"""One of three workers, which compares what they come to with what it should be; usage: three_workers.py DIRECTORY."""

import sys

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from migrate.recovery.estimator.estimator import Estimator, EstimatorSpec
from migrate.recovery.estimator.run_config import RunConfig

PICKED = ([0, 1, 1, 4], [2, 2, 2, 2], [1, 4, 3, 3])
"""The rows of a table that each worker's batch looks up."""


def model_fn(features, mode):
    table = tf1.get_variable("table", [5, 2])
    tf1.get_variable("is_read", initializer=lambda: tf.random.uniform([8]) > 0.5, trainable=False)
    loss = tf.reduce_sum(tf.nn.embedding_lookup(table, features["rows"])) * tf1.get_variable("scale", [])
    step = tf1.train.get_global_step()
    return EstimatorSpec(mode, loss=loss, train_op=tf1.train.GradientDescentOptimizer(0.5).minimize(loss, step))


def input_fn(input_context):
    print("draws as", input_context.input_pipeline_id, "of", input_context.num_input_pipelines, flush=True)
    return tf.data.Dataset.from_tensors({"rows": tf.constant(PICKED[input_context.input_pipeline_id])}).repeat()


strategy = tf.distribute.MultiWorkerMirroredStrategy()
directory = sys.argv[1]
config = RunConfig(directory, save_checkpoints_steps=1, train_distribute=strategy)
Estimator(model_fn, config=config).train(input_fn, max_steps=1)
if config.is_chief:
    before, after = (
        {n: tf.train.load_variable(f"{directory}/model.ckpt-{s}", n) for n in ("table", "scale")} for s in (0, 1)
    )
    wanted = before["table"].copy()
    np.subtract.at(wanted, np.concatenate(PICKED), 0.5 * before["scale"] / 3)
    # Rows are added in another order than here, and may come near 0.
    np.testing.assert_allclose(after["table"], wanted, rtol=1e-6, atol=1e-6)
    summed = sum(before["table"][rows].sum() for rows in PICKED)
    np.testing.assert_allclose(after["scale"], before["scale"] - 0.5 * summed / 3, rtol=1e-5, atol=1e-6)
    print("added up", flush=True)
