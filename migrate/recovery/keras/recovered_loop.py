"""Resumes a training loop where an interrupted run of it stopped."""

import contextlib
import inspect
import itertools
import sys
import time

from .commands import is_moment, modules_of_program
from .interrupted_training import kept_training
from .object_states import ObjectStates
from .saved_states import pickled, plain_of, read


class recovered:  # Named as range is, which it stands for.
    """Yields the turns of a training loop that an interrupted run has not finished.

    Use ``for epoch in recovered(range(first, epochs), directory, model):``, or, where a turn
    begins with what the one before has left in other variables, ``for epoch, best, rate in
    recovered(range(epochs), directory, model, carried=lambda: (best, rate)):``; for ``while
    step < n:``, ``for _, step in recovered(lambda: step < n, directory, model, carried=…)``.

    What turns change in the program's own objects, lists, dicts, arrays and variables goes
    on, too. Where they change anything else there, this loop is no longer kept.

    Args:
      turns: the numbers of the epochs, a range or an ``itertools.count``; or the test of
        a ``while`` loop, a function.
      directory: the path, file or directory, to which the program saves its models.
      models: the models that the loop trains.
      optimizers: the optimizers that are no attribute of a model, a list.
      carried: returns the values of other variables of the function, a tuple.
    """

    def __init__(self, turns, directory, *models, optimizers=(), carried=tuple):
        self._turns, self._carried, self._is_heavy = turns, carried, False
        frame = sys._getframe(1)
        self._arguments = directory, models, optimizers, f"loop{frame.f_lineno}"
        found = [one for one in modules_of_program() if vars(one) is not frame.f_locals]
        self._roots = {f"module {one.__name__}": one for one in found}
        own = [(n, x) for n, x in frame.f_locals.items() if not inspect.isfunction(x)]
        self._roots.update(own)

    def __len__(self):  # For a progress bar.
        return len(self._turns)

    def _contents(self):
        """Returns the carried values, and what has changed in objects, pickled."""
        began, objects = time.monotonic(), self._states.changes()
        values = [None if is_moment(x) else plain_of(x) for x in self._carried()]
        values = [*map(pickled, values)]
        if None in values:
            raise ValueError("a variable of the loop is no plain data")
        size = sum(map(len, [*values, *(one for one, _ in objects.values())]))
        self._is_heavy = size > 2**16 or time.monotonic() - began > 1
        if sum(map(len, values)) > 2**24:
            raise ValueError("variables of the loop have more than 16 MB")
        return values, objects

    def __iter__(self):
        for turn, given in self._iterate():  # Holds no value while a turn runs.
            is_alone = self._carried is tuple
            yield turn if is_alone else (turn, *(given.pop(0) or self._carried()))

    def _iterate(self):
        """Yields each turn with what it is given, a tuple; () for what is there."""
        turns = self._turns
        test = turns if callable(turns) else lambda: True
        if not isinstance(turns, range):
            counted = itertools.count() if callable(turns) else turns
            first, second = next(counted), next(counted)
            turns = range(first, sys.maxsize * (second - first), second - first)
        first, stop, step = turns.start, turns.stop, turns.step
        size = len(self._carried())
        training = kept_training(*self._arguments, size, first)
        if training is None or not self._begin(training):
            turns = itertools.takewhile(lambda _: test(), turns)
            yield from ((turn, [()]) for turn in turns)
            return
        is_more = test()  # Of the program's own values, once, as without the recovery.
        is_counted = training.is_resumed and first != training.note["first"]
        if is_counted:  # From its files: what it sums up begins with this start.
            note, of_file = training.note, training.note["within"]
            if first != (note["epoch"] if of_file is None else of_file):
                training.begin_anew("the program counts from its files")
            note.update(first=first, epoch=first, objects={})
        if training.is_resumed and not self._fits(training):
            training.begin_anew("its objects are other ones")
        elif training.is_resumed and not is_more:
            training.begin_anew("the program's own values end it")
        training.restore()
        note, given = training.note, ()
        if not training.is_resumed:  # The first turn may write files.
            note.update(first=first, epoch=first, in_file=first, stop=stop)
            note.update(ended_at=None, arrays=self._states.arrays)
            self._save(training, epoch=first)
        else:
            self._restore(training)
            if is_counted:
                self._save(training, epoch=first)
            else:
                pairs = zip(map(read, note["values"]), self._carried())
                given = [now if is_moment(now) else one for one, now in pairs]
                if stop < note["stop"]:  # It counts what is left.
                    stop = min(note["stop"], note["in_file"] + stop - first)
        training.pass_over(note.get("ended_at") == stop)
        note["stop"], turn, files = stop, note["epoch"], []
        if (stop - turn) * step <= 0 < (stop - first) * step:
            # Trains at least one turn: code after the loop may use its variables.
            turn = stop - step

        def save_before_file():
            note["in_file"] = turn + step
            files.append(note["file"])
            if self._is_heavy:
                training.save(False)
            else:
                self._save(training, turn=turn)

        training.on_save = save_before_file
        try:
            is_more = (stop - turn) * step > 0 and is_more
            while is_more:
                values, given = [given], ()
                yield turn, values
                turn += step
                is_more = (stop - turn) * step > 0 and test()
                is_written = files and not self._is_heavy
                if is_more and (is_written or training.is_due()):
                    self._save(training, epoch=turn)
                    training.held = ()
                    files.clear()
            note["ended_at"] = stop
            training.end()
        finally:
            training.is_ended = True

    def _begin(self, training):
        """Reads the program's objects; returns whether their changes can be seen."""
        _, models, optimizers, _ = self._arguments
        given = self._roots, training.variables, [*models, *optimizers]
        try:
            self._states = ObjectStates(*given)
        except Exception as error:  # Such as an object that cannot be compared.
            training.drop(error)
        return not training.is_dropped

    def _fits(self, training):
        with contextlib.suppress(Exception):  # Such as a list that a thread changes.
            note = training.note
            _ = [*map(read, note["values"])]
            return self._states.fits(note["objects"], note["arrays"])
        return False

    def _restore(self, training):
        try:
            self._states.restore(training.note["objects"])
        except Exception as error:  # The next start is by the program's own code.
            training.drop(error)
            raise

    def _save(self, training, epoch=None, turn=None):
        """Saves the state as turn ``epoch`` begins, or within a turn, before a file.

        From then on no more, where that is not all plain data.
        """
        began, note = time.monotonic(), training.note
        try:
            if not training.is_dropped:
                values, objects = self._contents()
                if turn is None:
                    note.update(epoch=epoch, values=values, objects=objects)
                note.update(turn=turn, within=None if turn is None else note["in_file"])
                training.save(began=began)
        except Exception as error:
            training.drop(error)
            self._states = self._roots = None  # They keep what was there at first.
