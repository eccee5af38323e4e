"""One HDF5 file of a whole model, and the epoch in a text file."""

import os
import sys

import tensorflow as tf
from job import build, compiled, given, record, x, y

folder, epochs = sys.argv[1], int(sys.argv[2])
os.makedirs(folder, exist_ok=True)


def count(epoch, logs):
    with open(os.path.join(folder, "epoch"), "w") as file:
        file.write(str(epoch + 1))


path = os.path.join(folder, "last.h5")
first = 0
if os.path.exists(path):
    model = tf.keras.models.load_model(path)
    with open(os.path.join(folder, "epoch")) as file:
        first = int(file.read())
else:
    model = build()
compiled(model)
saver = tf.keras.callbacks.ModelCheckpoint(path)
counter = tf.keras.callbacks.LambdaCallback(on_epoch_end=count)
model.fit(x, y, epochs=epochs, initial_epoch=first, callbacks=[saver, counter, record], **given)
print("begun at", first)
