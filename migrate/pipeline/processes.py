"""Work on many files, in several processes where that pays."""

import gc
import os
import signal
from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import chain, islice, starmap
from typing import TYPE_CHECKING, Any, TypeVar

from migrate.files.interrupts import held
from migrate.pipeline.dealing import ByPlace, InTurn, Numbered

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

_Result = TypeVar("_Result")


class Processes:
    """Processes that start when there is first enough work for them, and end with the ``with`` statement.

    Python's collector of cycles is off in them, also in this one until the statement ends: it would look through the
    trees of all files again and again, which took almost half of the time. What it finds is 3 to 9 % of the memory
    over open repositories, and 0.2 MB for each file with a site at worst (docs/speed.md).

    Args:
      most: how many may work at once; 1 means none but this one.
    """

    def __init__(self, most: int) -> None:
        self._workers = [_Worker() for _ in range(most)] if most > 1 else []
        self._knowing: dict[Hashable, Hashable] = {}
        self._collected = gc.isenabled()

    def __enter__(self) -> "Processes":
        gc.disable()
        return self

    def __exit__(self, *exception: object) -> None:
        for worker in self._workers:
            worker.end()
        if self._collected:
            gc.enable()

    def map(
        self,
        work: Callable[..., _Result],
        calls: Iterable[tuple[Any, ...]],
        lost: Callable[..., _Result],
        few: int,
        place: Callable[..., Hashable] | None = None,
    ) -> Iterator[_Result]:
        """Calls ``work`` with the arguments of each call, and yields the results in this order.

        The calls are asked for as they are made, and few results wait: memory does not grow with their number. Those
        with a place are asked for at once, because all of one place go to the process that has worked there.
        Where a process is killed, by a system whose memory is full, the calls that it had are made again, one at a
        time: the process of a call that needs too much is then killed again, and no other call is lost with it.

        Args:
          work: a function of a module, which does not raise.
          calls: the arguments of each call.
          lost: gives the result of a call whose process was killed twice, from the same arguments.
          few: below this many calls, all are made in this process, unless others know their places.
          place: gives what a call shares with others, by its arguments: the repository, of whose files a process knows
            something once it has worked on some. None where they share nothing.
        """
        waiting = iter(calls)
        first = list(islice(waiting, few)) if self._workers else []
        everything = chain(first, waiting)
        is_known = place is not None and bool(self._knowing)
        if not self._workers or (len(first) < few and not is_known):
            return starmap(work, everything)
        numbered = enumerate(everything)
        if place is None:
            return self._spread(work, InTurn(numbered, len(self._workers)), lost)
        return self._spread(work, ByPlace(numbered, place, self._knowing), lost)

    def _spread(
        self, work: Callable[..., _Result], dealing: InTurn | ByPlace, lost: Callable[..., _Result]
    ) -> Iterator[_Result]:
        from multiprocessing.connection import wait

        found: dict[int, _Result] = {}
        following = 0
        while True:
            for worker in self._workers:
                if not worker.piece:
                    worker.begin(work, dealing.piece(worker, len(found)))
            busy = {worker.pipe: worker for worker in self._workers if worker.piece}
            if not busy:
                return
            for pipe in wait(list(busy)):
                found.update(busy[pipe].ended(work, lost))  # type: ignore[index]
            while following in found:
                yield found.pop(following)
                following += 1


class _Worker:
    """A process that is given one piece of work at a time; it is started again where it was killed.

    Attributes:
      pipe: what leads to the process.
      piece: the calls that it makes; none while it has nothing to do.
    """

    pipe: "Connection"

    def __init__(self) -> None:
        self._process: Any = None
        self.piece: list[Numbered] = []

    def begin(self, work: Callable[..., _Result], piece: list[Numbered]) -> None:
        """Has the process make some calls, if there are any."""
        self.piece = piece
        if piece:
            self._ask(work, [call for _, call in piece])

    def ended(self, work: Callable[..., _Result], lost: Callable[..., _Result]) -> Iterator[tuple[int, _Result]]:
        """The results of what was begun, each with its call's place among all."""
        piece, self.piece = self.piece, []
        results = self._results()
        for index, (number, call) in enumerate(piece):
            if results is not None:
                yield number, results[index]
                continue
            self._ask(work, [call])  # by itself, in the process that comes after the one that was killed
            again = self._results()
            yield number, again[0] if again is not None else lost(*call)

    def end(self) -> None:
        """Ends the process, which has nothing to lose."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self.pipe.close()
            self._process = None

    def _ask(self, work: Callable[..., object], calls: list[tuple[Any, ...]]) -> None:
        if self._process is None:
            self._start()
        try:
            self.pipe.send((work, calls))
        except OSError:  # it was killed while it had nothing to do
            self.end()
            self._start()
            self.pipe.send((work, calls))

    def _start(self) -> None:
        from multiprocessing import Pipe, Process

        self.pipe, theirs = Pipe()
        self._process = Process(target=_serve, args=[theirs], daemon=True)
        with held(signal.SIGINT):  # this may fork
            self._process.start()
        theirs.close()  # so that its end is seen

    def _results(self) -> list[Any] | None:
        """The results; None where the process was killed."""
        try:
            results = self.pipe.recv()
        except (EOFError, OSError):
            self.end()
            return None
        if isinstance(results, BaseException):
            raise results
        return results  # type: ignore[no-any-return]


def _serve(pipe: "Connection") -> None:
    """Does a process's work until it is killed."""
    import threading
    from multiprocessing import parent_process

    gc.disable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches every process of the terminal: only one shall answer
    threading.Thread(target=_end_after, args=[parent_process()], daemon=True).start()
    while True:
        try:
            work, calls = pipe.recv()
        except EOFError:
            return
        try:
            pipe.send([work(*call) for call in calls])
        except Exception as error:
            pipe.send(error)


def _end_after(parent: Any) -> None:
    """Ends a worker whose parent was killed: others hold its end of the pipe, at which it would wait for ever."""
    parent.join()
    os._exit(1)
