"""Whether a Keras model may have its weights when a program reaches a place."""

import ast

from migrate.analysis.calls.calls_before import calls_before
from migrate.analysis.calls.reach import FunctionNode, Reach
from migrate.analysis.source.module import Module
from migrate.analysis.values.attributes import class_of_name
from migrate.analysis.values.values import Value, Values

_METHODS_WITHOUT_SHAPE = {"add", "compile", "save", "save_weights"}
_CHECKPOINT_CLASSES = ("train.Checkpoint", "train.CheckpointManager")


def constructor_call(values: Values, module: Module, model: ast.expr) -> Value | None:
    """Returns the call that creates a model; None if it is unknown or there are several."""
    cases = values.of(module, model)
    return cases[0] if len(cases) == 1 and isinstance(cases[0].node, ast.Call) else None


def may_be_built(reach: Reach, values: Values, module: Module, model: Value, place: ast.Call) -> bool:
    """Whether a call before a place may create the weights of a model.

    Args:
      model: the call that creates the model.
      place: a training or a restore.
    """

    def is_model(where: Module, expression: ast.expr) -> bool:
        is_place = isinstance(expression, ast.Name | ast.Attribute)
        return is_place and model.node in {case.node for case in values.of(where, expression)}

    scope = next((one for one in module.names.ancestors(place) if isinstance(one, FunctionNode)), None)
    before = [*calls_before(reach, module, place)]
    maker = next((one for one in model.module.names.ancestors(model.node) if isinstance(one, FunctionNode)), None)
    is_led_to = model.node in {call for _, call in before} and getattr(maker, "name", "") != "__init__"
    is_made_elsewhere = scope is not None and scope is not maker and not is_led_to
    if is_made_elsewhere and scope is not None and not reach.callers(scope, module):
        return True  # the calls before it are unknown
    seen = class_of_name(reach.tree, model.module, model.node.func) if isinstance(model.node, ast.Call) else None
    owners = reach.bases(reach.note(seen[1], seen[0])) if seen is not None else []
    for where, call in before:
        if call is model.node or call in where.calls_of(*_CHECKPOINT_CLASSES):
            continue
        if isinstance(call.func, ast.Attribute) and call.func.attr in _METHODS_WITHOUT_SHAPE:
            continue
        held = [call.func, *([call.func.value] if isinstance(call.func, ast.Attribute) else [])]
        is_read = bool(reach.functions(call))  # the calls in the function come before, too
        if not is_read and (any(is_model(where, one) for one in held) or _is_in_method(where, call, owners)):
            return True
        given = [*call.args, *(one.value for one in call.keywords)]
        if not is_read and any(is_model(where, one) for one in given):
            return True
    return False


def _is_in_method(module: Module, call: ast.Call, owners: list[ast.ClassDef]) -> bool:
    """Whether a method of some classes calls its object or an attribute of it: ``self(x)``, ``self.layer(x)``."""
    held = call.func.value if isinstance(call.func, ast.Attribute) else call.func
    around = [*module.names.ancestors(call)]
    is_made = any(isinstance(one, FunctionNode) and one.name == "__init__" for one in around)
    return getattr(held, "id", "") == "self" and not is_made and not set(owners).isdisjoint(around)
