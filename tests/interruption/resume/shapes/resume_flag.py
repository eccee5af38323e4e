"""A flag asks for the resumption; the epoch in a pickle."""

import argparse
import os
import pickle

import tensorflow as tf
from job import build, compiled, given, record, x, y

parser = argparse.ArgumentParser()
parser.add_argument("folder")
parser.add_argument("epochs", type=int)
parser.add_argument("--resume", action="store_true")


class State(tf.keras.callbacks.Callback):
    def __init__(self, path):
        super().__init__()
        self.path = path

    def on_epoch_end(self, epoch, logs=None):
        with open(self.path, "wb") as file:
            pickle.dump({"epoch": epoch}, file)


def main():
    args = parser.parse_args()
    os.makedirs(args.folder, exist_ok=True)
    model = compiled(build())
    state = os.path.join(args.folder, "state.pickle")
    weights = os.path.join(args.folder, "last.weights.h5")
    start = 0
    if args.resume and os.path.exists(state):
        model.load_weights(weights)
        with open(state, "rb") as file:
            start = pickle.load(file)["epoch"] + 1
    callbacks = [tf.keras.callbacks.ModelCheckpoint(weights, save_weights_only=True), State(state)]
    callbacks.append(record)
    model.fit(x, y, epochs=args.epochs, initial_epoch=start, callbacks=callbacks, **given)


if __name__ == "__main__":
    main()
