"""What is done to the program from inside, once it has made a given step.

A fault strikes where a hook or callback of the program's own would: after the framework's work for that step, so that a
save that is due at the step is done. Where several steps run inside one call, it strikes when the call has come back.
"""

from __future__ import annotations

import os
import signal
import time
from typing import Any, Callable, Dict

from _migrate_recording import journal


class Interruption(RuntimeError):
    """The exception that stands for a failure in the program."""


_instruction: Dict[str, Any] = {}
_made = 0


def arm(instruction: Dict[str, Any]) -> None:
    """Keep the instruction: ``kind``, the step ``at`` or how many steps ``after`` this start, and what the kind needs beside."""
    global _instruction
    _instruction = instruction
    if instruction and instruction["kind"] not in KINDS:
        raise ValueError("unknown fault " + instruction["kind"])


def reached(step: int) -> None:
    """Strike if the fault is due at ``step`` or was due on the way to it."""
    global _instruction, _made
    _made += 1
    if not _instruction or (step < _instruction["at"] if "at" in _instruction else _made < _instruction["after"]):
        return
    instruction, _instruction = _instruction, {}
    journal.write("fault", kind=instruction["kind"], step=step, wanted=instruction.get("at", step))
    KINDS[instruction["kind"]](instruction)


def _raise(instruction: Dict[str, Any]) -> None:
    raise Interruption("this exception is the fault that was asked for")


def _interrupt(instruction: Dict[str, Any]) -> None:
    raise KeyboardInterrupt


def _signal(instruction: Dict[str, Any]) -> None:
    os.kill(os.getpid(), getattr(signal, instruction["signal"]))


def _pause(instruction: Dict[str, Any]) -> None:
    """Wait until the controlling process has removed the file that it made."""
    while os.path.exists(instruction["while"]):
        time.sleep(0.002)


def _fill_disk(instruction: Dict[str, Any]) -> None:
    """Let no file grow past ``bytes``, as on a full disk, but for the journal's own."""
    import resource

    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    full = (instruction["bytes"], hard)

    def lifted(write: Callable[[], None]) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        try:
            write()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, full)

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, full)
    journal.around = lifted


KINDS: Dict[str, Callable[[Dict[str, Any]], None]] = {
    "exception": _raise,
    "interrupt": _interrupt,
    "signal": _signal,
    "pause": _pause,
    "fill_disk": _fill_disk,
}
