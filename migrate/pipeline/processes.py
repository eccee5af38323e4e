"""Runs the work on many files in several processes, if that is faster."""

import gc
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from itertools import starmap
from typing import TYPE_CHECKING, Any, TypeVar

from migrate.files.given_directories import given_directories, set_given_directories
from migrate.files.interrupts import defer_signals
from migrate.files.parse import characters_of_trees, drop_trees
from migrate.files.run_cache import forget

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

_Result = TypeVar("_Result")
_Call = tuple[Any, ...]

_PIECE = 32
"""How many calls a process gets at once."""

_FEW_CHARACTERS = 400_000
"""If the texts of the cached trees are longer than this, all caches are emptied before another repository."""


class WorkerKilled(Exception):
    """The system killed a worker process, because its memory was full; the run has no result."""

    def __init__(self) -> None:
        super().__init__("a process was killed, and nothing was written: run it again with fewer processes (-j 1)")


class Processes:
    """Worker processes that start when there is enough work for them, and end with the ``with`` statement.

    The cyclic garbage collector is off in them, and in this process until the statement ends: it would search the trees
    of all files again and again, which took almost half of the time. No cycle of objects keeps a tree; the few others
    are freed before another repository (docs/speed.md).

    Args:
      most: the maximum number of processes; 1 means only this one.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._pool: ProcessPoolExecutor | None = None
        self._collected = gc.isenabled()

    def __enter__(self) -> "Processes":
        gc.disable()
        return self

    def __exit__(self, *exception: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
        gc.unfreeze()
        if self._collected:
            gc.enable()

    def map(self, work: Callable[..., _Result], calls: Iterable[_Call], few: int) -> Iterator[_Result]:
        """Calls ``work`` with the arguments of each call, and yields the results in the same order.

        Args:
          work: a top-level function of a module, which does not raise.
          few: with fewer calls than this, all are made in this process.
        """
        if self.most == 1:
            return starmap(work, calls)
        everything = list(calls)
        return self._spread(work, everything) if len(everything) >= few else starmap(work, everything)

    def _spread(self, work: Callable[..., _Result], calls: list[_Call]) -> Iterator[_Result]:
        from concurrent.futures import as_completed
        from concurrent.futures.process import BrokenProcessPool

        size = max(1, min(_PIECE, len(calls) // (4 * self.most)))
        found: dict[int, _Result] = {}
        following = 0
        try:
            begun: dict[Future[list[_Result]], range] = {}
            with defer_signals(signal.SIGINT):  # the first call of submit forks
                for start in range(0, len(calls), size):
                    piece = calls[start : start + size]
                    begun[self._started_pool().submit(_run_piece, work, piece)] = range(start, start + len(piece))
            for done in as_completed(begun):
                found.update(zip(begun.pop(done), done.result(), strict=True))
                while following in found:
                    yield found.pop(following)
                    following += 1
        except BrokenProcessPool:
            raise WorkerKilled from None

    def _started_pool(self) -> "ProcessPoolExecutor":
        if self._pool is None:
            from concurrent.futures import ProcessPoolExecutor

            self._pool = ProcessPoolExecutor(self.most, initializer=_start_worker, initargs=(given_directories(),))
        return self._pool


def _run_piece(work: Callable[..., _Result], calls: list[_Call]) -> list[_Result]:
    return [work(*call) for call in calls]


def drop_repository() -> None:
    """Drops the trees after the work on a repository, and all that is known of its files if they are many."""
    are_many = characters_of_trees() > _FEW_CHARACTERS
    drop_trees()
    if are_many:
        forget()
        gc.collect()
        gc.freeze()  # the remaining objects live to the end, so that the next collection need not search them


def _start_worker(directories: tuple[str, ...]) -> None:
    """Prepares a worker process for its work on some given directories."""
    from multiprocessing import parent_process

    set_given_directories(directories)
    gc.disable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches every process of the terminal; the parent handles it
    from threading import Thread

    Thread(target=_end_after, args=[parent_process()], daemon=True).start()


def _end_after(parent: Any) -> None:
    """Ends a worker whose parent was killed; else it would wait for ever, as other workers keep its pipe open."""
    parent.join()
    os._exit(1)
