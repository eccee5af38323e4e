"""The newest file by its time, in a whole model."""

import glob
import os
import sys

import tensorflow as tf
from job import build, compiled, given, record, x, y

folder, epochs = sys.argv[1], int(sys.argv[2])
os.makedirs(folder, exist_ok=True)

files = glob.glob(os.path.join(folder, "m-*.keras"))
first = 0
if files:
    latest = max(files, key=os.path.getctime)
    model = tf.keras.models.load_model(latest)
    first = int(latest[-8:-6])
else:
    model = build()
compiled(model)
print(model.count_params(), "weights", first)
saver = tf.keras.callbacks.ModelCheckpoint(os.path.join(folder, "m-{epoch:02d}.keras"))
model.fit(x, y, epochs=epochs, initial_epoch=first, callbacks=[saver, record], **given)
