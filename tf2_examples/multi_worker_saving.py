"""Trains on the workers that ``TF_CONFIG`` names, saves the model once, and loads it again.

Saving reads variables that all workers hold together, so each of them saves; the chief's file stays.
"""

import argparse
import os

import numpy as np
import tensorflow as tf
from multi_worker_mnist import build_and_compile_cnn_model, mnist_dataset

from tf2_recovery.keras.workers import fit_on_workers

parser = argparse.ArgumentParser()
parser.add_argument("--data", required=True, help="an .npz in MNIST's layout")
parser.add_argument("--model_dir", required=True, help="all workers see it")
parser.add_argument("--global_batch_size", type=int, default=128)
parser.add_argument("--epochs", type=int, default=3)
parser.add_argument("--steps_per_epoch", type=int, default=70)
args = parser.parse_args()

strategy = tf.distribute.MultiWorkerMirroredStrategy()
task = strategy.cluster_resolver


def is_chief():
    """The task ``chief``, or worker 0 where there is none, or a process that is alone."""
    if task.task_type is None or task.task_type == "chief":
        return True
    return task.task_id == 0 and "chief" not in task.cluster_spec().jobs


def own_directory(directory):
    """Where this worker writes: the chief into ``directory``, the others beside it."""
    if is_chief():
        return directory
    temporary = os.path.join(directory, f"workertemp_{task.task_type}_{task.task_id}")
    if tf.io.gfile.exists(temporary):  # Left behind by a worker that was killed.
        tf.io.gfile.rmtree(temporary)
    tf.io.gfile.makedirs(temporary)
    return temporary


dataset = mnist_dataset(args.data, "train", args.global_batch_size)
with strategy.scope():
    model = build_and_compile_cnn_model()
fit_on_workers(
    model, dataset, epochs=args.epochs, steps_per_epoch=args.steps_per_epoch, verbose=0
)

tf.io.gfile.makedirs(args.model_dir)
directory = own_directory(args.model_dir)
path = os.path.join(directory, "mnist.keras")
model.save(path)
loaded = tf.keras.models.load_model(path)
for before, after in zip(model.get_weights(), loaded.get_weights()):
    np.testing.assert_array_equal(before, after)
if not is_chief():
    tf.io.gfile.rmtree(directory)
