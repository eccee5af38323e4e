"""Trains on the workers that ``TF_CONFIG`` names, and goes on where it stood after one of them died.

The fault tolerance is that of TensorFlow 2.0 to 2.2: a ``ModelCheckpoint`` kept the epoch, too.
"""

import argparse
import json
import os

import tensorflow as tf
from multi_worker_mnist import build_and_compile_cnn_model, mnist_dataset

from tf2_recovery.keras.workers import WorkerRecovery, fit_on_workers

parser = argparse.ArgumentParser()
parser.add_argument("--data", required=True, help="an .npz in MNIST's layout")
parser.add_argument("--model_dir", required=True, help="all workers see it")
parser.add_argument("--per_worker_batch_size", type=int, default=64)
parser.add_argument("--epochs", type=int, default=3)
parser.add_argument("--steps_per_epoch", type=int, default=70)
parser.add_argument("--validation_steps", type=int, default=10)
args = parser.parse_args()

cluster = json.loads(os.environ["TF_CONFIG"])["cluster"]
num_workers = len(cluster.get("chief", [])) + len(cluster["worker"])

# The strategy comes before anything else of TensorFlow: it starts the server.
strategy = tf.distribute.MultiWorkerMirroredStrategy(
    communication_options=tf.distribute.experimental.CommunicationOptions(
        implementation=tf.distribute.experimental.CommunicationImplementation.RING
    )
)

global_batch_size = args.per_worker_batch_size * num_workers
options = tf.data.Options()
options.experimental_distribute.auto_shard_policy = (
    tf.data.experimental.AutoShardPolicy.DATA
)
train_dataset = mnist_dataset(args.data, "train", global_batch_size)
train_dataset = train_dataset.with_options(options)
test_dataset = mnist_dataset(args.data, "test", global_batch_size)
test_dataset = test_dataset.with_options(options)

with strategy.scope():
    model = build_and_compile_cnn_model()

recovery = WorkerRecovery(
    tf.train.CheckpointManager(
        tf.train.Checkpoint(model=model, optimizer=model.optimizer),
        os.path.join(args.model_dir, "keras-ckpt", "recovery"),
        max_to_keep=1,
        step_counter=model.optimizer.iterations,
        checkpoint_interval=args.steps_per_epoch,
    )
)
fit_on_workers(
    model,
    train_dataset,
    recovery,
    epochs=args.epochs,
    steps_per_epoch=args.steps_per_epoch,
    validation_data=test_dataset,
    validation_steps=args.validation_steps,
    verbose=0,
)
