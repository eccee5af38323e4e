"""The outcome as SARIF 2.1.0, for code scanning and editors.

See: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html.
"""

import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, metadata
from urllib.parse import quote

from migrate import __version__
from migrate.edits.file_change import FileChange
from migrate.files.matching import opcodes
from migrate.findings.finding import Cause, Finding, Span, sentences
from migrate.findings.printable import printable
from migrate.pipeline.outcome import Outcome
from migrate.report import in_order
from migrate.report.level import OF_FIDELITY, level
from migrate.report.pages import Page
from migrate.report.repository_path import below, root

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
    """The log, its results sorted by path and place.

    Args:
      outcome: what was found and would be written.
      pages: the page of each code.
      lines_of: gives the lines of a file as it was read, by its path and a notebook's cell.
      span_of: tells where a finding stands in its file, also where that is a notebook.
    """
    base = root()
    indices = {code: index for index, code in enumerate(pages)}
    fixes = _fixes(outcome, base)
    site = documentation()
    results = []
    for finding, fingerprint in _with_fingerprints(outcome.findings, lines_of, base):
        result = _result(finding, span_of(finding), indices, fingerprint, base)
        if finding.cause is not None:
            result["relatedLocations"] = [_related(finding, finding.cause, span_of, base)]
        if finding in fixes:
            result["fixes"] = [fixes.pop(finding)]
        results.append(result)
    run: _Record = {
        "tool": {
            "driver": {
                "name": "estimator-migrate",
                "semanticVersion": __version__,
                "rules": [_rule(page, site) for page in pages.values()],
            }
        },
        "invocations": [{"executionSuccessful": outcome.exit_code != 2, "exitCode": outcome.exit_code}],
        "originalUriBaseIds": {_BASE: {"uri": _uri(os.path.join(base, ""))}},
        "columnKind": "unicodeCodePoints",
        "newlineSequences": ["\r\n", "\n", "\r"],
        "artifacts": [_artifact(change, base) for change in _changed(outcome)],
        "results": results,
    }
    # ASCII escapes keep the log whole whatever carries it.
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1, ensure_ascii=True) + "\n"


def _changed(outcome: Outcome) -> list[FileChange]:
    return sorted(outcome.changes, key=lambda change: change.path)


def documentation() -> str:
    """The address of the documentation that the installed package names (``project.urls``); empty where it has none."""
    try:
        named = [text.partition(",") for text in metadata("estimator-migrate").get_all("Project-URL") or ()]
    except PackageNotFoundError:
        return ""
    return next((address.strip().rstrip("/") for name, _, address in named if name == "Documentation"), "")


def _rule(page: Page, site: str) -> _Record:
    return {
        "id": page.code,
        **({"helpUri": f"{site}/rule/{page.code.lower()}.html"} if site else {}),
        "name": page.name.title().replace("_", "") or "Trouble",
        "shortDescription": {"text": page.title.rstrip(".")},
        "fullDescription": {"text": page.summary},
        "help": {"text": page.text, "markdown": _markdown(page.text)},
        "defaultConfiguration": {"level": OF_FIDELITY[page.fidelity]},
        "properties": {"tags": ["tensorflow", "migration", page.fidelity.value]},
    }


def _markdown(text: str) -> str:
    title, _, rest = text.partition("\n")
    return f"**{title}**\n{rest.replace('``', '`')}"


def _result(finding: Finding, span: Span, indices: Mapping[str, int], fingerprint: str, base: str) -> _Record:
    # The region is one of the file, which of a notebook is JSON: the reader thinks in cells.
    message = finding.message if finding.cell is None else f"{finding.in_file}: {finding.message}"
    text = sentences(message, finding.help).rstrip(".") + "."
    physical = {"artifactLocation": _location(finding.path, base), "region": _region(span)}
    return {
        "ruleId": finding.code,
        "ruleIndex": indices[finding.code],
        "level": level(finding),
        "message": {"text": printable(text)},
        "locations": [{"physicalLocation": physical}],
        "partialFingerprints": {FINGERPRINT: fingerprint},
        "properties": {
            "fidelity": finding.fidelity.value,
            "rewritten": finding.rewritten,
            "symbol": finding.symbol,
        },
    }


