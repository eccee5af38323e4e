"""A layer that is frozen for three epochs and trained after them; the epoch in a file's name."""

import glob
import os
import sys

import tensorflow as tf
from job import build, compiled, given, record, x, y

folder, epochs = sys.argv[1], int(sys.argv[2])
os.makedirs(folder, exist_ok=True)
model = build()
first = 0
files = sorted(glob.glob(os.path.join(folder, "w-*.weights.h5")))
if files:
    model.load_weights(files[-1])
    first = int(os.path.basename(files[-1])[2:4])
path = os.path.join(folder, "w-{epoch:02d}.weights.h5")
saver = tf.keras.callbacks.ModelCheckpoint(path, save_weights_only=True)
until = int(os.environ.get("JOB_STOP", "9"))
stop = tf.keras.callbacks.LambdaCallback(
    on_epoch_end=lambda epoch, logs: setattr(model, "stop_training", epoch == until)
)
model.layers[0].trainable = False
compiled(model)
model.fit(x, y, epochs=3, initial_epoch=first, callbacks=[saver, stop, record], **given)
model.layers[0].trainable = True
compiled(model)
model.fit(x, y, epochs=epochs, initial_epoch=max(first, 3), callbacks=[saver, record], **given)
