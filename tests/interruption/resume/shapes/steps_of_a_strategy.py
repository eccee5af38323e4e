"""Steps that a MirroredStrategy of two devices is given to run, by a method whose name is ``run`` as well."""

import glob
import os
import sys

import tensorflow as tf
from job import BATCHES, build, compiled, record, x, y

folder, epochs = sys.argv[1], int(sys.argv[2])
os.makedirs(folder, exist_ok=True)
cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)


class Trainer:
    def __init__(self):
        self.strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
        with self.strategy.scope():
            self.model = compiled(build())
            self.optimizer = self.model.optimizer
            self.optimizer.build(self.model.trainable_variables)
        data = tf.data.Dataset.from_tensor_slices((x, y)).batch(8)
        self.data = self.strategy.experimental_distribute_dataset(data)

    def step(self, inputs, labels):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((labels - self.model(inputs, training=True)) ** 2) / 8
        gradients = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.model.trainable_variables, strict=True))

    @tf.function
    def run(self, inputs, labels):
        self.strategy.run(self.step, args=(inputs, labels))

    def train(self):
        files = sorted(glob.glob(os.path.join(folder, "net-*.weights.h5")))
        if files:
            self.model.load_weights(files[-1])
        first = int(files[-1].split("-")[-1].split(".")[0]) if files else 0
        record.set_model(self.model)
        with self.strategy.scope():
            for epoch in range(first, epochs):
                record.on_epoch_begin(epoch)
                for batch, (inputs, labels) in enumerate(self.data):
                    record.on_train_batch_begin(batch)
                    self.run(inputs, labels)
                    record.on_train_batch_end(batch)
                self.model.save_weights(os.path.join(folder, f"net-{epoch + 1:02d}.weights.h5"))


assert BATCHES == 4
Trainer().train()
