"""Where the callbacks of another function save is known when the training begins."""

import os
import sys

import tensorflow as tf
from job import build, compiled, given, record, x, y


def made(weights):
    model = compiled(build())
    if os.path.exists(weights):
        model.load_weights(weights)
    return model


def callbacks_for(weights):
    saver = tf.keras.callbacks.ModelCheckpoint(weights, save_weights_only=True)
    return [saver, record]


def main():
    folder, epochs = sys.argv[1], int(sys.argv[2])
    os.makedirs(folder, exist_ok=True)
    model = made(os.path.join(folder, "last.weights.h5"))
    callbacks = callbacks_for(os.path.join(folder, "last.weights.h5"))
    model.fit(x, y, epochs=epochs, callbacks=callbacks, **given)


if __name__ == "__main__":
    main()
