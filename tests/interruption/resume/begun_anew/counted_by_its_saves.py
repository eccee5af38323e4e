"""A loop with a CheckpointManager that begins at epoch 0 at each start, as TensorFlow's Transformer tutorial does."""

import sys

import tensorflow as tf
from job import BATCHES, build, compiled, record, x, y

folder, epochs = sys.argv[1], int(sys.argv[2])

tf.keras.utils.set_random_seed(1)
model = compiled(build())
optimizer = model.optimizer
optimizer.build(model.trainable_variables)
loss = tf.keras.losses.MeanSquaredError()
ckpt = tf.train.Checkpoint(model=model, optimizer=optimizer)
ckpt_manager = tf.train.CheckpointManager(ckpt, folder, max_to_keep=5)
if ckpt_manager.latest_checkpoint:
    ckpt.restore(ckpt_manager.latest_checkpoint)
    print("Latest checkpoint restored!!")
record.set_model(model)
for epoch in range(epochs):
    record.on_epoch_begin(epoch)
    for batch in range(BATCHES):
        record.on_train_batch_begin(batch)
        part = slice(8 * batch, 8 * batch + 8)
        with tf.GradientTape() as tape:
            value = loss(y[part], model(x[part], training=True))
        gradients = tape.gradient(value, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        record.on_train_batch_end(batch)
    if (epoch + 1) % 2 == 0:
        path = ckpt_manager.save()
        print(f"Saving checkpoint for epoch {epoch + 1} at {path}")
