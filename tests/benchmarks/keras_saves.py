"""What an epoch's save of `BackupAndRestore` costs beside that of Keras' own callback.

usage: python -m tests.benchmarks.keras_saves [--mib N] [--epochs N]

Prints for a model of so many MiB of weights, trained by SGD, the CPU time and the time that an epoch's end takes:
without a callback, with Keras' callback, with ours, and with each beside a ModelCheckpoint.
The trainings run one after another in one process, and the medians of their epochs are taken.
"""

import argparse
import os
import statistics
import tempfile
import time
from functools import partial

import numpy as np
import tensorflow as tf

from migrate.recovery.keras.backup_and_restore import BackupAndRestore
from migrate.recovery.keras.interrupted_training import SavedTraining


def build(mib):
    """Returns a compiled model with so many MiB of weights, four matrices."""
    width = int((mib * 2**20 / 4 / 4) ** 0.5)
    layers = [tf.keras.layers.Dense(width, use_bias=False) for _ in range(4)]
    model = tf.keras.Sequential([tf.keras.layers.Input((width,)), *layers])
    model.compile(tf.keras.optimizers.SGD(1e-6), "mse")
    return model, np.zeros((1, width), "float32")


class Clock(tf.keras.callbacks.Callback):
    """Notes what the end of an epoch takes from here to the next epoch's begin."""

    def __init__(self):
        super().__init__()
        self.spent, self._began = [], None

    def on_epoch_begin(self, epoch, logs=None):
        if self._began is not None:
            self.spent.append((time.process_time() - self._began[0], time.perf_counter() - self._began[1]))

    def on_epoch_end(self, epoch, logs=None):
        self._began = time.process_time(), time.perf_counter()


def measure(callbacks, mib, epochs):
    """Returns the medians of CPU time and time at an epoch's end, in seconds."""
    tf.keras.backend.clear_session()
    model, x = build(mib)
    clock = Clock()
    model.fit(x, x, epochs=epochs, verbose=0, callbacks=[clock, *callbacks])
    cpu, wall = zip(*clock.spent[1:], strict=True)
    return statistics.median(cpu), statistics.median(wall)


def main():
    """Prints a row for each sort of callback."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mib", type=int, default=500)
    parser.add_argument("--epochs", type=int, default=8)
    args = parser.parse_args()
    SavedTraining.is_due = lambda training: True  # It would leave epochs out that are shorter than a save.
    keras_own = tf.keras.callbacks.BackupAndRestore
    print(f"TensorFlow {tf.__version__}, {tf.keras.Model.__module__.split('.')[0]}, {args.mib} MiB")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        saver = partial(tf.keras.callbacks.ModelCheckpoint, "w/cp.weights.h5", save_weights_only=True)
        sorts = {
            "none": list,
            "Keras' BackupAndRestore": lambda: [keras_own("backup")],
            "BackupAndRestore": lambda: BackupAndRestore.beside([], saved="w/cp"),
            "ModelCheckpoint": lambda: [saver()],
            "Keras' beside it": lambda: [saver(), keras_own("backup")],
            "BackupAndRestore beside it": lambda: BackupAndRestore.beside(saver()),
        }
        for name, callbacks in sorts.items():
            os.makedirs("w", exist_ok=True)
            cpu, wall = measure(callbacks(), args.mib, args.epochs)
            print(f"{name:30}{cpu:8.2f} s CPU{wall:8.2f} s", flush=True)


if __name__ == "__main__":
    main()
