"""The smallest TF1 model that can be trained, and its data."""

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from migrate.recovery.estimator.estimator import Estimator, EstimatorSpec
from migrate.recovery.estimator.model_checkpoints import ModelCheckpoints
from migrate.recovery.estimator.run_config import RunConfig

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


class Noting(tf1.train.SessionRunHook):
    """Notes the loss of each step, and the step at which the session began."""

    def __init__(self):
        self.losses, self.began_at = [], None

    def after_create_session(self, session, coord):
        self.began_at = int(session.run(tf1.train.get_global_step()))

    def before_run(self, run_context):
        return tf1.train.SessionRunArgs(tf1.get_collection(tf1.GraphKeys.LOSSES)[-1])

    def after_run(self, run_context, run_values):
        self.losses.append(float(run_values.results))


class Job:
    """An estimator whose manager stands at the site: N steps between saves, the newest three kept.

    Attributes:
      estimator: the ``Estimator``.
      restored: the step that it would go on from.
    """

    def __init__(
        self,
        model_dir,
        model_fn=model_fn,
        every=4,
        keep=3,
        hours=10000,
        input_fn=input_fn,
        hooks=(),
        continue_input=False,
        params=None,
        warm_start_from=None,
        **config,
    ):
        checkpoints = ModelCheckpoints(model_dir, keep, every, keep_checkpoint_every_n_hours=hours)
        kind = Continuing if continue_input else Estimator
        self.estimator = kind(model_fn, None, RunConfig(**config), params, warm_start_from, checkpoints=checkpoints)
        self._input_fn, self._hooks = input_fn, list(hooks)

    @property
    def restored(self):
        path = self.estimator.latest_checkpoint()
        return int(path.rpartition("-")[2]) if path else 0

    def run(self, max_steps=None, hooks=(), **options):
        """Trains; returns the global step that is saved at the end."""
        self.estimator.train(self._input_fn, hooks=[*self._hooks, *hooks], max_steps=max_steps, **options)
        return self.restored

    def value(self, name):
        """The value of a variable in the newest checkpoint."""
        return self.estimator.get_variable_value(name)


class Continuing(Estimator):
    input = "continue"


def checkpoints(model_dir):
    """Returns the names of the checkpoints whose files are in a directory, the oldest first."""
    names = [path.name[: -len(".index")] for path in model_dir.glob("*.index")]
    return sorted(names, key=lambda name: int(name.rsplit("-", 1)[1]))


def event_values(directory, tag):
    """Returns the values of one tag, by step, in the event files of a directory."""
    values = {}
    for path in sorted(directory.glob("events*")):
        for event in tf1.train.summary_iterator(str(path)):
            for value in event.summary.value:
                if value.tag == tag:
                    values[event.step] = value.simple_value
    return values
