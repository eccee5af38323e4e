"""How far two series of losses are apart."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class LossDifference:
    """The losses of the steps that both runs made.

    Attributes:
      steps: how many steps both made.
      equal: how many of them have the same loss to the last bit.
      absolute: the largest difference.
      relative: the largest difference as a part of the larger loss.
      first_apart: the first step with a difference, None if there is none.
      first_equal: whether the first step's losses are the same to the last bit.
    """

    steps: int
    equal: int
    absolute: float
    relative: float
    first_apart: int | None
    first_equal: bool

    @property
    def text(self) -> str:
        """The figures in one line."""
        if self.first_apart is None:
            return f"all {self.steps} bit-equal"
        return (
            f"{self.equal} of {self.steps} bit-equal, the first difference at step {self.first_apart}, "
            f"at most {self.absolute:.3g} absolute, {self.relative:.3g} relative"
        )


def loss_difference(old: dict[int, float], new: dict[int, float]) -> LossDifference | None:
    """Compare losses by step; None where no step has a loss on both sides. Two that are not numbers are equal."""
    common = sorted(old.keys() & new.keys())
    if not common:
        return None
    apart = [step for step in common if not _same(old[step], new[step])]
    absolute = [_gap(old[step], new[step]) for step in apart]
    relative = [_relative(old[step], new[step]) for step in apart]
    return LossDifference(
        steps=len(common),
        equal=len(common) - len(apart),
        absolute=max(absolute, default=0.0),
        relative=max(relative, default=0.0),
        first_apart=apart[0] if apart else None,
        first_equal=common[0] not in apart,
    )


def _same(one: float, other: float) -> bool:
    return one == other or (math.isnan(one) and math.isnan(other))


def _gap(one: float, other: float) -> float:
    gap = abs(one - other)
    return math.inf if math.isnan(gap) else gap


def _relative(one: float, other: float) -> float:
    gap = _gap(one, other)
    return gap if math.isinf(gap) else gap / max(abs(one), abs(other))
