"""Measures how much two runs differ in losses and variables, and how much rounding alone can cause."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

from migrate.verify import child
from migrate.verify.record import Record
from migrate.verify.training_program import Program


@dataclass(frozen=True)
class LossDifference:
    """The differences between the losses of two runs.

    Attributes:
      gaps: the relative difference at each step whose losses differ, in the order of the steps.
      first_equal: whether the first losses are equal to the last bit.
    """

    steps: int
    gaps: dict[int, float]
    first_equal: bool

    @property
    def text(self) -> str:
        """The first difference and its size in one line."""
        if not self.gaps:
            return f"all {self.steps} bit-equal"
        first = next(iter(self.gaps))
        equal = self.steps - len(self.gaps)
        return (
            f"the first difference at step {first}, of {self.gaps[first]:.2g} relative; {equal} of {self.steps} equal"
        )

    def first_beyond(self, tolerance: Callable[[int], float]) -> int | None:
        """Returns the first step whose gap is larger than the tolerance at this step; None if there is none."""
        return next((step for step, gap in self.gaps.items() if gap > tolerance(step)), None)


def loss_difference(old: dict[int, float], new: dict[int, float]) -> LossDifference | None:
    """Compares losses by step, with NaN equal to NaN; None if no step has a loss in both runs."""
    gaps = relative_gaps(old, new)
    if not gaps:
        return None
    apart = {step: gap for step, gap in gaps.items() if gap}
    return LossDifference(len(gaps), apart, next(iter(gaps)) not in apart)


def relative_gaps(old: dict[int, float], new: dict[int, float]) -> dict[int, float]:
    """Returns the difference at each common step, relative to the larger loss; 0 for equal losses."""
    common = sorted(old.keys() & new.keys())
    return {step: _relative(old[step], new[step]) for step in common}


def _relative(one: float, other: float) -> float:
    if one == other or (math.isnan(one) and math.isnan(other)):
        return 0.0
    gap = abs(one - other)
    return math.inf if math.isnan(gap) or math.isinf(gap) else gap / max(abs(one), abs(other))


READER = Path(__file__).parent / "checkpoint_reader.py"

Variables = dict[str, dict[str, Any]]
"""Name -> the ``key`` in the file, ``shape``, the first flat ``values`` and a ``digest`` of all values."""


def read_variables(program: Program, model_dir: Path) -> Variables:
    """Returns the variables of the newest checkpoint in ``model_dir``; empty if TensorFlow can read none."""
    found: Variables = child.printed_json(program, model_dir, READER)
    return found


@dataclass(frozen=True)
class VariableDifference:
    """The differences between two sets of variables.

    Attributes:
      alone: the names of the variables that could not be paired by name or by shape.
      relative: the largest relative difference in a pair, of the variable ``worst``; 0.0 if all are equal.
    """

    by_name: int
    by_shape: int
    alone: list[str]
    relative: float
    worst: str

    @property
    def text(self) -> str:
        """The figures in one line."""
        pairs = f"{self.by_name} paired by name, {self.by_shape} by shape"
        alone = f", {len(self.alone)} only in one" if self.alone else ""
        worst = f", at most {self.relative:.3g} apart ({self.worst})" if self.relative else ", bit-equal"
        return pairs + alone + worst


def variable_difference(old: Variables, new: Variables) -> VariableDifference:
    """Pairs the variables by name, then by shape with the nearest values, and measures the pairs."""
    names = old.keys() & new.keys()
    pairs = [(name, name) for name in sorted(names) if old[name]["shape"] == new[name]["shape"]]
    paired_old, paired_new = {one for one, _ in pairs}, {other for _, other in pairs}
    free = [name for name in new if name not in paired_new]
    by_shape = 0
    for name in sorted(old.keys() - paired_old):
        candidates = [other for other in free if new[other]["shape"] == old[name]["shape"]]
        if candidates:
            nearest = min(candidates, key=lambda other: _largest_gap(old[name]["values"], new[other]["values"]))
            free.remove(nearest)
            pairs.append((name, nearest))
            by_shape += 1
    matched = {one for one, _ in pairs}
    gaps = [(_gap(old[one], new[other]), one) for one, other in pairs]
    relative, worst = max(gaps, default=(0.0, ""))
    alone = sorted([*(name for name in old if name not in matched), *free])
    return VariableDifference(len(pairs) - by_shape, by_shape, alone, relative, worst)


def _gap(one: dict[str, Any], other: dict[str, Any]) -> float:
    """Returns the relative difference of two variables; 1.0 if only values that were not read differ."""
    if one["digest"] == other["digest"]:
        return 0.0
    return _largest_gap(one["values"], other["values"]) or 1.0


def _largest_gap(one: list[float], other: list[float]) -> float:
    """Returns the largest gap relative to the largest value; infinite if only one of two values is NaN."""
    unequal = [(a, b) for a, b in zip(one, other, strict=True) if a != b and not (math.isnan(a) and math.isnan(b))]
    if not unequal:
        return 0.0
    gap = max(math.inf if math.isnan(a - b) else abs(a - b) for a, b in unequal)
    return gap if math.isinf(gap) else gap / max(abs(value) for value in (*one, *other) if math.isfinite(value))


CHECKPOINT_MOVER = Path(__file__).parent / "checkpoint_mover.py"

EPSILON = 2.0**-23
"""The relative distance of neighbouring 32-bit floats: losses cannot differ by less."""

ROUNDINGS = 16
"""The factor of what one rounding grew to: kernels round at each step, while the weights were moved once."""


@dataclass(frozen=True)
class Rounding:
    """The size that one rounding of the weights grew to.

    Attributes:
      losses: the largest relative difference of losses until each step, counted from the rounding.
      variables: the relative difference of the final variables.
    """

    losses: dict[int, float]
    variables: float

    def loss_tolerance(self, step: int) -> float:
        """Returns the largest relative difference of losses until a step that rounding can explain."""
        known = [gap for at, gap in self.losses.items() if at <= step]
        return ROUNDINGS * max([EPSILON, *known])

    @property
    def variable_tolerance(self) -> float:
        """The largest relative difference of variables that rounding can explain."""
        return ROUNDINGS * max(self.variables, EPSILON)

    @property
    def answer_tolerance(self) -> float:
        """The largest relative difference of metrics and export outputs that rounding can explain."""
        return max(self.variable_tolerance, self.loss_tolerance(max(self.losses, default=0)))


def rounding(plain: Record, moved: Record, begun: int) -> Rounding:
    """Measures the difference of two runs whose initial weights differ by one rounding.

    Args:
      begun: the step of their first checkpoint; not 0, because initial weights may be zeros, which do not round.
    """
    gaps = relative_gaps(plain.by_step("loss"), moved.by_step("loss"))
    grown = accumulate((gaps[step] for step in sorted(gaps)), max)
    found = variable_difference(plain.variables, moved.variables)
    return Rounding({step - begun: gap for step, gap in zip(sorted(gaps), grown, strict=True)}, found.relative)


def move_weights(program: Program, directory: Path) -> bool:
    """Moves the weights of the newest checkpoint in a directory by one rounding; returns whether it could."""
    return bool(child.printed_json(program, directory, CHECKPOINT_MOVER))
