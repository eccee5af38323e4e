"""Compares two records of one fault, OLD's and NEW's, row by row."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise

from migrate.verify import exports, own
from migrate.verify.comparison import Comparison, Row, Verdict
from migrate.verify.differences import LossDifference, Rounding, loss_difference, variable_difference
from migrate.verify.faults import FAULTS
from migrate.verify.record import Attempt, Record

SAME_END = "ends as its own undisturbed run"

ROUNDING = "they differ as rounding does"

BY_CLOCK = "the job saves by the clock, each run at steps of its own"
_BY_THROTTLE = "throttle_secs of its EvalSpec passed as it ran, and the clock settles the others"

INITIAL_WEIGHTS = "the initial weights of OLD and NEW differ"
"""Why losses are not compared where ``--share-initial`` would have them compared."""


def compare_with_itself(undisturbed: Record, interrupted: Record, tolerance: float = 0.0) -> Comparison:
    """Compares an interrupted run with an undisturbed one of the same program."""
    found = [*own.rows(undisturbed, interrupted, tolerance)]
    return Comparison(interrupted.fault, found, undisturbed, interrupted, ("undisturbed", "interrupted"))


def compare(
    old: Record,
    new: Record,
    tolerance: float = 0.0,
    losses: bool | None = None,
    batch_reason: str = "",
    rounding: Rounding | None = None,
    undisturbed: tuple[Record, Record] | None = None,
) -> Comparison:
    """Compares two records of the same fault.

    If the fault interrupts the two at different moments, as random kills do, NEW must resume at a step that it has
    saved and lose no more steps than lie between two saves of OLD. A job that saves every so many seconds saves at
    different steps in each run: if it resumes at another step than OLD, it must be a step that it has saved. If OLD
    could not start again by itself, NEW has no resumption to match and need only reach the same final step. A program
    that makes several steps in one call is interrupted at the end of the call, so the steps that it loses and repeats
    are shown but not compared.

    Args:
      losses: whether losses, evaluations and final variables must agree. By default they must if the first losses of
        both are equal to the last bit, which shows that the two began in the same state.
      rounding: how large one rounding error grows, if the two use different TensorFlow lines; it is tolerated.
      undisturbed: the records of OLD and NEW without a fault; each interrupted record is compared with its own first.
      batch_reason: why two runs of OLD have different batches; then neither these nor what depends on them is compared.
    """
    shared = share_initial_state(old, new) if losses is None else losses
    apart = batch_reason or ("" if shared else INITIAL_WEIGHTS)
    no_resumption = "OLD could not start again" if old.needs_person else _better_resumption_reason(old, new)
    timing = (
        "each program was interrupted at a time of its own"
        if new.fault and not FAULTS[new.fault].same_moment
        else _clock_reason(old, new, lambda record: record.resumed_at)
    )
    answers = max(tolerance, rounding.answer_tolerance if rounding is not None else 0.0)
    evaluated = timing or _clock_reason(old, new, _evaluation_steps) or _throttle_reason(old, new)
    rows = [
        _failed_starts_row(old, new),
        *_step_rows(old, new, no_resumption, timing),
        *([_undisturbed_row(old, new, undisturbed, tolerance)] if undisturbed is not None else []),
        _batch_row(old, new, no_resumption or timing or batch_reason),
        _loss_row(old, new, tolerance, rounding, no_resumption or timing or apart),
        _evaluation_row(old, new, answers, apart, no_resumption, evaluated),
        _variable_row(old, new, tolerance, rounding, no_resumption or timing or apart),
        *_export_rows(old, new, answers, apart),
        *_readable_names_row(old, new),
        _information_row("seconds to resume", old, new, _seconds_to_resume),
        _information_row("seconds in saves", old, new, lambda record: f"{record.seconds_in_saves:.3f}"),
    ]
    return Comparison(new.fault or old.fault, rows, old, new)


def _step_rows(old: Record, new: Record, no_resumption: str, timing: str) -> Iterator[Row]:
    """Yields the rows of the steps at which the two resumed and saved, and that they lost and repeated."""
    if timing:
        yield _resumption_row(old, new)
        yield _lost_steps_row(old, new)
    yield _equal_row("resumed at step", old, new, lambda record: record.resumed_at, no_resumption or timing)
    yield _equal_row("final step", old, new, lambda one: one.final_step, no_resumption if old.needs_person else "")
    steps_reason = no_resumption or timing or _late_fault_reason(old) or _late_fault_reason(new)
    yield _equal_row("steps lost", old, new, lambda record: record.steps_lost, steps_reason)
    yield _equal_row("steps repeated", old, new, lambda record: record.steps_repeated, steps_reason)
    yield _equal_row("steps run", old, new, lambda record: record.steps_run, steps_reason)
    saves = no_resumption or _clock_reason(old, new, _saves_of_run)
    unsaved = "" if old.saved_steps or new.saved_steps else "neither program saved"
    yield _equal_row("saved at steps", old, new, _saves_of_run, saves or unsaved)
    yield _kept_row(old, new, saves or _no_checkpoints_reason(old, new))


def _undisturbed_row(old: Record, new: Record, undisturbed: tuple[Record, Record], tolerance: float) -> Row:
    """Compares each interrupted run with the same program's undisturbed one; where OLD's differ, NEW's may too."""
    found = [own.difference(*pair, tolerance) for pair in zip(undisturbed, (old, new), strict=True)]
    texts = [f"no: {one}" if one else "yes" for one in found]
    reasons = [own.why_not_comparable(*pair) for pair in zip(undisturbed, (old, new), strict=True)]
    note = f"but for losses: {reasons[1]}" if reasons[1] and not found[1] else ""
    is_unknown = bool(reasons[0]) and found[1].startswith(("losses", "final variables"))
    verdict = Verdict.SAME if not found[1] else Verdict.DIFFERENT
    verdict = Verdict.INFORMATION if found[0] or is_unknown else verdict
    return Row(SAME_END, texts[0], texts[1], verdict, note)


