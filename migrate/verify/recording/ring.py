"""Numbers that leave a compiled function one by one, though Python sees only its end.

Inside a ``tf.function`` a number is written to the next place of a hidden variable; between two calls Python reads what
was written. The variables are no part of any model or checkpoint, and are made only when the first function is traced:
a program may still configure its devices after ``import tensorflow``.
"""

from __future__ import annotations

from typing import Any

PLACES = 8192
"""The most numbers between two reads; of more, the oldest are lost."""


class Ring:
    """A queue of scalars out of compiled functions.

    Args:
      dtype: the name of the TensorFlow type, ``float64`` or ``int32``.
    """

    def __init__(self, dtype: str) -> None:
        self.dtype = dtype
        self.places: Any = None
        self.count: Any = None
        self.taken = 0
        self.eager: list[Any] = []

    def push(self, value: Any) -> None:
        """Add a scalar tensor, eagerly or while a function is traced."""
        import tensorflow as tf

        if tf.executing_eagerly():
            self.eager.append(value)
            return
        if self.places is None:
            with tf.init_scope():
                self.places = _variable(tf.zeros([PLACES], self.dtype), "recorded")
                self.count = _variable(tf.zeros([], "int64"), "recorded_count")
        value = tf.cast(tf.reduce_sum(value) if value.shape.rank != 0 else value, self.dtype)
        place = tf.math.floormod(self.count, tf.constant(PLACES, "int64"))
        self.places.scatter_nd_update([[place]], [value])
        self.count.assign_add(tf.constant(1, "int64"))

    def take(self) -> list[Any]:
        """The values since the last call, oldest first, as Python numbers."""
        values = [_number(value) for value in self.eager]
        self.eager = []
        if self.count is None:
            return values
        count = int(self.count.numpy())
        new = min(count - self.taken, PLACES)
        self.taken = count
        if new:
            places = self.places.numpy()
            values += [places[(count - new + index) % PLACES].item() for index in range(new)]
        return values


def _variable(value: Any, name: str) -> Any:
    """A plain variable: ``tf.Variable`` would make one that belongs to the strategy in whose scope it is called."""
    from tensorflow.python.ops.resource_variable_ops import ResourceVariable

    return ResourceVariable(value, trainable=False, name=name)


def _number(value: Any) -> Any:
    return value if isinstance(value, (int, float)) else value.numpy().sum().item()


losses = Ring("float64")
digests = Ring("int32")
