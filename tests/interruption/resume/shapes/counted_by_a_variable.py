"""A loop that a variable counts, which trains by a tape on the two devices of a strategy that another file may make."""

import glob
import os
import sys

import tensorflow as tf
from job import BATCHES, build, compiled, record, x, y

folder, epochs = sys.argv[1], int(sys.argv[2])
os.makedirs(folder, exist_ok=True)
two = [tf.config.LogicalDeviceConfiguration()] * 2
tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], two)
strategy = tf.distribute.MirroredStrategy(["cpu:0", "cpu:1"])


@tf.function
def step(model, optimizer, data, labels):
    def train(data, labels):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((labels - model(data, training=True)) ** 2) / 8
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))

    strategy.run(train, args=(data, labels))


tf.keras.utils.set_random_seed(1)
with strategy.scope():
    model = compiled(build())
    optimizer = model.optimizer
    optimizer.build(model.trainable_variables)
epoch = 0
files = sorted(glob.glob(os.path.join(folder, "w-*.weights.h5")))
if files:
    epoch = int(files[-1].split("-")[-1].split(".")[0])
    model.load_weights(files[-1])
record.set_model(model)
while epoch < epochs:
    record.on_epoch_begin(epoch)
    for batch in range(BATCHES):
        record.on_train_batch_begin(batch)
        part = slice(8 * batch, 8 * batch + 8)
        step(model, optimizer, tf.constant(x[part]), tf.constant(y[part]))
        record.on_train_batch_end(batch)
    epoch += 1
    model.save_weights(os.path.join(folder, f"w-{epoch}.weights.h5"))
