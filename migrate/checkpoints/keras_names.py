"""The names that ``model_to_estimator`` gave to the variables of a Keras model, in both of its checkpoint formats."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from migrate.checkpoints.bundle import STEP_OF_OBJECTS, Stored
from migrate.checkpoints.correspondence import Carried, Misfit
from migrate.checkpoints.described import Described

_VALUE = ".ATTRIBUTES/VARIABLE_VALUE"


def weights_of_objects(model: Any, old: Mapping[str, list[int]]) -> Iterator[tuple[str, Any]]:
    """The model's variables by their names in the format ``checkpoint``: ``layer_with_weights-0/kernel``.

    Args:
      model: the Keras model.
      old: the shapes in the Estimator's checkpoint by name.

    Raises:
      Misfit: the checkpoint lacks a variable.
    """
    layers = [layer for layer in model.layers if layer.weights]
    seen = set()
    for name in old:
        found = re.fullmatch(rf"(layer_with_weights-(\d+)/([^.]+))/{re.escape(_VALUE)}", name)
        if found and int(found[2]) < len(layers):
            variable = _attribute(layers[int(found[2])], found[3].split("/"))
            if variable is not None:
                seen.add(id(variable))
                yield found[1], variable
    for layer in layers:
        for variable in layer.weights:
            if id(variable) not in seen:
                raise Misfit(f"The checkpoint has nothing for {variable.name} of the layer {layer.name}.")


def _attribute(owner: Any, path: list[str]) -> Any:
    """What attributes and places in lists lead to; None where they lead nowhere."""
    for part in path:
        try:
            owner = owner[int(part)] if part.isdigit() else getattr(owner, part)
        except (AttributeError, LookupError, TypeError):
            return None
    return owner


def weights_by_path(model: Any, old: Mapping[str, list[int]]) -> Iterator[tuple[str, Any]]:
    """The model's variables by their names in the format ``saver``: ``dense/kernel``.

    Args:
      model: the Keras model.
      old: the shapes in the Estimator's checkpoint by name.

    Raises:
      Misfit: a variable has another name in the checkpoint.
    """
    for variable in model.weights:
        path = str(getattr(variable, "path", variable.name)).partition(":")[0].split("/")
        names = ("/".join(path[start:]) for start in range(len(path)))  # Keras 3 may put the model's name first
        name = next((name for name in names if name in old), None)
        if name is None:
            raise Misfit(f"The checkpoint has no {'/'.join(path)}: give the layers the names that they had.")
        yield name, variable


def is_of_objects(old: Mapping[str, list[int]]) -> bool:
    """Whether an Estimator saved a Keras model as objects."""
    return STEP_OF_OBJECTS in old


def stored(name: str, old: Mapping[str, list[int]]) -> Stored:
    """Where a variable called ``name`` is."""
    return Stored(f"{name}/{_VALUE}" if is_of_objects(old) else name)


def slot(name: str, kind: str) -> str:
    """The name of a variable's slot among objects."""
    return f"{name}/.OPTIMIZER_SLOT/optimizer/{kind}/{_VALUE}"


def slot_of_tensorflow_1(name: str, kind: str) -> str:
    """The name among objects of a slot that an optimizer of ``tf.compat.v1.train`` made, which Keras wrapped."""
    return f"{name}/.OPTIMIZER_SLOT/optimizer/optimizer/{kind}/{_VALUE}"


def rate(program: Described, old: Mapping[str, list[int]]) -> Iterator[Carried]:
    """The learning rate that was saved among objects."""
    name = f"optimizer/learning_rate/{_VALUE}"
    if name in old and not isinstance(program.settings["learning_rate"], dict):
        yield Carried((Stored(name),), program.checkpoint.optimizer._learning_rate)
