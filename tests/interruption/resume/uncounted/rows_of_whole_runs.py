"""A file that is loaded at each start, and epochs beyond the rows of a log that is written when training has ended."""

import os
import sys

import tensorflow as tf
from job import build, compiled, given, record, x, y

folder, epochs = sys.argv[1], int(sys.argv[2])
os.makedirs(folder, exist_ok=True)

log = os.path.join(folder, "log.csv")
path = os.path.join(folder, "last.weights.h5")
model = compiled(build())
if not os.path.exists(path):
    model.save_weights(path)
    open(log, "w").close()
model.load_weights(path)
with open(log) as file:
    initial_epoch = len(file.readlines())
saver = tf.keras.callbacks.ModelCheckpoint(path, save_weights_only=True)
history = model.fit(
    x, y, epochs=epochs + initial_epoch, initial_epoch=initial_epoch, callbacks=[saver, record], **given
)
with open(log, "a") as file:
    file.writelines(f"{loss}\n" for loss in history.history["loss"])
