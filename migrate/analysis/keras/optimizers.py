"""The optimizers of a program, and the code that trains with them."""

import ast
import re

from migrate.analysis.calls.objects import classes_of
from migrate.analysis.calls.reach import FunctionNode, Reach
from migrate.analysis.source.module import Module
from migrate.analysis.source.nodes import walk
from migrate.analysis.source.path_searches import name_of
from migrate.analysis.source.places import single_assignment
from migrate.analysis.values.values import Values

_OPTIMIZER = re.compile(
    r"^(?:tensorflow|keras|tf_keras|tensorflow_addons)\..*(?:\boptimizers\.(?!schedules\b|deserialize\b)|\btrain\.\w+Optimizer$)"
)
_TRAINING = {"apply_gradients", "apply", "minimize", "fit", "fit_generator", "train_on_batch", "update_step"}
_PARTS = {"trainable_variables", "trainable_weights", "compile"} | _TRAINING


def made_optimizers(values: Values, module: Module, expression: ast.expr) -> list[ast.Call]:
    """Returns the calls that create the optimizer in an expression; [] if it is no optimizer or unknown."""
    found = [(case.module, case.node) for case in values.of(module, expression)]
    stored = single_assignment(module.names, expression)
    found += [(module, stored)] if stored is not None else []
    return [node for where, node in found if isinstance(node, ast.Call) and is_optimizer(where, node)]


def is_optimizer(module: Module, call: ast.Call) -> bool:
    return _OPTIMIZER.search(module.names.qualified(call.func) or "") is not None


def runs_training(reach: Reach, *ways: str) -> bool:
    """Whether a file uses one of some training methods, outside functions that nothing calls."""
    steps = (one for way in ways for one in reach.module.names.attributes.get(way, ()))
    return any(not is_unused(reach, reach.module, step) for step in steps)


def is_unused(reach: Reach, module: Module, place: ast.expr) -> bool:
    """Whether a place is in a function that nothing in the program uses."""
    around = [one for one in module.names.ancestors(place) if not isinstance(one, ast.Module)]
    top = around[-1] if around else None
    if not isinstance(top, FunctionNode) or module.names.uses(top.name, module.names.top):
        return False
    return not reach.callers(top, module)


def names_training(name: str) -> bool:
    """Whether a function's name is about training; ``pretrained_model`` and ``train_test_split`` are not."""
    return "train" in name.lower().replace("trained", "").replace("train_test", "")


def is_trained(module: Module, value: ast.expr, reach: Reach | None = None) -> bool:
    """Whether a file trains an object or uses a part of it, by the uses of its variable or attribute.

    Args:
      reach: if given, the class of the object with this attribute is searched too, in all files.
    """
    names = module.names
    uses: list[ast.Name] | list[ast.Attribute] = names.reads_of(value)
    if isinstance(value, ast.Name) and not names.bindings(value):
        uses = names.variables.get(value.id, [])
    elif isinstance(value, ast.Attribute):
        uses = [one for one in names.attributes.get(value.attr, []) if ast.unparse(one) == ast.unparse(value)]
    for use in uses:
        parent = names.parent(use)
        if isinstance(parent, ast.Attribute) and parent.attr in _PARTS:
            return True
        call = names.parent(parent) if isinstance(parent, ast.keyword) else parent
        if isinstance(call, ast.Call) and names_training(name_of(call.func)) and call.func is not use:
            return True
    owners = classes_of(reach, module, value.value) if reach is not None and isinstance(value, ast.Attribute) else None
    for owner in (base for one in owners or () for base in reach.bases(one)):  # type: ignore[union-attr]
        held = (node.value for node in walk(owner) if isinstance(node, ast.Attribute) and node.attr in _PARTS)
        if any(ast.unparse(one) == f"self.{value.attr}" for one in held):  # type: ignore[attr-defined]
            return True
    return False
