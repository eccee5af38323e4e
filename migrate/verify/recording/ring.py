"""Numbers that leave a compiled function one by one, though Python sees only its end.

Inside a ``tf.function`` a number is written to the next place of a hidden variable; between two calls Python reads what
was written. The variable is no part of any model or checkpoint, and is made only when the first function is traced: a
program may still configure its devices after ``import tensorflow``.

A small variable says how many losses and digests have been written, and the latest: where a call made one step, it is
all that is read. After a step the caches are cold, and the counter has just been read by the same operation.
"""

from . import steps

PLACES = 4096
"""The most numbers of a kind between two reads; of more, the oldest are lost."""

_rows = None
_newest = None
_read = None


class Ring:
    """A queue of scalars out of compiled functions; all are exact as 64-bit floats.

    Args:
      column: its column of the numbers; in ``_newest`` its count is at twice that place, the latest number behind it.
      convert: what makes a Python number of the type that was pushed.
    """

    def __init__(self, column, convert):
        self.column = column
        self.convert = convert
        self.taken = 0
        self.eager = []

    def push(self, value):
        """Add a scalar, eagerly or while a function is traced; then the operation that does so is returned."""
        import tensorflow as tf

        if tf.executing_eagerly():
            self.eager.append(value)
            return None
        newest, rows = _variables()
        value = tf.cast(tf.reduce_sum(value) if value.shape.rank != 0 else value, tf.float64)
        here = 2 * self.column
        count = newest.gather_nd([here])
        place = tf.cast(tf.math.floormod(count, tf.constant(PLACES, tf.float64)), tf.int32)
        row = rows.scatter_nd_update([[place, self.column]], [value])
        # In a wrapped TF1 graph nothing is run but what the returned operation needs.
        with tf.control_dependencies([_operation(row)]):
            return _operation(newest.scatter_nd_update([[here], [here + 1]], [count + 1, value]))

    def pending(self):
        """How many values compiled functions have written since the last call of ``take``."""
        return 0 if _newest is None else int(steps.value_of(_newest)[2 * self.column]) - self.taken

    def take(self, fresh=True):
        """The values since the last call, oldest first, as Python numbers."""
        global _read
        values = [self.convert(_number(value)) for value in self.eager]
        self.eager = []
        if _newest is None:
            return values
        if fresh or _read is None:
            _read = steps.value_of(_newest)
        count = int(_read[2 * self.column])
        new = min(count - self.taken, PLACES)
        self.taken = count
        if new == 1:
            return [*values, self.convert(_read[2 * self.column + 1])]
        if new < 1:
            return values
        written = steps.value_of(_rows)[:, self.column]
        return values + [self.convert(written[(count - new + index) % PLACES]) for index in range(new)]


def _variables():
    """Plain variables: ``tf.Variable`` would make some that belong to the strategy in whose scope it is called."""
    global _newest, _rows
    import tensorflow as tf
    from tensorflow.python.ops.resource_variable_ops import ResourceVariable

    if _newest is None:
        with tf.init_scope():
            _rows = ResourceVariable(tf.zeros([PLACES, 2], tf.float64), trainable=False, name="recorded")
            _newest = ResourceVariable(tf.zeros([4], tf.float64), trainable=False, name="newest_recorded")
    return _newest, _rows


def _operation(update):
    return update.op if hasattr(update, "op") else update


def _number(value):
    return value if isinstance(value, (int, float)) else value.numpy().sum()


losses = Ring(0, float)
digests = Ring(1, int)


def take():
    """The losses and the digests since the last call."""
    return losses.take(), digests.take(fresh=False)
