"""The callbacks of one ``fit``, while some of them are changed in the list that is written anew."""

import ast

from migrate.analysis.module import Module
from migrate.analysis.trainings import Fit
from migrate.edits.plan import Edit
from migrate.rewrite.precedence import ARGUMENT, stands_alone, strength


class CallbackList:
    """What changes in the callbacks of a ``fit``.

    Args:
      module: the file.
      fit: the training.
      edits: takes the edits outside the list; those inside are part of its new text.

    Attributes:
      renamed: the new text of what changes inside the list.
      is_moved: whether the list is written elsewhere, with what changes in it.
    """

    def __init__(self, module: Module, fit: Fit, edits: list[Edit]) -> None:
        self.module, self.fit, self.edits = module, fit, edits
        self.renamed: dict[ast.expr, str] = {}
        self.is_moved = False

    def holds(self, expression: ast.expr) -> bool:
        """Whether an expression stands inside the list, where that is written anew."""
        display = self.fit.display
        return display is not None and self.is_moved and any(node is expression for node in ast.walk(display))

    def text(self, node: ast.expr) -> str:
        """An argument's or element's own source, in parentheses where it needs them: ``(yield)``."""
        text = self.module.source.text(node, self.renamed)
        return text if strength(node) >= ARGUMENT and stands_alone(text) else f"({text})"

    def write_call(self, call: ast.Call, keywords: list[ast.keyword], *more: str) -> None:
        """Give a callback inside the list other keyword arguments."""
        given = [f"{keyword.arg}={self.text(keyword.value)}" for keyword in keywords]
        arguments = [*(self.text(argument) for argument in call.args), *given, *more]
        self.renamed[call] = f"{self.module.source.text(call.func)}({', '.join(arguments)})"
