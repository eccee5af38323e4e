"""Whether a Keras model has its weights where a program comes to a place."""

import ast

from migrate.analysis.calls.calls_before import calls_before
from migrate.analysis.calls.reach import FunctionNode, Reach
from migrate.analysis.keras.subclassed_models import layers_of
from migrate.analysis.source.module import Module
from migrate.analysis.source.symbols import symbol_of
from migrate.analysis.values.attributes import class_of_name
from migrate.analysis.values.values import End, Values

_SHAPES = {"input_shape", "batch_input_shape", "input_dim", "batch_shape", "input_length"}
_NEEDS_NO_SHAPE = {"add", "compile", "save", "save_weights"}
_STORES = ("train.Checkpoint", "train.CheckpointManager")


def constructor_call(values: Values, module: Module, model: ast.expr) -> End | None:
    """The one call that makes a model; None where it may be another, or is not seen."""
    ends = values.ends(module, model)
    return ends[0] if len(ends) == 1 and isinstance(ends[0].node, ast.Call) else None


def is_without_shape(reach: Reach, values: Values, made: End) -> bool:
    """Whether a call makes a model that knows no shapes: a ``Sequential`` without an input, or a subclassed model."""
    call, module = made.node, made.module
    assert isinstance(call, ast.Call)
    kind = symbol_of(module.names, call.func)
    if kind is None:
        layers = layers_of(reach.tree, module, call)
        return layers is not None and layers.have_weights and not layers.is_built
    if kind.tail not in ("keras.Sequential", "keras.models.Sequential") or kind.api == "tf_keras":
        return False
    given = call.args[0] if call.args else next((one.value for one in call.keywords if one.arg == "layers"), None)
    listed = values.ends(module, given) if given is not None else []
    heads = [_first(one.node) for one in listed]
    if None in heads or len(listed) > 1:
        return False
    first = [(one.module, head) for one, head in zip(listed, heads, strict=True) if isinstance(head, ast.expr)]
    return all(_tells_no_shape(values, *one) for one in first or _added(values, made))


def _first(listed: ast.AST) -> ast.expr | str | None:
    """The first item of a list; "" for one without, None where it is not seen."""
    if isinstance(listed, ast.BinOp) and isinstance(listed.op, ast.Add):
        return _first(listed.left) or _first(listed.right)
    if isinstance(listed, ast.ListComp):
        return listed.elt
    is_list = isinstance(listed, ast.List | ast.Tuple)
    return next(iter(listed.elts), "") if is_list and isinstance(listed, ast.List | ast.Tuple) else None


def _added(values: Values, made: End) -> list[tuple[Module, ast.expr]]:
    """The first layer that is added to a model; an input where none is."""
    module = made.module
    adds = [node for node in module.names.nodes(ast.Call) if _is_add(node)]
    own = [one for one in adds if made.node in {end.node for end in values.ends(module, one.func.value)}]  # type: ignore[attr-defined]
    first = min(own, key=lambda call: call.lineno, default=None)
    assert isinstance(made.node, ast.Call)
    return [(module, first.args[0] if first is not None else made.node)]


def _is_add(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "add" and len(call.args) == 1


def _tells_no_shape(values: Values, module: Module, layer: ast.expr) -> bool:
    """Whether a first layer is one of Keras that tells no shape."""
    ends = values.ends(module, layer)
    for end in ends:
        kind = symbol_of(end.module.names, end.node.func) if isinstance(end.node, ast.Call) else None
        if kind is None or not kind.tail.startswith("keras.layers.") or kind.api == "tf_keras":
            return False
        if kind.tail.rpartition(".")[2] in ("Input", "InputLayer"):
            return False
        if any(isinstance(part, ast.keyword) and part.arg in _SHAPES for part in ast.walk(end.node)):
            return False
    return bool(ends)


def may_be_built(reach: Reach, values: Values, module: Module, made: End, place: ast.Call) -> bool:
    """Whether something may give a model its weights before a place, as far as the program shows.

    Args:
      made: the call that makes the model.
      place: a training or a restore.
    """

    def is_model(where: Module, expression: ast.expr) -> bool:
        is_place = isinstance(expression, ast.Name | ast.Attribute)
        return is_place and made.node in {end.node for end in values.ends(where, expression)}

    scope = next((one for one in module.names.ancestors(place) if isinstance(one, FunctionNode)), None)
    before = [*calls_before(reach, module, place)]
    maker = next((one for one in made.module.names.ancestors(made.node) if isinstance(one, FunctionNode)), None)
    is_led_to = made.node in {call for _, call in before} and getattr(maker, "name", "") != "__init__"
    is_made_elsewhere = scope is not None and scope is not maker and not is_led_to
    if is_made_elsewhere and scope is not None and not reach.callers(reach.know(scope, module)):
        return True  # what comes before it is not seen
    seen = class_of_name(reach.tree, made.module, made.node.func) if isinstance(made.node, ast.Call) else None
    owners = reach.bases(reach.know(seen[1], seen[0])) if seen is not None else []
    for where, call in before:
        if call is made.node or call in where.calls_of(*_STORES):
            continue
        if isinstance(call.func, ast.Attribute) and call.func.attr in _NEEDS_NO_SHAPE:
            continue
        held = [call.func, *([call.func.value] if isinstance(call.func, ast.Attribute) else [])]
        is_read = bool(reach.functions(call))  # what it calls comes before, too
        if not is_read and (any(is_model(where, one) for one in held) or _is_in_method(where, call, owners)):
            return True
        given = [*call.args, *(one.value for one in call.keywords)]
        if not is_read and any(is_model(where, one) for one in given):
            return True
    return False


def _is_in_method(module: Module, call: ast.Call, owners: list[ast.ClassDef]) -> bool:
    """Whether a method of some classes calls its object, or what that holds: ``self(x)``, ``self.layer(x)``."""
    held = call.func.value if isinstance(call.func, ast.Attribute) else call.func
    around = [*module.names.ancestors(call)]
    is_made = any(isinstance(one, FunctionNode) and one.name == "__init__" for one in around)
    return getattr(held, "id", "") == "self" and not is_made and not set(owners).isdisjoint(around)
