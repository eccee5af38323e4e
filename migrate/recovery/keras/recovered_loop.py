"""Resumes a training loop where an interrupted run of it stopped."""

import itertools
import pickle
import sys
import time

from .commands import is_moment
from .interrupted_training import kept_training
from .saved_states import fill, is_plain, plain_of, read


class recovered:  # Named as range is, which it stands for.
    """Yields the turns of a training loop that an interrupted run has not finished.

    Use ``for epoch in recovered(range(first, epochs), directory, model):``, or, where a turn
    begins with what the one before has left in other variables, ``for epoch, best, rate in
    recovered(range(epochs), directory, model, carried=lambda: (best, rate)):``; for ``while
    step < n:``, ``for _, step in recovered(lambda: step < n, directory, model, carried=…)``.

    Args:
      turns: the numbers of the epochs, a range or an ``itertools.count``; or the test of
        a ``while`` loop, a function.
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
        self._is_heavy = False
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
        size = sum(map(len, found))
        self._is_heavy = size > 2**16
        return found if size < 2**24 else None

    def __iter__(self):
        for turn, given in self._iterate():  # Holds no value while a turn runs.
            is_alone = self._carried is tuple
            yield turn if is_alone else (turn, *(given.pop(0) or self._carried()))

    def _iterate(self):
        """Yields each turn with what it is given, a tuple; () for what is there."""
        turns, begun = self._turns, self._contents()
        test = turns if callable(turns) else lambda: True
        if not isinstance(turns, range):
            counted = itertools.count() if callable(turns) else turns
            first, second = next(counted), next(counted)
            turns = range(first, sys.maxsize * (second - first), second - first)
        first, stop, step = turns.start, turns.stop, turns.step
        size = None if begun is None else len(begun)
        training = kept_training(*self._arguments, size, first)
        if training is None:
            turns = itertools.takewhile(lambda _: test(), turns)
            yield from ((turn, [()]) for turn in turns)
            return
        if training.is_resumed and (first - training.note["epoch"]) * step > 0:
            if training.note["within"] and first == training.note["in_file"]:
                training.note["epoch"] = first
            else:
                training.begin_anew("the program counts from a newer file")
        training.restore()
        note, given = training.note, ()
        if not training.is_resumed:  # The first turn may write files.
            note.update(first=first, epoch=first, in_file=first, stop=stop)
            note.update(values=begun, ended_at=None, within=False)
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
            began, note["in_file"] = time.monotonic(), turn + step
            files.append(note["file"])
            if self._is_heavy and not training.is_due():
                training.save(False)
                return
            note.update(within=True, values=self._contents())
            training.save(began=began)

        training.on_save = save_before_file
        try:
            is_more = (stop - turn) * step > 0 and test()
            while is_more:
                values, given = [given], ()
                yield turn, values
                turn += step
                is_more = (stop - turn) * step > 0 and test()
                began, is_written = time.monotonic(), files and not self._is_heavy
                if is_more and (is_written or training.is_due()):
                    note.update(epoch=turn, within=False, values=self._contents())
                    training.save(began=began)
                    training.held = ()
                    files.clear()
            note["ended_at"] = stop
            training.end()
        finally:
            training.is_ended = True
