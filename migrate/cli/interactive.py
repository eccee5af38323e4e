"""``--interactive``: each hunk with what was found in it, and a question, as ``git add -p`` asks."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from migrate.files.matching import grouped
from migrate.findings.finding import Cause, Finding, Obstacle, Span
from migrate.findings.printable import printable
from migrate.report import in_order, notebook_diff
from migrate.report.linter import why
from migrate.report.pages import Page
from migrate.report.terminal import Line, show
from migrate.results.outcome import FileChange, Outcome
from migrate.settings import Settings, SettingsError

_CONTEXT = 3
_APART = 1
"""Changes with more than twice as many lines between them are asked about one by one: they may be two programs'."""
_LONGEST = 40
_STYLES = {"-": "red", "+": "green"}
_HELP = """\
y  rewrite this hunk
n  skip the programs that it belongs to: a program is rewritten completely or not at all
a  rewrite this hunk and all later hunks, shown or not
q  skip this hunk and all later hunks with their programs; write the programs that you agreed to
s  show all lines of this hunk
"""


@dataclass(frozen=True)
class Hunk:
    """Some lines of one file that change together.

    Attributes:
      path: the file.
      first: the first old line that goes, counted from 1, in a notebook in its cell.
      last: the last one; the line before ``first`` where lines only come in.
      lines: the hunk as a diff shows it.
      cell: the number of a notebook's cell; None for a new cell and in any other file.
      is_generated: whether it is the files of helpers that a program needs; ``path`` is the first of them.
    """

    path: str
    first: int
    last: int
    lines: tuple[str, ...]
    cell: int | None = None
    is_generated: bool = False

    def was_shown_by(self, other: "Hunk") -> bool:
        """Whether whoever agreed to ``other`` has seen every line that this one changes.

        Where a program is skipped, the modules and imports that others need along with it come out shorter.
        """
        if (self.path, self.cell) != (other.path, other.cell) or self.first < other.first or self.last > other.last:
            return False
        seen = iter(other.changed)
        return all(line in seen for line in self.changed)

    @property
    def changed(self) -> list[str]:
        return [line for line in self.lines if not line.startswith(" ")]


def require_terminal() -> None:
    """Makes sure that there is somebody to ask.

    Raises:
      SettingsError: standard input or output is no terminal.
    """
    if not (sys.stdin and sys.stdin.isatty() and sys.stdout and sys.stdout.isatty()):
        raise SettingsError("--interactive asks its questions on a terminal, and this is none")


def choose(
    outcome: Outcome, settings: Settings, pages: dict[str, Page], again: Callable[[Settings], Outcome]
) -> Outcome:
    """Asks about every hunk, and works the changes out anew without what was declined.

    Args:
      outcome: what was found and would be written.
      settings: the choices that it was made with.
      pages: the page of each code.
      again: runs the codemod with other settings.

    Returns:
      The outcome with only the changes that were agreed to.
    """
    agreed: set[Hunk] = set()
    refused: set[str] = set()
    answer = ""
    while waiting := [hunk for hunk in hunks(outcome) if not any(hunk.was_shown_by(other) for other in agreed)]:
        # After q nothing is asked, but what comes up then is declined as well: what was not shown is not written.
        answer = "q" if answer == "q" else _ask(waiting, outcome, pages)
        if answer == "a":
            break
        if answer == "y":
            agreed.add(waiting[0])
            continue
        skipped = waiting[:1] if answer == "n" else waiting
        declined = {site for hunk in skipped for site in _sites(hunk, outcome)}
        settings = replace(settings, declined=settings.declined | {_site(finding) for finding in declined})
        before, outcome = outcome, again(settings)
        # Where a hunk stays although its programs are skipped, its whole file is.
        refused |= {hunk.path for hunk in hunks(outcome) if hunk in skipped}
        outcome = _without(outcome, refused)
        _tell_what_is_skipped(before, outcome)
    return outcome


def _without(outcome: Outcome, refused: set[str]) -> Outcome:
    """The outcome in which some files, and all that need them, stay as they are."""
    gone = [change for change in outcome.changes if refused & {change.path, *change.needs, *change.together}]
    kept = [change for change in outcome.changes if change not in gone]
    needed = {path for change in kept for path in change.needs}
    unneeded = {path for change in gone for path in change.needs} - needed
    paths = {change.path for change in gone}
    findings = [
        finding.left_for(Cause(Obstacle.DECLINED, finding.code, finding.path, finding.span, finding.cell))
        if finding.rewritten and finding.path in paths
        else finding
        for finding in outcome.findings
    ]
    return replace(outcome, findings=findings, changes=[change for change in kept if change.path not in unneeded])


def hunks(outcome: Outcome) -> Iterator[Hunk]:
    """All hunks of the changes, by path and place; helpers come, as one, after the first program that needs them."""
    for program, helpers in _in_order(outcome.changes):
        for change in program:
            if notebook_diff.is_notebook(change):
                for cell in notebook_diff.cell_changes(change):
                    yield from _hunks(change.path, cell.before, cell.after, cell.number)
            else:
                yield from _hunks(change.path, change.before or "", change.after, None)
        if helpers:
            yield _of_helpers(helpers)


