"""The epoch by a regular expression, from a function that gives file and number."""

import os
import re
import sys

import tensorflow as tf
from job import build, compiled, given, record, x, y

folder, epochs = sys.argv[1], int(sys.argv[2])
os.makedirs(folder, exist_ok=True)


def newest():
    found = []
    for name in os.listdir(folder):
        match = re.match(r"w-([0-9]+)\.weights\.h5$", name)
        if match:
            found.append((int(match.group(1)), name))
    return max(found) if found else (0, None)


model = compiled(build())
first, name = newest()
if name is not None:
    model.load_weights(os.path.join(folder, name))
    model.trainable = True
    print("after epoch", first)
saver = tf.keras.callbacks.ModelCheckpoint(os.path.join(folder, "w-{epoch:02d}.weights.h5"), save_weights_only=True)
model.fit(x, y, epochs=epochs, initial_epoch=first, callbacks=[saver, record], **given)
