"""Renders a plan as text and JSON."""

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict

from migrate import __version__
from migrate.edits.file_change import FileChange
from migrate.findings.finding import Finding
from migrate.findings.printable import printable
from migrate.planning.baseline import Comparison
from migrate.planning.rows import BLOCKED, NEEDS, PARTLY, READY, ProgramRow
from migrate.records import dataclass, field
from migrate.report.summary import count_in_words, missing_package_note
from migrate.report.terminal import Line
from migrate.runtime_files.package import PACKAGE, REQUIREMENT

SCHEMA_VERSION = 3
_READ_AS_THEY_ARE = "read as they are: start it in the old directory"
_READ_BY_NAME = "read by their names; copy the directory if the old program may go on"
_STYLES = {READY: "green", NEEDS: "cyan", PARTLY: "yellow", BLOCKED: "magenta"}
_WORDS_IN_SUM = {NEEDS: "with needs"}
"""What the last line calls a status, where not by its name."""
_MOST_DIRECTORIES = 20
_MOST_COPIES = 2


@dataclass(frozen=True)
class Plan:
    """The output of the command ``plan``.

    Attributes:
      comparison: what has changed since an earlier plan; None if none was given.
      copies: runtime folder -> the number of lines that would be written into it, as from ``copies``.
      nothing: the sentence to print if there is no program.
      quiet: whether to print only the programs and errors.
    """

    rows: Sequence[ProgramRow]
    errors: Sequence[Finding]
    comparison: Comparison | None
    copies: Mapping[str, int] = field(default_factory=dict)
    nothing: str = "No Estimator or recovery code found"
    quiet: bool = False


def lines(plan: Plan) -> Iterator[Line]:
    """Yields the plan for people: a paragraph for each program, the roll-ups, the comparison and the totals."""
    for row in plan.rows:
        yield from _row(row)
        yield []
    for error in plan.errors:
        text = f"{error.place}: {error.code} {error.message}"
        yield [("error  ", "bold red"), (text, "")]
        if error.help:
            yield _note("next step", error.help)
    if plan.errors:
        yield []
    if plan.quiet:
        return
    yield from _roll_up("By directory", group_by_directory(plan.rows))
    owners = group_by_owner(plan.rows)
    if set(owners) - {""}:
        yield from _roll_up("By owner (CODEOWNERS)", {name or "(none)": rows for name, rows in owners.items()})
    if plan.comparison is not None:
        yield from comparison_report(plan.comparison)
    outermost = [folder for folder in plan.copies if os.path.dirname(folder) not in plan.copies]
    if len(outermost) > _MOST_COPIES:
        saved = f"{len(outermost)} copies of {PACKAGE} would be written, of {sum(plan.copies.values())} lines"
        yield [(f"{saved}; --helpers package writes none, and requires {REQUIREMENT}.", "")]
    yield from missing_package_note(plan.copies)
    yield [(f"{_total(plan.rows)}." if plan.rows else f"{plan.nothing}.", "bold")]


def copies(changes: Iterable[FileChange]) -> dict[str, int]:
    """Maps each runtime folder to the number of lines that the changes write into it; inner folders count apart."""
    changes = list(changes)
    generated, found = {path for change in changes for path in change.needs}, Counter[str]()
    for change in changes:
        if change.path in generated and change.before is None:
            found[os.path.dirname(change.path)] += change.after.count("\n")
    return dict(found)


def _row(row: ProgramRow) -> Iterator[Line]:
    yield [
        (f"{row.status:7} ", f"bold {_STYLES[row.status]}"),
        (row.name, "bold"),
        (f": {', '.join(row.kinds)}, {count_in_words(len(row.files), 'file')}", ""),
        (f", {count_in_words(row.rewritten + row.skipped, 'call site')}", ""),
    ]
    if row.status != BLOCKED:
        generated = f", {row.generated} generated" if row.generated else ""
        yield _note("becomes", f"{row.becomes}, {row.target}; lines +{row.added} -{row.removed}{generated}")
    if row.blocked_by is not None:
        yield _note("blocked by" if row.status == BLOCKED else f"{row.skipped} skipped", row.blocked_by.words)
        yield _note("next step", row.blocked_by.next_step)
    if row.needs:
        yield _note("needs", "; ".join(row.needs))
    for command in row.commands[:1]:
        if command.first:
            yield _note("first", command.first)
        if command.verify:
            yield _note("verify", command.verify)
        if "(" in command.old:  # other commands are those that the page on plans explains
            yield _note("OLD has", command.old)
        if "object" in row.forms:
            yield _note("checkpoints", _READ_BY_NAME if "Keras" in row.kinds else _READ_AS_THEY_ARE)


