"""A small training job, as the tool writes it: built anew for each start, like a process."""

import re
from pathlib import Path

import numpy as np
import tensorflow as tf

from migrate.recovery.keras.step_recovery import CheckpointRecovery

FEATURES = np.random.RandomState(0).rand(40, 4).astype(np.float32)
LABELS = np.arange(40) % 3


def dataset():
    """Batches of 4 without an end."""
    return tf.data.Dataset.from_tensor_slices(({"x": FEATURES}, LABELS)).repeat().batch(4)


def build(*, units=(8,), optimizer=None, dropout=None):
    """A compiled classifier of 4 features into 3 classes."""
    inputs = {"x": tf.keras.Input((4,), name="x")}
    net = inputs["x"]
    for width in units:
        net = tf.keras.layers.Dense(width, activation="relu")(net)
        if dropout:
            net = dropout(net)
    model = tf.keras.Model(inputs, tf.keras.layers.Dense(3)(net))
    model.compile(
        optimizer=optimizer or tf.keras.optimizers.Adam(0.01),
        loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="sum"),
    )
    return model


def recover(model, model_dir, *, every=2, secs=None, keep=3):
    """The recovery of a model, as it stands at the site."""
    manager = tf.train.CheckpointManager(
        tf.train.Checkpoint(model=model, optimizer=model.optimizer),
        str(model_dir),
        max_to_keep=keep,
        step_counter=model.optimizer.iterations,
        checkpoint_interval=every,
    )
    return CheckpointRecovery(manager, save_secs=secs)


def start(model_dir, max_steps, *callbacks, model=None, continue_input=False, is_counted=True, **settings):
    """Starts or resumes the job; returns its recovery and the steps that it ran.

    Without ``is_counted`` Keras cannot know how many batches there are.
    """
    model = model or build()
    recovery = recover(model, model_dir, **settings)
    steps = StepsRun()
    if recovery.restore() < max_steps:
        batches = dataset().skip(recovery.step) if continue_input else dataset()
        batches = batches if is_counted else batches.filter(lambda features, labels: True)
        model.fit(batches.take(max_steps - recovery.step), verbose=0, callbacks=[recovery, steps, *callbacks])
    return recovery, steps.seen


def saved(model_dir):
    """The steps that are saved in a directory."""
    return sorted(int(re.search(r"-(\d+)$", path.stem)[1]) for path in Path(model_dir).glob("*.index"))


def state(model):
    """What a model and its optimizer hold, as arrays."""
    variables = model.optimizer.variables
    return [variable.numpy() for variable in [*model.weights, *(variables() if callable(variables) else variables)]]


class StepsRun(tf.keras.callbacks.Callback):
    """Notes the steps that were run."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def on_train_batch_end(self, batch, logs=None):
        self.seen.append(int(self.model.optimizer.iterations.numpy()))


class InterruptAt(tf.keras.callbacks.Callback):
    """Raises an error after a step, or asks for a clean stop."""

    def __init__(self, step, error=None):
        super().__init__()
        self.step = step
        self.error = error

    def on_train_batch_end(self, batch, logs=None):
        if int(self.model.optimizer.iterations.numpy()) == self.step:
            if self.error:
                raise self.error
            self.model.stop_training = True
