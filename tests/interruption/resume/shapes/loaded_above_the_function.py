"""The load at module level, fit in a function."""

import os
import sys

import tensorflow as tf
from job import build, compiled, given, record, x, y

folder, epochs = sys.argv[1], int(sys.argv[2])
os.makedirs(folder, exist_ok=True)
WEIGHTS = os.path.join(folder, "w-{epoch:02d}.weights.h5")
model = compiled(build())
done = [n for n in range(1, epochs + 1) if os.path.exists(WEIGHTS.format(epoch=n))]
first = max(done, default=0)
if done:
    model.load_weights(WEIGHTS.format(epoch=first))


def train():
    saver = tf.keras.callbacks.ModelCheckpoint(WEIGHTS, save_weights_only=True)
    model.fit(x, y, epochs=epochs, initial_epoch=first, callbacks=[saver, record], **given)


train()
