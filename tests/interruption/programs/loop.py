"""A small custom loop that recovers by a CheckpointManager: every 5 steps, 3 kept; one or several steps a call."""

import argparse
import time

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--model_dir", required=True)
parser.add_argument("--max_steps", type=int, default=23)
parser.add_argument("--steps_per_call", type=int, default=1)
parser.add_argument("--weights", help="where the final weights are written, as .npz")
parser.add_argument("--slip", choices=["load_checkpoint", "no_slots"], help="a mistake in the recovery to make")
parser.add_argument("--optimizer", default="Adam")
parser.add_argument("--seed", type=int, default=7, help="a negative one stands for another at each start")
parser.add_argument("--alike", type=int, default=0, help="batches that are the same at each start, before the others")
options = parser.parse_args()
if options.seed < 0:
    options.seed = time.time_ns() % 2**31

tf.keras.utils.set_random_seed(options.seed)
rng = np.random.RandomState(0)
X, Y = rng.rand(640, 8).astype("float32"), rng.randint(0, 10, 640).astype("int32")

model = tf.keras.Sequential([tf.keras.layers.Dense(16, activation="relu"), tf.keras.layers.Dense(10)])
model.build((None, 8))
optimizer = getattr(tf.keras.optimizers, options.optimizer)(0.05)
optimizer.build(model.trainable_variables)
loss_of = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
data = tf.data.Dataset.from_tensor_slices((X, Y)).shuffle(640, seed=options.seed).repeat().batch(64)
data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(64).take(options.alike).concatenate(data)
batches = iter(data)
step = tf.Variable(0, dtype=tf.int64, name="global_step")

if options.slip == "no_slots":
    checkpoint = tf.train.Checkpoint(model=model, global_step=step)
else:
    checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer, global_step=step)
manager = tf.train.CheckpointManager(checkpoint, options.model_dir, max_to_keep=3)


@tf.function
def train(count):
    for _ in tf.range(count):
        x, y = next(batches)
        with tf.GradientTape() as tape:
            loss = loss_of(y, model(x, training=True))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        step.assign_add(1)


if manager.latest_checkpoint and options.slip == "load_checkpoint":
    tf.train.load_checkpoint(manager.latest_checkpoint)
elif manager.latest_checkpoint:
    checkpoint.restore(manager.latest_checkpoint)
if not int(step.numpy()):
    manager.save(checkpoint_number=0)
while int(step.numpy()) < options.max_steps:
    now = int(step.numpy())
    train(tf.constant(min(options.steps_per_call, 5 - now % 5, options.max_steps - now)))
    now = int(step.numpy())
    if now % 5 == 0 or now == options.max_steps:
        manager.save(checkpoint_number=now)
if options.weights:
    values = [*model.get_weights(), *(np.asarray(variable) for variable in optimizer.variables)]
    np.savez(options.weights, *values)
