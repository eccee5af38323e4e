"""TensorFlow's own file functions, through which ``tf.io.gfile``, exports and Python's event writers change files."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from types import ModuleType
from typing import Any

from . import guard

_PATHS: dict[str, tuple[str, tuple[int, ...]]] = {
    "DeleteFile": ("delete", (0,)),
    "DeleteRecursively": ("delete", (0,)),
    "RenameFile": ("rename", (0, 1)),
    "CopyFile": ("write to", (1,)),
    "CreateDir": ("make the directory", (0,)),
    "RecursivelyCreateDir": ("make the directory", (0,)),
    "WriteStringToFile": ("write to", (0,)),
    "WritableFile": ("write to", (0,)),
    "CreateWritableFile": ("write to", (0,)),
    "EventsWriter": ("write to", (0,)),
}
"""What each does, and which of its arguments are paths."""


def watch(module: ModuleType) -> None:
    """Let each of the functions that the module has ask the guard first."""
    for name, (what, places) in _PATHS.items():
        if hasattr(module, name):
            setattr(module, name, _guarded(getattr(module, name), what, places))


def _guarded(original: Callable[..., Any], what: str, places: tuple[int, ...]) -> Callable[..., Any]:
    @functools.wraps(original, updated=())
    def guarded(*arguments: Any, **named: Any) -> Any:
        for at in places:
            path = arguments[at] if at < len(arguments) else None
            if what != "make the directory" or path is None or not os.path.isdir(path):
                guard.check(what, path)
        return original(*arguments, **named)

    return guarded
