"""One batch again and again, and a momentum beside the weight, which ``--slip`` leaves out of the checkpoint."""

import argparse

import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--model_dir", required=True)
parser.add_argument("--slip", action="store_true")
args = parser.parse_args()

step, weight, momentum = tf.Variable(0, dtype=tf.int64), tf.Variable(1.0), tf.Variable(0.0)
kept = {} if args.slip else {"momentum": momentum}
checkpoint = tf.train.Checkpoint(step=step, weight=weight, **kept)
manager = tf.train.CheckpointManager(checkpoint, args.model_dir, max_to_keep=3, step_counter=step)
checkpoint.restore(manager.latest_checkpoint)
batches = iter(tf.data.Dataset.from_tensors(tf.constant([1.0, 2.0])).repeat())


@tf.function
def train():
    batch = next(batches)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((weight * batch - 1.0) ** 2)
    momentum.assign(0.9 * momentum + tape.gradient(loss, weight))
    weight.assign_sub(0.01 * momentum)
    step.assign_add(1)
    return loss


while int(step) < 23:
    train()
    if int(step) % 5 == 0:
        manager.save(checkpoint_number=int(step))
manager.save(checkpoint_number=int(step))
