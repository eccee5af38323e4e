"""The epoch as the number of rows of a CSVLogger."""

import csv
import os
import sys

import tensorflow as tf
from job import build, compiled, given, record, x, y

folder, epochs = sys.argv[1], int(sys.argv[2])
os.makedirs(folder, exist_ok=True)

log = os.path.join(folder, "log.csv")
path = os.path.join(folder, "last.weights.h5")
model = compiled(build())
first = 0
if os.path.exists(path) and os.path.exists(log):
    with open(log) as file:
        first = len(list(csv.DictReader(file)))
    model.load_weights(path)
saver = tf.keras.callbacks.ModelCheckpoint(path, save_weights_only=True)
logger = tf.keras.callbacks.CSVLogger(log, append=first > 0)
model.fit(x, y, epochs=epochs, initial_epoch=first, callbacks=[saver, logger, record], **given)
