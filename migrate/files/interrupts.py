"""Ctrl-C and requests to end, held while they would do harm."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_ENDINGS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGINT") if hasattr(signal, name))


@contextmanager
def defer_signals(*numbers: signal.Signals) -> Iterator[None]:
    """Answers signals after the ``with`` statement, however it ends, that come within it.

    Python raises KeyboardInterrupt wherever it is, also in the code that runs around a fork, where nobody can catch it.
    Only the main thread is ever interrupted so; in another one nothing is to be held.

    Args:
      numbers: the signals; by default all that ask for an end. One that is ignored stays so.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = {}
    for number in sorted(numbers or _ENDINGS, key=lambda number: number == signal.SIGINT):
        handler = signal.getsignal(number)
        if handler not in (signal.SIG_IGN, None):  # None is a handler that Python does not know
            before[number] = handler
            signal.signal(number, lambda number, _: came.append(number))
    try:
        yield
    finally:
        # SIGINT comes last: its own handler may raise at once.
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in dict.fromkeys(came):
            signal.raise_signal(number)
