"""Two models with an optimizer each, which a function steps that the loop gives them to."""

import glob
import os
import sys

import tensorflow as tf
from job import BATCHES, build, compiled, record, x, y

folder, epochs = sys.argv[1], int(sys.argv[2])
os.makedirs(folder, exist_ok=True)
loss = tf.keras.losses.MeanSquaredError()


@tf.function
def step(first, second, first_optimizer, second_optimizer, data, labels):
    with tf.GradientTape(persistent=True) as tape:
        value, other = loss(labels, first(data, training=True)), loss(labels, second(data, training=True))
    gradients = tape.gradient(value, first.trainable_variables)
    first_optimizer.apply_gradients(zip(gradients, first.trainable_variables, strict=True))
    gradients = tape.gradient(other, second.trainable_variables)
    second_optimizer.apply_gradients(zip(gradients, second.trainable_variables, strict=True))


def train(first, second):
    first_optimizer = first.optimizer
    second_optimizer = tf.keras.optimizers.Adam(0.02)
    begin = 0
    files = sorted(glob.glob(os.path.join(folder, "second-*.weights.h5")))
    if files:
        begin = int(files[-1].split("-")[-1].split(".")[0])
        first.load_weights(os.path.join(folder, f"first-{begin}.weights.h5"))
        second.load_weights(files[-1])
    record.set_model(first)
    for epoch in range(begin, epochs):
        record.on_epoch_begin(epoch)
        for batch in range(BATCHES):
            record.on_train_batch_begin(batch)
            part = slice(8 * batch, 8 * batch + 8)
            step(first, second, first_optimizer, second_optimizer, x[part], y[part])
            record.on_train_batch_end(batch)
        first.save_weights(os.path.join(folder, f"first-{epoch + 1}.weights.h5"))
        second.save_weights(os.path.join(folder, f"second-{epoch + 1}.weights.h5"))


tf.keras.utils.set_random_seed(1)
train(compiled(build()), build())
