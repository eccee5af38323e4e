"""A fault in the work on one file is that file's: it becomes a finding, and no other file is lost."""

import sys
from collections.abc import Callable
from typing import TypeVar

from migrate.files.trouble import FileTrouble, trouble
from migrate.findings.finding import Finding

_Result = TypeVar("_Result")

_FRAMES = 12_000
"""A visitor of trees takes up to five frames a level; Python 3.10 takes half a kilobyte of 8 MiB of stack a frame."""


def run_guarded(work: Callable[[], _Result], failure: Callable[[Exception], _Result]) -> _Result:
    """The result of the work on one file, or of ``failure`` where the tool or the machine fails in it.

    Args:
      work: what may look through deeply nested code, for which it gets room.
      failure: what stands for the result, made of what was raised, trouble with the file included.
    """
    sys.setrecursionlimit(max(sys.getrecursionlimit(), _FRAMES))
    try:
        return work()
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
