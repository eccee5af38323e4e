"""The smallest TF1 model that can be trained, and its data."""

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from migrate.recovery.model_fn_checkpoints import mend_checkpoint_list
from migrate.recovery.model_fn_spec import EstimatorSpec
from migrate.recovery.model_fn_training import ModelFnTraining
from migrate.recovery.run_training import run_training
from migrate.recovery.training_hooks import TrainingHooks

X = np.linspace(0, 1, 80, dtype="f").reshape(40, 2)
Y = X @ np.array([[2.0], [-1.0]], "f")


def input_fn(batches=None):
    return tf.data.Dataset.from_tensor_slices(({"x": X}, Y)).repeat().batch(8).take(-1 if batches is None else batches)


def loss_of(features, labels):
    w = tf1.get_variable("w", [2, 1], initializer=tf1.zeros_initializer())
    return tf1.losses.mean_squared_error(labels, features["x"] @ w)


def trained(mode, loss, optimizer=None, **more):
    optimizer = optimizer or tf1.train.MomentumOptimizer(0.1, 0.5)
    return EstimatorSpec(mode, loss=loss, train_op=optimizer.minimize(loss, tf1.train.get_global_step()), **more)


def model_fn(features, labels, mode):
    return trained(mode, loss_of(features, labels))


class Job:
    """What a migrated program writes at the site, for these tests: N steps between saves, the newest three kept."""

    def __init__(
        self,
        model_dir,
        model_fn=model_fn,
        every=4,
        keep=3,
        hours=None,
        dataset=None,
        continue_input=False,
        hooks=None,
        **options,
    ):
        self.train = ModelFnTraining(model_fn, input_fn() if dataset is None else dataset, **options)
        self.hooks = None if hooks is None else TrainingHooks(self.train, hooks)
        if continue_input:
            self.train.checkpoint.batches = iter(self.train.dataset)
        mend_checkpoint_list(str(model_dir))
        self.manager = tf.train.CheckpointManager(
            self.train.checkpoint,
            str(model_dir),
            checkpoint_name="model.ckpt",
            max_to_keep=keep,
            keep_checkpoint_every_n_hours=hours,
            step_counter=self.train.global_step,
            checkpoint_interval=every,
        )
        if hooks is None:  # they begin before
            self.restored = self.train.restore(self.manager)

    def run(self, max_steps=None, train=None, **options):
        """Trains as the site does; returns the global step."""
        run_training(train or self.train, self.manager, max_steps=max_steps, hooks=self.hooks, **options)
        return int(self.train.global_step)


def hooked(model_dir, hooks=(), model_fn=model_fn, **options):
    """Returns a job with hooks."""
    return Job(model_dir, model_fn, hooks=list(hooks), **options)


def checkpoints(model_dir):
    """Returns the names of the checkpoints whose files are in a directory, the oldest first."""
    names = [path.name[: -len(".index")] for path in model_dir.glob("*.index")]
    return sorted(names, key=lambda name: int(name.rsplit("-", 1)[1]))
