"""The epoch in a JSON file that a LambdaCallback writes."""

import json
import os
import sys

import tensorflow as tf
from job import build, compiled, given, record, x, y

folder, epochs = sys.argv[1], int(sys.argv[2])
os.makedirs(folder, exist_ok=True)

progress = os.path.join(folder, "progress.json")
best = os.path.join(folder, "last.keras")
first = 0
if os.path.exists(best):
    model = tf.keras.models.load_model(best)
    if os.path.exists(progress):
        with open(progress) as file:
            first = json.load(file)["epochs"]
else:
    model = compiled(build())


def note(epoch, logs):
    with open(progress, "w") as file:
        json.dump({"epochs": epoch + 1}, file)


callbacks = [tf.keras.callbacks.ModelCheckpoint(best), tf.keras.callbacks.LambdaCallback(on_epoch_end=note), record]
model.fit(x, y, epochs=epochs, initial_epoch=first, callbacks=callbacks, **given)
