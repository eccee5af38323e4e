"""The names that an Estimator gave to the variables of a migrated program."""

import itertools
import re
from collections.abc import Iterator, Mapping
from typing import Any

import tensorflow as tf

from migrate.checkpoints import keras_names
from migrate.checkpoints.bundle import STEP_OF_OBJECTS, Stored
from migrate.checkpoints.correspondence import Carried, Misfit, parts
from migrate.checkpoints.described import Described

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

_OWN_SLOTS = {"Adadelta": "accum", "Adadelta_1": "accum_update", "Ftrl": "accum"}
"""What optimizers of tf.compat.v1.train call slots for which Keras has another name, by how their checkpoints do."""

_SCOPE = "dnn/"
"""Where the variables of a premade DNN stand."""


def of_program(program: Described, old: Mapping[str, list[int]]) -> list[Carried]:
    """What an Estimator's checkpoint and a migrated program's have in common.

    Args:
      program: the migrated program.
      old: the shapes in an Estimator's checkpoint by name, which show how it spells the slots of a Keras optimizer;

    Raises:
      Misfit: no Estimator saves such a program, or its names are not known without ``old``.
    """
    model, optimizer = (getattr(program.checkpoint, name, None) for name in ("model", "optimizer"))
    if model is None or optimizer is None:
        raise Misfit("The program does not save a Keras model with its optimizer.")
    carried: list[Carried] = []
    step = STEP_OF_OBJECTS if keras_names.is_of_objects(old) else "global_step"
    weights = dict(_weights(model, old))
    carried += [Carried((keras_names.stored(name, old),), variable) for name, variable in weights.items()]
    carried += _slots(program, weights, old)
    carried += _rate(program, old)
    carried.append(Carried((Stored(step),), optimizer.iterations))
    return carried


def _weights(model: Any, old: Mapping[str, list[int]]) -> Iterator[tuple[str, Any]]:
    """The variables of a model, or a part of one, by the names that its Estimator gave them."""
    if keras_names.is_of_objects(old):
        return keras_names.weights_of_objects(model, old)
    if any(name.startswith(_SCOPE) for name in old):
        return _canned_weights(model)
    return keras_names.weights_by_path(model, old)


def _canned_weights(model: Any) -> Iterator[tuple[str, Any]]:
    layers = [layer for layer in model.layers if layer.trainable_weights]
    for position, layer in enumerate(layers):
        if not isinstance(layer, tf.keras.layers.Dense):
            raise Misfit(f"The layer {layer.name} has weights, and a premade DNN has no such layer.")
        scope = "dnn/logits" if layer is layers[-1] else f"dnn/hiddenlayer_{position}"
        yield from ((f"{scope}/{part}", getattr(layer, part)) for part in ("kernel", "bias"))


def _slots(program: Described, weights: dict[str, Any], old: Mapping[str, list[int]]) -> Iterator[Carried]:
    """The slots of the optimizer by their names in the checkpoint."""
    model, optimizer = program.checkpoint.model, program.checkpoint.optimizer
    kind = type(optimizer).__name__
    if kind not in SLOTS:
        raise Misfit(f"The slots of {kind} are not known; known are those of {', '.join(SLOTS)}.")
    order = [id(variable) for variable in model.trainable_variables]
    scale = _momentum_scale(program, old)
    for attribute, v1, keras in SLOTS[kind]:
        if attribute.endswith("momentums") and kind != "Adam" and not optimizer.momentum:
            continue
        for name, variable in weights.items():
            if id(variable) not in order:
                continue
            slot = getattr(optimizer, attribute)[order.index(id(variable))]
            wrapped = keras_names.slot_of_tensorflow_1(name, _OWN_SLOTS.get(v1, keras))
            known = [
                keras_names.slot(name, keras),
                wrapped,
                f"{name}/t_0/{v1}",
                f"{name}/{v1}",
                f"{name}/part_0/{v1}",
                *_in_training(old, f"/{name}/{keras}"),
            ]
            known.append(f"dnn/{name}/{v1}")  # under a MirroredStrategy
            found = next((one for one in known if one in old), known[2])
            stored = parts(_numbered(found, old), list(slot.shape))
            is_v1 = found == wrapped or found.endswith(v1)
            yield Carried(stored, slot, scale if v1 == "Momentum" and is_v1 else 1.0)


def _numbered(first: str, old: Mapping[str, list[int]]) -> list[str]:
    """The names of a slot's parts, of which each counts its own: ``w/t_0/Adam``, ``w/t_1/Adam``."""
    if not re.search(r"/(t|part)_0/", first):
        return [first]
    names = (re.sub(r"/(t|part)_0/", rf"/\g<1>_{number}/", first) for number in itertools.count(1))
    return [first, *itertools.takewhile(lambda name: name in old, names)]


def _in_training(old: Mapping[str, list[int]], end: str) -> list[str]:
    # A Keras optimizer's variables stand under training/NAME/, where NAME is the user's choice.
    return [name for name in old if re.fullmatch(r"training/[^/]+" + re.escape(end), name)]


def _momentum_scale(program: Described, old: Mapping[str, list[int]]) -> float:
    """What turns a v1 accumulator into a Keras momentum, which has the learning rate in it."""
    wrapped = keras_names.slot_of_tensorflow_1("", "momentum")
    if not any(name.endswith(("/Momentum", wrapped)) for name in old):
        return 1.0
    rate = program.settings["learning_rate"]
    if isinstance(rate, dict):
        raise Misfit("A Momentum slot cannot be carried under a changing learning rate: the algorithms differ.")
    return -float(rate)


def _rate(program: Described, old: Mapping[str, list[int]]) -> Iterator[Carried]:
    """The learning rate where a Keras optimizer saved it: an Estimator, too, went on with the saved one."""
    yield from keras_names.rate(program, old)
    if not isinstance(program.settings["learning_rate"], dict):
        for name in _in_training(old, "/learning_rate"):
            yield Carried((Stored(name),), program.checkpoint.optimizer._learning_rate)
