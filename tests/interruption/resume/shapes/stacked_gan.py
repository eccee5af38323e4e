"""A generator that is trained through a frozen critic, in a class whose methods load and save both."""

import os
import sys

import tensorflow as tf
from job import BATCHES, compiled, record, x, y

folder, epochs = sys.argv[1], int(sys.argv[2])
os.makedirs(folder, exist_ok=True)


class Gan:
    def __init__(self, folder):
        self.folder, self.start = folder, 0
        tf.keras.utils.set_random_seed(1)
        data, noise = tf.keras.Input((4,)), tf.keras.Input((4,))
        self.critic = compiled(tf.keras.Model(data, tf.keras.layers.Dense(1)(data)))
        self.generator = tf.keras.Model(noise, tf.keras.layers.Dense(4)(noise))
        self.critic.trainable = False
        self.combined = compiled(tf.keras.Model(noise, self.critic(self.generator(noise))))

    def load_newest(self):
        epochs = [int(name.split("-")[1].split(".")[0]) for name in os.listdir(self.folder) if name[:6] == "critic"]
        if epochs:
            self.start = max(epochs)
            self.critic.load_weights(f"{self.folder}/critic-{self.start}.weights.h5")
            self.generator.load_weights(f"{self.folder}/generator-{self.start}.weights.h5")

    def save(self, epoch):
        self.generator.save_weights(f"{self.folder}/generator-{epoch}.weights.h5")
        self.critic.save_weights(f"{self.folder}/critic-{epoch}.weights.h5")

    def train(self, epochs):
        record.set_model(self.combined)
        for epoch in range(self.start, epochs):
            record.on_epoch_begin(epoch)
            for batch in range(BATCHES):
                record.on_train_batch_begin(batch)
                part = slice(8 * batch, 8 * batch + 8)
                self.critic.train_on_batch(x[part], y[part])
                self.combined.train_on_batch(x[part], y[part])
                record.on_train_batch_end(batch)
            self.save(epoch + 1)


gan = Gan(folder)
gan.load_newest()
gan.train(epochs)
