"""Small line drawings as SVG, in colours that the page around them sets."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape

from migrate.verify.record import Record

WIDTH, HEIGHT = 640, 240
LEFT, RIGHT, TOP, BOTTOM = 72, 12, 12, 36
TICKS = 5
_DECADES = 100
"""Losses that span more are drawn by their powers of ten: the last ones would be one flat line."""

Point = tuple[float, float]


@dataclass(frozen=True)
class Curve:
    """A line with marks on it.

    Attributes:
      side: ``old`` or ``new``, which sets colour and dashes.
      lines: its pieces, each a list of points.
    """

    side: str
    lines: list[list[Point]]
    saves: list[Point] = field(default_factory=list)
    kills: list[Point] = field(default_factory=list)
    restores: list[Point] = field(default_factory=list)

    def points(self) -> Iterable[Point]:
        """Every point that must be in the picture."""
        for line in self.lines:
            yield from line
        yield from (*self.saves, *self.kills, *self.restores)


def steps_by_time(side: str, record: Record) -> Curve:
    """The step against the seconds since the first start, one line for each start."""
    zero = record.attempts[0].began
    lines = []
    saves: list[Point] = []
    kills: list[Point] = []
    restores: list[Point] = []
    for number, attempt in enumerate(record.attempts):
        lines.append([(event["time"] - zero, event["step"]) for event in attempt.of("step")])
        saves += [(event["time"] - zero, event["step"]) for event in attempt.of("save") if event["step"] is not None]
        if number < len(record.attempts) - 1:
            kills.append((attempt.ended - zero, max(attempt.steps, default=attempt.started_at or 0)))
        if number and attempt.started_at is not None:
            restores.append((attempt.of("start")[0]["time"] - zero, attempt.started_at))
    return Curve(side, lines, saves, kills, restores)


def loss_by_step(side: str, record: Record) -> Curve:
    """The loss of each step, one line for each start."""
    return Curve(
        side, [[(event["step"], event["loss"]) for event in a.of("step") if "loss" in event] for a in record.attempts]
    )


def draw(curves: list[Curve], across: str, up: str, description: str, by_decades: bool = False) -> str:
    """The curves in one pair of axes.

    Args:
      description: what there is to see, for those who cannot see it.
      by_decades: whether each power of ten takes the same height, where the points span several.
    """
    points = [point for curve in curves for point in curve.points() if math.isfinite(point[1])]
    if not points:
        return ""
    frame = _Frame(points, by_decades)
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(description)}">',
        *frame.axes(across, up),
        *(part for curve in curves for part in _curve(curve, frame)),
        "</svg>",
    ]
    return "".join(parts)


class _Frame:
    """The two scales."""

    def __init__(self, points: list[Point], by_decades: bool = False) -> None:
        heights = [y for _, y in points]
        self.by_decades = by_decades and min(heights) > 0 and max(heights) > _DECADES * min(heights)
        self.x = _span([x for x, _ in points])
        self.y = _span([self._height(y) for y in heights])

    def _height(self, y: float) -> float:
        return math.log10(y) if self.by_decades else y

    def at(self, point: Point) -> tuple[float, float]:
        """A point's place in the picture."""
        x = LEFT + (point[0] - self.x[0]) / (self.x[1] - self.x[0]) * (WIDTH - LEFT - RIGHT)
        y = HEIGHT - BOTTOM - (self._height(point[1]) - self.y[0]) / (self.y[1] - self.y[0]) * (HEIGHT - TOP - BOTTOM)
        return round(x, 1), round(y, 1)

    def axes(self, across: str, up: str) -> Iterable[str]:
        """Lines, numbers and names of both axes."""
        for index in range(TICKS):
            part = index / (TICKS - 1)
            x_value = self.x[0] + part * (self.x[1] - self.x[0])
            y_value = self.y[0] + part * (self.y[1] - self.y[0])
            y_value = 10**y_value if self.by_decades else y_value
            x, y = self.at((x_value, y_value))
            yield f'<text x="{x}" y="{HEIGHT - BOTTOM + 14}" text-anchor="middle">{x_value:.3g}</text>'
            yield f'<text x="{LEFT - 6}" y="{y + 4}" text-anchor="end">{y_value:.3g}</text>'
            yield f'<path class="grid" d="M{LEFT} {y}H{WIDTH - RIGHT}"/>'
        yield f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 4}" text-anchor="end">{escape(across)}</text>'
        yield f'<text x="4" y="{HEIGHT - 4}">{escape(up)}</text>'


def _span(values: list[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _curve(curve: Curve, frame: _Frame) -> Iterable[str]:
    for whole in curve.lines:
        line = [point for point in whole if math.isfinite(point[1])]
        if line:
            places = " ".join(f"{x},{y}" for x, y in map(frame.at, line))
            yield f'<polyline class="{curve.side}" points="{places}"/>'
    for x, y in map(frame.at, curve.saves):
        yield f'<circle class="{curve.side} save" cx="{x}" cy="{y}" r="3.5"/>'
    for x, y in map(frame.at, curve.kills):
        yield f'<path class="{curve.side} kill" d="M{x - 5} {y - 5}L{x + 5} {y + 5}M{x - 5} {y + 5}L{x + 5} {y - 5}"/>'
    for x, y in map(frame.at, curve.restores):
        yield f'<path class="{curve.side} restore" d="M{x} {y - 5}L{x + 5} {y + 4}H{x - 5}Z"/>'
