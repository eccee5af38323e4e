"""A loop over batches of a model of ``tf_keras``, imported by that name beside Keras 3."""

import os
import sys

import tf_keras as keras
from job import BATCHES, Record, x, y

folder, epochs = sys.argv[1], int(sys.argv[2])
os.makedirs(folder, exist_ok=True)

model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(256, activation="relu"), keras.layers.Dense(1)])
model.compile(keras.optimizers.Adam(0.01), "mse")
path = os.path.join(folder, "last.weights.h5")
if os.path.exists(path):
    model.load_weights(path)
record = Record()
record.set_model(model)
for epoch in range(epochs):
    record.on_epoch_begin(epoch)
    for batch in range(BATCHES):
        record.on_train_batch_begin(batch)
        model.train_on_batch(x[8 * batch : 8 * batch + 8], y[8 * batch : 8 * batch + 8])
        record.on_train_batch_end(batch)
    model.save_weights(path)
