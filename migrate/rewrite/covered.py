"""Places of a file that are covered by others: what a draft replaces or removes."""

import ast
from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate

from migrate.analysis.module import Module
from migrate.findings.finding import Span

_Place = tuple[int, int]


class Covered:
    """The nodes of a file that lie within some spans.

    Args:
      module: the file.
      spans: the spans; they may lie in one another.
    """

    def __init__(self, module: Module, spans: Iterable[Span]) -> None:
        self._module = module
        ordered = sorted({((one.line, one.column), (one.end_line, one.end_column)) for one in spans})
        self._starts: list[_Place] = [start for start, _ in ordered]
        self._ends: list[_Place] = [*accumulate((end for _, end in ordered), max)]  # the last of all that begin so far
        self._known: dict[ast.AST, bool] = {}

    def __contains__(self, node: ast.expr | ast.stmt) -> bool:
        if node not in self._known:
            own = self._module.span(node)
            at = bisect_right(self._starts, (own.line, own.column))
            self._known[node] = at > 0 and self._ends[at - 1] >= (own.end_line, own.end_column)
        return self._known[node]
