"""Carries the checkpoint of a canned DNN estimator into a Keras model and its optimizer."""

import math
import re
from typing import Any

import numpy as np
import tensorflow as tf

# Keras optimizer: the attribute that holds a slot of every variable, and the slot's name in checkpoints that were
# written with a tf.compat.v1.train optimizer and with a Keras optimizer.
SLOTS = {
    "Adadelta": (
        ("_accumulated_grads", "Adadelta", "accum_grad"),
        ("_accumulated_delta_vars", "Adadelta_1", "accum_var"),
    ),
    "Adagrad": (("_accumulators", "Adagrad", "accumulator"),),
    "Adam": (("_momentums", "Adam", "m"), ("_velocities", "Adam_1", "v")),
    "Ftrl": (("_accumulators", "Ftrl", "accumulator"), ("_linears", "Ftrl_1", "linear")),
    "RMSprop": (("_velocities", "RMSProp", "rms"), ("_momentums", "RMSProp_1", "momentum")),
    "SGD": (("momentums", "Momentum", "momentum"),),
}

# What an Estimator saves and Keras computes: Adam's powers of beta follow from the step.
COMPUTED = re.compile(r"(.+/)?beta[12]_power|training/[^/]+/[^/]+")


def estimator_to_keras(checkpoint: str, model: Any, directory: str) -> str:
    """Writes an Estimator's checkpoint as the one that ``CheckpointRecovery`` resumes a Keras model from.

    The weights, the optimizer's slots and the step go into the model, which is then saved as ``ckpt-STEP``, the latest
    of the directory. Nothing in the directory is deleted.

    Args:
      checkpoint: an Estimator's ``model_dir``, for its latest checkpoint, or the prefix of one (``…/model.ckpt-10``).
      model: the compiled ``tf.keras.Model`` of a ``DNNClassifier`` or ``DNNRegressor``: its ``Dense`` layers are the
        hidden layers and the logits, in this order, and a ``BatchNormalization`` belongs to the ``Dense`` before it.
        It keeps the values that it is given.
      directory: where to save; may be the Estimator's ``model_dir``.

    Returns:
      The prefix of the checkpoint that was written.

    Raises:
      ValueError: a variable is missing, left over or of another shape (the message names it), or the optimizers differ.
    """
    reader = tf.train.load_checkpoint(checkpoint)
    shapes = reader.get_variable_to_shape_map()
    optimizer = model.optimizer
    optimizer.build(model.trainable_variables)
    weights = _weights(model)
    carried = {**weights, **_slots(model, weights, shapes), "global_step": optimizer.iterations}
    _require_fit(shapes, carried, _unused(optimizer))
    scale = _momentum_scale(optimizer, shapes)
    _carry_settings(reader, optimizer)
    for name, variable in carried.items():
        value = reader.get_tensor(name)
        variable.assign(value * scale if name.endswith("/Momentum") else value)
    manager = tf.train.CheckpointManager(
        tf.train.Checkpoint(model=model, optimizer=optimizer), directory, max_to_keep=None
    )
    path: str = manager.save(checkpoint_number=int(reader.get_tensor("global_step")))
    return path


def _weights(model: Any) -> dict[str, Any]:
    """The model's variables by the names that the Estimator gave them."""
    dense = [layer for layer in model.layers if isinstance(layer, tf.keras.layers.Dense)]
    weights: dict[str, Any] = {}
    position, scope = -1, ""
    for layer in model.layers:
        if isinstance(layer, tf.keras.layers.Dense):
            position += 1
            scope = "dnn/logits" if layer is dense[-1] else f"dnn/hiddenlayer_{position}"
            weights |= {f"{scope}/{part}": getattr(layer, part) for part in ("kernel", "bias")}
        elif isinstance(layer, tf.keras.layers.BatchNormalization):
            parts = ("gamma", "beta", "moving_mean", "moving_variance")
            weights |= {f"{scope}/batchnorm_{position}/{part}": getattr(layer, part) for part in parts}
        elif layer.trainable_weights:
            raise ValueError(f"The layer {layer.name} has weights, and a canned DNN has no such layer.")
    return weights


