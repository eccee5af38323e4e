"""The job's own newest file, which another file of the program loads where something asks for it that only it knows."""

import os
import sys

import tensorflow as tf
from job import given, record, x, y
from start import start

folder, epochs = sys.argv[1], int(sys.argv[2])
os.makedirs(folder, exist_ok=True)
model, first = start(folder)
path = os.path.join(folder, "w-{epoch:02d}.weights.h5")
saver = tf.keras.callbacks.ModelCheckpoint(path, save_weights_only=True)
model.fit(x, y, epochs=epochs, initial_epoch=first, callbacks=[saver, record], **given)