def _of_helpers(helpers: Sequence[FileChange]) -> Hunk:
    """The files of helpers that a program brings, as one hunk."""
    shown: list[str] = []
    for change in helpers:
        shown += [
            change.path,
            *(line for one in _hunks(change.path, change.before or "", change.after, None) for line in one.lines),
        ]
    return Hunk(helpers[0].path, 0, 0, tuple(shown), is_generated=True)


def _in_order(changes: Sequence[FileChange]) -> Iterator[tuple[list[FileChange], list[FileChange]]]:
    """The changes of each program's files, and those of the helpers that none before it needs."""
    wanted = {path for change in changes for path in change.needs}
    modules = {change.path: change for change in changes if change.path in wanted}
    done: set[str] = set()
    for first in sorted(changes, key=lambda change: change.path):
        if first.path in modules or first.path in done:
            continue
        program = [one for one in changes if one.path == first.path or one.path in first.together]
        own = [change for change in sorted(program, key=lambda change: change.path) if change.path not in done]
        new = sorted({path for one in program for path in one.needs if path in modules} - done)
        yield own, [modules[path] for path in new]
        done.update(new, (one.path for one in program))


def _hunks(path: str, old: str, new: str, cell: int | None) -> Iterator[Hunk]:
    before, after = _lines(old), _lines(new)
    for group in grouped(before, after, _APART):
        changed = [code for code in group if code[0] != "equal"]
        top, bottom = changed[0][1], changed[-1][2]
        shown = [f" {line}" for line in before[max(0, top - _CONTEXT) : top]]
        for tag, start, end, new_start, new_end in group[group.index(changed[0]) : group.index(changed[-1]) + 1]:
            shown += [f"{' ' if tag == 'equal' else '-'}{line}" for line in before[start:end]]
            shown += [f"+{line}" for line in after[new_start:new_end] if tag != "equal"]
        shown += [f" {line}" for line in before[bottom : bottom + _CONTEXT]]
        yield Hunk(path, top + 1, bottom, tuple(shown), cell)


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n").split("\n") if text else []


def _own(hunk: Hunk, outcome: Outcome) -> list[Finding]:
    """The rewritten sites in the lines of a hunk."""
    return [
        finding
        for finding in in_order(outcome.findings)
        if finding.rewritten
        and (finding.path, finding.cell) == (hunk.path, hunk.cell)
        and finding.span.line <= hunk.last
        and finding.span.end_line >= hunk.first
    ]


def _sites(hunk: Hunk, outcome: Outcome) -> list[Finding]:
    """The sites whose programs a hunk belongs to: those in it, else all that may need what it brings."""
    own = _own(hunk, outcome)
    if own:
        return own
    users = {change.path for change in outcome.changes if hunk.path in (change.path, *change.needs, *change.together)}
    rewritten = [finding for finding in outcome.findings if finding.rewritten]
    return [finding for finding in rewritten if finding.path in users] or rewritten


def _site(finding: Finding) -> tuple[str, str, Span, int | None]:
    return finding.path, finding.code, finding.span, finding.cell


def _ask(waiting: list[Hunk], outcome: Outcome, pages: dict[str, Page]) -> str:
    """Shows the first hunk, and gives the answer: ``y``, ``n``, ``a`` or ``q``, which the end of input means too."""
    hunk = waiting[0]
    show(_shown(hunk, outcome, pages), sys.stdout)
    while True:
        print(f"Rewrite this hunk (1 of {len(waiting)} to go) [y,n,a,q,s,?]? ", end="", flush=True)
        line = sys.stdin.readline()
        answer = line.strip().lower()[:1]
        if not line:
            print()
            return "q"
        if answer and answer in "ynaq":
            return answer
        if answer == "s":
            show(_lines_of(hunk, len(hunk.lines)), sys.stdout)
        else:
            print(_HELP, end="")


def _shown(hunk: Hunk, outcome: Outcome, pages: dict[str, Page]) -> Iterator[Line]:
    yield []
    own = _own(hunk, outcome)
    for finding in own:
        yield [(f"{finding.place}: {finding.code} {finding.message}", "bold")]
        yield [(f"  = {why(finding)}", "")]
    if not own:
        cell = "" if hunk.cell is None else f"cell {hunk.cell}: "
        what = "generated code that the new code imports" if hunk.is_generated else "what the new code needs"
        path = os.path.join(os.path.dirname(hunk.path), "") if hunk.is_generated else hunk.path
        yield [(f"{printable(path, keep='')}: {cell}{what}", "bold")]
    yield from _lines_of(hunk, _LONGEST)


def _lines_of(hunk: Hunk, most: int) -> Iterator[Line]:
    for line in hunk.lines[:most]:
        yield [(line, _STYLES.get(line[:1], ""))]
    if len(hunk.lines) > most:
        yield [(f"… {len(hunk.lines) - most} more lines; s shows them", "")]


def _tell_what_is_skipped(before: Outcome, after: Outcome) -> None:
    was, still = ({_site(finding) for finding in one.findings if finding.rewritten} for one in (before, after))
    for path in sorted({site[0] for site in was - still}):
        number = sum(site[0] == path for site in was - still)
        sites = "1 site is" if number == 1 else f"{number} sites are"
        print(f"{printable(path, keep='')}: {sites} skipped: a program is rewritten completely or not at all.")
