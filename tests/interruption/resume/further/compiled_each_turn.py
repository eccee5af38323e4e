"""A whole model that each start is given, compiled anew in each turn of a loop and saved after it."""

import os
import sys

import tensorflow as tf
from job import build, given, record, x, y

folder, epochs = sys.argv[1], int(sys.argv[2])
path = os.path.join(folder, "model.keras")
if not os.path.isdir(folder):
    os.makedirs(folder)
    build().save(path)

model = tf.keras.models.load_model(path)
for turn in range(epochs):
    model.compile(tf.keras.optimizers.SGD(0.01, momentum=0.9), "mse")
    model.fit(x, y, epochs=turn + 1, initial_epoch=turn, callbacks=[record], **given)
    model.save(path)
