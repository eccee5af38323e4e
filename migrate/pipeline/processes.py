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

    _UnderWay = deque[tuple[list["_Call"], Future[list[Any]]]]

_Result = TypeVar("_Result")
_Call = tuple[Any, ...]

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
        self._end()
        if self._collected:
            gc.enable()

    def map(
        self, work: Callable[..., _Result], calls: Iterable[_Call], lost: Callable[..., _Result], few: int
    ) -> Iterator[_Result]:
        """Calls ``work`` with the arguments of each call, and yields the results in this order.

        The calls are asked for as they are made, and few results wait: memory does not grow with their number.
        Where a process is killed, by a system whose memory is full, the calls that it had are made again, one at a
        time: the process of a call that needs too much is then killed again, and no other call is lost with it.

        Args:
          work: a function of a module, which does not raise.
          calls: the arguments of each call.
          lost: gives the result of a call whose process was killed twice, from the same arguments.
          few: below this many calls, all are made in this process.
        """
        waiting = iter(calls)
        first = list(islice(waiting, few)) if self._most > 1 else []
        everything = chain(first, waiting)
        if self._most == 1 or len(first) < few:
            return starmap(work, everything)
        return self._spread(work, everything, lost)

    def _spread(
        self, work: Callable[..., _Result], calls: Iterator[_Call], lost: Callable[..., _Result]
    ) -> Iterator[_Result]:
        under_way: _UnderWay = deque()
        taken = 0
        while True:
            while len(under_way) < _AHEAD * self._most:
                # Few calls are dealt out singly, so that all processes have some.
                chunk = list(islice(calls, min(_LARGEST_CHUNK, 1 + taken // (4 * self._most))))
                if not chunk:
                    break
                taken += len(chunk)
                under_way.append((chunk, self._submitted(self._most, work, chunk)))
            if not under_way:
                return
            chunk, future = under_way.popleft()
            results = self._result(future)
            if results is not None:
                yield from results
                continue
            for one, begun in [(chunk, future), *under_way]:  # they were all lost that were not done
                yield from self._result(begun) or chain.from_iterable(self._again(work, call, lost) for call in one)
            under_way.clear()
            self._end()  # the one of a single process

    def _again(self, work: Callable[..., _Result], call: _Call, lost: Callable[..., _Result]) -> list[_Result]:
        """The result of a call whose process was killed, from a process that does nothing else meanwhile."""
        return self._result(self._submitted(1, work, [call])) or [lost(*call)]

    def _submitted(self, most: int, work: Callable[..., _Result], chunk: list[_Call]) -> "Future[list[_Result]]":
        from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor

        if self._pool is None:
            self._pool = ProcessPoolExecutor(most, initializer=_prepare)
        try:
            with held(signal.SIGINT):  # this may fork
                return self._pool.submit(_all, work, chunk)
        except BrokenExecutor as error:
            future = Future[list[_Result]]()
            future.set_exception(error)
            return future

    def _result(self, future: "Future[list[_Result]]") -> list[_Result] | None:
        """The results; None where a process was killed, which ends all of the others too."""
        from concurrent.futures import BrokenExecutor

        try:
            return future.result()
        except BrokenExecutor:
            self._end()
            return None

    def _end(self) -> None:
        ended, self._pool = self._pool, None
        if ended is not None:
            ended.shutdown(cancel_futures=True)


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
