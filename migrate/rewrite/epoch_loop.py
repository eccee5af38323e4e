"""A loop over epochs that begins at what a recovery holds, and saves it beside the program's own file."""

import ast
from collections.abc import Iterator

from migrate.analysis.module import Module
from migrate.analysis.resume.epoch_loops import EpochLoop
from migrate.analysis.tree import Tree
from migrate.edits.plan import InsertBefore, Part, ReplaceExpression, ReplaceStatement
from migrate.rewrite.old_way_in import OldWayInRewrite
from migrate.rewrite.vocabulary import Vocabulary
from migrate.settings import Settings


class EpochLoopRewrite(OldWayInRewrite):
    """The edits of one loop.

    Args:
      tree: the files around it.
      module: the file.
      settings: the user's choices.
      vocabulary: names for new code.
      found: the loop.
    """

    def __init__(
        self, tree: Tree, module: Module, settings: Settings, vocabulary: Vocabulary, found: EpochLoop
    ) -> None:
        self.found = found
        super().__init__(tree, module, settings, vocabulary, found.way)

    def _written_anew(self) -> Iterator[ast.AST]:
        yield from super()._written_anew()
        if self.found.first is not None:
            yield self.found.first

    def _restore(self, made: str) -> None:
        span, text = self.module.span, self.module.source.text
        asked = " and ".join(self._flag(flag) for flag in self.way.flags)
        first = self.found.first
        old = text(first, self.listed) if first is not None else ""
        given = [part for part in (old, "in_loop=True" if self.found.save is None else "") if part]
        begin = f"{self.recovery}.restore({', '.join(given)})" + (f" if {asked} else {old or 0}" if asked else "")
        self.edits.append(InsertBefore(span(self.found.loop), made))
        begun = self.found.loop.iter
        assert isinstance(begun, ast.Call)
        if first is None or isinstance(first, ast.Constant):
            begin = f"{text(begun.func)}({begin}, {text(self.found.end)})"
            self.edits.append(ReplaceExpression(span(begun), begin))
        else:
            self.edits.append(ReplaceExpression(span(first), begin))
        if self.found.save is None:
            self.train(None, None)
            return
        self._name_anew(self.fit.call)
        assert isinstance(self.found.loop.target, ast.Name)
        statement = self.names.statement_of(self.found.save)
        saved = f"{text(statement)}\n{self.recovery}.save({self.found.loop.target.id} + 1)"
        self.edits.append(ReplaceStatement(span(statement), (Part(saved),)))
