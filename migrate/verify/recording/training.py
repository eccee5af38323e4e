"""The phase and the step of the training, which it reports to the event log."""

import contextlib

from . import event_log, fault

phase = "train"
"""``train``, ``evaluate`` or ``predict``; what is restored and drawn in the last two is not a resumption."""

step = None
"""The step that was last recorded, None before the first start."""

driver = None
"""What reports the steps at the moment, so that nothing inside it does so too: ``fit``, ``session`` or None."""


unsettled = False
"""Whether a restore may have moved the counter unseen: of an Estimator's checkpoint it is put off, or a session's."""

expected = None
"""The step that the checkpoint of the last restore is named for, until the counter has moved."""

_looping = False


@contextlib.contextmanager
def in_phase(name):
    """Within, the program evaluates or predicts."""
    global phase
    before, phase = phase, name
    try:
        yield
    finally:
        phase = before


@contextlib.contextmanager
def driven_by(name):
    """Within, only ``name`` reports steps."""
    global driver
    before, driver = driver, name
    try:
        yield
    finally:
        driver = before


def begin_at(kind, at):
    """A session, a fit or a loop begins at step ``at``."""
    global step
    step = at
    event_log.write("start", kind=kind, step=at)


def set_step(at):
    """A counter was found or restored: later steps count from ``at``."""
    global step
    if at is not None:
        step = at


def record_loop_steps(to, losses, digests):
    """As ``record_steps``, in a loop of the program's own, which begins with its first step."""
    global _looping, unsettled, expected
    unsettled, expected = False, None
    if not _looping:
        _looping = True
        begin_at("loop", to - 1 if step is None else step)
    record_steps(to, losses, digests, "step")


def record_steps(to, losses, digests, source):
    """Training has moved on to step ``to``, by one step or, inside one call, by several.

    Args:
      losses: a loss for each step since the last report, or the last one only, or none.
      digests: the same of the batches.
      source: where the losses come from: ``step`` for the step's own, ``mean`` for a running mean.
    """
    global step
    before = to - 1 if step is None else step
    step = to
    count = max(to - before, 1)
    for index in range(count):
        here = to - count + 1 + index
        at_here = {"loss": _at(losses, index, count), "batch": _at(digests, index, count)}
        event_log.write(
            "step",
            step=here,
            calls=1 if count == 1 else count,
            **{key: value for key, value in at_here.items() if value is not None},
            **({"mean": True} if source == "mean" else {}),
        )
    fault.strike_if_due(to, count)


def _at(values, index, count):
    """The value of the ``index``-th of ``count`` steps; with several values a step, the first of each."""
    if not values:
        return None
    if len(values) >= count and len(values) % count == 0:
        return values[index * (len(values) // count)]
    return values[-1] if index == count - 1 else None


def new_step(read):
    """The step by ``read`` where it is a new one, None where training has not moved or something else reports it."""
    if driver is not None or phase != "train":
        return None
    now = read()
    return now if now is not None and now != step else None
