"""The result as one HTML page that needs nothing else: no network, no script, no mouse."""

from collections.abc import Callable, Iterable
from html import escape
from pathlib import Path

from migrate.files.matching import unified_lines
from migrate.verify.comparison import Comparison, Row
from migrate.verify.picture import Curve, draw, loss_by_step, steps_by_time
from migrate.verify.record import Record
from migrate.verify.table import MARKS, summary
from migrate.verify.training_program import Program
from migrate.verify.verification import Verification

STYLE = """
:root { color-scheme: light dark; --old: #b45309; --new: #1d4ed8; --bad: #b91c1c; --line: #8884; }
@media (prefers-color-scheme: dark) { :root { --old: #fbbf24; --new: #93c5fd; --bad: #fca5a5; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
       background: Canvas; color: CanvasText; }
table { border-collapse: collapse; width: 100%; }
@media (max-width: 600px) { table { display: block; overflow-x: auto; } }
th, td { text-align: left; vertical-align: top; padding: .2rem .6rem; border-bottom: 1px solid var(--line); }
td { overflow-wrap: anywhere; }
tr.different { color: var(--bad); font-weight: 600; }
tr.information, tr.not-compared { opacity: .75; }
summary { cursor: pointer; padding: .4rem 0; font-weight: 600; }
summary:focus-visible, a:focus-visible { outline: 3px solid var(--new); outline-offset: 2px; }
.bad { color: var(--bad); }
figure { margin: 1rem 0; }
svg { width: 100%; height: auto; }
svg text { font-size: 11px; fill: currentColor; }
svg .grid { stroke: var(--line); }
svg polyline { fill: none; stroke-width: 2; }
svg .old { stroke: var(--old); }
svg .new { stroke: var(--new); stroke-dasharray: 6 3; }
svg .save, svg .restore { fill: Canvas; stroke-dasharray: none; stroke-width: 1.5; }
svg .kill { stroke-width: 2.5; stroke-dasharray: none; }
pre { overflow-x: auto; font-size: 13px; }
.key-old { color: var(--old); } .key-new { color: var(--new); }
"""

KEY = (
    '<figcaption><span class="key-old">— {}</span>, <span class="key-new">- - {}</span>; '
    "○ a save, ✕ an interruption, △ where training went on.</figcaption>"
)


def page(verification: Verification) -> str:
    """The whole page."""
    result, request = verification.headline, verification.request
    programs = [request.old, request.new][request.alone :]
    comparisons = verification.comparisons
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
        f"<title>{result}</title><style>{STYLE}</style></head><body><main>",
        f"<h1{'' if verification.matches else ' class=bad'}>{result}</h1>",
        f"<p>{' and '.join(map(_name, programs))}</p>",
        *(f"<p>{escape(line)}</p>" for line in summary(verification)),
        "<nav><ol>",
        *(_link(number, title, comparison) for number, (title, comparison) in enumerate(comparisons)),
        "</ol></nav>",
        *(_section(number, title, comparison) for number, (title, comparison) in enumerate(comparisons)),
        "<details><summary>The difference between the two programs</summary>",
        f"<pre>{escape(_diff(verification.request.old, verification.request.new))}</pre></details>",
        "</main></body></html>",
    ]
    return "\n".join(parts)


def _name(program: Program) -> str:
    return f"<code>{escape(str(program.script))}</code>"


def _link(number: int, title: str, comparison: Comparison) -> str:
    result = "matches" if comparison.matches else '<strong class="bad">differs</strong>'
    return f'<li><a href="#c{number}">{escape(title)}</a>: {result}</li>'


def _section(number: int, title: str, comparison: Comparison) -> str:
    """One fault; open from the start where something differs, and the undisturbed runs."""
    opened = " open" if number == 0 or not comparison.matches else ""
    first = "" if comparison.matches else f'<p class="bad">{escape(comparison.first)}</p>'
    return "\n".join(
        [
            f'<details id="c{number}"{opened}><summary>{escape(title)}: '
            f"{'matches' if comparison.matches else 'differs'}</summary>",
            first,
            _figure(_curves(steps_by_time, comparison), "seconds", "step", title, comparison.sides),
            _figure(_curves(loss_by_step, comparison), "step", "loss", title, comparison.sides),
            "<table><thead><tr><th></th>"
            f"<th>{comparison.sides[0]}</th><th></th><th>{comparison.sides[1]}</th><th>note</th></tr></thead><tbody>",
            *map(_row, comparison.rows),
            "</tbody></table></details>",
        ]
    )


def _curves(make: Callable[[str, Record], Curve], comparison: Comparison) -> list[Curve]:
    return [make("old", comparison.old), make("new", comparison.new)]


def _figure(curves: list[Curve], across: str, up: str, title: str, sides: tuple[str, str]) -> str:
    described = f"{up} against {across}, {' and '.join(sides)}, {title}"
    drawing = draw(curves, across, up, described, by_decades=up == "loss")
    return f"<figure>{drawing}{KEY.format(*sides)}</figure>" if drawing else ""


def _row(row: Row) -> str:
    kind = row.verdict.value.replace(" ", "-")
    mark = f'<span aria-label="{row.verdict.value}">{MARKS[row.verdict]}</span>'
    cells = (f"<th scope=row>{escape(row.name)}</th>", *_cells(row.old, mark, row.new, row.note))
    return f'<tr class="{kind}">{"".join(cells)}</tr>'


def _cells(old: str, mark: str, new: str, note: str) -> Iterable[str]:
    return (f"<td>{escape(old)}</td>", f"<td>{mark}</td>", f"<td>{escape(new)}</td>", f"<td>{escape(note)}</td>")


def _diff(old: Program, new: Program) -> str:
    before, after = (Path(program.script).read_text(encoding="utf-8", errors="replace") for program in (old, new))
    return "\n".join(unified_lines(before.splitlines(), after.splitlines(), str(old.script), str(new.script)))
