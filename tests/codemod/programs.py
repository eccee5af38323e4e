"""The codemod applied to a text."""

import ast
from functools import cache

from migrate.analysis.module import Module
from migrate.edits.apply import apply
from migrate.edits.plan import import_of_pieces
from migrate.finding import Finding
from migrate.judged import Judged
from migrate.judging.judge import judge
from migrate.rules.example import SLOTS as SLOTS
from migrate.rules.example import program as program
from migrate.settings import Settings


@cache
def _judged(text: str, **settings: str) -> Judged:
    module = Module("program.py", text, ast.parse(text))
    return judge(module, Settings(**{"form": "loop", "canned": "keras", **settings}))


def deleted_lines(text: str, **settings: str) -> list[int]:
    """The lines, from 0, of the statements that a rewrite deletes with their comments."""
    _, plan, _ = _judged(text, **settings)
    return [line for span in plan.deleted for line in range(span.line - 1, span.end_line)]


@cache
def migrate(text: str, **settings: str) -> tuple[str, list[Finding]]:
    """The rewritten text and the findings, in a loop or as a Keras model; unchanged where nothing is rewritten."""
    findings, plan, _ = _judged(text, **settings)
    if not plan:
        return text, findings
    imports = [import_of_pieces("tf2_recovery", plan.pieces, plan.aliases)] if plan.pieces else []
    return apply(text, plan, imports), findings