def _better_resumption_reason(old: Record, new: Record) -> str:
    """Returns the reason if, after damage to the checkpoints, NEW resumed from a later one than OLD; else ""."""
    if not new.fault or not FAULTS[new.fault].damages:
        return ""
    starts = zip(old.attempts[1:], new.attempts[1:], strict=False)
    pairs = [(a, b) for a, b in starts if a.started_at is not None and b.started_at is not None]
    better = pairs and all(_progress(a) < _progress(b) and b.started_at in new.saved_steps for a, b in pairs)
    return "OLD went back further, past a checkpoint that was there" if better else ""


def _progress(attempt: Attempt) -> tuple[int, bool]:
    """Returns the progress that a start resumes with; a checkpoint of step 0 is more than none."""
    return attempt.started_at or 0, any(event["phase"] == "train" for event in attempt.events_of("restore"))


def share_initial_state(old: Record, new: Record) -> bool:
    """Whether the first losses of both are equal to the last bit."""
    difference = _loss_difference(old, new)
    return difference is not None and difference.first_equal


def _loss_difference(old: Record, new: Record) -> LossDifference | None:
    if old.losses_are_means or new.losses_are_means:
        return None
    return loss_difference(old.by_step("loss"), new.by_step("loss"))


def _clock_reason(old: Record, new: Record, read: Callable[[Record], object]) -> str:
    """Returns ``BY_CLOCK`` if a program saves every so many seconds and ``read`` differs between the two; else ""."""
    return BY_CLOCK if (old.saves_by_clock or new.saves_by_clock) and read(old) != read(new) else ""


def _throttle_reason(old: Record, new: Record) -> str:
    """Returns why the two may evaluate at different steps: ``throttle_secs`` passed in OLD's run; else ""."""
    longest = max(one.ended - one.began for record in (old, new) for one in record.attempts)
    throttled = any(0 < event["seconds"] < longest for event in old.all_events("evaluates_by_clock"))
    return _BY_THROTTLE if throttled and _evaluation_steps(old) != _evaluation_steps(new) else ""