def _note(title: str, text: str) -> Line:
    return [(f"        {title}: ", "cyan"), (text, "")]


def group_by_directory(rows: Iterable[ProgramRow]) -> dict[str, list[ProgramRow]]:
    """Groups the programs by directory of their entry point, as deep as possible with at most twenty directories."""
    parts = [(os.path.dirname(row.entry_points[0]).split(os.sep), row) for row in rows]
    found: dict[str, list[ProgramRow]] = {}
    for depth in range(1, 1 + max((len(one) for one, _ in parts), default=0)):
        deeper: dict[str, list[ProgramRow]] = {}
        for one, row in parts:
            deeper.setdefault(os.sep.join(one[:depth]) or (os.sep if one[1:] else os.curdir), []).append(row)
        if len(found) > 1 and len(deeper) > _MOST_DIRECTORIES:
            break
        found = deeper
    return found


def group_by_owner(rows: Iterable[ProgramRow]) -> dict[str, list[ProgramRow]]:
    """Groups the programs by owner; "" has those without an owner."""
    found: dict[str, list[ProgramRow]] = {}
    for row in rows:
        for owner in row.owners or ("",):
            found.setdefault(owner, []).append(row)
    return dict(sorted(found.items()))


def _roll_up(title: str, groups: Mapping[str, Sequence[ProgramRow]]) -> Iterator[Line]:
    if len(groups) < 2:
        return
    yield [(f"{title}:", "bold")]
    width = max(map(len, groups))
    for name, rows in sorted(groups.items()):
        yield [(f"  {printable(name):{width}}  ", ""), (_total(rows), "")]
    yield []


def _total(rows: Sequence[ProgramRow]) -> str:
    status = Counter(row.status for row in rows)
    sites = sum(row.rewritten + row.skipped for row in rows)
    rewritten = sum(row.rewritten for row in rows)
    words = ", ".join(
        f"{status[name]} {_WORDS_IN_SUM.get(name, name)}" for name in (READY, NEEDS, PARTLY, BLOCKED) if status[name]
    )
    programs = f"{count_in_words(len(rows), 'program')}{f' ({words})' if words else ''}"
    return f"{programs}, {rewritten} of {count_in_words(sites, 'call site')} rewritten"


def comparison_report(comparison: Comparison) -> Iterator[Line]:
    """Yields what is new, gone, ready or blocked since an earlier plan."""
    yield [(f"Since {comparison.baseline}:", "bold")]
    for name, count in comparison.new.items():
        yield [("  new: ", "magenta"), (f"{name}{f' (+{count})' if count > 1 else ''}", "")]
    for name in comparison.new_errors:
        yield [("  new error: ", "red"), (name, "")]
    for title, names in (("ready now", comparison.unblocked), ("blocked now", comparison.blocked)):
        if names:
            yield [(f"  {title}: ", ""), (", ".join(names), "")]
    new = sum(comparison.new.values())
    yield [(f"  {count_in_words(new, 'new call site')}, {comparison.gone} gone", "")]
    yield []


def document(plan: Plan) -> str:
    """Returns the plan as JSON, which ``--baseline`` can read."""
    content = {
        "schema_version": SCHEMA_VERSION,
        "kind": "plan",
        "tool": {"name": "estimator-migrate", "version": __version__},
        "programs": [asdict(row) for row in plan.rows],
        "errors": [
            {"file": one.path, "place": one.place, "code": one.code, "message": one.message, "help": one.help}
            for one in plan.errors
        ],
        "group_by_directory": {name: _numbers(rows) for name, rows in sorted(group_by_directory(plan.rows).items())},
        "group_by_owner": {name: _numbers(rows) for name, rows in group_by_owner(plan.rows).items() if name},
        "totals": _numbers(plan.rows),
        "comparison": None if plan.comparison is None else asdict(plan.comparison),
    }
    return json.dumps(content, indent=2, ensure_ascii=True) + "\n"


def _numbers(rows: Sequence[ProgramRow]) -> dict[str, int]:
    status = Counter(row.status for row in rows)
    return {
        "programs": len(rows),
        **{name: status[name] for name in (READY, NEEDS, PARTLY, BLOCKED)},
        "rewritten": sum(row.rewritten for row in rows),
        "skipped": sum(row.skipped for row in rows),
        "lines_added": sum(row.added for row in rows),
        "lines_removed": sum(row.removed for row in rows),
    }
