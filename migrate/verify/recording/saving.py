"""Saves, restores and evaluations as events; of a call that makes another, only the outer one counts."""

import contextlib
import os
import time

from . import event_log, guard, training

_inside = False


@contextlib.contextmanager
def record_save(kind, path, step):
    """Record what is written inside as one save, with its duration in seconds; an error is recorded by its type."""
    global _inside
    if _inside:
        yield
        return
    guard.check_save(path)
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
    """Record that a checkpoint was read."""
    event_log.write("restore", kind=kind, path=_text(path), step=step, phase=training.phase)


@contextlib.contextmanager
def watch_restore(kind, path):
    """Record that what is inside could not read a checkpoint, by the type of its error."""
    guard.check_restore(path)
    try:
        yield
    except BaseException as error:
        event_log.write("restore_failed", kind=kind, path=_text(path), type=type(error).__name__)
        raise


def record_evaluation(step, metrics):
    """Record an evaluation with its metrics, those that are numbers."""
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
    """An absolute path or URL as text; of a tensor, as TF1's savers may be given, its value is not looked up."""
    try:
        text = os.fsdecode(path)
    except TypeError:
        return str(path)
    return text if "://" in text else os.path.abspath(text)
