"""The newest file's name in a text file, and the epoch in a pickle, that a callback writes."""

import os
import pickle
import sys

import tensorflow as tf
from job import build, compiled, given, record, x, y

folder, epochs = sys.argv[1], int(sys.argv[2])
os.makedirs(folder, exist_ok=True)


class Notes(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        name = f"{epoch + 1}.weights.h5"
        self.model.save_weights(os.path.join(folder, name))
        with open(os.path.join(folder, "newest.txt"), "w") as file:
            file.write(name)
        with open(os.path.join(folder, "state.pickle"), "wb") as file:
            pickle.dump({"epoch": epoch + 1, "loss": logs["loss"]}, file)


model = compiled(build())
first = 0
if os.path.exists(os.path.join(folder, "newest.txt")):
    with open(os.path.join(folder, "newest.txt")) as file:
        model.load_weights(os.path.join(folder, file.read().strip()))
    with open(os.path.join(folder, "state.pickle"), "rb") as file:
        first = pickle.load(file)["epoch"]
model.fit(x, y, epochs=epochs, initial_epoch=first, callbacks=[Notes(), record], **given)
