"""A model of its own in each turn of a loop, in a function that is given the directory of the turn."""

import os
import sys

import tensorflow as tf
from job import Record, build, compiled, given, x, y

folder, epochs = sys.argv[1], int(sys.argv[2])


def train(directory, first, until):
    os.makedirs(directory, exist_ok=True)
    path = os.path.join(directory, "last.weights.h5")
    model = compiled(build())
    if os.path.exists(path):
        model.load_weights(path)
    stop = tf.keras.callbacks.LambdaCallback(
        on_epoch_end=lambda epoch, logs: setattr(model, "stop_training", epoch == int(os.environ.get("JOB_STOP", "9")))
    )
    saver = tf.keras.callbacks.ModelCheckpoint(path, save_weights_only=True)
    model.fit(x, y, epochs=until, initial_epoch=first, callbacks=[saver, stop, Record()], **given)


for fold in range(2):
    train(os.path.join(folder, f"fold_{fold}"), 3 * fold, 3 * fold + 3)
