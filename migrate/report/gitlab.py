"""The findings as GitLab's Code Quality report, which a merge request shows beside its lines.

See: https://docs.gitlab.com/ci/testing/code_quality/
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable

from migrate.findings.finding import Finding, Span
from migrate.report import in_order
from migrate.report.annotation import ERROR, NOTE, WARNING, below, digest, level, root, text, title

_SEVERITIES = {NOTE: "info", WARNING: "minor", ERROR: "major"}


def render(findings: Iterable[Finding], span_of: Callable[[Finding], Span]) -> str:
    """Returns a code-quality record for each finding, sorted by path and place."""
    base, seen, records = root(), Counter[tuple[str, str, str]](), []
    for finding in in_order(findings):
        path = below(finding.path, base) or finding.path
        same = (path, finding.code, finding.symbol)
        records.append(
            {
                "description": f"{title(finding)}: {text(finding)}",
                "check_name": finding.code,
                "fingerprint": digest(*same, str(seen[same])),
                "severity": _SEVERITIES[level(finding)],
                "location": {"path": path, "lines": {"begin": span_of(finding).line}},
            }
        )
        seen[same] += 1
    return json.dumps(records, indent=2) + "\n"
