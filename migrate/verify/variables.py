"""The variables of checkpoints, read by the program's own TensorFlow, and how far those of two are apart."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from migrate.verify import child
from migrate.verify.training_program import Program

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
