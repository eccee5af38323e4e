"""Renders the comparisons as tables in a terminal."""

from collections.abc import Collection, Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from migrate.verify.compare import INITIAL_WEIGHTS
from migrate.verify.comparison import Comparison, Verdict
from migrate.verify.verification import OTHER_WEIGHTS, RANDOM_BATCHES, Verification

MARKS = {Verdict.SAME: "=", Verdict.DIFFERENT: "≠", Verdict.INFORMATION: " ", Verdict.NOT_COMPARED: "?"}
SEED_ADVICE = "To have batches and losses compared, give each shuffle of the input a seed of its own, in both programs."
SHARE = "To have losses and final variables compared, add --share-initial: both start from OLD's first checkpoint."
STYLES = {Verdict.SAME: "", Verdict.DIFFERENT: "bold red", Verdict.INFORMATION: "dim", Verdict.NOT_COMPARED: "dim"}


def table(title: str, comparison: Comparison) -> Table:
    """Returns the table of one comparison; a difference is marked by a sign as well as by colour."""
    result = "matches" if comparison.matches else "DIFFERS"
    made = Table(title=f"{title}: {result}", title_justify="left", title_style="bold")
    for heading in ("", comparison.sides[0], "", comparison.sides[1], "note"):
        made.add_column(heading, overflow="fold")
    for row in comparison.rows:
        style = STYLES[row.verdict]
        cells = (row.name, row.old, MARKS[row.verdict], row.new, row.note)
        made.add_row(*(Text(cell, style=style) for cell in cells))
    return made


def tables(verification: Verification, verbose: bool = False) -> RenderableType:
    """Returns a line for each comparison that matches, a table for each that differs, and the summary at the end."""
    shown = [
        table(title, comparison) if verbose or not comparison.matches else Text(line(title, comparison))
        for title, comparison in verification.comparisons
    ]
    return Group(*shown, Text("\n".join(summary(verification))))


def line(title: str, comparison: Comparison) -> str:
    """Returns the line for a comparison that matches."""
    names = ("resumed at step", "resumed at a saved step")
    resumed = [row.new for row in comparison.rows if row.name in names and row.new not in ("-", "always")]
    at = f", resumed at step {resumed[0]}" if resumed else ""
    return f"= {title}: matches{at}"


def summary(verification: Verification) -> list[str]:
    """Returns sentences: what was compared, what could not be and why, and the first difference."""
    comparisons = verification.comparisons
    good = sum(comparison.matches for _, comparison in comparisons)
    lines = [f"{verification.headline}: {good} of {len(comparisons)} comparisons match."]
    lines += [f"Note: {note}." for note in verification.notes]
    compared = dict.fromkeys(name for _, comparison in comparisons for name in comparison.row_names)
    lines.append(f"Compared: {', '.join(compared)}.")
    missed = _rows_not_compared(comparisons)
    lines += _not_compared(missed, compared)
    notes = dict.fromkeys(
        f"{side}, {title}: {note}"
        for title, comparison in comparisons
        for side, record in zip(comparison.sides, (comparison.old, comparison.new), strict=True)
        for note in record.notes
    )
    lines += [f"Note: {note}." for note in notes]
    lines += [f"Not tried: {reason}." for reason in verification.not_tried]
    # Look at the undisturbed runs only: after a fault, batches may differ because the two resumed at different steps.
    batches = [row for row in comparisons[0][1].rows if row.name == "batches"]
    if any(row.verdict is Verdict.DIFFERENT or row.note == RANDOM_BATCHES for row in batches):
        lines.append(SEED_ADVICE)
    if INITIAL_WEIGHTS in missed and not verification.request.share_initial and OTHER_WEIGHTS not in verification.notes:
        lines.append(SHARE)
    if not verification.matches:
        lines.append(f"First difference: {verification.first}.")
    return lines


def _rows_not_compared(comparisons: Sequence[tuple[str, Comparison]]) -> dict[str, dict[str, list[str]]]:
    """Maps reason -> name of a row -> titles of the comparisons in which it could not be compared."""
    missed: dict[str, dict[str, list[str]]] = {}
    for title, comparison in comparisons:
        for row in (row for row in comparison.rows if row.verdict is Verdict.NOT_COMPARED):
            missed.setdefault(row.note, {}).setdefault(row.name, []).append(title)
    return missed


def _not_compared(missed: dict[str, dict[str, list[str]]], compared: Collection[str]) -> Iterator[str]:
    """Yields a sentence for each reason: the rows that were never compared, then those that sometimes were not."""
    listed = set[str]()
    for reason, rows in missed.items():
        never = [name for name in rows if name not in compared and name not in listed]
        listed.update(never)
        if never:
            yield f"Not compared, because {reason}: {', '.join(never)}."
        sometimes = [name for name in rows if name in compared]
        if sometimes:
            titles = dict.fromkeys(title for name in sometimes for title in rows[name])
            yield f"Not compared in these, because {reason}: {', '.join(sometimes)} ({'; '.join(titles)})."
