"""One epoch a call of fit, the weights saved after each."""

import glob
import os
import sys

import tensorflow as tf
from job import build, compiled, given, record, x, y

folder, epochs = sys.argv[1], int(sys.argv[2])
os.makedirs(folder, exist_ok=True)

tf.keras.utils.set_random_seed(1)
model = compiled(build())
first = 0
files = sorted(glob.glob(os.path.join(folder, "*.weights.h5")))
if files:
    model.load_weights(files[-1])
    first = int(files[-1].split("-")[-1].split(".")[0])
for epoch in range(first, epochs):
    record.at = epoch
    model.fit(x, y, epochs=epoch + 1, initial_epoch=epoch, callbacks=[record], **given)
    model.save_weights(os.path.join(folder, f"w-{epoch + 1:02d}.weights.h5"))
