"""Renders the result as one HTML page that needs no network, no script and no mouse."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import jinja2

from migrate.files.matching import unified_lines
from migrate.verify.comparison import Comparison
from migrate.verify.record import Record
from migrate.verify.table import MARKS, summary
from migrate.verify.training_program import Program
from migrate.verify.verification import Verification


def page(verification: Verification) -> str:
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
    """Yields two drawings of both records: steps by time and losses by step; "" where nothing was recorded."""
    for make, across, up in ((steps_by_time, "seconds", "step"), (loss_by_step, "step", "loss")):
        curves = [make("old", comparison.old), make("new", comparison.new)]
        described = f"{up} against {across}, {' and '.join(comparison.sides)}, {title}"
        yield draw(curves, across, up, described, by_decades=up == "loss")


def _diff(old: Program, new: Program) -> str:
    before, after = (Path(program.script).read_text(encoding="utf-8", errors="replace") for program in (old, new))
    return "\n".join(unified_lines(before.splitlines(), after.splitlines(), str(old.script), str(new.script)))


WIDTH, HEIGHT = 640, 240
LEFT, RIGHT, TOP, BOTTOM = 72, 12, 12, 36
TICKS = 5
_DECADES = 100
"""Losses whose largest is more than this times the smallest get a logarithmic scale: else the last are a flat line."""

Point = tuple[float, float]

TEMPLATES = jinja2.Environment(
    loader=jinja2.PackageLoader("migrate.verify"), autoescape=True, trim_blocks=True, lstrip_blocks=True
)
TEMPLATES.globals |= {"width": WIDTH, "height": HEIGHT, "left": LEFT, "right": RIGHT, "bottom": BOTTOM}


@dataclass(frozen=True)
class Curve:
    """A line with marks on it.

    Attributes:
      side: ``old`` or ``new``, which sets colour and dashes.
      lines: the pieces of the line, each a list of points.
    """

    side: str
    lines: list[list[Point]]
    saves: list[Point] = field(default_factory=list)
    kills: list[Point] = field(default_factory=list)
    restores: list[Point] = field(default_factory=list)

    def points(self) -> Iterable[Point]:
        """Yields every point that must be in the drawing."""
        for line in self.lines:
            yield from line
        yield from (*self.saves, *self.kills, *self.restores)


def steps_by_time(side: str, record: Record) -> Curve:
    """Returns the curve of steps by seconds since the first start, one line for each start."""
    zero = record.attempts[0].began
    made = Curve(side, [])
    for number, attempt in enumerate(record.attempts):
        made.lines.append([(event["time"] - zero, event["step"]) for event in attempt.events_of("step")])
        made.saves.extend(
            (event["time"] - zero, event["step"]) for event in attempt.events_of("save") if event["step"] is not None
        )
        if number < len(record.attempts) - 1:
            made.kills.append((attempt.ended - zero, max(attempt.steps, default=attempt.started_at or 0)))
        if number and attempt.started_at is not None:
            made.restores.append((attempt.events_of("start")[0]["time"] - zero, attempt.started_at))
    return made


def loss_by_step(side: str, record: Record) -> Curve:
    """Returns the curve of losses by step, one line for each start."""
    return Curve(
        side,
        [[(event["step"], event["loss"]) for event in a.events_of("step") if "loss" in event] for a in record.attempts],
    )


def draw(curves: list[Curve], across: str, up: str, description: str, by_decades: bool = False) -> str:
    """Returns the curves in one pair of axes as SVG; "" if there is nothing to draw.

    Args:
      description: what the drawing shows, for those who cannot see it.
      by_decades: whether the scale is logarithmic, where the points span several powers of ten.
    """
    points = [point for curve in curves for point in curve.points() if math.isfinite(point[1])]
    if not points:
        return ""
    frame = _Frame(points, by_decades)
    placed = [frame.place(curve) for curve in curves]
    given = {"across": across, "up": up, "description": description, "ticks": [*frame.ticks()], "curves": placed}
    return TEMPLATES.get_template("picture.svg").render(given)


class _Frame:
    """The scales of both axes."""

    def __init__(self, points: list[Point], by_decades: bool) -> None:
        heights = [y for _, y in points]
        self.by_decades = by_decades and min(heights) > 0 and max(heights) > _DECADES * min(heights)
        self.x = _span([x for x, _ in points])
        self.y = _span([self._height(y) for y in heights])

    def _height(self, y: float) -> float:
        return math.log10(y) if self.by_decades else y

    def pixel(self, point: Point) -> Point:
        x = LEFT + (point[0] - self.x[0]) / (self.x[1] - self.x[0]) * (WIDTH - LEFT - RIGHT)
        y = HEIGHT - BOTTOM - (self._height(point[1]) - self.y[0]) / (self.y[1] - self.y[0]) * (HEIGHT - TOP - BOTTOM)
        return round(x, 1), round(y, 1)

    def place(self, curve: Curve) -> Curve:
        """Returns a curve in pixels, without the points whose value is not finite."""
        lines = [[self.pixel(point) for point in line if math.isfinite(point[1])] for line in curve.lines]
        return Curve(curve.side, lines, *([*map(self.pixel, at)] for at in (curve.saves, curve.kills, curve.restores)))

    def ticks(self) -> Iterable[tuple[float, float, float, float]]:
        """Yields the pixels and the values of the labels of both axes."""
        for index in range(TICKS):
            part = index / (TICKS - 1)
            across, up = (low + part * (high - low) for low, high in (self.x, self.y))
            up = 10**up if self.by_decades else up
            yield *self.pixel((across, up)), across, up


def _span(values: list[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    return (low, high) if high > low else (low - 0.5, high + 0.5)
