"""Walks over syntax trees that skip operators and contexts, which all trees share."""

import ast
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

_LEAVES = frozenset({
    "arg", "asname", "attr", "conversion", "ctx", "id", "is_async", "kind", "kwd_attrs", "level", "module", "op", "ops",
    "rest", "simple", "tag", "type_comment",
})  # fmt: skip
_WITH_GAPS = frozenset({"keys", "kw_defaults"})  # a dictionary's ``**other`` has no key, some parameters no default
_WITHOUT_NODES = (ast.Constant, ast.MatchSingleton, ast.Global, ast.Nonlocal)


def blocks(around: Sequence[ast.AST]) -> Iterator[tuple[ast.AST, list[ast.AST]]]:
    """Yields each statement among a node and its ancestors, with the block that contains it, innermost first."""
    for inner, outer in pairwise(around):
        for name in FIELDS[type(outer)]:
            block = getattr(outer, name, None)
            if type(block) is list and inner in block:
                yield inner, block


def is_annotation(parent: ast.AST, node: ast.expr) -> bool:
    """Whether a node is the annotation of a parameter, a variable or a return value."""
    return getattr(parent, "annotation", None) is node or getattr(parent, "returns", None) is node


def _fields(kind: type[ast.AST]) -> tuple[str, ...]:
    is_named_by_node = kind.__name__ == "TypeAlias"  # since Python 3.12; elsewhere a name is text
    return tuple(name for name in kind._fields if name not in _LEAVES and (name != "name" or is_named_by_node))


FIELDS = {
    kind: () if issubclass(kind, _WITHOUT_NODES) else _fields(kind)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
}
"""The fields of each node type that contain nodes, lists of nodes, or None."""


_FREQUENT: dict[type[ast.AST], Callable[[Any], list[ast.AST]]] = {
    **dict.fromkeys((ast.Attribute, ast.Expr, ast.keyword), lambda node: [node.value]),
    ast.Call: lambda node: [node.func, *node.args, *node.keywords],
    ast.Assign: lambda node: [*node.targets, node.value],
    ast.Subscript: lambda node: [node.value, node.slice],
    ast.BinOp: lambda node: [node.left, node.right],
    ast.Compare: lambda node: [node.left, *node.comparators],
    ast.If: lambda node: [node.test, *node.body, *node.orelse],
    **dict.fromkeys((ast.Tuple, ast.List), lambda node: [*node.elts]),
    ast.arg: lambda node: [node.annotation] if node.annotation else [],
    ast.Return: lambda node: [node.value] if node.value else [],
}


def _other_children(node: ast.AST) -> list[ast.AST]:
    found: list[ast.AST] = []
    for name in FIELDS[type(node)]:
        value = getattr(node, name, None)
        if type(value) is list:
            found += value if name not in _WITH_GAPS else [one for one in value if one is not None]
        elif value is not None:
            found.append(value)
    return found


CHILDREN = {kind: _FREQUENT.get(kind, _other_children) for kind, names in FIELDS.items() if names}
"""The functions that return the children of a node, by its type; without the types that have none."""


def children(node: ast.AST) -> list[ast.AST]:
    """Returns the child nodes, as ``ast.iter_child_nodes``, without operators and contexts."""
    find = CHILDREN.get(type(node))
    return find(node) if find is not None else []


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """Yields the node and its descendants in the order of ``ast.walk``, without operators and contexts."""
    found = [node]
    for one in found:
        yield one
        if type(one) in CHILDREN:
            found += CHILDREN[type(one)](one)


def root_of(node: ast.AST | None) -> ast.AST | None:
    """Returns the first part of a dotted name, ``tf`` of ``tf.train.Saver``; any other node itself."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node


def imported_paths(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[ast.alias, str]]:
    """Yields the names of an absolute import, each with its dotted path."""
    above = f"{node.module}." if isinstance(node, ast.ImportFrom) and node.module and not node.level else ""
    for alias in node.names if above or isinstance(node, ast.Import) else ():
        yield alias, (above + alias.name).removesuffix(".*")


def bound_name(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]
