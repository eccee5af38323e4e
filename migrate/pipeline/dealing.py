"""Which calls a process with nothing to do gets next."""

from collections import deque
from collections.abc import Callable, Hashable, Iterable
from itertools import islice
from typing import Any

Numbered = tuple[int, tuple[Any, ...]]
"""The arguments of a call, with its place among all calls."""

_LARGEST_PIECE = 16
"""As many calls go to a process at once, which ends what it has begun before it gets more."""

_MOST_WAITING = 64
"""With so many results that wait for an earlier one, no further call is asked for."""

_SHARED_FROM = 128
"""From so many waiting calls on, another process with nothing to do takes of them, and finds out by itself what the
first one knows: a single repository would be one process's work without it."""


class InTurn:
    """Calls that share nothing: who asks gets the next ones.

    Args:
      calls: the calls, which are asked for as they are dealt.
      most: how many processes there are.
    """

    def __init__(self, calls: Iterable[Numbered], most: int) -> None:
        self._calls, self._most, self._taken = iter(calls), most, 0

    def piece(self, worker: Hashable, waiting: int) -> list[Numbered]:
        """The next calls of a process; none where all are dealt, or enough of their results wait."""
        if waiting > _MOST_WAITING:
            return []
        # Few calls are dealt out singly, so that all processes have some.
        piece = list(islice(self._calls, min(_LARGEST_PIECE, 1 + self._taken // (4 * self._most))))
        self._taken += len(piece)
        return piece


class ByPlace:
    """Calls that go to the process that has worked at their place: it knows what the files there have in common.

    Args:
      calls: the calls.
      place: gives the place of a call, by its arguments.
      knowing: the process that has worked at each place, which is kept from one ``ByPlace`` to the next.
    """

    def __init__(
        self, calls: Iterable[Numbered], place: Callable[..., Hashable], knowing: dict[Hashable, Hashable]
    ) -> None:
        self._knowing = knowing
        self._waiting: dict[Hashable, deque[Numbered]] = {}
        for one in calls:
            self._waiting.setdefault(place(*one[1]), deque()).append(one)
        self._new = deque(where for where in self._waiting if where not in knowing)
        self._known: dict[Hashable, deque[Hashable]] = {}
        for where in self._waiting.keys() & knowing.keys():
            self._known.setdefault(knowing[where], deque()).append(where)
        self._large = [own for own in self._waiting.values() if len(own) >= _SHARED_FROM]

    def piece(self, worker: Hashable, waiting: int) -> list[Numbered]:
        """The next calls of a process: of a place that it knows, else of new ones, else of one with very many."""
        piece: list[Numbered] = []
        known = self._known.setdefault(worker, deque())
        while len(piece) < _LARGEST_PIECE and (known or self._new):  # several small places make a piece
            if not known:
                known.append(self._new.popleft())
                self._knowing[known[0]] = worker
            own = self._waiting[known[0]]
            piece += [own.popleft() for _ in range(min(len(own), _LARGEST_PIECE - len(piece)))]
            if not own:
                known.popleft()
        if not piece:
            longest = max(self._large, key=len, default=deque[Numbered]())
            # The last ones are farthest from those that the other process is at.
            piece = [longest.pop() for _ in range(_LARGEST_PIECE)] if len(longest) >= _SHARED_FROM else []
        return piece
