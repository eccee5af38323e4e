"""A loop of its own on the workers that ``TF_CONFIG`` names, with one checkpoint that is always the newest.

Saving reads variables that all workers hold together, so each of them saves; the chief's files stay.
"""

import argparse
import os

import tensorflow as tf
from multi_worker_mnist import build_and_compile_cnn_model, mnist_dataset

parser = argparse.ArgumentParser()
parser.add_argument("--data", required=True, help="an .npz in MNIST's layout")
parser.add_argument("--model_dir", required=True, help="all workers see it")
parser.add_argument("--global_batch_size", type=int, default=128)
parser.add_argument("--epochs", type=int, default=3)
parser.add_argument("--steps_per_epoch", type=int, default=70)
args = parser.parse_args()

strategy = tf.distribute.experimental.MultiWorkerMirroredStrategy(
    tf.distribute.experimental.CollectiveCommunication.RING
)
task = strategy.cluster_resolver


def is_chief():
    """The task ``chief``, or worker 0 where there is none, or a process that is alone."""
    if task.task_type is None or task.task_type == "chief":
        return True
    return task.task_id == 0 and "chief" not in task.cluster_spec().jobs


own_directory = args.model_dir
if not is_chief():
    name = f"workertemp_{task.task_type}_{task.task_id}"
    own_directory = os.path.join(args.model_dir, name)
    if tf.io.gfile.exists(own_directory):  # Left behind by a worker that was killed.
        tf.io.gfile.rmtree(own_directory)

with strategy.scope():
    model = build_and_compile_cnn_model()
    model.build((None, 28, 28, 1))
    optimizer = tf.keras.optimizers.Adam(0.001)
    optimizer.build(model.trainable_variables)
    loss_of = tf.keras.losses.SparseCategoricalCrossentropy(
        from_logits=True, reduction="none"
    )
    epoch = tf.Variable(0, dtype=tf.int64)
    checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer, epoch=epoch)

manager = tf.train.CheckpointManager(checkpoint, own_directory, max_to_keep=1)
latest = tf.train.latest_checkpoint(args.model_dir)
if latest:
    checkpoint.restore(latest).assert_consumed()


@tf.function
def train_step(iterator):
    def on_replica(images, labels):
        with tf.GradientTape() as tape:
            losses = loss_of(labels, model(images, training=True))
            loss = tf.nn.compute_average_loss(
                losses, global_batch_size=args.global_batch_size
            )
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))

    strategy.run(on_replica, args=next(iterator))


dataset = mnist_dataset(args.data, "train", args.global_batch_size)
iterator = iter(strategy.experimental_distribute_dataset(dataset))
while int(epoch.numpy()) < args.epochs:
    for _ in range(args.steps_per_epoch):
        train_step(iterator)
    epoch.assign_add(1)
    manager.save()
    print("epoch", int(epoch.numpy()), flush=True)

if not is_chief():
    tf.io.gfile.rmtree(own_directory)
