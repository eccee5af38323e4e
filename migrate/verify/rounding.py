"""How far rounding alone takes a program from itself, measured: the tolerance for two lines of TensorFlow.

Their kernels add in other orders and round differently. What that grows to depends on the program: a rate that is too
high multiplies it at every step. So the old program is run twice from one checkpoint, the second time with each weight
moved to the next number that there is; how far these two runs are apart at a step is what one rounding grows to.
"""

from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from migrate.verify import child
from migrate.verify.losses import relative_gaps
from migrate.verify.record import Record
from migrate.verify.training_program import Program
from migrate.verify.variables import variable_difference

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
