"""What the programs beside this file train: a small model, and a record of each epoch with the sum of its weights."""

import json
import os
import signal
import threading

import numpy as np
import tensorflow as tf

BATCHES = 4
x = np.random.RandomState(0).rand(8 * BATCHES, 4).astype("float32")
y = x.sum(1, keepdims=True)


def build():
    layers = [tf.keras.layers.Dense(256, activation="relu"), tf.keras.layers.Dense(1)]
    return tf.keras.Sequential([tf.keras.Input((4,)), *layers])


def compiled(model):
    model.compile(tf.keras.optimizers.Adam(0.01), tf.keras.losses.MeanSquaredError())
    return model


begun = threading.Event()  # of this process: a recovery restores what the program holds


class Record(tf.keras.callbacks.Callback):
    """Writes down what happens, and dies at ``JOB-KILL``: ``batch:EPOCH:BATCH`` or ``save:EPOCH:MILLISECONDS``."""

    def __init__(self):
        super().__init__()
        settings = {**os.environ}  # A name with a dash is no part of the command.
        kind, epoch, where = settings.get("JOB-KILL", "never:0:0").split(":")
        self.kind, self.kill_epoch, self.where = kind, int(epoch), float(where)

    def write(self, **what):
        total = float(sum(np.abs(weight).sum(dtype="float64") for weight in self.model.get_weights()))
        with open(os.environ["JOB_RECORD"], "a") as file:
            file.write(
                json.dumps({**what, "weights": total, "steps": int(self.model.optimizer.iterations.numpy())}) + "\n"
            )
            file.flush()

    def on_epoch_begin(self, epoch, logs=None):
        self.epoch = epoch
        if not begun.is_set():
            self.write(start=epoch)
        begun.set()

    def on_train_batch_begin(self, batch, logs=None):
        if self.kind == "batch" and (self.epoch, batch) == (self.kill_epoch, self.where):
            os.kill(os.getpid(), signal.SIGKILL)

    def on_train_batch_end(self, batch, logs=None):
        if batch == BATCHES - 1:
            self.write(end=self.epoch)
            if self.kind == "save" and self.epoch == self.kill_epoch:
                threading.Timer(self.where / 1000, os.kill, (os.getpid(), signal.SIGKILL)).start()


record = Record()
given = {"batch_size": 8, "shuffle": False, "verbose": 0}
