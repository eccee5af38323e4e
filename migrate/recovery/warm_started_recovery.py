"""A canned estimator's Keras model that begins with values of an older job."""

import re

import numpy as np
import tensorflow as tf

from migrate.recovery.canned_variables import canned_variables
from migrate.recovery.checkpoint_recovery import CheckpointRecovery
from migrate.recovery.model_fn_warm_start import WarmStartSettings


class WarmStartedRecovery(CheckpointRecovery):
    """A ``CheckpointRecovery`` whose job, where it has no checkpoint yet, starts warm.

    Args:
      manager, save_secs: as for ``CheckpointRecovery``.
      warm_start_from: a ``WarmStartSettings`` whose ``vars_to_warm_start`` is a regular
        expression, for trained variables by the names that the Estimator gave them; or
        the path of a checkpoint or its directory, for all of them. The checkpoint may be
        an Estimator's or that of a migrated program with the same model. None for
        nothing.
    """

    def __init__(self, manager, warm_start_from, save_secs=None):
        super().__init__(manager, save_secs)
        self._warm_start_from = warm_start_from

    def on_train_begin(self, logs=None):
        self._make_slots()
        if self._warm_start_from and not self._newest_first():
            settings = self._warm_start_from
            if not isinstance(settings, tuple):
                settings = WarmStartSettings(settings)
            _start_warm(self.manager.checkpoint.model, settings)
        super().on_train_begin(logs)


def _start_warm(model, settings):
    path, pattern, *others = settings
    if not isinstance(pattern, str) or "$" in pattern or any(others):
        raise ValueError("Give a path and one pattern for the beginnings of names.")
    parts = (model.deep, model.wide) if hasattr(model, "wide") else (model,)
    variables = {n: v for part in parts for n, v in canned_variables(part)}
    chosen = {
        name: variable
        for name, variable in variables.items()
        if variable.trainable and re.match(pattern, f"{name}:0")
    }
    reader = tf.train.load_checkpoint(path)
    if reader.has_tensor("_CHECKPOINTABLE_OBJECT_GRAPH"):
        _take_from_objects(model, chosen, path)
    else:
        missing = [name for name in chosen if not reader.has_tensor(name)]
        if missing:
            raise ValueError(f"{path} has no {missing} to start with.")
        for name, variable in chosen.items():
            variable.assign(reader.get_tensor(name))
    tf.get_logger().info("Started %s warm from %s", sorted(chosen), path)


def _take_from_objects(model, chosen, path):
    # All that fits is read; what was not asked for gets its own value back.
    optimizers = {model.optimizer, getattr(model, "wide_optimizer", model.optimizer)}
    others = [*model.weights, *(v for one in optimizers for v in one.variables)]
    rates = [one.learning_rate for one in optimizers]
    others += [rate for rate in rates if hasattr(rate, "assign")]
    ids = {id(variable) for variable in chosen.values()}
    kept = [(v, v.numpy()) for v in others if id(v) not in ids]
    for variable in chosen.values():  # a mark: what stays so was not in the checkpoint
        variable.assign(np.full(variable.shape, np.nan, np.float32))
    if tf.io.gfile.isdir(path):
        path = tf.train.latest_checkpoint(path)
    tf.train.Checkpoint(model=model).restore(path).expect_partial()
    for variable, value in kept:
        variable.assign(value)
    missing = [name for name, v in chosen.items() if np.isnan(v.numpy()).all()]
    if missing:
        raise ValueError(f"{path} has no {missing} to start with.")
