"""A loop that applies gradients, and saves a Checkpoint without a manager."""

import os
import sys

import tensorflow as tf
from job import BATCHES, build, compiled, record, x, y

folder, epochs = sys.argv[1], int(sys.argv[2])
os.makedirs(folder, exist_ok=True)

tf.keras.utils.set_random_seed(1)
model = compiled(build())
model.optimizer.build(model.trainable_variables)
checkpoint = tf.train.Checkpoint(model=model, optimizer=model.optimizer)
newest = tf.train.latest_checkpoint(folder)
first = 0
if newest:
    checkpoint.restore(newest).assert_existing_objects_matched()
    first = int(newest.split("-")[-1])
loss = tf.keras.losses.MeanSquaredError()
record.set_model(model)
for epoch in range(first, epochs):
    record.on_epoch_begin(epoch)
    for batch in range(BATCHES):
        record.on_train_batch_begin(batch)
        part = slice(8 * batch, 8 * batch + 8)
        with tf.GradientTape() as tape:
            value = loss(y[part], model(x[part], training=True))
        gradients = tape.gradient(value, model.trainable_variables)
        model.optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        record.on_train_batch_end(batch)
    checkpoint.save(os.path.join(folder, "ckpt"))
