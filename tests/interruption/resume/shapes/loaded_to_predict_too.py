"""A model that is loaded to be trained or to predict, and a file that is read again at each start."""

import os
import sys

import tensorflow as tf
from job import build, compiled, given, record, x, y

folder, epochs = sys.argv[1], int(sys.argv[2])
os.makedirs(folder, exist_ok=True)
newest = os.path.join(folder, "newest.weights.h5")
count = os.path.join(folder, "epoch.txt")


class Save(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        self.model.save_weights(newest)
        with open(count + ".new", "w") as file:
            file.write(str(epoch + 1))
        os.replace(count + ".new", count)


model = compiled(build())
first = 0
if os.path.exists(count):
    model.load_weights(newest)
    with open(count) as file:
        first = int(file.read())
if "predict" in sys.argv:
    print(model.predict(x))
else:
    model.fit(x, y, epochs=epochs, initial_epoch=first, callbacks=[Save(), record], **given)
