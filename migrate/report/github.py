"""Renders the findings as GitHub workflow commands, which show them at the lines of a pull request.

See: https://docs.github.com/actions/reference/workflow-commands-for-github-actions, and ``ActionCommand.cs`` of
https://github.com/actions/runner for what must be escaped.
"""

from collections.abc import Callable, Iterable

from migrate.findings.finding import Finding, Span
from migrate.findings.printable import printable
from migrate.report import sort_findings
from migrate.report.annotation import NOTE, below, level, root, text, title


def render(findings: Iterable[Finding], span_of: Callable[[Finding], Span]) -> str:
    """Returns a workflow command for each finding, sorted by path and place."""
    base = root()
    return "".join(_command(finding, span_of(finding), base) for finding in sort_findings(findings))


def _command(finding: Finding, span: Span, base: str) -> str:
    name = "notice" if level(finding) == NOTE else level(finding)
    properties: dict[str, object] = {"file": _shown_path(below(finding.path, base) or finding.path)}
    properties |= {"line": span.line, "endLine": span.end_line}
    # The runner refuses columns if the lines differ.
    if span.line == span.end_line:
        properties["col"] = span.column + 1
        properties["endColumn"] = span.end_column + 1
    properties["title"] = title(finding)
    values = {key: _data(str(value)).replace(":", "%3A").replace(",", "%2C") for key, value in properties.items()}
    given = ",".join(f"{key}={value}" for key, value in values.items())
    return f"::{name} {given}::{_data(text(finding))}\n"


def _shown_path(path: str) -> str:
    """Returns the path with control characters escaped, which would control the terminal of the log."""
    undecodable = "".join(character for character in path if "\udc80" <= character <= "\udcff")
    return printable(path, keep="\t\r\n" + undecodable)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
