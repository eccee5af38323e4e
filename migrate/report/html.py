"""Renders the outcome as one HTML page for reviews, which needs no network and no other file.

The files, which are most of the page, are compressed in it: a migration repeats itself.
"""

import base64
import gzip
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from itertools import groupby

import jinja2
from pygments.lexers.python import PythonLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, String, _TokenType

from migrate import __version__
from migrate.edits.file_change import FileChange
from migrate.files.matching import opcodes
from migrate.files.notebook import Notebook
from migrate.files.sources import NOTEBOOK
from migrate.files.trouble import Unreadable
from migrate.findings.finding import Finding
from migrate.findings.printable import printable
from migrate.pipeline.outcome import Outcome
from migrate.planning.rows import ProgramRow
from migrate.records import dataclass
from migrate.report import sort_findings
from migrate.report.annotation import result
from migrate.report.pages import Page

_CONTEXT = 3
_CLASSES: Mapping[_TokenType, str] = {
    Keyword: "k",
    Operator.Word: "k",
    String: "s",
    Comment: "c",
    Number: "m",
    Name.Function: "f",
    Name.Class: "f",
    Name.Decorator: "d",
    Name.Builtin: "b",
}
"""Coloured token -> its CSS class in ``style.css``."""


@dataclass(frozen=True)
class Row:
    """One row of a table: an old line, a new line, or both; the numbers count from 1.

    Attributes:
      skipped: how many lines are left out above.
      marks: the codes of the findings in the old line, separated by spaces.
    """

    old: int | None
    new: int | None
    old_code: str
    new_code: str
    skipped: int
    marks: str

    @property
    def is_changed(self) -> bool:
        return self.old is None or self.new is None or self.old_code != self.new_code


def rows(before: str | None, after: str | None, marks: Mapping[int, str]) -> list[Row]:
    """Returns the changed lines, those with a finding, and three lines around each.

    Args:
      before: the old text; None for a new file.
      after: the new text; None if nothing is rewritten.
      marks: line -> the codes of the findings that begin there.
    """
    old, new = (coloured_lines(text) if text is not None else [] for text in (before, after))
    pairs = list(_pairs(before, after))
    wanted = {
        index
        for index, (left, right, is_equal) in enumerate(pairs)
        if not is_equal or (left is not None and left + 1 in marks)
    }
    made: list[Row] = []
    last = -1
    shown = {near for at in wanted for near in range(max(0, at - _CONTEXT), min(len(pairs), at + _CONTEXT + 1))}
    for index in sorted(shown):
        left, right, _ = pairs[index]
        made.append(
            Row(
                None if left is None else left + 1,
                None if right is None else right + 1,
                "" if left is None else old[left],
                "" if right is None else new[right],
                index - last - 1,
                "" if left is None else marks.get(left + 1, ""),
            )
        )
        last = index
    return made


def coloured_lines(text: str) -> list[str]:
    """Returns the lines of Python source as HTML, each with its own markup."""
    lines = [""]
    for kind, value in PythonLexer(stripnl=False, ensurenl=False).get_tokens(text):
        name = _class(kind)
        for number, part in enumerate(value.split("\n")):
            if number:
                lines.append("")
            if part:
                code = escape(printable(part), quote=False)
                lines[-1] += f"<i class={name}>{code}</i>" if name else code
    return lines[:-1] if lines[-1] == "" else lines


def _class(kind: _TokenType) -> str:
    known: _TokenType | None = kind
    while known is not None:
        if known in _CLASSES:
            return _CLASSES[known]
        known = known.parent
    return ""


def _pairs(before: str | None, after: str | None) -> Iterator[tuple[int | None, int | None, bool]]:
    """Yields pairs of an old and a new line, counted from 0, and whether they are equal; None for a missing line."""
    old, new = _lines(before or ""), _lines(after or "")
    if after is None:
        yield from ((line, None, True) for line in range(len(old)))
        return
    for tag, start, end, new_start, new_end in opcodes(old, new):
        for offset in range(max(end - start, new_end - new_start)):
            left = start + offset if start + offset < end else None
            right = new_start + offset if new_start + offset < new_end else None
            yield left, right, tag == "equal"


