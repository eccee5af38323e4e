"""A loop over epochs that trains batch by batch, and saves the weights after each epoch."""

import os
import sys

import tensorflow as tf
from job import BATCHES, build, compiled, record, x, y

folder, epochs = sys.argv[1], int(sys.argv[2])
os.makedirs(folder, exist_ok=True)

tf.keras.utils.set_random_seed(1)
model = compiled(build())
first = 0
while os.path.exists(os.path.join(folder, f"{first + 1}.weights.h5")):
    first += 1
if first:
    model.load_weights(os.path.join(folder, f"{first}.weights.h5"))
record.set_model(model)
for epoch in range(first, epochs):
    record.on_epoch_begin(epoch)
    for batch in range(BATCHES):
        record.on_train_batch_begin(batch)
        model.train_on_batch(x[8 * batch : 8 * batch + 8], y[8 * batch : 8 * batch + 8])
        record.on_train_batch_end(batch)
    model.save_weights(os.path.join(folder, f"{epoch + 1}.weights.h5"))
