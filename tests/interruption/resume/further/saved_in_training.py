"""A model that each start trains further, saved to the file that it was loaded from whenever it is better."""

import os
import sys

import tensorflow as tf
from job import build, compiled, given, record, x, y

folder, epochs = sys.argv[1], int(sys.argv[2])
os.makedirs(folder, exist_ok=True)
path = os.path.join(folder, "model.keras")

if not os.path.exists(path):
    compiled(build()).save(path)

model = tf.keras.models.load_model(path)
best = tf.keras.callbacks.ModelCheckpoint(path, monitor="loss", save_best_only=True)
model.fit(x, y, epochs=epochs, callbacks=[best, record], **given)
model.save(path)
