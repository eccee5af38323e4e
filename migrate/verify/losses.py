"""How far two series of losses are apart."""

import math
from collections.abc import Callable
from dataclasses import dataclass


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
