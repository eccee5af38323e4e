"""Finds the variable that counts a program's training steps among those that the program checkpoints."""

import re

DEPTH = 4
"""How many levels below a checkpoint's root are searched for a counter: a model's optimizer is at level 2."""

_variable = None
_rank = 9


def consider_checkpoint(root, again=False):
    """Uses the best counter below ``root``, a Checkpoint, if it is better than the one found before.

    Args:
      again: whether to use also one of the same rank: each of several trainings has its own counter.
    """
    global _variable, _rank
    best = min(_candidates(root), key=lambda candidate: candidate[0], default=None)
    if best is not None and (best[0] < _rank or (again and best[0] == _rank)):
        _rank, _variable = best


def consider_counter(variable):
    """Uses a CheckpointManager's ``step_counter``, unless an optimizer's own counter is known."""
    global _variable, _rank
    if variable is not None and _rank > 1:
        _variable, _rank = variable, 1


def read_step(variable=None):
    """Returns the counter's value; None if there is no counter or it cannot be read, as inside a tf.function."""
    variable = _variable if variable is None else variable
    if variable is None:
        return None
    try:
        return int(value_of(variable))
    except Exception:  # a variable of a graph or of another device's strategy: there is no common class
        return None


def value_of(variable):
    """Returns the value as a NumPy array; reads a plain variable directly, in a third of the time of its ``numpy``."""
    variable = getattr(variable, "_value", variable)  # Keras 3 wraps TensorFlow's variable
    if type(variable).__name__ == "ResourceVariable":
        from tensorflow.python.ops.gen_resource_variable_ops import read_variable_op

        return read_variable_op(variable.handle, variable.dtype).numpy()
    return variable.numpy()


def step_in_checkpoint(root):
    """Returns the value of the best counter below ``root``; None if there is none."""
    best = sorted(_candidates(root), key=lambda candidate: candidate[0])
    return read_step(best[0][1]) if best else None


def step_in_path(path):
    """Returns the number at the end of a checkpoint's path, as 120 in ``model.ckpt-120``; None if there is none."""
    match = re.search(r"-(\d+)(?:\.\w+)*$", str(path))
    return int(match.group(1)) if match else None


def model_step(model):
    """Returns the value of a Keras model's ``optimizer.iterations``; None if it has none."""
    iterations = getattr(getattr(model, "optimizer", None), "iterations", None)
    return None if iterations is None else read_step(iterations)


def _candidates(root):
    """Yields counters below ``root`` with their rank, 0 for the best: one that the update increments is better."""
    seen = []
    level = [("", root)]
    for _ in range(DEPTH):
        below = []
        for name, here in level:
            if here is None or id(here) in seen:
                continue
            seen.append(id(here))
            iterations = _iterations(here)
            if iterations is not None:
                yield 0, iterations
            rank = _rank_of_name(name, here)
            if rank is not None:
                yield rank, here
            below.extend(_children(here))
        level = below


def _iterations(here):
    """Returns the iterations of an optimizer or of a model's, if they exist: in Keras 2 a read would make them."""
    optimizer = here if hasattr(type(here), "apply_gradients") else getattr(here, "optimizer", None)
    if optimizer is None or not hasattr(type(optimizer), "iterations"):
        return None
    for name in ("_iterations", "iterations"):
        variable = getattr(optimizer, name, None)
        if variable is not None:
            return variable
        if name == "_iterations" and hasattr(optimizer, "_iterations"):
            return None
    return None


def _rank_of_name(name, here):
    if not hasattr(here, "assign_add") or not getattr(getattr(here, "dtype", None), "is_integer", False):
        return None
    names = [name, str(getattr(here, "name", "")).split(":")[0].split("/")[-1]]
    if "global_step" in names:
        return 0
    if {"step", "steps", "iterations", "iteration"} & set(names):
        return 2
    return None


def _children(here):
    if not hasattr(here, "_trackable_children"):
        return [(each.name, each.ref) for each in getattr(here, "_checkpoint_dependencies", [])]
    try:
        return list(here._trackable_children().items())
    except Exception:  # an object that can only list its children while it is being saved
        return []
