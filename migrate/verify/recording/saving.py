"""Records saves, restores and evaluations; of nested saves only the outer one."""

import contextlib
import os
import time

from . import event_log, guard, training

_inside = False


@contextlib.contextmanager
def record_save(kind, path, step):
    """Records the block as one save with its duration in seconds, or with the type of the error that ends it."""
    global _inside
    if _inside:
        yield
        return
    guard.check("save to", path, follows=False)
    _inside = True
    at = step()
    begun = time.perf_counter()
    event_log.write("saving", kind=kind, step=at)
    try:
        yield
    except BaseException as error:
        event_log.write("save_failed", kind=kind, step=at, type=type(error).__name__)
        raise
    finally:
        _inside = False
    event_log.write("save", kind=kind, path=_text(path), step=at, seconds=time.perf_counter() - begun)


def record_restore(kind, path, step):
    """Records that a checkpoint was read."""
    event_log.write("restore", kind=kind, path=_text(path), step=step, phase=training.phase)


@contextlib.contextmanager
def watch_restore(kind, path):
    """Records an error in the block, by its type, as a failure to read the checkpoint."""
    guard.check_restore(path)
    try:
        yield
    except BaseException as error:
        event_log.write("restore_failed", kind=kind, path=_text(path), type=type(error).__name__)
        raise


def record_evaluation(step, metrics):
    """Records an evaluation with those of its metrics that are numbers."""
    numbers = {str(name): _number(value) for name, value in metrics.items()}
    event_log.write(
        "evaluation", step=step, metrics={name: value for name, value in numbers.items() if value is not None}
    )


def _number(value):
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def _text(path):
    """Returns an absolute path or URL; for a tensor, which TF1's savers accept, its description, not its value."""
    try:
        text = os.fsdecode(path)
    except TypeError:
        return str(path)
    return text if "://" in text else os.path.abspath(text)
