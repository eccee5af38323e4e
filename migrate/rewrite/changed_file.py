"""A file of a program that changes: the names that stand for others, the edits, and what new code in it uses."""

import ast
from dataclasses import dataclass, field

from migrate.analysis.source.module import Module
from migrate.analysis.source.scopes import Binding
from migrate.edits.plan import Edit, ReplaceExpression, ReplaceStatement
from migrate.rewrite.vocabulary import Vocabulary, is_users

ARGUMENT, OR, COMPARED, SUM, PRODUCT, FACTOR, CALLED = 1, 3, 7, 11, 12, 13, 16
"""What a place asks of an expression: an argument, a side of ``or``, of ``<``, of ``-``, of ``*``, and so on."""

_LOOSE = {
    ast.NamedExpr: 0, ast.Yield: 0, ast.YieldFrom: 0, ast.Lambda: ARGUMENT, ast.IfExp: 2, ast.Compare: 6, ast.Await: 15,
}  # fmt: skip
_OPERATORS = {
    ast.Or: OR, ast.And: 4, ast.Not: 5, ast.BitOr: COMPARED, ast.BitXor: 8, ast.BitAnd: 9, ast.LShift: 10,
    ast.RShift: 10, ast.Add: SUM, ast.Sub: SUM, ast.Pow: 14, ast.UAdd: FACTOR, ast.USub: FACTOR, ast.Invert: FACTOR,
}  # fmt: skip


def strength(node: ast.expr) -> int:
    """The strength of an expression's outermost operator; a name, a call or anything in brackets holds best."""
    if isinstance(node, ast.BoolOp | ast.BinOp | ast.UnaryOp):
        return _OPERATORS.get(type(node.op), PRODUCT)
    return _LOOSE.get(type(node), CALLED)


def stands_alone(text: str) -> bool:
    """Whether an expression's lines, if it has more than one, hold together by its own brackets."""
    if "\n" not in text:
        return True
    try:
        ast.parse(text, mode="eval")
    except SyntaxError:
        return False
    return True


@dataclass(kw_only=True)
class ChangedFile:
    """A file of a program that changes.

    Attributes:
      vocabulary: names for new code in it.
      renamed: names that TensorFlow 2 has elsewhere, and what stands for each.
      pieces: the emitted classes and functions in use.
      statements: what stands below the file's imports.
    """

    module: Module
    vocabulary: Vocabulary
    renamed: dict[ast.expr, str] = field(default_factory=dict)
    edits: list[Edit] = field(default_factory=list)
    pieces: set[str] = field(default_factory=set)
    statements: list[str] = field(default_factory=list)

    @property
    def v1(self) -> str:
        """A name of ``tensorflow.compat.v1``: ``tf`` itself in a file that is, or becomes, one of compat.v1."""
        return self.vocabulary.v1(self.module.is_tf1)

    def piece(self, name: str) -> str:
        """Returns the name of a class or function of the runtime, for the new code to use."""
        self.pieces.add(name)
        return self.vocabulary.piece(name)

    def piece_in_place(self, node: ast.expr, name: str) -> str:
        """As ``piece``; an assignment of the same name is removed, since the import binds it."""
        names, statement = self.module.names, self.module.names.parent(node)
        if isinstance(statement, ast.Assign) and statement in names.module.body and names.uses(name, names.top):
            own = [one for one in names.bindings_of(name) if is_users(one)]
            if [one.value for one in own] == [node] and len(statement.targets) == 1:
                self.free(statement)
        return self.piece(name)

    def free(self, statement: ast.Assign) -> None:
        """Takes out the only statement that gives a variable its value, so that its name can stand for another."""
        self.delete(statement)
        bindings = (one for target in statement.targets for one in self._bindings(target))
        self.vocabulary.freed.update(one for one in bindings if one.value is statement.value)

    def _bindings(self, target: ast.expr) -> list[Binding]:
        return self.module.names.bindings_of(target.id) if isinstance(target, ast.Name) else []

    def text(self, node: ast.expr, place: int = ARGUMENT) -> str:
        """The user's own source of an expression, in parentheses where it spans lines or ``place`` needs them."""
        if not hasattr(node, "lineno"):
            return ast.unparse(node)
        text = self.module.source.text(node, self.renamed)
        return text if strength(node) >= place and stands_alone(text) else f"({text})"

    def rename(self, node: ast.expr, text: str) -> None:
        """Writes other text for an expression, also where new code holds it."""
        self.renamed[node] = text
        self.edits.append(ReplaceExpression(self.module.span(node), text))

    def delete(self, statement: ast.stmt) -> None:
        """Removes a statement with its comments."""
        self.edits.append(ReplaceStatement(self.module.span(statement)))
