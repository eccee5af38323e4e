"""What an expression is made of, through the variables of its file."""

import ast
from collections.abc import Iterator

from migrate.analysis.source.names import Names


def made_of(names: Names, value: ast.expr) -> Iterator[ast.AST]:
    """The nodes of an expression, and those of all that its variables are assigned; each once."""
    seen, waiting = set[ast.AST](), list[ast.AST]([value])
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            yield node
            waiting += [binding.value for binding in names.bound(node) if binding.value is not None]
            waiting += ast.iter_child_nodes(node)
