"""Queues of numbers that compiled functions write and Python reads.

Inside a ``tf.function`` a number is written to the next place of a hidden variable; between two calls Python reads the
numbers. The variable is no part of any model or checkpoint, and is made only when the first function is traced: a
program may still configure its devices after ``import tensorflow``.

A second, small variable has the counts of losses and digests and the latest of each. After a call of one step only
this one is read, which is faster: after a step the caches are cold.
"""

from . import steps

PLACES = 4096
"""How many numbers of a kind fit between two reads; if there are more, the oldest are lost."""

_rows = None
_newest = None
_read = None


class Ring:
    """A queue of scalars, each stored exactly as a 64-bit float.

    Args:
      column: its column in ``_rows``; ``_newest`` has its count at index ``2 * column`` and its latest number after it.
      convert: the type of the numbers in Python, ``int`` or ``float``.
    """

    def __init__(self, column, convert):
        self.column = column
        self.convert = convert
        self.taken = 0
        self.eager = []

    def push(self, value):
        """Adds a scalar; while a function is traced, returns the operation that adds it, else None."""
        import tensorflow as tf

        if tf.executing_eagerly():
            self.eager.append(value)
            return None
        newest, rows = _variables()
        value = tf.cast(tf.reduce_sum(value) if value.shape.rank != 0 else value, tf.float64)
        here = 2 * self.column
        count = newest[here]  # XLA, which Keras 3 uses on a GPU, has no gather_nd of a variable
        place = tf.cast(tf.math.floormod(count, tf.constant(PLACES, tf.float64)), tf.int32)
        row = rows.scatter_nd_update([[place, self.column]], [value])
        # A wrapped TF1 graph runs only what the returned operation depends on.
        with tf.control_dependencies([_operation(row)]):
            return _operation(newest.scatter_nd_update([[here], [here + 1]], [count + 1, value]))

    def pending(self):
        """Returns how many values compiled functions have written since the last call of ``take``."""
        return 0 if _newest is None else int(steps.value_of(_newest)[2 * self.column]) - self.taken

    def take(self, fresh=True):
        """Returns the values since the last call, oldest first; reads ``_newest`` again if ``fresh``."""
        global _read
        values = [one if isinstance(one, (int, float)) else one.numpy().sum() for one in self.eager]
        values = [*map(self.convert, values)]
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
    """Returns ``_newest`` and ``_rows``, made as plain variables: ``tf.Variable`` would make the strategy's."""
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


losses = Ring(0, float)
digests = Ring(1, int)


def take():
    """Returns the losses and the digests since the last call."""
    return losses.take(), digests.take(fresh=False)
