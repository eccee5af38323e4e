"""A small ``fit`` job with a CheckpointManager in a callback, which saves as the Estimator job does."""

import argparse

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--model_dir", required=True)
parser.add_argument("--max_steps", type=int, default=23)
parser.add_argument("--weights", help="where the final weights are written, as .npz")
parser.add_argument("--jit_compile", action="store_true")
options = parser.parse_args()

tf.keras.utils.set_random_seed(7)
rng = np.random.RandomState(0)
X, Y = rng.rand(640, 8).astype("float32"), rng.randint(0, 10, 640).astype("int32")


def step_of(model):
    return int(model.optimizer.iterations.numpy())


class Recovery(tf.keras.callbacks.Callback):
    """Restores at the start; saves at the start, every 5 steps and at the end."""

    def on_train_begin(self, logs=None):
        self.model.optimizer.build(self.model.trainable_variables)
        checkpoint = tf.train.Checkpoint(model=self.model, optimizer=self.model.optimizer)
        self.manager = tf.train.CheckpointManager(checkpoint, options.model_dir, max_to_keep=3)
        if self.manager.latest_checkpoint:
            checkpoint.restore(self.manager.latest_checkpoint).assert_consumed()
        else:
            self.manager.save(checkpoint_number=0)

    def on_train_batch_end(self, batch, logs=None):
        step = step_of(self.model)
        if step % 5 == 0 or step >= options.max_steps:
            self.manager.save(checkpoint_number=step)
        if step >= options.max_steps:
            self.model.stop_training = True


model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(16, activation="relu"),
        tf.keras.layers.BatchNormalization(),
        tf.keras.layers.Dropout(0.2),
        tf.keras.layers.Dense(10),
    ]
)
model.build((None, 8))
loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
model.compile(tf.keras.optimizers.Adam(0.05), loss, jit_compile=options.jit_compile)
data = tf.data.Dataset.from_tensor_slices((X, Y)).repeat().batch(64)
model.fit(data, steps_per_epoch=10, epochs=100, verbose=0, callbacks=[Recovery()])
if options.weights:
    values = [*model.get_weights(), *(np.asarray(variable) for variable in model.optimizer.variables)]
    np.savez(options.weights, *values)
