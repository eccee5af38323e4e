"""Work on many files, in several processes where that pays."""

import gc
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice, starmap
from typing import TYPE_CHECKING, Any, TypeVar

from migrate.files.interrupts import held

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

_Result = TypeVar("_Result")

_LARGEST_CHUNK = 16
"""As many files go to a process at once, which ends what it has begun before it heeds Ctrl-C."""

_AHEAD = 4
"""So many times as many pieces of work as there are processes are under way."""


class Processes:
    """Processes that start when there is first enough work for them, and end with the ``with`` statement.

    Python's collector of cycles is off in them, also in this one until the statement ends: it would look through the
    trees of all files again and again, which took almost half of the time. What it finds is 3 to 9 % of the memory
    over open repositories, and 0.2 MB for each file with a site at worst (docs/speed.md).

    Args:
      most: how many may work at once; 1 means none but this one.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._pool: ProcessPoolExecutor | None = None
        self._collected = gc.isenabled()

    def __enter__(self) -> "Processes":
        gc.disable()
        return self

    def __exit__(self, *exception: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
        if self._collected:
            gc.enable()

    def map(self, work: Callable[..., _Result], calls: Iterable[tuple[Any, ...]], few: int) -> Iterator[_Result]:
        """Calls ``work`` with the arguments of each call, and yields the results in this order.

        The calls are asked for as they are made, and few results wait: memory does not grow with their number.

        Args:
          work: a function of a module, which does not raise.
          calls: the arguments of each call.
          few: below this many calls, all are made in this process.
        """
        waiting = iter(calls)
        first = list(islice(waiting, few)) if self._most > 1 else []
        everything = chain(first, waiting)
        if self._most == 1 or len(first) < few:
            return starmap(work, everything)
        return self._spread(work, everything)

    def _spread(self, work: Callable[..., _Result], calls: Iterator[tuple[Any, ...]]) -> Iterator[_Result]:
        if self._pool is None:
            from concurrent.futures import ProcessPoolExecutor

            self._pool = ProcessPoolExecutor(self._most, initializer=_prepare)
        under_way: deque[Future[list[_Result]]] = deque()
        taken = 0
        while True:
            while len(under_way) < _AHEAD * self._most:
                # Few calls are dealt out singly, so that all processes have some.
                chunk = list(islice(calls, min(_LARGEST_CHUNK, 1 + taken // (4 * self._most))))
                if not chunk:
                    break
                taken += len(chunk)
                with held(signal.SIGINT):  # this may fork
                    under_way.append(self._pool.submit(_all, work, chunk))
            if not under_way:
                return
            yield from under_way.popleft().result()


def _prepare() -> None:
    """Makes a process that was just started like this one."""
    import threading
    from multiprocessing import parent_process

    gc.disable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches every process of the terminal: only one shall answer
    threading.Thread(target=_end_after, args=[parent_process()], daemon=True).start()


def _end_after(parent: Any) -> None:
    """Ends a worker whose parent was killed: it holds both ends of the queue that it would wait at for ever."""
    parent.join()
    os._exit(1)


def _all(work: Callable[..., _Result], calls: list[tuple[Any, ...]]) -> list[_Result]:
    return [work(*call) for call in calls]
