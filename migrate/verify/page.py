"""The result as one HTML page that needs nothing else: no network, no script, no mouse."""

from collections.abc import Iterator
from pathlib import Path

from migrate.files.matching import unified_lines
from migrate.verify.comparison import Comparison
from migrate.verify.picture import TEMPLATES, draw, loss_by_step, steps_by_time
from migrate.verify.table import MARKS, summary
from migrate.verify.training_program import Program
from migrate.verify.verification import Verification


def page(verification: Verification) -> str:
    """The whole page."""
    request = verification.request
    return TEMPLATES.get_template("page.html").render(
        result=verification,
        programs=[request.old, request.new][request.alone :],
        summary=summary(verification),
        marks=MARKS,
        drawings=_drawings,
        difference=_diff(request.old, request.new),
    )


def _drawings(title: str, comparison: Comparison) -> Iterator[str]:
    """The steps by time and the losses by step of both records; "" for what was not seen."""
    for make, across, up in ((steps_by_time, "seconds", "step"), (loss_by_step, "step", "loss")):
        curves = [make("old", comparison.old), make("new", comparison.new)]
        described = f"{up} against {across}, {' and '.join(comparison.sides)}, {title}"
        yield draw(curves, across, up, described, by_decades=up == "loss")


def _diff(old: Program, new: Program) -> str:
    before, after = (Path(program.script).read_text(encoding="utf-8", errors="replace") for program in (old, new))
    return "\n".join(unified_lines(before.splitlines(), after.splitlines(), str(old.script), str(new.script)))
