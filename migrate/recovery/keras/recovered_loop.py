"""Resumes a training loop where an interrupted run of it stopped."""

import math
import pickle
import sys

from .commands import is_moment
from .interrupted_training import kept_training
from .saved_states import fill, is_plain, plain_of, read


class recovered:  # Named as range is, which it stands for.
    """Yields the turns of a training loop that an interrupted run has not finished.

    Use ``for epoch in recovered(range(first, epochs), directory, model):``, or, where a turn
    begins with what the one before has left in other variables, ``for epoch, best, rate in
    recovered(range(epochs), directory, model, carried=lambda: (best, rate)):``.

    Args:
      turns: the numbers of the epochs, a range or an ``itertools.count``.
      directory: the path, file or directory, to which the program saves its models.
      models: the models that the loop trains.
      optimizers: the optimizers that are no attribute of a model, a list.
      carried: returns the values of other variables, a tuple.
      values: the lists, dicts, arrays and variables that turns change in place, a list.
    """

    def __init__(
        self, turns, directory, *models, optimizers=(), carried=tuple, values=()
    ):
        self._turns, self._carried, self._values = turns, carried, values
        place = f"loop{sys._getframe(1).f_lineno}"
        self._arguments = directory, models, optimizers, place

    def __len__(self):  # For a progress bar.
        return len(self._turns)

    def _contents(self):
        """Returns all values pickled one by one, a list; None if they are no plain data."""
        found = [*map(plain_of, (*self._values, *self._carried()))]
        found = [None if is_moment(one) else one for one in found]
        is_large = any(getattr(one, "nbytes", 0) > 2**24 for one in found)
        if is_large or not is_plain(found):
            return None
        found = [*map(pickle.dumps, found)]
        return found if sum(map(len, found)) < 2**24 else None

    def __iter__(self):
        for turn, given in self._iterate():
            carried = given or self._carried()
            yield (turn, *carried) if carried else turn

    def _iterate(self):
        """Yields each turn with what it is given, a tuple; () for what is there."""
        turns, begun = self._turns, self._contents()
        training = kept_training(*self._arguments, begun)
        if training is None:
            yield from ((turn, ()) for turn in turns)
            return
        is_range = isinstance(turns, range)
        first, stop = (turns.start, turns.stop) if is_range else (next(turns), math.inf)
        step = turns.step if is_range else next(turns) - first
        if training.is_resumed and (first - training.note["epoch"]) * step > 0:
            training.begin_anew("the program counts from a newer file")
        training.restore()
        note, given = training.note, ()
        if not training.is_resumed:  # The first turn may write files.
            note.update(first=first, epoch=first, in_file=first, stop=stop)
            note.update(values=begun, ended_at=None)
            training.save()
            training.held = ()
        else:
            given = [*map(read, note["values"])]
            for value in self._values:
                fill(value, given.pop(0))
            now = self._carried()
            given = [b if is_moment(b) else a for a, b in zip(given, now)]
            # It counts what is left.
            if first == note["first"] and stop < note["stop"]:
                stop = min(note["stop"], note["in_file"] + stop - first)
        training.pass_over(note.get("ended_at") == stop)
        note["stop"], turn, files = stop, note["epoch"], []
        if (stop - turn) * step <= 0 < (stop - first) * step:
            # Trains at least one turn: code after the loop may use its variables.
            turn = stop - step

        def save_before_file():
            files.append(note["file"])
            note["in_file"] = turn + step
            training.save(False)

        training.on_save = save_before_file
        try:
            while (stop - turn) * step > 0:
                yield turn, given
                turn, given = turn + step, ()
                if (stop - turn) * step > 0 and (files or training.is_due()):
                    note["epoch"], note["values"] = turn, self._contents()
                    training.save()
                    training.held = ()
                    files.clear()
            note["ended_at"] = stop
            training.end()
        finally:
            training.is_ended = True
