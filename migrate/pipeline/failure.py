"""Turns an exception in the work on one file into a finding, so that the other files are processed."""

import sys
from collections.abc import Callable
from typing import TypeVar

from migrate.files.trouble import FileTrouble, trouble
from migrate.findings.finding import Finding

_Result = TypeVar("_Result")

_FRAMES = 12_000
"""The recursion limit: a visitor of trees needs up to five frames a level, and a frame half a kilobyte of stack."""


def run_guarded(work: Callable[[], _Result], failure: Callable[[Exception], _Result]) -> _Result:
    """Returns the result of the work on one file, or of ``failure`` if it raises an exception.

    Args:
      work: the work, which gets a recursion limit for deeply nested code.
      failure: makes the result from the exception, which may be a FileTrouble.
    """
    sys.setrecursionlimit(max(sys.getrecursionlimit(), _FRAMES))
    try:
        return work()
    except Exception as error:  # a bug of the tool in one file must not lose the others
        raised: BaseException | None = error
        while raised is not None:  # after Ctrl-C a `finally` of LibCST raises a KeyError
            if isinstance(raised, KeyboardInterrupt):
                raise raised from None
            raised = raised.__context__
        return failure(error)


def rewrite_guarded(path: str, work: Callable[[], str | Finding]) -> str | Finding:
    """Returns the new text of a file, or the finding that says why there is none."""
    return run_guarded(work, lambda error: failure_finding(path, error, "rewriting"))


def failure_finding(path: str, error: Exception, doing: str) -> Finding:
    """Returns the finding for an exception in the work on one file."""
    if isinstance(error, FileTrouble):
        return error.finding
    is_deep = isinstance(error, SyntaxError) and error.msg.startswith("too many nested")
    if is_deep or isinstance(error, RecursionError | MemoryError):
        help = "Split the deepest expression, or exclude the file."
        return trouble("FT003", path, f"is nested too deeply, or too large, for {doing} it", help)
    message = f"{doing} failed: {type(error).__name__}: {str(error)[:200]}"
    help = "This is an internal error (a bug): please report it. The file is as it was."
    return trouble("FT009", path, message, help)
