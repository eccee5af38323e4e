"""ModelCheckpoint that saves every two batches of an epoch of four."""

import glob
import os
import sys

import tensorflow as tf
from job import build, compiled, given, record, x, y

folder, epochs = sys.argv[1], int(sys.argv[2])
os.makedirs(folder, exist_ok=True)

model = compiled(build())
first = 0
found = sorted(glob.glob(os.path.join(folder, "at-*.weights.h5")))
if found:
    model.load_weights(found[-1])
    first = int(found[-1][-13:-11])
path = os.path.join(folder, "at-{epoch:02d}.weights.h5")
saver = tf.keras.callbacks.ModelCheckpoint(path, save_weights_only=True, save_freq=2)
model.fit(x, y, epochs=epochs, initial_epoch=first, callbacks=[saver, record], **given)
