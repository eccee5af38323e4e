"""The codemod applied to a text."""

import ast
from functools import cache

from migrate.analysis.source.module import Module
from migrate.judging.judge import judge
from migrate.rules.example import SLOTS as SLOTS
from migrate.rules.example import program as program
from migrate.runtime_files.package import imports
from migrate.settings import Settings
from tests.codemod.shared import apply, shared


@cache
def judged(text, **settings):
    """The findings and the plan of a text."""
    return shared(("judge", text, sorted(settings.items())), lambda: _judged(text, **settings))


def _judged(text, **settings):
    return judge(Module("program.py", text, ast.parse(text)), Settings(**settings))


def codes(text):
    """The codes of the findings of a text."""
    return [finding.code for finding in migrate(text)[1]]


def deleted_lines(text, **settings):
    """The lines, from 0, of the statements that a rewrite deletes with their comments."""
    plan = judged(text, **settings).plan
    return [line for span in plan.deletions for line in range(span.line - 1, span.end_line)]


@cache
def migrate(text, **settings):
    """The rewritten text and the findings, as ``judged``; unchanged where nothing is rewritten."""
    return shared(("migrate", text, sorted(settings.items())), lambda: _migrated(text, **settings))


def _migrated(text, **settings):
    findings, plan, *_ = judged(text, **settings)
    if not plan:
        return text, findings
    return apply(text, plan, imports("tf2_recovery", plan.runtime_names, plan.aliases)), findings
