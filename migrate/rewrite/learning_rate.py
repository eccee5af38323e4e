"""The learning rate of a canned estimator's optimizer, as a Keras optimizer takes it."""

import ast

from migrate.analysis.arguments import Unbindable, bind
from migrate.analysis.names import FunctionNode, Names
from migrate.analysis.symbols import symbol_of
from migrate.analysis.values.made_of import made_of
from migrate.rewrite.draft import Draft

# A function of tf.compat.v1.train: the Keras schedule, and the function's parameters, of which the first two of most
# are the rate and the step.
_DECAYS = {
    "exponential_decay": (
        "ExponentialDecay", ("learning_rate", "global_step", "decay_steps", "decay_rate", "staircase", "name"),
    ),
    "inverse_time_decay": (
        "InverseTimeDecay", ("learning_rate", "global_step", "decay_steps", "decay_rate", "staircase", "name"),
    ),
    "polynomial_decay": (
        "PolynomialDecay",
        ("learning_rate", "global_step", "decay_steps", "end_learning_rate", "power", "cycle", "name"),
    ),
    "cosine_decay": ("CosineDecay", ("learning_rate", "global_step", "decay_steps", "alpha", "name")),
    "piecewise_constant": ("PiecewiseConstantDecay", ("global_step", "boundaries", "values", "name")),
    "piecewise_constant_decay": ("PiecewiseConstantDecay", ("global_step", "boundaries", "values", "name")),
}  # fmt: skip
_STEPS = ("train.get_global_step", "train.get_or_create_global_step")


def changes(names: Names, rate: ast.expr) -> bool:
    """Whether a learning rate is one of ``tf.compat.v1.train``'s decays, or a Keras schedule, written at its place."""
    found = symbol_of(names, rate.func) if isinstance(rate, ast.Call) else None
    if found is None:
        return False
    return found.tail.removeprefix("train.") in _DECAYS or found.tail.startswith("keras.optimizers.schedules.")


def constant_or_decaying(draft: Draft, rate: ast.expr) -> str:
    """The text for the rate of an optimizer of ``tf.compat.v1.train``: a schedule for one that decays by the step.

    Raises:
      Unbindable: for one that is computed in another way, perhaps from the global step.
    """
    if changes(draft.program.module.names, rate):
        return scheduled(draft, rate)
    if not is_plain(draft.program.module.names, rate):
        raise Unbindable("the learning rate is computed, perhaps from the global step")
    return draft.text(rate)


def scheduled(draft: Draft, rate: ast.expr) -> str:
    """The text for the rate of a Keras optimizer, which may be anything but a decay in the Estimator's graph.

    Raises:
      Unbindable: for what reads TensorFlow 1's global step in a way that no schedule has.
    """
    names = draft.program.module.names
    found = symbol_of(names, rate.func) if isinstance(rate, ast.Call) else None
    name = found.tail.removeprefix("train.") if found is not None else ""
    if isinstance(rate, ast.Call) and name in _DECAYS:
        return _schedule(draft, rate, name)
    for node in made_of(names, rate):
        inner = symbol_of(names, node) if isinstance(node, ast.Attribute | ast.Name) else None
        if inner is not None and inner.tail.startswith("train."):
            raise Unbindable("the learning rate is computed, perhaps from the global step")
    return draft.text(rate)


def _schedule(draft: Draft, call: ast.Call, name: str) -> str:
    schedule, parameters = _DECAYS[name]
    renamed = {"x": "global_step"} if "boundaries" in parameters else {}
    arguments = {renamed.get(key, key): value for key, value in bind(call, parameters).items()}
    arguments.pop("name", None)
    step = arguments.pop("global_step", None)
    found = symbol_of(draft.program.module.names, step.func) if isinstance(step, ast.Call) else None
    if found is None or found.tail not in _STEPS:
        raise Unbindable(f"what `{name}` counts steps by is not seen to be the global step")
    for value in arguments.values():
        if not is_plain(draft.program.module.names, value):
            raise Unbindable(f"`{ast.unparse(value)[:60]}` of `{name}` is computed, perhaps in the Estimator's graph")
    first = [draft.text(arguments.pop("learning_rate"))] if "learning_rate" in arguments else []
    rest = [f"{key}={draft.text(value)}" for key, value in arguments.items()]
    return f"{draft.tf}.keras.optimizers.schedules.{schedule}({', '.join([*first, *rest])})"


def is_plain(names: Names, value: ast.expr) -> bool:
    """Whether a learning rate is a Python number as far as the file tells: no TensorFlow, no function of the file."""
    for node in made_of(names, value):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and isinstance(names.definition(node.func), FunctionNode):
                return False
            if symbol_of(names, node.func) is not None:
                return False
    return True
