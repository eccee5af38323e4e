"""What the class of a subclassed Keras model holds, as far as it is read: its layers that have weights."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from migrate.analysis.program.tree import Tree
from migrate.analysis.source.module import Module
from migrate.analysis.source.nodes import walk
from migrate.analysis.source.path_searches import ADDS, name_of
from migrate.analysis.source.symbols import symbol_of
from migrate.analysis.values.attributes import class_of_name

_WITH_WEIGHTS = re.compile(r"Dense|Conv|LSTM|GRU|RNN|Cell$|Embedding|(Batch|Layer|Group)Norm|PReLU|MultiHead")
_MAKES_WEIGHTS = {"add_weight", "add_variable", "Variable"}
_BASES = {"keras.Model", "keras.models.Model", "keras.layers.Layer"}
_LISTS = (ast.List, ast.Dict, ast.ListComp, ast.DictComp, ast.BinOp)
_LOOKS = {*ADDS, "get", "items", "keys", "values"}
_COUNTS = {"len", "enumerate", "zip", "reversed"}
_BY_NAME = {"setattr", "vars", "__dict__", "__setattr__", "_track_trackable", "_trackable_children"}
_HOLDERS = ("tuple", "Sequential", "SpectralNormalization", "WeightNormalization", "TimeDistributed", "Bidirectional")
_MAX_DEPTH = 4


@dataclass
class Layers:
    """What a class holds.

    Attributes:
      in_lists: the lists and dicts that hold layers with weights, and nothing else of it does: ``Encoder.blocks``.
      have_weights: whether a layer with weights is seen.
      is_built: whether it may make its weights before it is called.
    """

    in_lists: list[str] = field(default_factory=list)
    have_weights: bool = False
    is_built: bool = False


def layers_of(tree: Tree, module: Module, made: ast.expr, depth: int = 0) -> Layers | None:
    """What an object holds; None where its class is not seen to be one that a program derives from Keras.

    Args:
      depth: how many others hold it.
    """
    seen = class_of_name(tree, module, made.func) if isinstance(made, ast.Call) and depth < _MAX_DEPTH else None
    nodes = [node for owner in _family(tree, *seen) for node in walk(owner)] if seen is not None else []
    if seen is None or not _is_read(tree, *seen, nodes):
        return None
    (where, owner), stored = seen, _assigned_attributes(nodes)
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    found = Layers(have_weights=any(name_of(call.func) in _MAKES_WEIGHTS for call in calls))
    makers = {one for one in where.names.nodes(ast.FunctionDef) if one.name == "__init__"}
    early = [call.func for call in calls if not makers.isdisjoint(where.names.ancestors(call))]
    found.is_built = any(name_of(func) in ("self", "build") or _own(func) in stored for func in early)
    for name, values in stored.items():
        for part in (part for value, _ in values for part in _parts(value)):
            kind = symbol_of(where.names, part.func) if isinstance(part, ast.Call) else None
            inner = layers_of(tree, where, part, depth + 1) or Layers()
            inner.have_weights |= kind is not None and _WITH_WEIGHTS.search(kind.tail) is not None
            found.have_weights |= inner.have_weights
            found.is_built |= inner.is_built
            if not any(is_list for _, is_list in values):
                found.in_lists += inner.in_lists
            elif inner.have_weights and _is_only_looked_at(where, nodes, name):
                found.in_lists.append(f"{owner.name}.{name}")
    return found


def _family(tree: Tree, module: Module, owner: ast.ClassDef) -> list[ast.ClassDef]:
    """A class, and those of its file that it is derived from."""
    found = [owner]
    for one in found:  # more of them
        base = class_of_name(tree, module, one.bases[0]) if len(one.bases) == 1 else None
        found += [base[1]] if base is not None and base[0] is module and base[1] not in found else []
    return found


def _is_read(tree: Tree, module: Module, owner: ast.ClassDef, nodes: list[ast.AST]) -> bool:
    """Whether a class is derived from one of Keras alone, makes no graph of layers, and sets nothing by its name."""
    last = _family(tree, module, owner)[-1]
    base = symbol_of(module.names, last.bases[0]) if len(last.bases) == 1 else None
    begins = [node for node in nodes if isinstance(node, ast.Call) and name_of(node.func) == "__init__"]
    is_graph = any(one.args or any(k.arg in ("inputs", "outputs") for k in one.keywords) for one in begins)
    is_of_keras = base is not None and base.tail in _BASES and base.api != "tf_keras"
    return is_of_keras and not is_graph and not any(name_of(node) in _BY_NAME for node in nodes)  # type: ignore[arg-type]


def _own(node: ast.AST) -> str:
    """The name of an attribute of ``self``; "" for all else."""
    is_own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
    return node.attr if is_own and isinstance(node, ast.Attribute) else ""


def _assigned_attributes(nodes: list[ast.AST]) -> dict[str, list[tuple[ast.expr, bool]]]:
    """What a class gives its attributes, and whether that is a list or dict, or added to one."""
    found: dict[str, list[tuple[ast.expr, bool]]] = {}
    for node in nodes:
        if isinstance(node, ast.Assign | ast.AugAssign):
            for target, value in _pairs(node):
                is_item = isinstance(target, ast.Subscript)
                name = _own(target.value if isinstance(target, ast.Subscript) else target)
                found.setdefault(name, []).append((value, is_item or isinstance(value, _LISTS)))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ADDS:
            found.setdefault(_own(node.func.value), []).extend((one, True) for one in node.args[-1:])
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "add":
            found.setdefault(_own(node.func.value), []).extend((one, False) for one in node.args)
    found.pop("", None)
    return found


def _pairs(node: ast.Assign | ast.AugAssign) -> list[tuple[ast.expr, ast.expr]]:
    """What an assignment gives to each of its targets, also by ``a, b = x, y``."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    first, value = targets[0], node.value
    if isinstance(first, ast.Tuple) and isinstance(value, ast.Tuple) and len(first.elts) == len(value.elts):
        return [*zip(first.elts, value.elts, strict=True)]
    return [(target, value) for target in targets]


def _parts(value: ast.expr) -> Iterator[ast.expr]:
    """What a list, dict, tuple, ``Sequential`` or wrapper holds, and those in it; any other value itself."""
    is_made = isinstance(value, ast.Call) and name_of(value.func) in _HOLDERS
    if is_made or isinstance(value, (*_LISTS, ast.Tuple, ast.GeneratorExp)):
        for one in ast.iter_child_nodes(value):
            if isinstance(one, ast.expr) and one is not getattr(value, "func", None):
                yield from _parts(one)
    else:
        yield value


def _is_only_looked_at(module: Module, nodes: list[ast.AST], name: str) -> bool:
    """Whether of a list or dict no other object is made, which may hold the layers too."""
    for node in (node for node in nodes if _own(node) == name and isinstance(getattr(node, "ctx", None), ast.Load)):
        parent = module.names.parent(node)
        is_method = isinstance(parent, ast.Attribute) and parent.attr in _LOOKS
        is_turned = isinstance(parent, ast.For | ast.comprehension | ast.Subscript)
        is_counted = isinstance(parent, ast.Call) and name_of(parent.func) in _COUNTS
        if not is_method and not is_turned and not is_counted:
            return False
    return True
