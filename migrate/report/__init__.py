"""Reports of what a run found and would write, for people and for machines: one module for each format."""

from collections.abc import Iterable

from migrate.findings.finding import Finding


def sort_findings(findings: Iterable[Finding]) -> list[Finding]:
    """Returns the findings sorted by path and place, so that no report depends on the order of the arguments."""
    return sorted(
        findings, key=lambda finding: (finding.path, finding.cell or 0, finding.span, finding.code, finding.message)
    )
