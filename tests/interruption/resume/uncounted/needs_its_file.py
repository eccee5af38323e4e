"""Weights that each start loads from the one file that it saves, which the first start must be given."""

import os
import sys

import tensorflow as tf
from job import build, compiled, given, record, x, y

folder, epochs = sys.argv[1], int(sys.argv[2])
path = os.path.join(folder, "model.weights.h5")
if not os.path.isdir(folder):
    os.makedirs(folder)
    build().save_weights(path)

model = compiled(build())
model.load_weights(path)
saver = tf.keras.callbacks.ModelCheckpoint(path, save_weights_only=True)
model.fit(x, y, epochs=epochs, callbacks=[saver, record], **given)
