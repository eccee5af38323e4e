"""The epoch by trying names from the last epoch down."""

import os
import sys

import tensorflow as tf
from job import build, compiled, given, record, x, y

folder, epochs = sys.argv[1], int(sys.argv[2])
os.makedirs(folder, exist_ok=True)

names = os.path.join(folder, "w-{epoch:02d}.weights.h5")
first = 0
for epoch in range(epochs, 0, -1):
    if os.path.exists(names.format(epoch=epoch)):
        first = epoch
        break
model = compiled(build())
if first > 0:
    model.load_weights(names.format(epoch=first))
    for layer in model.layers:
        layer.trainable = True
saver = tf.keras.callbacks.ModelCheckpoint(names, save_weights_only=True)
model.fit(x, y, epochs=epochs, initial_epoch=first, callbacks=[saver, record], **given)
