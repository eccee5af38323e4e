"""Defers Ctrl-C and other signals that ask for an end while they would do harm."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

_ENDINGS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGINT") if hasattr(signal, name))


@contextmanager
def defer_signals(*numbers: signal.Signals) -> Iterator[None]:
    """Defers signals until the ``with`` statement ends, also if it ends by an exception.

    Python raises KeyboardInterrupt anywhere, also in the code that runs around a fork, where nobody can catch it. It
    does so only in the main thread; in another thread this does nothing.

    Args:
      numbers: the signals; by default all that ask for an end. An ignored signal stays ignored.
    """
    from threading import current_thread, main_thread

    if current_thread() is not main_thread():
        yield
        return
    came: list[int] = []
    before = {}
    for number in sorted(numbers or _ENDINGS, key=lambda number: number == signal.SIGINT):
        handler = signal.getsignal(number)
        if handler not in (signal.SIG_IGN, None):  # None is a handler that was not installed by Python
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