def _evaluation_steps(record: Record) -> set[int | None]:
    return {step for step, _ in record.evaluations}


def _resumption_row(old: Record, new: Record) -> Row:
    unsaved = [[at for at in record.resumed_at if at not in (None, 0, *record.saved_steps)] for record in (old, new)]
    texts = [f"not at {_text(steps)}" if steps else "always" for steps in unsaved]
    verdict = Verdict.DIFFERENT if unsaved[1] and not unsaved[0] else Verdict.SAME
    return Row("resumed at a saved step", texts[0], texts[1], verdict)


def _lost_steps_row(old: Record, new: Record) -> Row:
    lost = [max((steps for steps in record.steps_lost if steps is not None), default=0) for record in (old, new)]
    longest = max((after - before for before, after in pairwise([0, *old.saved_steps])), default=0)
    verdict = Verdict.DIFFERENT if lost[1] > longest else Verdict.SAME
    if new.saves_by_clock:
        verdict = Verdict.INFORMATION
    return Row("most steps lost at once", str(lost[0]), str(lost[1]), verdict, f"{longest} steps between two saves")


def _late_fault_reason(record: Record) -> str:
    for attempt in record.attempts:
        if attempt.fault and attempt.fault["step"] > attempt.fault["wanted"]:
            step, wanted = attempt.fault["step"], attempt.fault["wanted"]
            return f"several steps a call: interrupted at step {step}, not at step {wanted}"
    return ""


def _failed_starts_row(old: Record, new: Record) -> Row:
    """Compares the failed starts; that NEW starts again where OLD could not is better, so it is no difference."""
    texts = [record.attempts[-1].error if record.needs_person else "none" for record in (old, new)]
    if new.needs_person:
        verdict = Verdict.SAME if old.needs_person else Verdict.DIFFERENT
    else:
        verdict = Verdict.SAME if not old.needs_person else Verdict.INFORMATION
    return Row("failed starts", texts[0], texts[1], verdict)


def _equal_row(name: str, old: Record, new: Record, read: Callable[[Record], object], reason: str) -> Row:
    before, after = read(old), read(new)
    if reason:
        return Row(name, _text(before), _text(after), Verdict.NOT_COMPARED, reason)
    return Row(name, _text(before), _text(after), Verdict.SAME if before == after else Verdict.DIFFERENT)


def _text(value: object) -> str:
    if isinstance(value, list):
        return ", ".join("none" if each is None else str(each) for each in value) or "-"
    return "-" if value is None else str(value)


def _saves_of_run(record: Record) -> list[int]:
    """Returns the steps that a program saved at, without those of checkpoints in its directory at the start."""
    return [step for step in record.saved_steps if step not in record.handed_over]


def _kept_row(old: Record, new: Record, reason: str) -> Row:
    """Compares the checkpoints at the end, without those of an earlier program: OLD deletes these, NEW does not."""
    row = _equal_row("checkpoints kept", old, new, lambda r: [s for s in r.kept if s not in r.handed_over], reason)
    if reason or not new.handed_over:
        return row
    before = [_text([step for step in record.handed_over if step in record.kept]) for record in (old, new)]
    return replace(row, note=f"kept from the run before: OLD {before[0]}, NEW {before[1]}")


def _no_checkpoints_reason(old: Record, new: Record) -> str:
    """Returns why there are no TensorFlow checkpoints to compare, as if a program only saves by Keras; else ""."""
    if not old.kept and not new.kept:
        return "neither directory holds a TensorFlow checkpoint"
    for side, record in (("OLD", old), ("NEW", new)):
        if not record.kept and not any(event["kind"] in ("checkpoint", "saver") for event in record.all_events("save")):
            return f"{side} keeps no TensorFlow checkpoints"
    return ""


