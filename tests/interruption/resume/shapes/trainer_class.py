"""Attributes and methods of a trainer."""

import os
import re
import sys

import tensorflow as tf
from job import build, compiled, given, record, x, y


class Trainer:
    def __init__(self, folder, epochs):
        self.folder = folder
        self.epochs = epochs
        self.initial_epoch = 0
        self.model = compiled(build())
        os.makedirs(self.folder, exist_ok=True)
        self.load_last()

    def load_last(self):
        names = [name for name in os.listdir(self.folder) if name.endswith(".h5")]
        if not names:
            return
        last = sorted(names)[-1]
        self.model.load_weights(os.path.join(self.folder, last))
        self.initial_epoch = int(re.findall("[0-9]+", last)[0])

    def callbacks(self):
        path = os.path.join(self.folder, "w-{epoch:02d}.weights.h5")
        return [tf.keras.callbacks.ModelCheckpoint(path, save_weights_only=True), record]

    def train(self):
        self.model.fit(x, y, epochs=self.epochs, initial_epoch=self.initial_epoch, callbacks=self.callbacks(), **given)


trainer = Trainer(sys.argv[1], int(sys.argv[2]))
trainer.train()
