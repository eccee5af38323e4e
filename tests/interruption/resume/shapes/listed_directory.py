"""A directory that the job's platform keeps: an empty one is a start from scratch, as SageMaker's examples ask."""

import os
import re
import sys

import tensorflow as tf
from job import build, compiled, given, record, x, y

folder, epochs = sys.argv[1], int(sys.argv[2])
os.makedirs(folder, exist_ok=True)


def load_model_from_checkpoints(checkpoint_path):
    checkpoint_files = [file for file in os.listdir(checkpoint_path) if file.endswith(".keras")]
    epoch_numbers = [re.search(r"(\.*[0-9])(?=\.)", file).group() for file in checkpoint_files]
    max_epoch_number = max(epoch_numbers)
    max_epoch_filename = checkpoint_files[epoch_numbers.index(max_epoch_number)]
    loaded = tf.keras.models.load_model(f"{checkpoint_path}/{max_epoch_filename}")
    return loaded, int(max_epoch_number)


if not os.listdir(folder):
    model, first = build(), 0
else:
    model, first = load_model_from_checkpoints(folder)
compiled(model)
callbacks = []
callbacks.append(tf.keras.callbacks.ModelCheckpoint(folder + "/checkpoint-{epoch}.keras"))
callbacks.append(record)
model.fit(x, y, epochs=epochs, initial_epoch=first, callbacks=callbacks, **given)