def _related(finding: Finding, cause: Cause, span_of: Callable[[Finding], Span], base: str) -> _Record:
    """The place for which a site is skipped that its own rule could rewrite."""
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
    """A path as a URI: its bytes, whatever their encoding, in percent encoding where they are not plain."""
    return ("file://" if path.startswith("/") else "") + quote(os.fsencode(path), safe="/")


def _region(span: Span) -> _Record:
    return {
        "startLine": span.line,
        "startColumn": span.column + 1,
        "endLine": span.end_line,
        "endColumn": span.end_column + 1,
    }


def _artifact(change: FileChange, base: str) -> _Record:
    encoding = "utf-8" if change.source is None else change.source.encoding
    return {"location": _location(change.path, base), "encoding": encoding, "sourceLanguage": "python"}


def _with_fingerprints(
    findings: Sequence[Finding], lines_of: Callable[[str, int | None], Sequence[str]], base: str
) -> Iterator[tuple[Finding, str]]:
    """Each finding with a hash of its file and of what stands there: lines that come in above change nothing."""
    seen: Counter[tuple[str, ...]] = Counter()
    place: tuple[str, int | None] | None = None
    lines: Sequence[str] = ()
    for finding in in_order(findings):
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


def _fixes(outcome: Outcome, base: str) -> dict[Finding, _Record]:
    """One fix for all files that need each other's changes, at the first finding that it settles.

    A program is rewritten whole or not at all, and files may share helpers: a fix for each finding
    could not be applied alone.
    """
    findings = in_order(outcome.findings)
    fixes: dict[Finding, _Record] = {}
    for changes in _that_need_each_other([change for change in _changed(outcome) if change.after != change.before]):
        paths = {change.path for change in changes}
        here = [finding for finding in findings if finding.path in paths and not finding.error]
        settled = [finding for finding in here if finding.rewritten] or here
        if settled:
            names = ", ".join(printable(below(path, base) or path) for path in sorted(paths))
            fixes[settled[0]] = {
                "description": {"text": f"Rewrite all programs of {names}."},
                "artifactChanges": [_artifact_change(change, base) for change in changes],
            }
    return fixes


def _that_need_each_other(changes: Sequence[FileChange]) -> list[list[FileChange]]:
    """The changes in groups: files of one program, and all that import the same helpers."""
    groups: list[tuple[set[str], list[FileChange]]] = []
    for change in changes:
        paths = {change.path, *change.together, *change.needs}
        joined = [group for group in groups if not group[0].isdisjoint(paths)]
        groups = [group for group in groups if group not in joined]
        members = [member for group in joined for member in group[1]]
        groups.append((paths.union(*(group[0] for group in joined)), [*members, change]))
    return [sorted(group[1], key=lambda change: change.path) for group in groups]


def _artifact_change(change: FileChange, base: str) -> _Record:
    before, after = _lines(change.before or ""), _lines(change.after)
    replacements = [
        {
            "deletedRegion": _lines_region(before, start, end),
            "insertedContent": {"text": "".join(after[new_start:new_end])},
        }
        for tag, start, end, new_start, new_end in opcodes(before, after)
        if tag != "equal"
    ]
    return {"artifactLocation": _location(change.path, base), "replacements": replacements}


def _lines(text: str) -> list[str]:
    """The lines with their ends, cut at the newline sequences that the run names."""
    return re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$", text)


def _lines_region(lines: Sequence[str], start: int, end: int) -> _Record:
    """Lines ``start`` to ``end``, counted from 0; a file without a final newline ends at its last letter."""
    return _region(Span(*_position(lines, start), *_position(lines, end)))


def _position(lines: Sequence[str], line: int) -> tuple[int, int]:
    if line == len(lines) and lines and not lines[-1].endswith(("\r", "\n")):
        return line, len(lines[-1])
    return line + 1, 0
