"""A model of ``tf_keras``, imported by that name beside Keras 3, and the one file that each start saves."""

import os
import sys

import tf_keras as keras
from job import Record, given, x, y

folder, epochs = sys.argv[1], int(sys.argv[2])
os.makedirs(folder, exist_ok=True)


class RecordOfTfKeras(Record, keras.callbacks.Callback):
    pass


model = keras.Sequential([keras.layers.Dense(256, activation="relu"), keras.layers.Dense(1)])
model.compile(keras.optimizers.Adam(0.01), "mse")
model.build((None, 4))
path = os.path.join(folder, "last.weights.h5")
if os.path.exists(path):
    model.load_weights(path)
saver = keras.callbacks.ModelCheckpoint(path, save_weights_only=True)
model.fit(x, y, epochs=epochs, callbacks=[saver, RecordOfTfKeras()], **given)
