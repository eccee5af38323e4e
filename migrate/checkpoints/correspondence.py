"""What of one checkpoint becomes what of another, and whether the two fit."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import tensorflow as tf

from migrate.checkpoints.bundle import Reader, Stored

SETTING = re.compile(r"training/[^/]+/([^/]+)|optimizer/([^/]+)/\.ATTRIBUTES/VARIABLE_VALUE")
"""A setting of a Keras optimizer that an Estimator saved, by name or among objects."""

POWER = re.compile(r"(?:.+/)?beta([12])_power(?:_1)?(?:/\.ATTRIBUTES/VARIABLE_VALUE)?")
"""A power of Adam's beta, by name or among objects."""

COMPUTED = re.compile(rf"{POWER.pattern}|{SETTING.pattern}|_CHECKPOINTABLE_OBJECT_GRAPH")
"""What an Estimator saves and Keras computes: Adam's powers of beta follow from the step."""

UNUSED = re.compile(r".+/RMSProp_1")
"""A slot that a v1 optimizer without momentum saves and never reads."""


class Misfit(Exception):
    """A checkpoint that a program cannot continue from; the text says why."""


@dataclass(frozen=True)
class Carried:
    """One variable that both checkpoints hold.

    Attributes:
      old: where the Estimator's checkpoint has it; the parts of a partitioned one in order, along its first axis.
      variable: the migrated program's.
      scale: what the Estimator's value is multiplied by to become the program's.
    """

    old: tuple[Stored, ...]
    variable: Any
    scale: float = 1.0

    @property
    def name(self) -> str:
        """The Estimator's name of it, of its first part if it has several."""
        return self.old[0].name

    @property
    def shape(self) -> list[int]:
        return list(self.variable.shape)


@dataclass
class Fit:
    """How a checkpoint and a program go together.

    Attributes:
      missing: names that the program needs and the checkpoint lacks.
      unexpected: names in the checkpoint that the program has no place for.
      misshapen: names of another shape or type, with both.
    """

    missing: list[str] = field(default_factory=list)
    unexpected: list[str] = field(default_factory=list)
    misshapen: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return not (self.missing or self.unexpected or self.misshapen)

    @property
    def table(self) -> str:
        rows = [
            (kind, name)
            for kind, names in (
                ("missing", self.missing),
                ("unexpected", self.unexpected),
                ("misshapen", self.misshapen),
            )
            for name in names
        ]
        return "\n".join(f"  {kind:10}  {name}" for kind, name in rows)


def fit_of_old(reader: Reader, carried: Sequence[Carried]) -> Fit:
    """Whether an Estimator's checkpoint holds what a program needs, and nothing else.

    Args:
      reader: of the checkpoint.
      carried: the program's variables.
    """
    fit = Fit()
    known: set[str] = set()
    for one in carried:
        for stored in one.old:
            if stored.name in known and not stored.slice:
                fit.unexpected.append(f"{stored.name}, for a second variable")
            known.add(stored.name)
        _compare(fit, reader, one)
    fit.unexpected += sorted(name for name in reader.shapes.keys() - known if not _is_left_over(name, known))
    return fit


def _is_left_over(name: str, known: set[str]) -> bool:
    if UNUSED.fullmatch(name):
        return name.removesuffix("_1") in known
    return bool(COMPUTED.fullmatch(name))


def _compare(fit: Fit, reader: Reader, one: Carried) -> None:
    absent = [stored.name for stored in one.old if stored.name not in reader.shapes]
    if absent:
        fit.missing += absent
        return
    shape = list(reader.shapes[one.name])
    expected = _whole(one.old[0].slice) or one.shape
    if shape != expected:
        fit.misshapen.append(f"{one.name} {shape} for {expected}")
    _compare_types(fit, one.name, reader.dtypes[one.name], one.variable)


def _compare_types(fit: Fit, name: str, dtype: Any, variable: Any) -> None:
    own = dtype_of(variable)
    # The step is counted in 32 bits by some and in 64 by others.
    if dtype != own and not (dtype.is_integer and own.is_integer):
        fit.misshapen.append(f"{name} {dtype.name} for {own.name}")


def fit_of_new(reader: Reader, keys: Mapping[str, Carried]) -> Fit:
    """Whether a migrated program's checkpoint holds the variables that an Estimator has.

    Args:
      reader: of the checkpoint.
      keys: the program's variables by their names in its checkpoints.
    """
    fit = Fit()
    for key, one in keys.items():
        if key not in reader.shapes:
            fit.missing.append(key)
        elif list(reader.shapes[key]) != one.shape:
            fit.misshapen.append(f"{key} {list(reader.shapes[key])} for {one.shape}")
        else:
            _compare_types(fit, key, reader.dtypes[key], one.variable)
    return fit


def dtype_of(variable: Any) -> Any:
    """The ``tf.DType`` of a variable; Keras 3 gives its name alone."""
    return tf.as_dtype(variable.dtype)


def _whole(slice: str) -> list[int]:
    """The shape of the whole that SaveV2's ``10 4 0,5:0,4`` is a part of."""
    return [int(size) for size in slice.split()[:-1]]


def parts(names: Iterable[str], shape: Sequence[int]) -> tuple[Stored, ...]:
    """The parts of a variable that TensorFlow's partitioners made along its first axis.

    Args:
      names: the parts' names, in order.
      shape: of the whole.
    """
    listed = list(names)
    if len(listed) == 1:
        return (Stored(listed[0]),)
    size, longer = divmod(shape[0], len(listed))
    rest = "".join(f":0,{length}" for length in shape[1:])
    whole = " ".join(map(str, shape))
    found, start = [], 0
    for index, name in enumerate(listed):
        length = size + (index < longer)
        found.append(Stored(name, f"{whole} {start},{length}{rest}"))
        start += length
    return tuple(found)
