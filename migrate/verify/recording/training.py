"""The current phase and step of the training; reports steps to the event log."""

import contextlib

from . import event_log, fault

phase = "train"
"""``train``, ``evaluate`` or ``predict``; restores and batches in the last two are no part of training."""

step = None
"""The step that was last recorded; None before the first start."""

driver = None
"""Which caller reports the steps now, so that calls inside it do not: ``fit``, ``session`` or None."""

unsettled = False
"""Whether a restore may still move the counter: it can be deferred, or run in a session."""

expected = None
"""The step in the name of the last restored checkpoint, until the counter has moved; else None."""

_looping = False


@contextlib.contextmanager
def in_phase(name):
    """Sets the phase for the block."""
    global phase
    before, phase = phase, name
    try:
        yield
    finally:
        phase = before


@contextlib.contextmanager
def reported_by(name):
    """Makes ``name`` the only caller that reports steps in the block."""
    global driver
    before, driver = driver, name
    try:
        yield
    finally:
        driver = before


def record_start(kind, at):
    """Records that a session, a fit or a loop begins at step ``at``."""
    global step
    step = at
    event_log.write("start", kind=kind, step=at)


def set_step(at):
    """Makes later steps count from ``at``, the value of a counter that was found or restored; None changes nothing."""
    global step
    if at is not None:
        step = at


def record_loop_steps(to, losses, digests):
    """Records steps of the program's own loop, which begins with its first step; see ``record_steps``."""
    global _looping, unsettled, expected
    unsettled, expected = False, None
    if not _looping:
        _looping = True
        record_start("loop", to - 1 if step is None else step)
    record_steps(to, losses, digests, "step")


def record_steps(to, losses, digests, source):
    """Records the steps up to ``to``; one call may make several.

    Args:
      losses: the loss of each step since the last report, or only that of the last step, or none.
      digests: the same for the digests of batches.
      source: ``step`` if each loss is the step's own, ``mean`` if it is a running mean.
    """
    global step
    before = to - 1 if step is None else step
    step = to
    count = max(to - before, 1)
    for index in range(count):
        here = to - count + 1 + index
        at_here = {"loss": _value_at(losses, index, count), "batch": _value_at(digests, index, count)}
        event_log.write(
            "step",
            step=here,
            calls=1 if count == 1 else count,
            **{key: value for key, value in at_here.items() if value is not None},
            **({"mean": True} if source == "mean" else {}),
        )
    fault.strike_if_due(to, count)


def _value_at(values, index, count):
    """Returns the value of the ``index``-th of ``count`` steps, the first of several; None if the step has none."""
    if not values:
        return None
    if len(values) >= count and len(values) % count == 0:
        return values[index * (len(values) // count)]
    return values[-1] if index == count - 1 else None


def new_step(read):
    """Returns ``read()`` if that is a new step; None if training has not moved or another caller reports its steps."""
    if driver is not None or phase != "train":
        return None
    now = read()
    return now if now is not None and now != step else None
