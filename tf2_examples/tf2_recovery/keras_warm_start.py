# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 49b8b0eaa24be380).
"""An Estimator's variables in a Keras model: their names, and a start from them."""

import re

import numpy as np
import tensorflow as tf

from .keras_recovery import CheckpointRecovery
from .model_fn_warm_start import WarmStartSettings


def canned_variables(model):
    """Yields the variables of a migrated canned model, each after its old name.

    Args:
      model: the ``tf.keras.Model``, or one part of a ``WideAndDeep``.

    Raises:
      ValueError: a layer has weights, and no canned model has such a layer.
    """
    layers = getattr(model, "stack", None) or getattr(model, "layers", [model])
    dense = [layer for layer in layers if isinstance(layer, tf.keras.layers.Dense)]
    position, scope = -1, ""
    for layer in layers:
        kind = type(layer).__name__
        if isinstance(layer, tf.keras.layers.Dense):
            position += 1
            last = layer is dense[-1]
            scope = "dnn/logits" if last else f"dnn/hiddenlayer_{position}"
            for part in ("kernel", "bias"):
                yield f"{scope}/{part}", getattr(layer, part)
        elif isinstance(layer, tf.keras.layers.BatchNormalization):
            for part in ("gamma", "beta", "moving_mean", "moving_variance"):
                yield f"{scope}/batchnorm_{position}/{part}", getattr(layer, part)
        elif kind == "DenseColumns":
            where = "dnn/input_from_feature_columns/input_layer"
            for column, variable in layer.embeddings.items():
                yield f"{where}/{_in_scope(column)}/embedding_weights", variable
        elif kind == "LinearColumns":
            for column, variable in layer.kernels.items():
                yield f"linear/linear_model/{_in_scope(column)}/weights", variable
            yield "linear/linear_model/bias_weights", layer.bias
        elif kind == "BiasAlone":
            yield "baseline/bias", layer.bias
        elif layer.trainable_weights:
            raise ValueError(
                f"The layer {layer.name} has weights, and a canned estimator has no "
                "such layer."
            )


def _in_scope(column):
    return re.sub(r"[^A-Za-z0-9.\-_]", "_", column)


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
