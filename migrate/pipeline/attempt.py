"""Rewrites one text; every failure becomes a finding, and the text stays unchanged."""

from collections.abc import Sequence

from migrate.edits.apply import apply
from migrate.edits.concrete import ParseFailure
from migrate.edits.plan import Plan
from migrate.files.parse import compile_error
from migrate.files.text import SourceText
from migrate.files.trouble import NotWritten, trouble
from migrate.findings.finding import Finding, Span
from migrate.pipeline.failure import failure_finding, rewrite_guarded


def attempt_rewrite(source: SourceText, plan: Plan, imports: Sequence[str]) -> str | Finding:
    """Returns the rewritten text of a file, or the finding that says why there is none."""
    return rewrite_guarded(source.path, lambda: _apply_plan(source, plan, imports))


def _apply_plan(source: SourceText, plan: Plan, imports: Sequence[str]) -> str | Finding:
    try:
        after = apply(source.text, plan, imports)
        source.encode(after)
    except NotWritten as problem:
        return problem.finding
    except ParseFailure as problem:
        help = "Simplify this place (a form feed?), or exclude the file."
        return trouble("FT003", source.path, str(problem), help, Span(problem.line, 0, problem.line, 1))
    except SyntaxError as error:
        return compile_error(source) or failure_finding(source.path, error, "rewriting")
    return after
