"""Work on many files, in several processes where that pays."""

import signal
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

_Result = TypeVar("_Result")

_LARGEST_CHUNK = 16
"""As many files go to a process at once, which ends what it has begun before it heeds Ctrl-C."""


class Processes:
    """Processes that start when there is first enough work for them, and end with the ``with`` statement.

    Args:
      most: how many may work at once; 1 means none but this one.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> "Processes":
        return self

    def __exit__(self, *exception: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def map(self, work: Callable[..., _Result], *arguments: Sequence[Any], few: int) -> Iterator[_Result]:
        """Calls ``work`` with the first of each argument, then the second, and yields the results in this order.

        Args:
          work: a function of a module, which does not raise.
          arguments: sequences of one length.
          few: below this many calls, all are made in this process.
        """
        calls = len(arguments[0])
        if self._most == 1 or calls < few:
            return map(work, *arguments)
        if self._pool is None:
            from concurrent.futures import ProcessPoolExecutor

            # Ctrl-C reaches every process of the terminal: only this one shall answer.
            ignore = (signal.SIGINT, signal.SIG_IGN)
            self._pool = ProcessPoolExecutor(self._most, initializer=signal.signal, initargs=ignore)
        return self._pool.map(work, *arguments, chunksize=max(1, min(_LARGEST_CHUNK, calls // (4 * self._most))))
