"""Strikes the program from inside, after a given step.

A fault strikes where the program's last hook or callback would run: after the framework's work for that step, so that a
save that is due at the step is done. If several steps run inside one call, a signal strikes inside it, in the next
step; an exception, which cannot be raised inside, strikes when the call has returned.
"""

import os
import signal
import time

from . import event_log


class Interruption(RuntimeError):
    """The exception that the fault "exception" raises in the program."""


_instruction = {}
_made = 0


def set_instruction(instruction):
    """Stores the instruction: ``kind``, ``at`` (a step) or ``after`` (a number of steps), and fields of the kind."""
    global _instruction
    _instruction = instruction
    if instruction and instruction["kind"] not in KINDS:
        raise ValueError("unknown fault " + instruction["kind"])


def sends_signal():
    return _instruction.get("kind") == "signal"


def steps_until_due(step):
    """Returns how many steps after ``step``, the current one, the fault is due."""
    return int(_instruction["at"] - step if "at" in _instruction else _instruction["after"] - _made)


def strike_if_due(step, steps=1):
    """Strikes if the fault is due at one of the last ``steps`` steps, which end at ``step``."""
    global _instruction, _made
    _made += steps
    if not _instruction or steps_until_due(step) > 0:
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
    """Waits until the controlling process removes the file that it made."""
    while os.path.exists(instruction["while"]):
        time.sleep(0.002)


KINDS = {"exception": _raise, "interrupt": _interrupt, "signal": _signal, "pause": _pause}
