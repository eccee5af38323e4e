"""A callback of its own saves, with the epoch in a text file."""

import os
import sys

import tensorflow as tf
from job import build, compiled, given, record, x, y

folder, epochs = sys.argv[1], int(sys.argv[2])
os.makedirs(folder, exist_ok=True)

weights = os.path.join(folder, "last.weights.h5")
counter = os.path.join(folder, "epoch.txt")


class Save(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        self.model.save_weights(weights)
        with open(counter, "w") as file:
            file.write(str(epoch + 1))


model = compiled(build())
first = 0
if os.path.exists(counter):
    with open(counter) as file:
        first = int(file.read())
    model.load_weights(weights)
model.fit(x, y, epochs=epochs, initial_epoch=first, callbacks=[Save(), record], **given)
