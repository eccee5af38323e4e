"""Renders the outcome as one JSON document, which ``schema.json`` in this directory describes."""

import json
from collections.abc import Collection

from migrate import __version__
from migrate.findings.finding import Finding
from migrate.pipeline.outcome import Outcome
from migrate.report import sort_findings

SCHEMA_VERSION = 1
"""Increased when a field is removed or changes its meaning, not when a field is added."""


def render(outcome: Outcome, written: Collection[str]) -> str:
    """Returns the document with its records sorted by path and place."""
    document = {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "estimator-migrate", "version": __version__},
        "files_read": outcome.files_read,
        "findings": [_finding_record(finding) for finding in sort_findings(outcome.findings)],
        "changes": [
            {"file": one.path, "action": "create" if one.before is None else "change", "written": one.path in written}
            for one in sorted(outcome.changes, key=lambda change: change.path)
        ],
    }
    # ASCII escapes preserve a path that is no valid UTF-8.
    return json.dumps(document, indent=2, ensure_ascii=True) + "\n"


def _finding_record(finding: Finding) -> dict[str, object]:
    span = finding.span
    return {
        "code": finding.code,
        "fidelity": finding.fidelity.value,
        "file": finding.path,
        "cell": finding.cell,
        "start": {"line": span.line, "column": span.column + 1},
        "end": {"line": span.end_line, "column": span.end_column + 1},
        "symbol": finding.symbol,
        "message": finding.message,
        "help": finding.help,
        "rewritten": finding.rewritten,
        "error": finding.error,
    }
