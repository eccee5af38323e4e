"""How far two runs are apart in losses and variables, and how far rounding alone takes one from itself.

Rounding is the tolerance for two lines of TensorFlow.
"""

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
    """The losses of the steps that both runs made.

    Attributes:
      gaps: the relative difference at each step that has one, in the order of the steps.
      first_equal: whether the first step's losses are the same to the last bit.
    """

    steps: int
    gaps: dict[int, float]
    first_equal: bool

    @property
    def text(self) -> str:
        """The first difference, with its size, in one line."""
        if not self.gaps:
            return f"all {self.steps} bit-equal"
        first = next(iter(self.gaps))
        equal = self.steps - len(self.gaps)
        return (
            f"the first difference at step {first}, of {self.gaps[first]:.2g} relative; {equal} of {self.steps} equal"
        )

    def beyond(self, tolerance: Callable[[int], float]) -> int | None:
        """The first step whose losses are further apart than a tolerance allows at it; None where there is none."""
        return next((step for step, gap in self.gaps.items() if gap > tolerance(step)), None)


def loss_difference(old: dict[int, float], new: dict[int, float]) -> LossDifference | None:
    """Compare losses by step; None where no step has a loss on both sides. Two that are not numbers are equal."""
    gaps = relative_gaps(old, new)
    if not gaps:
        return None
    apart = {step: gap for step, gap in gaps.items() if gap}
    return LossDifference(len(gaps), apart, next(iter(gaps)) not in apart)


def relative_gaps(old: dict[int, float], new: dict[int, float]) -> dict[int, float]:
    """The difference at each step that both have, as a part of the larger loss; 0 for equal ones."""
    common = sorted(old.keys() & new.keys())
    return {step: _relative(old[step], new[step]) for step in common}


def _relative(one: float, other: float) -> float:
    if one == other or (math.isnan(one) and math.isnan(other)):
        return 0.0
    gap = abs(one - other)
    return math.inf if math.isnan(gap) or math.isinf(gap) else gap / max(abs(one), abs(other))


READER = Path(__file__).parent / "checkpoint_reader.py"

Variables = dict[str, dict[str, Any]]
"""By name: the ``key`` in the file, ``shape``, the first flat ``values`` and a ``digest`` of all of them."""


def read_variables(program: Program, model_dir: Path) -> Variables:
    """The variables of the newest checkpoint in ``model_dir``; empty where there is none that TensorFlow can read."""
    found: Variables = child.printed_json(program, model_dir, READER)
    return found


@dataclass(frozen=True)
class VariableDifference:
    """What the pairing of two sets of variables found."""

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
    """Pair the variables, by name and then by shape and nearness, and measure the pairs."""
    names = old.keys() & new.keys()
    pairs = [(name, name) for name in sorted(names) if old[name]["shape"] == new[name]["shape"]]
    paired_old, paired_new = {one for one, _ in pairs}, {other for _, other in pairs}
    free = [name for name in new if name not in paired_new]
    by_shape = 0
    for name in sorted(old.keys() - paired_old):
        candidates = [other for other in free if new[other]["shape"] == old[name]["shape"]]
        if candidates:
            nearest = min(candidates, key=lambda other: _apart(old[name]["values"], new[other]["values"]))
            free.remove(nearest)
            pairs.append((name, nearest))
            by_shape += 1
    matched = {one for one, _ in pairs}
    gaps = [(_gap(old[one], new[other]), one) for one, other in pairs]
    relative, worst = max(gaps, default=(0.0, ""))
    alone = sorted([*(name for name in old if name not in matched), *free])
    return VariableDifference(len(pairs) - by_shape, by_shape, alone, relative, worst)


def _gap(one: dict[str, Any], other: dict[str, Any]) -> float:
    """The difference of the values; of values that are equal, any in what lies beyond them counts as a whole."""
    if one["digest"] == other["digest"]:
        return 0.0
    return _apart(one["values"], other["values"]) or 1.0


def _apart(one: list[float], other: list[float]) -> float:
    """The largest gap as a part of the largest value; infinite where a value is no number and the other's is."""
    unequal = [(a, b) for a, b in zip(one, other, strict=True) if a != b and not (math.isnan(a) and math.isnan(b))]
    if not unequal:
        return 0.0
    gap = max(math.inf if math.isnan(a - b) else abs(a - b) for a, b in unequal)
    return gap if math.isinf(gap) else gap / max(abs(value) for value in (*one, *other) if math.isfinite(value))


MOVER = Path(__file__).parent / "checkpoint_mover.py"

ONE = 2.0**-23
"""The relative distance of neighbouring 32-bit floats, which losses are: less than that is never seen."""

ROUNDINGS = 16
"""How many roundings of one size count as one difference: kernels round at each step, the weights are moved once."""


@dataclass(frozen=True)
class Rounding:
    """What one rounding of the weights grew to.

    Attributes:
      losses: the largest relative difference of losses until each step, counted from the rounding.
      variables: the relative difference of the final variables.
    """

    losses: dict[int, float]
    variables: float

    def until(self, step: int) -> float:
        """The largest relative difference of losses until a step that may be rounding."""
        known = [gap for at, gap in self.losses.items() if at <= step]
        return ROUNDINGS * max([ONE, *known])

    @property
    def of_variables(self) -> float:
        """The relative difference of variables that may be rounding."""
        return ROUNDINGS * max(self.variables, ONE)

    @property
    def of_answers(self) -> float:
        """The relative difference of what is computed with the final variables that may be rounding."""
        return max(self.of_variables, self.until(max(self.losses, default=0)))


def rounding(plain: Record, moved: Record, begun: int) -> Rounding:
    """What the difference of two runs is that began one rounding apart.

    Args:
      begun: the step of that checkpoint. Weights that are not trained yet are zeros, which have no rounding.
    """
    gaps = relative_gaps(plain.by_step("loss"), moved.by_step("loss"))
    grown = accumulate((gaps[step] for step in sorted(gaps)), max)
    found = variable_difference(plain.variables, moved.variables)
    return Rounding({step - begun: gap for step, gap in zip(sorted(gaps), grown, strict=True)}, found.relative)


def move_weights(program: Program, directory: Path) -> bool:
    """Move the weights of the newest checkpoint in a directory by one rounding; whether that could be done."""
    return bool(child.printed_json(program, directory, MOVER))
