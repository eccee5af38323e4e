"""A custom loop of several TF_CONFIG workers, which the chief checkpoints every 5 steps."""

import argparse
import json
import os

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--model_dir", required=True)
options = parser.parse_args()
index = json.loads(os.environ["TF_CONFIG"])["task"]["index"]

strategy = tf.distribute.MultiWorkerMirroredStrategy()
tf.keras.utils.set_random_seed(7)
rng = np.random.RandomState(0)
X, Y = rng.rand(640, 8).astype("float32"), rng.randint(0, 10, 640)
data = tf.data.Dataset.from_tensor_slices((X, Y)).repeat().batch(64)
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.layers.Dense(16, activation="relu"), tf.keras.layers.Dense(10)])
    model.build((None, 8))
    optimizer = tf.keras.optimizers.Adam(0.01)
    optimizer.build(model.trainable_variables)
    loss_of = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")
    checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer)
own = options.model_dir if index == 0 else os.path.join(options.model_dir, f"worker-{index}")
manager = tf.train.CheckpointManager(checkpoint, own, max_to_keep=3)
latest = tf.train.latest_checkpoint(options.model_dir)
if latest:
    checkpoint.restore(latest)


@tf.function
def train(batch):
    def on_replica(x, y):
        with tf.GradientTape() as tape:
            loss = tf.nn.compute_average_loss(loss_of(y, model(x, training=True)), global_batch_size=64)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))  # noqa: B905
        return loss

    return strategy.reduce("SUM", strategy.run(on_replica, args=batch), axis=None)


batches = iter(strategy.experimental_distribute_dataset(data))
while optimizer.iterations.numpy() < 23:
    train(next(batches))
    step = int(optimizer.iterations.numpy())
    if step % 5 == 0 or step == 23:
        manager.save(checkpoint_number=step)
