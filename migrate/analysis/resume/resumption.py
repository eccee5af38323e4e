"""A recovery by hand around ``fit``: what belongs to it, and what of it is kept."""

import ast
from dataclasses import dataclass, field

from migrate.analysis.trainings import Fit, Saver


@dataclass(frozen=True)
class LoadingFunction:
    """A function that loads, with the one call of it.

    Attributes:
      node: the function.
      call: its call before ``fit``.
      is_maker: whether it returns the model that is trained; else it loads into one, and may return an epoch.
    """

    node: ast.FunctionDef
    call: ast.Call
    is_maker: bool


@dataclass
class Resume:
    """One resumption by hand.

    Attributes:
      fit: the training that it resumes.
      saver: the callback whose file is loaded.
      load: the call that loads it; the callback itself where that does.
      guard: the statement that holds the load; None where the callback loads.
      function: the function that the load stands in, where ``fit`` stands outside it.
      kept: the statements of the guard that do not belong to the resumption.
      condition: what else must hold for a resumption, such as a flag; None for nothing.
      removed: further statements that go with it.
      problem: why it cannot be rewritten; "" where it can.
    """

    fit: Fit
    saver: Saver
    load: ast.Call
    guard: ast.stmt | None
    function: LoadingFunction | None = None
    kept: list[ast.stmt] = field(default_factory=list)
    condition: ast.expr | None = None
    removed: list[ast.stmt] = field(default_factory=list)
    problem: str = ""

    @property
    def gone(self) -> set[ast.AST]:
        """The code of the resumption itself."""
        statements = [*([self.guard] if self.guard is not None else []), *self.removed]
        stays = [*self.kept, *([self.condition] if self.condition is not None else [])]
        kept = {node for statement in stays for node in ast.walk(statement)}
        return {node for statement in statements for node in ast.walk(statement)} - kept

    @property
    def loading(self) -> ast.Call:
        """What loads, as the statements around ``fit`` or those of the function that makes its model have it."""
        return self.load if self.function is None or self.function.is_maker else self.function.call
