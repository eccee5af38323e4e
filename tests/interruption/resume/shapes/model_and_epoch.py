"""One function gives the model and the epoch, as on machines that may be taken away."""

import os
import sys

import tensorflow as tf
from job import build, compiled, given, record, x, y

folder, epochs = sys.argv[1], int(sys.argv[2])
os.makedirs(folder, exist_ok=True)


def make_or_restore():
    names = sorted(name for name in os.listdir(folder) if name.endswith(".keras"))
    if names:
        restored = tf.keras.models.load_model(os.path.join(folder, names[-1]))
        return restored, int(names[-1].split("-")[1].split(".")[0])
    return compiled(build()), 0


def main():
    model, first = make_or_restore()
    saver = tf.keras.callbacks.ModelCheckpoint(os.path.join(folder, "m-{epoch:02d}.keras"))
    model.fit(x, y, epochs=epochs, initial_epoch=first, callbacks=[saver, record], **given)


if __name__ == "__main__":
    main()
