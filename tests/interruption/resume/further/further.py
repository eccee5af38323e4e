"""A model that each start trains further, and saves when its training has ended."""

import os
import sys

import tensorflow as tf
from job import build, compiled, given, record, x, y

folder, epochs = sys.argv[1], int(sys.argv[2])
os.makedirs(folder, exist_ok=True)
path = os.path.join(folder, "model.keras")

model = tf.keras.models.load_model(path) if os.path.exists(path) else compiled(build())
model.fit(x, y, epochs=epochs, callbacks=[record], **given)
model.save(path)
