"""Saves, restores and evaluations as events; of a call that makes another, only the outer one counts."""

from __future__ import annotations

import contextlib
import os
import time
from typing import Any, Callable, Iterator, Optional

from _migrate_recording import journal, training

_inside = False


@contextlib.contextmanager
def recorded(kind: str, path: Any, step: Callable[[], Optional[int]]) -> Iterator[None]:
    """Record what is written inside as one save, with its duration in seconds; an error is recorded by its type."""
    global _inside
    if _inside:
        yield
        return
    _inside = True
    at = step()
    begun = time.perf_counter()
    journal.write("saving", kind=kind, step=at)
    try:
        yield
    except BaseException as error:
        journal.write("save_failed", kind=kind, step=at, type=type(error).__name__)
        raise
    finally:
        _inside = False
    journal.write("save", kind=kind, path=_text(path), step=at, seconds=time.perf_counter() - begun)


def restored(kind: str, path: Any, step: Optional[int]) -> None:
    """Record that a checkpoint was read."""
    journal.write("restore", kind=kind, path=_text(path), step=step, phase=training.phase)


def evaluated(step: Optional[int], metrics: Any) -> None:
    """Record an evaluation with its metrics, those that are numbers."""
    journal.write("evaluation", step=step, metrics={str(key): value for key, value in map(_metric, metrics.items()) if value is not None})


def _metric(item: Any) -> Any:
    key, value = item
    try:
        return key, float(value)
    except (TypeError, ValueError):
        return key, None


def _text(path: Any) -> str:
    """A path as text; of a tensor, as TF1's savers may be given, its value is not looked up."""
    try:
        return str(os.fspath(path))
    except TypeError:
        return str(path)