def differing_batches(old: Record, new: Record) -> list[int]:
    """Returns the steps whose batches differ between the records."""
    before, after = old.by_step("batch"), new.by_step("batch")
    return [step for step in sorted(before.keys() & after.keys()) if before[step] != after[step]]


def _batch_row(old: Record, new: Record, reason: str) -> Row:
    before, after = old.by_step("batch"), new.by_step("batch")
    common = before.keys() & after.keys()
    texts = (f"{len(before)} steps seen", f"{len(after)} steps seen")
    if reason or not common:
        reason = reason or _missing_reason(old, new, "batch") or "no common steps"
        return Row("batches", *texts, Verdict.NOT_COMPARED, reason)
    apart = differing_batches(old, new)
    if not apart:
        return Row("batches", *texts, Verdict.SAME, f"all {len(common)} equal")
    note = f"{len(apart)} of {len(common)} differ, the first at step {apart[0]}"
    return Row("batches", *texts, Verdict.DIFFERENT, note)


def _loss_row(old: Record, new: Record, tolerance: float, rounding: Rounding | None, reason: str) -> Row:
    difference = _loss_difference(old, new)
    texts = (_last_loss(old), _last_loss(new))
    if difference is None:
        means = "only running means could be seen" if old.losses_are_means or new.losses_are_means else ""
        why = reason or means or _missing_reason(old, new, "loss") or "no common steps"
        return Row("losses", *texts, Verdict.NOT_COMPARED, why)
    if reason:
        return Row("losses", *texts, Verdict.NOT_COMPARED, reason)
    if difference.first_beyond(lambda step: tolerance) is None:
        return Row("losses", *texts, Verdict.SAME, difference.text)
    if rounding is None:
        return Row("losses", *texts, Verdict.DIFFERENT, difference.text)
    beyond = difference.first_beyond(lambda step: max(tolerance, rounding.loss_tolerance(step)))
    if beyond is None:
        return Row("losses", *texts, Verdict.SAME, f"{ROUNDING}: {difference.text}")
    limit = rounding.loss_tolerance(beyond)
    allowed = f"at step {beyond} {difference.gaps[beyond]:.2g}, where rounding grows to {limit:.2g}"
    return Row("losses", *texts, Verdict.DIFFERENT, f"{difference.text}; {allowed}")


def _missing_reason(old: Record, new: Record, what: str) -> str:
    """Returns why one of the records has no ``what`` ("loss" or "batch"); "" if both have it."""
    for side, record in (("OLD", old), ("NEW", new)):
        for event in record.all_events("unseen"):
            if event["what"] == what:
                return f"{side}'s could not be seen: {event['reason']}"
        if not record.by_step(what):
            return f"{side}'s could not be seen"
    return ""


def _last_loss(record: Record) -> str:
    losses = record.by_step("loss")
    return f"{losses[max(losses)]:.9g} at step {max(losses)}" if losses else "-"


