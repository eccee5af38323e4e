"""Carries a job from an Estimator's checkpoint to the migrated program's, and back."""

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import tensorflow as tf

from migrate.checkpoints import variable_names
from migrate.checkpoints.bundle import STEPS, Reader, Stored, write
from migrate.checkpoints.correspondence import POWER, SETTING, Carried, Fit, Misfit, dtype_of, fit_of_new, fit_of_old
from migrate.checkpoints.described import Described

Values = Iterator[tuple[Stored, Callable[[], Any]]]


@dataclass(frozen=True)
class Conversion:
    """One checkpoint on its way.

    Attributes:
      reader: the checkpoint that there is.
      step: the job's step in it.
      name: the file name of the one to write, without ending.
      rows: the mapping: name, new name, shape.
      fit: what stands against it.
      values: what to write, tensor by tensor.
    """

    reader: Reader
    step: int
    name: str
    rows: Sequence[tuple[str, str, Sequence[int]]]
    fit: Fit
    values: Callable[[], Values]


class Layout:
    """How a migrated program's checkpoint is laid out: its names, and what it holds besides the variables.

    A checkpoint is saved whose variables are empty and differ in shape, so that each is known by it.

    Args:
      program: the migrated program; its variables lose their values.
      carried: those that an Estimator's checkpoint has too.

    Attributes:
      keys: the carried variables by their names in the program's checkpoints.
    """

    def __init__(self, program: Described, carried: Sequence[Carried]) -> None:
        for number, one in enumerate(carried):
            empty = tf.zeros([0, number], dtype_of(one.variable))
            tf.raw_ops.AssignVariableOp(resource=one.variable.handle, value=empty)
        with tempfile.TemporaryDirectory() as directory:
            self._template = Reader(program.checkpoint.save(os.path.join(directory, "template")))
            marks = {name: shape for name, shape in self._template.shapes.items() if shape[:1] == [0]}
            self.keys = {name: carried[shape[1]] for name, shape in marks.items()}
            others = sorted(self._template.shapes.keys() - marks.keys())
            self._others = {name: self._template.read(Stored(name)) for name in others}

    def others(self) -> Values:
        """What a checkpoint of the program holds besides the carried variables, with the values of its start."""
        return ((Stored(name), partial(tf.identity, value)) for name, value in self._others.items())


def to_program(prefix: str, program: Described) -> Conversion:
    """What makes of an Estimator's checkpoint one that a migrated program resumes from.

    Args:
      prefix: the Estimator's checkpoint.
      program: the migrated program; its variables lose their values.

    Raises:
      Misfit: the program's variables have no counterpart in any Estimator, or a setting of its optimizer differs.
      OSError: the checkpoint cannot be read.
    """
    reader = Reader(prefix)
    if not reader.is_of_estimator:
        raise Misfit(f"{prefix} was written by a migrated program; --to-estimator is the way back.")
    carried = variable_names.of_program(program, reader.shapes)
    _require_settings(reader, program)
    fit = fit_of_old(reader, carried)
    layout = Layout(program, carried)
    rows = [(one.name, key, one.shape) for key, one in layout.keys.items()]

    def values() -> Values:
        for key, one in layout.keys.items():
            yield Stored(key), partial(_as_new, reader, one)
        yield from layout.others()

    step = _step(reader, reader.step_name)
    return Conversion(reader, step, f"ckpt-{step}", sorted(rows), fit, values)


def to_estimator(prefix: str, program: Described, like: str) -> Conversion:
    """What makes of a migrated program's checkpoint one that its Estimator continues.

    Args:
      prefix: the migrated program's checkpoint.
      program: the migrated program; its variables lose their values.
      like: a checkpoint that the Estimator wrote, for the names of the slots.

    Raises:
      Misfit: the program's variables have no counterpart in any Estimator.
      OSError: a checkpoint cannot be read.
    """
    reader = Reader(prefix)
    if reader.is_of_estimator:
        raise Misfit(f"{prefix} was written by an Estimator: there is nothing to carry back.")
    model = Reader(like)
    carried = variable_names.of_program(program, model.shapes)
    layout = Layout(program, carried)
    fit = fit_of_new(reader, layout.keys)
    own = fit_of_old(model, carried)
    fit.missing += [f"{name}, in {like}" for name in own.missing]
    fit.unexpected += [f"{name}, in {like}" for name in own.unexpected]
    fit.misshapen += [f"{name}, in {like}" for name in own.misshapen]
    rows = [(key, stored.name, one.shape) for key, one in layout.keys.items() for stored in one.old]
    (counter,) = [key for key, one in layout.keys.items() if one.name in STEPS]
    step = _step(reader, counter)

    def values() -> Values:
        for key, one in layout.keys.items():
            for number, stored in enumerate(one.old):
                yield stored, partial(_as_old, reader, key, one, number)
        yield from _computed(model, carried, program, step)

    return Conversion(reader, step, f"model.ckpt-{step}", sorted(rows), fit, values)


