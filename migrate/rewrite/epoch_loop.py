"""A loop over a ``fit`` of one epoch, which begins at what a recovery holds."""

import ast
from collections.abc import Iterator

from migrate.analysis.resume.epoch_loops import EpochLoop
from migrate.analysis.resume.reach import Reach
from migrate.edits.plan import InsertBefore, ReplaceExpression
from migrate.rewrite.old_way_in import OldWayInRewrite
from migrate.rewrite.vocabulary import Vocabulary
from migrate.settings import Settings


class EpochLoopRewrite(OldWayInRewrite):
    """The edits of one loop.

    Args:
      reach: the calls of the program, from its file.
      settings: the user's choices.
      vocabulary: names for new code.
      found: the loop.
    """

    def __init__(self, reach: Reach, settings: Settings, vocabulary: Vocabulary, found: EpochLoop) -> None:
        self.found = found
        super().__init__(reach, settings, vocabulary, found.way)

    def _written_anew(self) -> Iterator[ast.AST]:
        yield from super()._written_anew()
        yield self.found.first

    def _restore(self, made: str) -> None:
        span, text = self.module.span, self.module.source.text
        asked = self._asked()
        old = text(self.found.first, self.listed)
        begin = f"{self.recovery}.restore({old}, in_loop=True)" + (f" if {asked} else {old}" if asked else "")
        self.edits.append(InsertBefore(span(self.found.loop), made))
        self.edits.append(ReplaceExpression(span(self.found.first), begin))
        self.train(None, None)
