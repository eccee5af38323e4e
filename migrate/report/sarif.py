"""Renders the outcome as SARIF 2.1.0, for code scanning and editors.

See: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html.
"""

import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from urllib.parse import quote

from migrate import __version__
from migrate.findings.finding import Cause, Finding, Span
from migrate.findings.printable import printable
from migrate.pipeline.outcome import Outcome
from migrate.records import replace
from migrate.report import sort_findings
from migrate.report.annotation import LEVELS, below, level, root, text
from migrate.report.pages import Page

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
FINGERPRINT = "estimatorMigrate/v2"
_BASE = "%SRCROOT%"
_Record = dict[str, object]


def render(
    outcome: Outcome,
    pages: Mapping[str, Page],
    lines_of: Callable[[str, int | None], Sequence[str]],
    span_of: Callable[[Finding], Span],
) -> str:
    """Returns the log with its results sorted by path and place."""
    base = root()
    indices = {code: index for index, code in enumerate(pages)}
    results = []
    for finding, fingerprint in _with_fingerprints(outcome.findings, lines_of, base):
        result = _result(finding, span_of(finding), indices, fingerprint, base)
        if finding.cause is not None:
            result["relatedLocations"] = [_related_location(finding, finding.cause, span_of, base)]
        results.append(result)
    run: _Record = {
        "tool": {
            "driver": {
                "name": "estimator-migrate",
                "semanticVersion": __version__,
                "rules": [_rule(page) for page in pages.values()],
            }
        },
        "invocations": [{"executionSuccessful": outcome.exit_code != 2, "exitCode": outcome.exit_code}],
        "originalUriBaseIds": {_BASE: {"uri": _uri(os.path.join(base, ""))}},
        "columnKind": "unicodeCodePoints",
        "newlineSequences": ["\r\n", "\n", "\r"],
        "results": results,
    }
    # ASCII escapes survive any encoding of the log.
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1, ensure_ascii=True) + "\n"


def _rule(page: Page) -> _Record:
    title, _, rest = page.text.partition("\n")
    return {
        "id": page.code,
        "name": page.name.title().replace("_", "") or "Trouble",
        "shortDescription": {"text": page.title.rstrip(".")},
        "fullDescription": {"text": page.summary},
        "help": {"text": page.text, "markdown": f"**{title}**\n{rest.replace('``', '`')}"},
        "defaultConfiguration": {"level": LEVELS[page.fidelity]},
        "properties": {"tags": ["tensorflow", "migration", page.fidelity.value]},
    }


def _result(finding: Finding, span: Span, indices: Mapping[str, int], fingerprint: str, base: str) -> _Record:
    physical = {"artifactLocation": _location(finding.path, base), "region": _region(span)}
    return {
        "ruleId": finding.code,
        "ruleIndex": indices[finding.code],
        "level": level(finding),
        "message": {"text": printable(text(finding).rstrip(".") + ".")},
        "locations": [{"physicalLocation": physical}],
        "partialFingerprints": {FINGERPRINT: fingerprint},
        "properties": {"fidelity": finding.fidelity.value, "rewritten": finding.rewritten, "symbol": finding.symbol},
    }


def _related_location(finding: Finding, cause: Cause, span_of: Callable[[Finding], Span], base: str) -> _Record:
    """Returns the place of the cause why a site is skipped that its own rule could rewrite."""
    there = replace(finding, path=cause.path, span=cause.span, cell=cause.cell)
    physical = {"artifactLocation": _location(cause.path, base), "region": _region(span_of(there))}
    text = f"{cause.code or 'Another program'}: why this is not rewritten."
    return {"id": 1, "physicalLocation": physical, "message": {"text": text}}


def _location(path: str, base: str) -> _Record:
    relative = below(path, base)
    if relative is None:
        return {"uri": _uri(os.path.abspath(path))}
    return {"uri": _uri(relative), "uriBaseId": _BASE}


def _uri(path: str) -> str:
    """Returns a path as a URI with its bytes, in whatever encoding, percent-encoded."""
    return ("file://" if path.startswith("/") else "") + quote(os.fsencode(path), safe="/")


def _region(span: Span) -> _Record:
    return {
        "startLine": span.line,
        "startColumn": span.column + 1,
        "endLine": span.end_line,
        "endColumn": span.end_column + 1,
    }


def _with_fingerprints(
    findings: Sequence[Finding], lines_of: Callable[[str, int | None], Sequence[str]], base: str
) -> Iterator[tuple[Finding, str]]:
    """Yields each finding with a hash of its file's path and its code, which does not change if lines move."""
    seen: Counter[tuple[str, ...]] = Counter()
    place: tuple[str, int | None] | None = None
    lines: Sequence[str] = ()
    for finding in sort_findings(findings):
        if (finding.path, finding.cell) != place:
            place = finding.path, finding.cell
            lines = lines_of(*place)
        site = "".join(_text_at(lines, finding.span).split())
        seen[finding.path, finding.code, site] += 1
        number = seen[finding.path, finding.code, site]
        file = below(finding.path, base) or finding.path
        content = "\0".join((file, finding.code, finding.symbol, site, str(number)))
        yield finding, hashlib.sha256(content.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _text_at(lines: Sequence[str], span: Span) -> str:
    chosen = list(lines[span.line - 1 : span.end_line])
    if not chosen:
        return ""
    chosen[-1] = chosen[-1][: span.end_column]
    chosen[0] = chosen[0][span.column :]
    return "\n".join(chosen)
