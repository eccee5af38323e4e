"""Ctrl-C reaches the programs that tests start, also where the tests run in the background of a script."""

import gc
import signal

import pytest

# A shell has its background jobs ignore SIGINT, and what is ignored is ignored in every process that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


# Rewriting the assertions of all tests makes millions of objects, and few cycles.
gc.disable()


def pytest_collection_finish():
    """Spares Python's collector of cycles the thousands of tests, which stay until the end."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish():
    """Collects what is left once: pytest does so five times, through all that the tests have kept."""
    gc.collect()
    gc.freeze()
