"""A generator and a critic that a loop trains batch by batch, and saves after each epoch."""

import os
import sys

import tensorflow as tf
from job import BATCHES, build, compiled, record, x, y

folder, epochs = sys.argv[1], int(sys.argv[2])
os.makedirs(folder, exist_ok=True)

tf.keras.utils.set_random_seed(1)
generator, critic = compiled(build()), compiled(build())
first = 0
while os.path.exists(os.path.join(folder, f"critic-{first + 1}.weights.h5")):
    first += 1
if first:
    generator.load_weights(os.path.join(folder, f"generator-{first}.weights.h5"))
    critic.load_weights(os.path.join(folder, f"critic-{first}.weights.h5"))


class Both:
    optimizer = generator.optimizer

    def get_weights(self):
        return generator.get_weights() + critic.get_weights()


record.set_model(Both())
for epoch in range(first, epochs):
    record.on_epoch_begin(epoch)
    for batch in range(BATCHES):
        record.on_train_batch_begin(batch)
        part = slice(8 * batch, 8 * batch + 8)
        critic.train_on_batch(x[part], y[part])
        generator.train_on_batch(x[part], critic(x[part]).numpy())
        record.on_train_batch_end(batch)
    generator.save_weights(os.path.join(folder, f"generator-{epoch + 1}.weights.h5"))
    critic.save_weights(os.path.join(folder, f"critic-{epoch + 1}.weights.h5"))
