"""Under a MirroredStrategy; the epoch in the name."""

import glob
import os
import sys

import tensorflow as tf
from job import build, compiled, given, record, x, y

folder, epochs = sys.argv[1], int(sys.argv[2])
os.makedirs(folder, exist_ok=True)

strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
with strategy.scope():
    model = compiled(build())
    files = sorted(glob.glob(os.path.join(folder, "*.weights.h5")))
    if files:
        model.load_weights(files[-1])
first = int(files[-1].split("-")[-1].split(".")[0]) if files else 0
print("at", first)
saver = tf.keras.callbacks.ModelCheckpoint(os.path.join(folder, "w-{epoch:02d}.weights.h5"), save_weights_only=True)
model.fit(x, y, epochs=epochs, initial_epoch=first, callbacks=[saver, record], **given)
