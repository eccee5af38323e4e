"""A loop that trains, and goes on where an interrupted start of it stopped."""

import os

from .interrupted_training import kept_training


def recovered(turns, directory, *models, optimizers=()):
    """Yields the turns of a loop that trains, but for those that are done already.

    Use ``for epoch in recovered(range(first, epochs), directory, model):``.

    Args:
      turns: the numbers of the epochs, a range.
      directory: what the program saves its models as, or where it saves them, a path.
      models: those that the loop trains.
      optimizers: those that no model holds.
    """
    training = kept_training(os.fspath(directory), models, optimizers, "loop")
    if training is None:
        yield from turns
        return
    training.restore()
    note, step = training.note, getattr(turns, "step", 1)
    if training.is_resumed:
        turns = range(note["epoch"], turns.stop, step)
    else:  # A kill in the first turn may leave files that it has saved.
        note["epoch"] = turns.start
        training.save()
    files = []
    training.on_save = lambda: (files.append(note["file"]), training.save(False))
    try:
        for turn in turns:
            yield turn
            if files or training.is_due() or turn + step not in turns:
                note["epoch"] = turn + step
                training.save()
                files.clear()
    finally:
        training.is_ended = True