def save(conversions: Sequence[Conversion], directory: str) -> None:
    """Writes checkpoints into a new directory, which is there whole or not at all.

    Args:
      conversions: what to write, the latest last.
      directory: does not exist, or is empty.
    """
    directory = directory.rstrip("/")
    unfinished = f"{directory}.unfinished-{os.getpid()}"
    os.makedirs(unfinished)
    try:
        for one in conversions:
            write(os.path.join(unfinished, one.name), one.values(), one.reader.size)
        lines = [f'model_checkpoint_path: "{conversions[-1].name}"']
        lines += [f'all_model_checkpoint_paths: "{one.name}"' for one in conversions]
        # A CheckpointManager deletes, of what it did not write itself, only what is newer than the last one preserved.
        now = time.time()
        lines += [f"all_model_checkpoint_timestamps: {now!r}"] * len(conversions)
        lines += [f"last_preserved_timestamp: {now - 1!r}"]
        with open(os.path.join(unfinished, "checkpoint"), "w", encoding="utf-8") as file:
            file.write("\n".join([*lines, ""]))
        os.rename(unfinished, directory)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _step(reader: Reader, name: str) -> int:
    if name not in reader.shapes:
        raise Misfit(f"{reader.prefix} has no {name}, so its step is not known.")
    return int(reader.read(Stored(name)))


def _as_new(reader: Reader, one: Carried) -> Any:
    pieces = [reader.read(stored) for stored in one.old]
    value = pieces[0] if len(pieces) == 1 else tf.concat(pieces, 0)
    return tf.cast(value if one.scale == 1.0 else value * one.scale, dtype_of(one.variable))


def _as_old(reader: Reader, key: str, one: Carried, number: int) -> Any:
    value = reader.read(Stored(key))
    if len(one.old) > 1:
        value = np.array_split(value, len(one.old))[number]
    return tf.convert_to_tensor(value if one.scale == 1.0 else value / one.scale)


def _computed(model: Reader, carried: Sequence[Carried], program: Described, step: int) -> Values:
    """What an Estimator saves and Keras does not, for a job at ``step``."""
    known = {stored.name for one in carried for stored in one.old}
    for name in sorted(model.shapes.keys() - known):
        power = POWER.fullmatch(name)
        if power:
            beta = float(program.settings[f"beta_{power[1]}"])
            yield Stored(name), partial(tf.constant, _power(beta, step + 1))
        else:  # a setting, which is the same as the program's, or a slot that is never read
            yield Stored(name), partial(model.read, Stored(name))


def _power(base: float, exponent: int) -> Any:
    """A power as an Estimator comes to it: multiplied up in 32 bits, where TensorFlow takes what is tiny for zero."""
    factor = np.float32(base)
    product, tiny = factor, np.finfo(np.float32).tiny
    for _ in range(exponent - 1):
        product = product * factor
        if product < tiny:
            return np.float32(0)
    return product


def _require_settings(reader: Reader, program: Described) -> None:
    """Raises a Misfit where a Keras optimizer of the Estimator saved another setting than the program's has."""
    for name in reader.shapes:
        found = SETTING.fullmatch(name)
        setting = (found[1] or found[2]) if found else "iter"
        if setting == "iter":
            continue
        value, ours = float(reader.read(Stored(name))), program.settings.get(setting, 0.0)
        if isinstance(ours, dict) or not (setting == "learning_rate" or np.isclose(value, float(ours), rtol=1e-6)):
            raise Misfit(f"{name} is {value:g} in the checkpoint and {ours} in the optimizer.")
