"""A fault in the work on one file is that file's: it becomes a finding, once more room has been tried for deep code."""

import sys
import threading
from collections.abc import Callable
from typing import TypeVar

from migrate.files.trouble import FileTrouble, trouble
from migrate.findings.finding import Finding

_Result = TypeVar("_Result")

_STACK = 512 * 1024 * 1024
"""Bytes of address space, of which only what is used becomes memory: Python 3.10 takes half a kilobyte a frame."""

_FRAMES = 60_000
"""Python parses some 3,000 levels (10,000 from 3.12 on), and a visitor of trees takes up to five frames a level."""

_in_large_stack = threading.local()


def run_guarded(work: Callable[[], _Result], failure: Callable[[Exception], _Result]) -> _Result:
    """The result of the work on one file, or of ``failure`` where the tool or the machine fails in it.

    Args:
      work: what can be done twice: where it runs out of stack, it is done again with a large one.
      failure: what stands for the result, made of what was raised, trouble with the file included.
    """
    try:
        return _run_with_deep_stack(work)
    except Exception as error:  # a mistake of the tool in one file must lose no other
        met: BaseException | None = error
        while met is not None:  # Ctrl-C, where LibCST's `finally` looked up what it left unwritten: a KeyError
            if isinstance(met, KeyboardInterrupt):
                raise met from None
            met = met.__context__
        return failure(error)


def rewrite_guarded(path: str, work: Callable[[], str | Finding]) -> str | Finding:
    """The new text of a file, or why there is none."""
    return run_guarded(work, lambda error: failure_finding(path, error, "rewriting"))


def failure_finding(path: str, error: Exception, doing: str) -> Finding:
    """The finding for what the tool or the machine could not do with one file."""
    if isinstance(error, FileTrouble):
        return error.finding
    is_deep = isinstance(error, SyntaxError) and error.msg.startswith("too many nested")
    if is_deep or isinstance(error, RecursionError | MemoryError):
        help = "Split the deepest expression, or exclude the file."
        return trouble("FT003", path, f"is nested too deeply, or too large, for {doing} it", help)
    message = f"{doing} failed: {type(error).__name__}: {str(error)[:200]}"
    help = "This is an internal error (a bug): please report it. The file is as it was."
    return trouble("FT009", path, message, help)


def _run_with_deep_stack(work: Callable[[], _Result]) -> _Result:
    try:
        return work()
    except RecursionError:
        if getattr(_in_large_stack, "now", False):
            raise
    return _run_in_thread(work)


def _run_in_thread(work: Callable[[], _Result]) -> _Result:
    """The work in a thread with a large stack, which the main one cannot be given any more."""
    results: list[_Result] = []
    errors: list[Exception] = []

    def run() -> None:
        _in_large_stack.now = True
        try:
            results.append(work())
        except Exception as error:
            errors.append(error)

    stack, frames = threading.stack_size(_STACK), sys.getrecursionlimit()
    sys.setrecursionlimit(max(frames, _FRAMES))
    try:
        thread = threading.Thread(target=run, daemon=True)  # Ctrl-C waits for no such thread
        thread.start()
        threading.stack_size(stack)
        thread.join()
    except RuntimeError as error:  # no address space for it
        raise MemoryError(str(error)) from error
    finally:
        threading.stack_size(stack)
        sys.setrecursionlimit(frames)
    if errors:
        raise errors[0]
    return results[0]
