"""The outcome as one HTML page to review it in: it needs no network and no other file.

What makes up most of the page, the files, is in it once and compressed: a migration repeats itself.
"""

import base64
import gzip
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import jinja2

from migrate import __version__
from migrate.edits.file_change import FileChange
from migrate.files.sources import NOTEBOOK
from migrate.findings.finding import Finding
from migrate.findings.printable import printable
from migrate.pipeline.outcome import Outcome
from migrate.planning.rows import ProgramRow
from migrate.report import in_order
from migrate.report.annotation import fate
from migrate.report.columns import Row, rows
from migrate.report.pages import Page

FATES = ("exact", "noted", "skipped", "error")


@dataclass(frozen=True)
class _Card:
    """A finding as the page shows it; ``key`` is what its tick is remembered under."""

    finding: Finding
    fate: str
    place: str
    message: str
    key: str


@dataclass(frozen=True)
class _File:
    """A file as the page shows it.

    Attributes:
      copies: the other new files with the same content, which is reviewed once.
      is_split: whether the lines stand in two columns, old and new.
      key: what its own tick is remembered under, where it has no finding.
    """

    path: str
    anchor: str
    copies: Sequence[str]
    state: str
    cards: Sequence[_Card]
    rows: Sequence[Row]
    is_split: bool
    key: str


def render(
    outcome: Outcome,
    pages: Mapping[str, Page],
    lines_of: Callable[[str], Sequence[str]],
    programs: Sequence[ProgramRow] = (),
) -> str:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("migrate.report", "review"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["printable"] = printable
    section = environment.get_template("file.html")
    shown = _files(outcome, pages, lines_of)
    files = [section.render(file=file) for file in shown]
    # No time of making in the archive: the same outcome gives the same page.
    packed = gzip.compress(json.dumps(files).encode("ascii"), 9, mtime=0)
    fates = [(finding.code, fate(finding)) for finding in outcome.findings]
    reasons = Counter((finding.code, finding.message) for finding in outcome.findings if finding.is_own_reason)
    return environment.get_template("page.html").render(
        version=__version__,
        programs=programs,
        anchors={row.name: _anchor(row.entry_points[0]) for row in programs},
        shown={file.anchor for file in shown},
        fates=FATES,
        totals=Counter(one for _, one in fates),
        counts=Counter(fates),
        pages=[pages[code] for code in sorted({code for code, _ in fates})],
        reasons=[(code, printable(message), count) for (code, message), count in reasons.most_common()],
        files=len({finding.path for finding in outcome.findings if not finding.error}),
        packed=base64.b64encode(packed).decode("ascii"),
    )


def _anchor(path: str) -> str:
    return f"file-{_hash(path)}"


def _files(outcome: Outcome, pages: Mapping[str, Page], lines_of: Callable[[str], Sequence[str]]) -> list[_File]:
    found = {path: list(group) for path, group in groupby(in_order(outcome.findings), key=lambda one: one.path)}
    changes = {change.path: change for change in outcome.changes}
    shown = [
        _file(path, found.get(path, []), change, pages, lines_of)
        for path in sorted({*found, *changes})
        if not _is_new(change := changes.get(path))
    ]
    new = sorted((change.after, change.path) for change in changes.values() if _is_new(change))
    for after, group in groupby(new, key=lambda one: one[0]):
        paths = [printable(path, keep="") for _, path in group]
        shown.append(
            _File(paths[0], _anchor(paths[0]), paths[1:], "new", [], rows(None, after, {}), False, _hash(after))
        )
    return sorted(shown, key=lambda file: (file.state == "new", file.path))


def _is_new(change: FileChange | None) -> bool:
    return change is not None and change.before is None


def _file(
    path: str,
    findings: Sequence[Finding],
    change: FileChange | None,
    pages: Mapping[str, Page],
    lines_of: Callable[[str], Sequence[str]],
) -> _File:
    before = change.before if change else "\n".join(lines_of(path))
    after = change.after if change else None
    content = _hash(path, before or "", after or "")
    above: dict[int | None, int] = {None: 0}
    if path.endswith(NOTEBOOK):
        after = after and _code_of(after)[0]
        before, above = _code_of(before or "")
    marks: dict[int, str] = {}
    for finding in findings:
        if finding.cell in above:
            line = above[finding.cell] + finding.span.line
            marks[line] = f"{marks.get(line, '')} {finding.code}".lstrip()
    cards = [_card(finding, content) for finding in findings]
    state = "unchanged" if change is None else "rewritten"
    shown = printable(path, keep="")
    return _File(shown, _anchor(path), [], state, cards, rows(before, after, marks), change is not None, content)


def _code_of(notebook: str) -> tuple[str, dict[int | None, int]]:
    """The code of a notebook, cell by cell, and how many lines stand above each cell's; its JSON where it is none."""
    try:
        cells = json.loads(notebook)["cells"]
        sources = {
            number: "".join(cell["source"]) for number, cell in enumerate(cells, start=1) if cell["cell_type"] == "code"
        }
    except (ValueError, TypeError, KeyError, RecursionError):
        return notebook, {None: 0}
    lines: list[str] = []
    above: dict[int | None, int] = {}
    for number, source in sources.items():
        lines.append(f"# cell {number}")
        above[number] = len(lines)
        lines += [*source.split("\n"), ""]
    return "\n".join(lines), above


def _card(finding: Finding, content: str) -> _Card:
    return _Card(
        finding,
        fate(finding),
        finding.in_file,
        finding.message,
        _hash(content, repr(finding)),
    )


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]