def _evaluation_row(old: Record, new: Record, tolerance: float, apart: str, reason: str, timing: str) -> Row:
    before, after = dict(old.evaluations), dict(new.evaluations)
    texts = (_text(sorted(step or 0 for step in before)), _text(sorted(step or 0 for step in after)))
    if not before and not after:
        return Row("evaluations", *texts, Verdict.NOT_COMPARED, "neither program evaluated")
    blind = [side for side, record in (("OLD", old), ("NEW", new)) if not record.attempts[-1].events_of("evaluation")]
    unseen = f"{blind[0]} evaluates in no way that is seen, if at all" if len(blind) == 1 else ""
    if reason or unseen:
        return Row("evaluations", *texts, Verdict.NOT_COMPARED, reason or unseen)
    if timing and not (before and after):
        side = "NEW" if before else "OLD"
        return Row("evaluations", *texts, Verdict.NOT_COMPARED, f"a kill fell before each evaluation of {side}")
    if timing and max(step or 0 for step in before) == max(step or 0 for step in after):
        why = timing if timing in (BY_CLOCK, _BY_THROTTLE) else "a kill may fall before an evaluation"
        return Row("evaluations", *texts, Verdict.SAME, f"the last step only: {why}")
    if before.keys() != after.keys():
        return Row("evaluations", *texts, Verdict.DIFFERENT, "not at the same steps")
    if apart:
        return Row("evaluations", *texts, Verdict.SAME, f"steps only: {apart}")
    common = [(step, metric) for step in before for metric in before[step] if metric in after[step]]
    if not common:
        return Row("evaluations", *texts, Verdict.SAME, "steps only: no metric has the same name in both")
    for step, metric in common:
        one, other = before[step][metric], after[step][metric]
        if not math.isclose(one, other, rel_tol=tolerance) and not (math.isnan(one) and math.isnan(other)):
            return Row("evaluations", *texts, Verdict.DIFFERENT, f"{metric} at step {step}: {one:.9g} and {other:.9g}")
    return Row("evaluations", *texts, Verdict.SAME, ", ".join(dict.fromkeys(metric for _, metric in common)))


def _variable_row(old: Record, new: Record, tolerance: float, rounding: Rounding | None, reason: str) -> Row:
    texts = (f"{len(old.variables)} variables", f"{len(new.variables)} variables")
    if not old.variables or not new.variables:
        return Row("final variables", *texts, Verdict.NOT_COMPARED, reason or "no checkpoint was read")
    if reason:
        return Row("final variables", *texts, Verdict.NOT_COMPARED, reason)
    difference = variable_difference(old.variables, new.variables)
    if difference.relative <= tolerance:
        return Row("final variables", *texts, Verdict.SAME, difference.text)
    if rounding is not None and difference.relative <= rounding.variable_tolerance:
        return Row("final variables", *texts, Verdict.SAME, f"{ROUNDING}: {difference.text}")
    return Row("final variables", *texts, Verdict.DIFFERENT, difference.text)


def _export_rows(old: Record, new: Record, tolerance: float, apart: str) -> Iterator[Row]:
    if not old.exports and not new.exports:
        return
    texts = (exports.signatures_line(old.exports), exports.signatures_line(new.exports))
    found = exports.difference(old.exports, new.exports, tolerance, with_values=not apart)
    if found:
        yield Row("exports", *texts, Verdict.DIFFERENT, found)
        return
    missed = exports.first_failed_signature(old.exports, new.exports)
    reason = f"the signatures only: {apart or missed}" if apart or missed else "signatures and their answers"
    yield Row("exports", *texts, Verdict.SAME, reason)


_MAX_NAMES = 3
"""How many names of lost variables are listed; the others are counted."""


def _readable_names_row(old: Record, new: Record) -> Iterator[Row]:
    """Yields the row of those variables of OLD's checkpoint whose names NEW's checkpoint has too."""
    before, after = ({one.get("key", name) for name, one in r.variables.items()} for r in (old, new))
    lost = sorted(before - after)
    if not before or not after:
        return
    texts = (f"{len(before)} names", f"{len(before) - len(lost)} of them")
    if not lost:
        yield Row("variables that can be read by OLD's names", *texts, Verdict.SAME)
        return
    more = f" and {len(lost) - _MAX_NAMES} more" if len(lost) > _MAX_NAMES else ""
    note = f"not {', '.join(lost[:_MAX_NAMES])}{more}: a program that reads these by name finds none"
    yield Row("variables that can be read by OLD's names", *texts, Verdict.INFORMATION, note)


def _seconds_to_resume(record: Record) -> str:
    seconds = [attempt.seconds_to_first_step for attempt in record.attempts[1:]]
    return ", ".join("-" if each is None else f"{each:.1f}" for each in seconds) or "-"


def _information_row(name: str, old: Record, new: Record, read: Callable[[Record], str]) -> Row:
    return Row(name, read(old), read(new), Verdict.INFORMATION)
