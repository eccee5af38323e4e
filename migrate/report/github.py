"""The findings as GitHub workflow commands, which show them beside the lines of a pull request.

See: https://docs.github.com/actions/reference/workflow-commands-for-github-actions, and ``ActionCommand.cs`` of
https://github.com/actions/runner for what must be escaped.
"""

from collections.abc import Iterable

from migrate.finding import Finding
from migrate.report import in_order
from migrate.report.level import NOTE, level
from migrate.report.place import below, has_lines, in_file, root


def render(findings: Iterable[Finding]) -> str:
    """A line for each finding, sorted by path and place."""
    base = root()
    return "".join(_command(finding, base) for finding in in_order(findings))


def _command(finding: Finding, base: str) -> str:
    name = "notice" if level(finding) == NOTE else level(finding)
    span = finding.span
    properties: dict[str, object] = {"file": below(finding.path, base) or finding.path}
    message = finding.message if has_lines(finding) else f"{in_file(finding)}: {finding.message}"
    if has_lines(finding):
        properties |= {"line": span.line, "endLine": span.end_line}
    # The runner refuses columns where the lines differ.
    if has_lines(finding) and span.line == span.end_line:
        properties["col"] = span.column + 1
        properties["endColumn"] = span.end_column + 1
    properties["title"] = f"{finding.code} {'rewritten' if finding.rewritten else 'error' if finding.error else 'left'}"
    given = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    return f"::{name} {given}::{_data('. '.join(filter(None, (message, finding.help))))}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
