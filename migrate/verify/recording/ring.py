"""Numbers that leave a compiled function one by one, though Python sees only its end.

Inside a ``tf.function`` a number is written to the next place of a hidden variable; between two calls Python reads what
was written. The variable is no part of any model or checkpoint, and is made only when the first function is traced: a
program may still configure its devices after ``import tensorflow``.

Losses and digests share one variable, because reading a variable costs more than all else that is done at a step: of
each row the first place holds how many numbers have been written, the others the latest of them.
"""

from __future__ import annotations

from typing import Any

from . import steps

PLACES = 4096
"""The most numbers of a kind between two reads; of more, the oldest are lost."""

_rows: Any = None
_read: Any = None


class Ring:
    """A queue of scalars out of compiled functions; all are exact as 64-bit floats.

    Args:
      row: its row of the hidden variable.
      convert: what makes a Python number of the type that was pushed.
    """

    def __init__(self, row: int, convert: Any) -> None:
        self.row = row
        self.convert = convert
        self.taken = 0
        self.eager: list[Any] = []

    def push(self, value: Any) -> Any:
        """Add a scalar, eagerly or while a function is traced; then the operation that does so is returned."""
        import tensorflow as tf

        if tf.executing_eagerly():
            self.eager.append(value)
            return None
        rows = _variable()
        value = tf.cast(tf.reduce_sum(value) if value.shape.rank != 0 else value, tf.float64)
        count = rows.gather_nd([self.row, 0])
        place = tf.cast(tf.math.floormod(count, tf.constant(PLACES, tf.float64)), tf.int32) + 1
        done = rows.scatter_nd_update([[self.row, 0], [self.row, place]], [count + 1, value])
        return done.op if hasattr(done, "op") else done

    def waiting(self) -> int:
        """How many values compiled functions have written since the last call of ``take``."""
        return 0 if _rows is None else int(steps.value_of(_rows)[self.row][0]) - self.taken

    def take(self, fresh: bool = True) -> list[Any]:
        """The values since the last call, oldest first, as Python numbers.

        Args:
          fresh: whether the variable is read again; one read does for both rings.
        """
        global _read
        values = [self.convert(_number(value)) for value in self.eager]
        self.eager = []
        if _rows is None:
            return values
        if fresh or _read is None:
            _read = steps.value_of(_rows)
        row = _read[self.row]
        count = int(row[0])
        new = min(count - self.taken, PLACES)
        self.taken = count
        return values + [self.convert(row[1 + (count - new + index) % PLACES]) for index in range(new)]


def _variable() -> Any:
    """A plain variable: ``tf.Variable`` would make one that belongs to the strategy in whose scope it is called."""
    global _rows
    import tensorflow as tf
    from tensorflow.python.ops.resource_variable_ops import ResourceVariable

    if _rows is None:
        with tf.init_scope():
            _rows = ResourceVariable(tf.zeros([2, PLACES + 1], tf.float64), trainable=False, name="recorded")
    return _rows


def _number(value: Any) -> Any:
    return value if isinstance(value, (int, float)) else value.numpy().sum()


losses = Ring(0, float)
digests = Ring(1, int)


def take() -> tuple[list[float], list[int]]:
    """The losses and the digests since the last call."""
    return losses.take(), digests.take(fresh=False)
