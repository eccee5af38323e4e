"""What is done to the program from inside, once it has made a given step.

A fault strikes where a hook or callback of the program's own would: after the framework's work for that step, so that a
save that is due at the step is done. Where several steps run inside one call, a signal strikes there, in the next step;
an exception, which nothing inside could raise, when the call has come back.
"""

import os
import signal
import time

from . import event_log


class Interruption(RuntimeError):
    """The exception that stands for a failure in the program."""


_instruction = {}
_made = 0


def arm(instruction):
    """Keep the instruction: ``kind``, ``at`` which step or ``after`` how many of this start, and the kind's own."""
    global _instruction
    _instruction = instruction
    if instruction and instruction["kind"] not in KINDS:
        raise ValueError("unknown fault " + instruction["kind"])


def signals():
    return _instruction.get("kind") == "signal"


def due_after(step):
    """How many steps after ``step``, where training stands, the fault is due."""
    return int(_instruction["at"] - step if "at" in _instruction else _instruction["after"] - _made)


def strike_if_due(step, steps=1):
    """Strike if the fault is due at ``step`` or was due at one of the ``steps`` on the way to it."""
    global _instruction, _made
    _made += steps
    if not _instruction or due_after(step) > 0:
        return
    instruction, _instruction = _instruction, {}
    event_log.write("fault", kind=instruction["kind"], step=step, wanted=instruction.get("at", step))
    KINDS[instruction["kind"]](instruction)


def _raise(instruction):
    raise Interruption("this exception is the fault that was asked for")


def _interrupt(instruction):
    raise KeyboardInterrupt


def _signal(instruction):
    os.kill(os.getpid(), getattr(signal, instruction["signal"]))


def _pause(instruction):
    """Wait until the controlling process has removed the file that it made."""
    while os.path.exists(instruction["while"]):
        time.sleep(0.002)


KINDS = {"exception": _raise, "interrupt": _interrupt, "signal": _signal, "pause": _pause}