def _slots(model: Any, weights: dict[str, Any], shapes: dict[str, Any]) -> dict[str, Any]:
    """The optimizer's slots by the names that they have in the checkpoint."""
    optimizer = model.optimizer
    kind = type(optimizer).__name__
    if kind not in SLOTS:
        raise ValueError(f"The slots of {kind} are not known; known are those of {', '.join(SLOTS)}.")
    order = [id(variable) for variable in model.trainable_variables]
    slots: dict[str, Any] = {}
    for attribute, old, new in SLOTS[kind]:
        if attribute.endswith("momentums") and kind != "Adam" and not optimizer.momentum:
            continue
        for name, variable in weights.items():
            if id(variable) in order:
                known = [f"{name}/t_0/{old}", f"{name}/{old}", *_in_training_scope(shapes, f"/{name}/{new}")]
                found = next((slot for slot in known if slot in shapes), known[0])
                slots[found] = getattr(optimizer, attribute)[order.index(id(variable))]
    return slots


def _in_training_scope(shapes: dict[str, Any], end: str) -> list[str]:
    # A Keras optimizer's variables stand under training/NAME/, where NAME is the user's choice.
    return [name for name in shapes if re.fullmatch(r"training/[^/]+" + re.escape(end), name)]


def _unused(optimizer: Any) -> re.Pattern[str] | None:
    """The slots that a v1 optimizer saves and never reads."""
    return re.compile(r".+/RMSProp_1") if type(optimizer).__name__ == "RMSprop" and not optimizer.momentum else None


def _require_fit(shapes: dict[str, Any], carried: dict[str, Any], unused: re.Pattern[str] | None) -> None:
    missing = sorted(carried.keys() - shapes.keys())
    left_over = sorted(
        name
        for name in shapes.keys() - carried.keys()
        if not COMPUTED.fullmatch(name) and not (unused and unused.fullmatch(name))
    )
    reshaped = [
        f"{name} {shapes[name]} for {list(variable.shape)}"
        for name, variable in sorted(carried.items())
        if name in shapes and list(shapes[name]) != list(variable.shape)
    ]
    problems = {"It lacks": missing, "The model has no place for": left_over, "Other shapes:": reshaped}
    if any(problems.values()):
        told = " ".join(f"{what} {', '.join(names)}." for what, names in problems.items() if names)
        raise ValueError(f"The checkpoint does not fit the model and its optimizer. {told}")


def _momentum_scale(optimizer: Any, shapes: dict[str, Any]) -> float:
    """What turns a v1 accumulator into a Keras momentum, which has the learning rate in it."""
    if not any(name.endswith("/Momentum") for name in shapes):
        return 1.0
    rate = optimizer.get_config()["learning_rate"]
    if isinstance(rate, dict):
        raise ValueError("A Momentum slot cannot be carried under a changing learning rate: the algorithms differ.")
    return -float(rate)


def _carry_settings(reader: Any, optimizer: Any) -> None:
    """Compares the settings that a Keras optimizer saved, and carries its learning rate."""
    settings = optimizer.get_config()
    for name in reader.get_variable_to_shape_map():
        if not re.fullmatch(r"training/[^/]+/[^/]+", name):
            continue
        setting = name.rpartition("/")[2]
        value, ours = float(reader.get_tensor(name)), settings.get(setting, 0.0)
        if setting == "learning_rate" and not isinstance(ours, dict):
            optimizer.learning_rate = value  # An Estimator, too, went on with the saved one.
        elif isinstance(ours, dict) or not math.isclose(value, float(np.asarray(ours)), rel_tol=1e-6):
            raise ValueError(f"{name} is {value:g} in the checkpoint and {ours} in the optimizer.")
