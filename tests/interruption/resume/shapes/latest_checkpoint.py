"""Weights in TensorFlow's format by tf.train.latest_checkpoint."""

import os
import sys

import tensorflow as tf
from job import build, compiled, given, record, x, y

folder, epochs = sys.argv[1], int(sys.argv[2])
os.makedirs(folder, exist_ok=True)

model = compiled(build())
newest = tf.train.latest_checkpoint(folder)
first = 0
if newest:
    status = model.load_weights(newest)
    status.expect_partial()
    first = int(newest.rpartition("-")[2])
saver = tf.keras.callbacks.ModelCheckpoint(os.path.join(folder, "cp-{epoch:04d}"), save_weights_only=True)
model.fit(x, y, epochs=epochs, initial_epoch=first, callbacks=[saver, record], **given)
