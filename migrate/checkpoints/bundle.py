"""Reads and writes checkpoints tensor by tensor, so that one of any size passes through little memory."""

import math
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

PART_BYTES = 8 * 2**20
"""How much is held at least before it is written; a tensor that is larger is held alone."""

MOST_PARTS = 512
"""Each part is a file, and whoever restores them all holds them open, of which a process may often have 1,024."""

STEP_OF_OBJECTS = "estimator_global_step/.ATTRIBUTES/VARIABLE_VALUE"
"""The step of a Keras model that an Estimator trained and saved as objects."""

STEPS = ("global_step", STEP_OF_OBJECTS)


@dataclass(frozen=True)
class Stored:
    """One tensor of a checkpoint.

    Attributes:
      name: its name in the checkpoint.
      slice: the part of it that is meant, as TensorFlow's SaveV2 writes it; "" for all of it.
    """

    name: str
    slice: str = ""


class Reader:
    """What a checkpoint holds.

    Args:
      prefix: the checkpoint's path without ``.index``.

    Attributes:
      shapes: the shape of every tensor by name, a list of ints.
      dtypes: the ``tf.DType`` of every tensor by name.

    Raises:
      OSError: there is no such checkpoint, or its index cannot be read.
    """

    def __init__(self, prefix: str) -> None:
        try:
            reader = tf.train.load_checkpoint(prefix)
        except (tf.errors.OpError, ValueError, RuntimeError) as error:
            raise OSError(f"{prefix} cannot be read: {error}") from error
        self.prefix = prefix
        self.shapes: dict[str, list[int]] = reader.get_variable_to_shape_map()
        self.dtypes: dict[str, Any] = reader.get_variable_to_dtype_map()

    @property
    def size(self) -> int:
        """How many bytes the tensors have, strings not counted."""
        return sum(math.prod(shape) * self.dtypes[name].size for name, shape in self.shapes.items())

    def read(self, stored: Stored) -> Any:
        """The value of a tensor, or of a part of one, as a ``tf.Tensor``.

        Raises:
          OSError: the checkpoint is torn.
        """
        try:
            (value,) = tf.raw_ops.RestoreV2(
                prefix=self.prefix,
                tensor_names=[stored.name],
                shape_and_slices=[stored.slice],
                dtypes=[self.dtypes[stored.name]],
            )
        except tf.errors.OpError as error:
            raise OSError(f"{stored.name} of {self.prefix} cannot be read: {error.message}") from error
        return value

    @property
    def is_of_estimator(self) -> bool:
        """Whether an Estimator, or a ``Saver``, wrote it."""
        return "_CHECKPOINTABLE_OBJECT_GRAPH" not in self.shapes or STEP_OF_OBJECTS in self.shapes

    @property
    def step_name(self) -> str:
        """The name of an Estimator's step."""
        return STEP_OF_OBJECTS if STEP_OF_OBJECTS in self.shapes else "global_step"


def write(prefix: str, tensors: Iterable[tuple[Stored, Callable[[], Any]]], size: int = 0) -> None:
    """Writes a checkpoint.

    Args:
      prefix: its path without ``.index``; the directory is there.
      tensors: what to write, and for each a function that gives its value, called once and in this order.
      size: about how many bytes they have in all, if that is known.
    """
    enough = max(PART_BYTES, size // MOST_PARTS)
    parts: list[str] = []
    waiting: list[tuple[Stored, Any]] = []
    held = 0
    for stored, value_of in tensors:
        value = value_of()
        waiting.append((stored, value))
        held += value.shape.num_elements() * max(value.dtype.size, 1)
        if held >= enough:
            parts.append(_write_part(f"{prefix}_parts/{len(parts):05}", waiting))
            held = 0
        del value
    if waiting or not parts:
        parts.append(_write_part(f"{prefix}_parts/{len(parts):05}", waiting))
    tf.raw_ops.MergeV2Checkpoints(checkpoint_prefixes=parts, destination_prefix=prefix, delete_old_dirs=True)


def _write_part(prefix: str, tensors: list[tuple[Stored, Any]]) -> str:
    tf.raw_ops.SaveV2(
        prefix=prefix,
        tensor_names=[stored.name for stored, _ in tensors],
        shape_and_slices=[stored.slice for stored, _ in tensors],
        tensors=[value for _, value in tensors],
    )
    tensors.clear()
    return prefix


def found(path: str, *, every: bool = False) -> list[str]:
    """The prefixes of the checkpoints that a path stands for, the oldest first.

    Args:
      path: a directory, for its latest checkpoint; or the prefix of a checkpoint.
      every: whether all of a directory are meant.

    Raises:
      OSError: there are none.
    """
    if tf.io.gfile.exists(f"{path}.index"):
        return [path]
    indices = tf.io.gfile.glob(os.path.join(path, "*ckpt-*.index"))
    by_step = sorted((index.removesuffix(".index") for index in indices), key=_step)
    latest = tf.train.latest_checkpoint(path) or (by_step[-1] if by_step else None)
    if latest is None:
        raise OSError(f"{path} is no checkpoint and no directory with one.")
    kind = os.path.basename(latest).rpartition("-")[0]
    return [one for one in by_step if os.path.basename(one).rpartition("-")[0] == kind] if every else [latest]


def _step(prefix: str) -> int:
    number = prefix.rpartition("-")[2]
    return int(number) if number.isdigit() else -1