def _lines(text: str) -> Sequence[str]:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


RESULTS = ("exact", "noted", "skipped", "error")


@dataclass(frozen=True)
class _Card:
    """A finding on the page; the browser stores its tick under ``key``."""

    finding: Finding
    result: str
    place: str
    message: str
    key: str


@dataclass(frozen=True)
class _File:
    """A file on the page.

    Attributes:
      copies: the other new files with the same content, which is shown once.
      is_split: whether the old and new lines are in two columns.
      key: the key under which the browser stores the file's own tick, if it has no finding.
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
    shown = _files(outcome, lines_of)
    files = [section.render(file=file) for file in shown]
    # Without a time in the archive, so that the same outcome gives the same page.
    packed = gzip.compress(json.dumps(files).encode("ascii"), 9, mtime=0)
    results = [(finding.code, result(finding)) for finding in outcome.findings]
    reasons = Counter((finding.code, finding.message) for finding in outcome.findings if finding.is_own_reason)
    return environment.get_template("page.html").render(
        version=__version__,
        programs=programs,
        anchors={row.name: _anchor(row.entry_points[0]) for row in programs},
        shown={file.anchor for file in shown},
        results=RESULTS,
        totals=Counter(one for _, one in results),
        counts=Counter(results),
        pages=[pages[code] for code in sorted({code for code, _ in results})],
        reasons=[(code, printable(message), count) for (code, message), count in reasons.most_common()],
        files=len({finding.path for finding in outcome.findings if not finding.error}),
        packed=base64.b64encode(packed).decode("ascii"),
    )


def _anchor(path: str) -> str:
    return f"file-{_hash(path)}"


def _files(outcome: Outcome, lines_of: Callable[[str], Sequence[str]]) -> list[_File]:
    found = {path: list(group) for path, group in groupby(sort_findings(outcome.findings), key=lambda one: one.path)}
    changes = {change.path: change for change in outcome.changes}
    shown = [
        _file(path, found.get(path, []), change, lines_of)
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
    path: str, findings: Sequence[Finding], change: FileChange | None, lines_of: Callable[[str], Sequence[str]]
) -> _File:
    before = change.before if change else "\n".join(lines_of(path))
    after = change.after if change else None
    content = _hash(path, before or "", after or "")
    above: dict[int | None, int] = {None: 0}
    if path.endswith(NOTEBOOK):
        after = after and _code_of(path, after)[0]
        before, above = _code_of(path, before or "")
    marks: dict[int, str] = {}
    for finding in findings:
        if finding.cell in above:
            line = above[finding.cell] + finding.span.line
            marks[line] = f"{marks.get(line, '')} {finding.code}".lstrip()
    cards = [_Card(f, result(f), f.in_file, f.message, _hash(content, repr(f))) for f in findings]
    state = "unchanged" if change is None else "rewritten"
    shown = printable(path, keep="")
    return _File(shown, _anchor(path), [], state, cards, rows(before, after, marks), change is not None, content)


def _code_of(path: str, notebook: str) -> tuple[str, dict[int | None, int]]:
    """Returns the code of all cells, and the number of lines above each cell; the text itself if it is no notebook."""
    try:
        cells = Notebook.decode(path, notebook.encode("utf-8", "surrogatepass")).cells
    except Unreadable:
        return notebook, {None: 0}
    lines: list[str] = []
    above: dict[int | None, int] = {}
    for cell in cells:
        lines.append(f"# cell {cell.number}")
        above[cell.number] = len(lines)
        lines += [*cell.source.split("\n"), ""]
    return "\n".join(lines), above


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]
