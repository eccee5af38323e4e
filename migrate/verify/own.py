"""Compares an interrupted run with the same program's undisturbed run."""

from collections.abc import Iterator
from itertools import pairwise

from migrate.verify.comparison import Row, Verdict
from migrate.verify.differences import loss_difference, variable_difference
from migrate.verify.faults import FAULTS
from migrate.verify.record import Record

INPUT_RESTARTS = "its input starts from the first batch again after a restart, as an Estimator's does"
UNEQUAL_RUNS_NOTE = "its runs differ from one another before they are interrupted"


def rows(undisturbed: Record, interrupted: Record, tolerance: float = 0.0) -> Iterator[Row]:
    """Yields a row for each thing that is compared, the most important first.

    Losses and final variables are compared if the batches of both are equal at every step.
    """
    stuck = interrupted.needs_person
    error = interrupted.attempts[-1].error if stuck else "none"
    yield Row("failed starts", "none", error, _verdict(not stuck))
    unsaved = [at for at in interrupted.resumed_at if at not in (None, 0, *interrupted.saved_steps)]
    resumed = ", ".join("none" if at is None else str(at) for at in interrupted.resumed_at) or "-"
    yield Row("resumed at a saved step", "-", resumed, _verdict(not unsaved))
    yield _lost_steps_row(undisturbed, interrupted)
    end, again = undisturbed.final_step, interrupted.final_step
    yield Row("final step", str(end), str(again), _verdict(end == again))
    reason = why_not_comparable(undisturbed, interrupted)
    yield _loss_row(undisturbed, interrupted, tolerance, reason)
    yield _variable_row(undisturbed, interrupted, tolerance, reason)


def difference(undisturbed: Record, interrupted: Record, tolerance: float = 0.0) -> str:
    """Returns the first difference of an interrupted run from the undisturbed one; "" for none."""
    for row in rows(undisturbed, interrupted, tolerance):
        if row.verdict is Verdict.DIFFERENT:
            return f"{row.name}: {row.note or f'{row.new}, not {row.old}'}"
    return ""


def why_not_comparable(undisturbed: Record, interrupted: Record) -> str:
    """Returns why the losses of the two runs need not be equal; "" if they must."""
    before, after = undisturbed.by_step("batch"), interrupted.by_step("batch")
    common = sorted(before.keys() & after.keys())
    if not common:
        return "its batches could not be seen"
    untouched = min((at for at in interrupted.resumed_at if at is not None), default=0)
    losses = undisturbed.by_step("loss"), interrupted.by_step("loss")
    early = [step for step in common if step <= untouched]
    if any(values[0].get(step) != values[1].get(step) for values in ((before, after), losses) for step in early):
        return UNEQUAL_RUNS_NOTE
    return INPUT_RESTARTS if any(before[step] != after[step] for step in common) else ""


def _verdict(same: bool) -> Verdict:
    return Verdict.SAME if same else Verdict.DIFFERENT


def _lost_steps_row(undisturbed: Record, interrupted: Record) -> Row:
    saved = sorted({0, *undisturbed.saved_steps, *interrupted.saved_steps})
    longest = max((after - before for before, after in pairwise(saved)), default=0)
    lost = max((steps for steps in interrupted.steps_lost if steps is not None), default=0)
    # A signal strikes only at the end of a call of several steps.
    calls = max((event.get("calls", 1) for event in interrupted.all_events("step")), default=1)
    note = f"{lost} lost, {longest} steps between two saves"
    verdict = _verdict(lost <= longest + calls - 1)
    if FAULTS[interrupted.fault].damages:  # it resumes from a checkpoint before the damaged one
        verdict, note = Verdict.INFORMATION, f"{note}, of which the last was damaged"
    elif interrupted.saves_by_clock:
        verdict, note = Verdict.INFORMATION, f"{note}, which the clock settles"
    return Row("most steps lost at once", "-", str(lost), verdict, note)


def _loss_row(undisturbed: Record, interrupted: Record, tolerance: float, reason: str) -> Row:
    found = loss_difference(undisturbed.by_step("loss"), interrupted.by_step("loss"))
    means = "only running means could be seen" if undisturbed.losses_are_means else ""
    if reason or means or found is None:
        return Row("losses", "-", "-", Verdict.NOT_COMPARED, reason or means or "its losses could not be seen")
    beyond = found.first_beyond(lambda step: tolerance)
    hint = ""
    if beyond is not None:
        hint = "; something is not restored, or drawn anew as the numbers of a dropout are"
    return Row("losses", f"{found.steps} steps", f"{found.steps} steps", _verdict(beyond is None), found.text + hint)


def _variable_row(undisturbed: Record, interrupted: Record, tolerance: float, reason: str) -> Row:
    if reason or not undisturbed.variables or not interrupted.variables:
        return Row("final variables", "-", "-", Verdict.NOT_COMPARED, reason or "no checkpoint was read")
    found = variable_difference(undisturbed.variables, interrupted.variables)
    texts = [f"{len(record.variables)} variables" for record in (undisturbed, interrupted)]
    return Row("final variables", texts[0], texts[1], _verdict(found.relative <= tolerance), found.text)
