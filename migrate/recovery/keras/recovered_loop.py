"""Resumes a training loop where an interrupted run of it stopped."""

import math

from .interrupted_training import kept_training


class recovered:  # Named as range is, which it stands for.
    """Yields the turns of a training loop that an interrupted run has not finished.

    Use ``for epoch in recovered(range(first, epochs), directory, model):``.

    Args:
      turns: the numbers of the epochs, a range or an ``itertools.count``.
      directory: the path, file or directory, to which the program saves its models.
      models: the models that the loop trains.
      optimizers: the optimizers that are no attribute of a model, a list.
    """

    def __init__(self, turns, directory, *models, optimizers=()):
        self._turns, self._arguments = turns, (directory, models, optimizers)

    def __len__(self):  # For a progress bar.
        return len(self._turns)

    def __iter__(self):
        turns, training = self._turns, kept_training(*self._arguments, "loop")
        if training is None:
            yield from turns
            return
        training.restore()
        note, is_range = training.note, isinstance(turns, range)
        first, stop = (turns.start, turns.stop) if is_range else (next(turns), math.inf)
        step = turns.step if is_range else next(turns) - first
        if not training.is_resumed:  # The first turn may write files.
            note.update(first=first, epoch=first, in_file=first, stop=stop)
            training.save()
            training.held = ()
        elif first == note["first"] and stop < note["stop"]:  # It counts what is left.
            stop = min(note["stop"], note["in_file"] + stop - first)
        training.was_over = note.get("ended_at") == stop
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
                yield turn
                turn += step
                if (stop - turn) * step > 0 and (files or training.is_due()):
                    note["epoch"] = turn
                    training.save()
                    training.held = ()
                    files.clear()
            note["ended_at"] = stop
            training.end()
        finally:
            training.is_ended = True
