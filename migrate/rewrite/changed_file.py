"""A file that changes: the new text of its names, its edits, and the names that the new code uses."""

import ast

from migrate.analysis.source.module import Module
from migrate.edits.plan import Edit, ReplaceExpression, ReplaceStatement
from migrate.records import dataclass, field
from migrate.rewrite.vocabulary import Vocabulary, is_users_binding

ARGUMENT, OR, COMPARED, SUM, PRODUCT, FACTOR, CALLED = 1, 3, 7, 11, 12, 13, 16
"""Precedences: the least that an expression needs, without parentheses, to be an argument, a side of ``or``, ..."""

_LOOSE = {
    ast.NamedExpr: 0, ast.Yield: 0, ast.YieldFrom: 0, ast.Lambda: ARGUMENT, ast.IfExp: 2, ast.Compare: 6, ast.Await: 15,
}  # fmt: skip
_OPERATORS = {
    ast.Or: OR, ast.And: 4, ast.Not: 5, ast.BitOr: COMPARED, ast.BitXor: 8, ast.BitAnd: 9, ast.LShift: 10,
    ast.RShift: 10, ast.Add: SUM, ast.Sub: SUM, ast.Pow: 14, ast.UAdd: FACTOR, ast.USub: FACTOR, ast.Invert: FACTOR,
}  # fmt: skip


def precedence(node: ast.expr) -> int:
    """Returns the precedence of an expression's outermost operator; names, calls and displays have the highest."""
    if isinstance(node, ast.BoolOp | ast.BinOp | ast.UnaryOp):
        return _OPERATORS.get(type(node.op), PRODUCT)
    return _LOOSE.get(type(node), CALLED)


def is_one_expression(text: str) -> bool:
    """Whether source is one expression without parentheses around it, also over several lines."""
    if "\n" not in text:
        return True
    try:
        ast.parse(text, mode="eval")
    except SyntaxError:
        return False
    return True


@dataclass(kw_only=True)
class ChangedFile:
    """A file that changes.

    Attributes:
      vocabulary: the names that new code in it may use.
      renamed: the expressions whose text changes, with their new source.
      runtime_names: the runtime classes and functions that the new code uses.
      statements: statements to insert below the file's imports.
    """

    module: Module
    vocabulary: Vocabulary
    renamed: dict[ast.expr, str] = field(default_factory=dict)
    edits: list[Edit] = field(default_factory=list)
    runtime_names: set[str] = field(default_factory=set)
    statements: list[str] = field(default_factory=list)

    @property
    def v1(self) -> str:
        """Source of ``tensorflow.compat.v1``: ``tf`` in a file where ``tf`` is, or becomes, that module."""
        return self.vocabulary.v1(self.module.is_tf1)

    def runtime_name(self, name: str) -> str:
        """Returns the name of a runtime class or function, and notes that the new code uses it."""
        self.runtime_names.add(name)
        return self.vocabulary.runtime_name(name)

    def runtime_name_at(self, node: ast.expr, name: str) -> str:
        """Like ``runtime_name``; also removes ``name = node``, because the import binds the name."""
        names, statement = self.module.names, self.module.names.parent(node)
        if isinstance(statement, ast.Assign) and statement in names.module.body and names.uses(name, names.top):
            own = [one for one in names.bindings_of(name) if is_users_binding(one)]
            if [one.value for one in own] == [node] and len(statement.targets) == 1:
                self.remove_assignment(statement)
        return self.runtime_name(name)

    def remove_assignment(self, statement: ast.Assign) -> None:
        """Removes the only assignment of a variable, so that new code may use its name."""
        self.delete(statement)
        names = [one.id for one in statement.targets if isinstance(one, ast.Name)]
        bindings = (one for name in names for one in self.module.names.bindings_of(name))
        self.vocabulary.freed.update(one for one in bindings if one.value is statement.value)

    def text(self, node: ast.expr, least_precedence: int = ARGUMENT) -> str:
        """Returns the source of an expression, in parentheses where it spans lines or binds less than needed."""
        if not hasattr(node, "lineno"):
            return ast.unparse(node)
        text = self.module.source.text(node, self.renamed)
        return text if precedence(node) >= least_precedence and is_one_expression(text) else f"({text})"

    def rename(self, node: ast.expr, text: str) -> None:
        """Replaces the text of an expression, also where new code contains the expression."""
        self.renamed[node] = text
        self.edits.append(ReplaceExpression(self.module.span(node), text))

    def delete(self, statement: ast.stmt) -> None:
        """Removes a statement with its comments."""
        self.edits.append(ReplaceStatement(self.module.span(statement)))
