"""The layers with weights of a subclassed Keras model."""

import ast
import re
from collections.abc import Iterator

from migrate.analysis.program.tree import Tree
from migrate.analysis.source.module import Module
from migrate.analysis.source.nodes import walk
from migrate.analysis.source.path_searches import APPEND_METHODS, name_of
from migrate.analysis.source.symbols import symbol_of
from migrate.analysis.values.attributes import class_of_name
from migrate.records import dataclass, field

_WITH_WEIGHTS = re.compile(r"Dense|Conv|LSTM|GRU|RNN|Cell$|Embedding|(Batch|Layer|Group)Norm|PReLU|MultiHead")
_WEIGHT_FUNCTIONS = {"add_weight", "add_variable", "Variable"}
_BASES = {"keras.Model", "keras.models.Model", "keras.layers.Layer"}
_LISTS = (ast.List, ast.Dict, ast.ListComp, ast.DictComp, ast.BinOp)
_READ_METHODS = {*APPEND_METHODS, "get", "items", "keys", "values"}
_READ_FUNCTIONS = {"len", "enumerate", "zip", "reversed"}
_BY_NAME = {"setattr", "vars", "__dict__", "__setattr__", "_track_trackable", "_trackable_children"}
_WRAPPERS = ("tuple", "Sequential", "SpectralNormalization", "WeightNormalization", "TimeDistributed", "Bidirectional")
_MAX_DEPTH = 4


@dataclass
class Layers:
    """The layers of a class.

    Attributes:
      in_lists: the lists and dicts with the only references to layers with weights: ``Encoder.blocks``.
      have_weights: whether a layer has weights.
      is_built: whether the weights may exist before the model is called.
    """

    in_lists: list[str] = field(default_factory=list)
    have_weights: bool = False
    is_built: bool = False


def layers_of(tree: Tree, module: Module, made: ast.expr, depth: int = 0) -> Layers | None:
    """Returns the layers of an object; None if its class is unknown or no subclass of a Keras class.

    Args:
      depth: the number of objects that contain it.
    """
    seen = class_of_name(tree, module, made.func) if isinstance(made, ast.Call) and depth < _MAX_DEPTH else None
    nodes = [node for owner in _family(tree, *seen) for node in walk(owner)] if seen is not None else []
    if seen is None or not _is_understood(tree, *seen, nodes):
        return None
    (where, owner), stored = seen, _assigned_attributes(nodes)
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    found = Layers(have_weights=any(name_of(call.func) in _WEIGHT_FUNCTIONS for call in calls))
    makers = {one for one in where.names.nodes(ast.FunctionDef) if one.name == "__init__"}
    early = [call.func for call in calls if not makers.isdisjoint(where.names.ancestors(call))]
    found.is_built = any(name_of(func) in ("self", "build") or _own_attribute(func) in stored for func in early)
    for name, values in stored.items():
        for part in (part for value, _ in values for part in _contained_values(value)):
            kind = symbol_of(where.names, part.func) if isinstance(part, ast.Call) else None
            inner = layers_of(tree, where, part, depth + 1) or Layers()
            inner.have_weights |= kind is not None and _WITH_WEIGHTS.search(kind.tail) is not None
            found.have_weights |= inner.have_weights
            found.is_built |= inner.is_built
            if not any(is_list for _, is_list in values):
                found.in_lists += inner.in_lists
            elif inner.have_weights and _is_only_read(where, nodes, name):
                found.in_lists.append(f"{owner.name}.{name}")
    return found


def _family(tree: Tree, module: Module, owner: ast.ClassDef) -> list[ast.ClassDef]:
    """Returns a class and its base classes in the same file."""
    found = [owner]
    for one in found:  # the list grows
        base = class_of_name(tree, module, one.bases[0]) if len(one.bases) == 1 else None
        found += [base[1]] if base is not None and base[0] is module and base[1] not in found else []
    return found


def _is_understood(tree: Tree, module: Module, owner: ast.ClassDef, nodes: list[ast.AST]) -> bool:
    """Whether a class derives only from Keras, is no functional model, and sets no attribute by ``setattr``."""
    last = _family(tree, module, owner)[-1]
    base = symbol_of(module.names, last.bases[0]) if len(last.bases) == 1 else None
    begins = [node for node in nodes if isinstance(node, ast.Call) and name_of(node.func) == "__init__"]
    is_graph = any(one.args or any(k.arg in ("inputs", "outputs") for k in one.keywords) for one in begins)
    is_of_keras = base is not None and base.tail in _BASES and base.api != "tf_keras"
    return is_of_keras and not is_graph and not any(name_of(node) in _BY_NAME for node in nodes)  # type: ignore[arg-type]


def _own_attribute(node: ast.AST) -> str:
    """Returns the name of an attribute of ``self``; "" for any other node."""
    is_own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
    return node.attr if is_own and isinstance(node, ast.Attribute) else ""


def _assigned_attributes(nodes: list[ast.AST]) -> dict[str, list[tuple[ast.expr, bool]]]:
    """Returns the values of a class's attributes, each with whether it is a list or dict, or is added to one."""
    found: dict[str, list[tuple[ast.expr, bool]]] = {}
    for node in nodes:
        if isinstance(node, ast.Assign | ast.AugAssign):
            for target, value in _pairs(node):
                is_item = isinstance(target, ast.Subscript)
                name = _own_attribute(target.value if isinstance(target, ast.Subscript) else target)
                found.setdefault(name, []).append((value, is_item or isinstance(value, _LISTS)))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in APPEND_METHODS:
            found.setdefault(_own_attribute(node.func.value), []).extend((one, True) for one in node.args[-1:])
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "add":
            found.setdefault(_own_attribute(node.func.value), []).extend((one, False) for one in node.args)
    found.pop("", None)
    return found


def _pairs(node: ast.Assign | ast.AugAssign) -> list[tuple[ast.expr, ast.expr]]:
    """Returns the targets of an assignment with their values, also for ``a, b = x, y``."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    first, value = targets[0], node.value
    if isinstance(first, ast.Tuple) and isinstance(value, ast.Tuple) and len(first.elts) == len(value.elts):
        return [*zip(first.elts, value.elts, strict=True)]
    return [(target, value) for target in targets]


def _contained_values(value: ast.expr) -> Iterator[ast.expr]:
    """Yields the values in nested lists, dicts, tuples, ``Sequential`` and wrappers; any other value itself."""
    is_made = isinstance(value, ast.Call) and name_of(value.func) in _WRAPPERS
    if is_made or isinstance(value, (*_LISTS, ast.Tuple, ast.GeneratorExp)):
        for one in ast.iter_child_nodes(value):
            if isinstance(one, ast.expr) and one is not getattr(value, "func", None):
                yield from _contained_values(one)
    else:
        yield value


def _is_only_read(module: Module, nodes: list[ast.AST], name: str) -> bool:
    """Whether a list or dict is only read, so that no other object has a reference to its layers."""
    uses = (node for node in nodes if _own_attribute(node) == name)
    for node in (one for one in uses if isinstance(getattr(one, "ctx", None), ast.Load)):
        parent = module.names.parent(node)
        is_method = isinstance(parent, ast.Attribute) and parent.attr in _READ_METHODS
        is_turned = isinstance(parent, ast.For | ast.comprehension | ast.Subscript)
        is_counted = isinstance(parent, ast.Call) and name_of(parent.func) in _READ_FUNCTIONS
        if not is_method and not is_turned and not is_counted:
            return False
    return True
