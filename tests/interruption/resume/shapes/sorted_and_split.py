"""The last of the sorted files, its epoch by split; told of after fit, too."""

import glob
import os
import sys

import tensorflow as tf
from job import build, compiled, given, record, x, y

folder, epochs = sys.argv[1], int(sys.argv[2])
os.makedirs(folder, exist_ok=True)

model = compiled(build())
files = sorted(glob.glob(os.path.join(folder, "w-*.weights.h5")))
first = 0
if files:
    first = int(os.path.basename(files[-1]).split("-")[1].split(".")[0])
    model.load_weights(files[-1])
saver = tf.keras.callbacks.ModelCheckpoint(os.path.join(folder, "w-{epoch:02d}.weights.h5"), save_weights_only=True)
model.fit(x, y, epochs=epochs, initial_epoch=first, callbacks=[saver, record], **given)
print("begun at", first)
