"""Evaluates conditions on TensorFlow's version for the releases of TensorFlow 2."""

import ast
import operator
import re
from collections.abc import Callable
from typing import Any

from migrate.analysis.source.names import Names
from migrate.tensorflow.known_names import NEW, OLD

_VERSIONS = {"__version__", "VERSION"}
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.In: lambda one, many: one in many, ast.NotIn: lambda one, many: one not in many,
}  # fmt: skip
_PARSERS = {"LooseVersion", "StrictVersion", "Version", "parse", "parse_version"}
_BUILTINS: dict[str, Callable[..., Any]] = {one.__name__: one for one in (bool, float, int, len, str, tuple)}
_METHODS = {"endswith", "find", "lstrip", "partition", "replace", "rpartition", "split", "startswith", "strip"}
_MAX_DEPTH = 20


def may_read_version(names: Names) -> bool:
    """Whether a file reads a ``__version__`` or ``VERSION`` of anything."""
    return not names.attributes.keys().isdisjoint(_VERSIONS)


def is_version(names: Names, node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in _VERSIONS and is_tensorflow(names, node.value)


def is_tensorflow(names: Names, node: ast.expr) -> bool:
    return (names.qualified(node) or "").startswith("tensorflow")


def result_on_tf2(names: Names, test: ast.expr) -> bool | None:
    """Returns the result of a condition in every TensorFlow 2; None if they differ or it tests something else."""
    answers = set[bool]()
    for line in (OLD, NEW):
        try:
            answers.add(bool(_Version(names, f"{line}.0").value(test)))
        except Exception:  # whatever the program's own expression raises
            return None
    return answers.pop() if len(answers) == 1 else None


class _Version:
    """Evaluates expressions for one version of TensorFlow; ``value`` raises for what depends on anything else."""

    def __init__(self, names: Names, version: str) -> None:
        self.names, self.version = names, version

    def value(self, node: ast.AST | None, depth: int = 0) -> Any:
        """Returns the value of an expression made from the version, constants and methods of these."""
        if depth > _MAX_DEPTH:
            raise ValueError("a variable that is computed from itself")
        match node:
            case ast.Constant():
                return node.value
            case ast.Attribute() if is_version(self.names, node):
                return self.version
            case ast.Name():
                return self.value(self.names.only_value(node), depth + 1)
            case ast.List() | ast.Tuple():
                return tuple(self.value(one, depth + 1) for one in node.elts)
            case ast.UnaryOp(op=ast.Not()):
                return not self.value(node.operand, depth + 1)
            case ast.BoolOp():
                return self._boolean_operation(node, depth)
            case ast.Compare():
                left = self.value(node.left, depth + 1)
                for kind, other in zip(node.ops, node.comparators, strict=True):
                    right = self.value(other, depth + 1)
                    if not _COMPARISONS[type(kind)](left, right):
                        return False
                    left = right
                return True
            case ast.Subscript():
                return self.value(node.value, depth + 1)[self.value(node.slice, depth + 1)]
            case ast.Slice():
                return slice(*(one and self.value(one, depth + 1) for one in (node.lower, node.upper, node.step)))
            case ast.Call(keywords=[]):
                return self._call(node, [self.value(one, depth + 1) for one in node.args], depth)
        raise ValueError("no question of a version")

    def _boolean_operation(self, node: ast.BoolOp, depth: int) -> bool:
        """Returns the value of ``and`` or ``or``, even if one part decides it and another cannot be evaluated."""
        decides, problem = isinstance(node.op, ast.Or), None
        for one in node.values:
            try:
                if bool(self.value(one, depth + 1)) == decides:
                    return decides
            except Exception as error:
                problem = error
        if problem is not None:
            raise problem
        return not decides

    def _call(self, node: ast.Call, given: list[Any], depth: int) -> Any:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in _PARSERS:
            return tuple(int(one) for one in re.match(r"[\d.]*\d", given[0])[0].split("."))  # type: ignore[index]
        if isinstance(node.func, ast.Name) and not self.names.bindings(node.func):
            return _BUILTINS[name](*given)
        if isinstance(node.func, ast.Attribute) and name in _METHODS:
            return getattr(self.value(node.func.value, depth + 1), name)(*given)
        raise ValueError("no question of a version")
