"""Two records of one fault, OLD and NEW, side by side: what is the same, what differs, what could not be compared."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise

from migrate.verify import exports, own
from migrate.verify.comparison import Comparison, Row, Verdict
from migrate.verify.differences import LossDifference, Rounding, loss_difference, variable_difference
from migrate.verify.faults import FAULTS
from migrate.verify.record import Attempt, Record

AS_UNDISTURBED = "ends as its own undisturbed run"

ROUNDED = "they differ as rounding does"

BY_CLOCK = "the job saves by the clock, each run at steps of its own"
_BY_THROTTLE = "throttle_secs of its EvalSpec passed as it ran, and the clock settles the others"

INITIAL_WEIGHTS = "the initial weights of OLD and NEW differ"
"""Why losses are not compared where ``--share-initial`` would have them compared."""


def compare_with_itself(undisturbed: Record, interrupted: Record, tolerance: float = 0.0) -> Comparison:
    """Compare an interrupted run with an undisturbed one of the same program."""
    found = [*own.rows(undisturbed, interrupted, tolerance)]
    return Comparison(interrupted.fault, found, undisturbed, interrupted, ("undisturbed", "interrupted"))


def compare(
    old: Record,
    new: Record,
    tolerance: float = 0.0,
    losses: bool | None = None,
    unlike: str = "",
    rounding: Rounding | None = None,
    undisturbed: tuple[Record, Record] | None = None,
) -> Comparison:
    """Compare two records of the same fault.

    Where a fault strikes the two at moments of their own, as random kills do, NEW must go on from a step that it has
    saved and lose no more than OLD's longest way between two saves. A job that saves by the clock does so at other
    steps in each run: where it goes on from another step than OLD, it must be one that it has saved. Where OLD could
    not start again by itself, NEW has no resumption to match: it need only come to the same end. A program that makes
    several steps in one call is struck when the call is over, so the steps it loses and repeats are shown but not
    compared.

    Args:
      losses: whether losses, evaluations and final variables must agree. By default they must where the first losses of
        both are equal to the last bit, which shows that the two began in one state.
      rounding: what one rounding grows to, where the two run on other lines of TensorFlow; no more is a difference.
      undisturbed: the runs of both without a fault, which each is compared with first.
      unlike: why not even two runs of OLD have the same batches; then neither these nor what follows from them counts.
    """
    shared = share_a_state(old, new) if losses is None else losses
    apart = unlike or ("" if shared else INITIAL_WEIGHTS)
    without_old = "OLD could not start again" if old.needs_person else _went_back_further(old, new)
    moments = (
        "each program was interrupted at a time of its own"
        if new.fault and not FAULTS[new.fault].same_moment
        else _clock_reason(old, new, lambda record: record.resumed_at)
    )
    answers = max(tolerance, rounding.of_answers if rounding is not None else 0.0)
    evaluated = moments or _clock_reason(old, new, _evaluated_at) or _throttle_reason(old, new)
    rows = [
        _needs_person(old, new),
        *_steps(old, new, without_old, moments),
        *([_compare_with_undisturbed(old, new, undisturbed, tolerance)] if undisturbed is not None else []),
        _batches(old, new, without_old or moments or unlike),
        _losses(old, new, tolerance, rounding, without_old or moments or apart),
        _evaluations(old, new, answers, apart, without_old, evaluated),
        _variables(old, new, tolerance, rounding, without_old or moments or apart),
        *_exports(old, new, answers, apart),
        *_read_by_name(old, new),
        _information("seconds to resume", old, new, _seconds_to_resume),
        _information("seconds in saves", old, new, lambda record: f"{record.seconds_in_saves:.3f}"),
    ]
    return Comparison(new.fault or old.fault, rows, old, new)


def _steps(old: Record, new: Record, without_old: str, moments: str) -> Iterator[Row]:
    """Where the two went on, what they lost and repeated, and what they saved."""
    if moments:
        yield _resumed_at_a_save(old, new)
        yield _most_lost(old, new)
    yield _equal("resumed at step", old, new, lambda record: record.resumed_at, without_old or moments)
    yield _equal("final step", old, new, lambda record: record.final_step, without_old if old.needs_person else "")
    uneven = without_old or moments or _fault_after_step(old) or _fault_after_step(new)
    yield _equal("steps lost", old, new, lambda record: record.steps_lost, uneven)
    yield _equal("steps repeated", old, new, lambda record: record.steps_repeated, uneven)
    yield _equal("steps run", old, new, lambda record: record.steps_run, uneven)
    saves = without_old or _clock_reason(old, new, _own_saves)
    unsaved = "" if old.saved_steps or new.saved_steps else "neither program saved"
    yield _equal("saved at steps", old, new, _own_saves, saves or unsaved)
    yield _compare_kept(old, new, saves or _nothing_kept(old, new))


def _compare_with_undisturbed(old: Record, new: Record, undisturbed: tuple[Record, Record], tolerance: float) -> Row:
    """Each program's interrupted run beside its own undisturbed one; what OLD itself does not do NEW need not."""
    found = [own.difference(*pair, tolerance) for pair in zip(undisturbed, (old, new), strict=True)]
    texts = [f"no: {one}" if one else "yes" for one in found]
    reasons = [own.not_comparable(*pair) for pair in zip(undisturbed, (old, new), strict=True)]
    note = f"but for losses: {reasons[1]}" if reasons[1] and not found[1] else ""
    is_unknown = bool(reasons[0]) and found[1].startswith(("losses", "final variables"))
    verdict = Verdict.SAME if not found[1] else Verdict.DIFFERENT
    verdict = Verdict.INFORMATION if found[0] or is_unknown else verdict
    return Row(AS_UNDISTURBED, texts[0], texts[1], verdict, note)


def _went_back_further(old: Record, new: Record) -> str:
    """Why the two differ after damage that NEW stood better: it went on from a checkpoint that OLD passed over."""
    if not new.fault or not FAULTS[new.fault].damages:
        return ""
    starts = zip(old.attempts[1:], new.attempts[1:], strict=False)
    pairs = [(a, b) for a, b in starts if a.started_at is not None and b.started_at is not None]
    better = pairs and all(_is_further(a) < _is_further(b) and b.started_at in new.saved_steps for a, b in pairs)
    return "OLD went back further, past a checkpoint that was there" if better else ""


def _is_further(attempt: Attempt) -> tuple[int, bool]:
    """Returns how far a start resumes: step 0 of a checkpoint is further than a new state."""
    return attempt.started_at or 0, any(event["phase"] == "train" for event in attempt.of("restore"))


def share_a_state(old: Record, new: Record) -> bool:
    """Whether the first losses of both are equal to the last bit."""
    difference = _loss_difference(old, new)
    return difference is not None and difference.first_equal


def _loss_difference(old: Record, new: Record) -> LossDifference | None:
    if old.losses_are_means or new.losses_are_means:
        return None
    return loss_difference(old.by_step("loss"), new.by_step("loss"))


def _clock_reason(old: Record, new: Record, read: Callable[[Record], object]) -> str:
    """Why something may differ that comes with the saves; empty where it does not, or where steps settle the saves."""
    return BY_CLOCK if (old.saves_by_clock or new.saves_by_clock) and read(old) != read(new) else ""


def _throttle_reason(old: Record, new: Record) -> str:
    """Why evaluations may be at other steps where ``train_and_evaluate`` lets some time pass between two."""
    longest = max(one.ended - one.began for record in (old, new) for one in record.attempts)
    throttled = any(0 < event["seconds"] < longest for event in old.of("evaluates_by_clock"))
    return _BY_THROTTLE if throttled and _evaluated_at(old) != _evaluated_at(new) else ""


def _evaluated_at(record: Record) -> set[int | None]:
    return {step for step, _ in record.evaluations}


def _resumed_at_a_save(old: Record, new: Record) -> Row:
    unsaved = [[at for at in record.resumed_at if at not in (None, 0, *record.saved_steps)] for record in (old, new)]
    texts = [f"not at {_show(steps)}" if steps else "always" for steps in unsaved]
    verdict = Verdict.DIFFERENT if unsaved[1] and not unsaved[0] else Verdict.SAME
    return Row("resumed at a saved step", texts[0], texts[1], verdict)


def _most_lost(old: Record, new: Record) -> Row:
    lost = [max((steps for steps in record.steps_lost if steps is not None), default=0) for record in (old, new)]
    longest = max((after - before for before, after in pairwise([0, *old.saved_steps])), default=0)
    verdict = Verdict.DIFFERENT if lost[1] > longest else Verdict.SAME
    if new.saves_by_clock:
        verdict = Verdict.INFORMATION
    return Row("most steps lost at once", str(lost[0]), str(lost[1]), verdict, f"{longest} steps between two saves")


def _fault_after_step(record: Record) -> str:
    for attempt in record.attempts:
        if attempt.fault and attempt.fault["step"] > attempt.fault["wanted"]:
            step, wanted = attempt.fault["step"], attempt.fault["wanted"]
            return f"several steps a call: interrupted at step {step}, not at step {wanted}"
    return ""


def _needs_person(old: Record, new: Record) -> Row:
    """A new program that starts again where the old one could not is better, and no difference."""
    texts = [record.attempts[-1].error if record.needs_person else "none" for record in (old, new)]
    if new.needs_person:
        verdict = Verdict.SAME if old.needs_person else Verdict.DIFFERENT
    else:
        verdict = Verdict.SAME if not old.needs_person else Verdict.INFORMATION
    return Row("failed starts", texts[0], texts[1], verdict)


def _equal(name: str, old: Record, new: Record, read: Callable[[Record], object], reason: str) -> Row:
    before, after = read(old), read(new)
    if reason:
        return Row(name, _show(before), _show(after), Verdict.NOT_COMPARED, reason)
    return Row(name, _show(before), _show(after), Verdict.SAME if before == after else Verdict.DIFFERENT)


def _show(value: object) -> str:
    if isinstance(value, list):
        return ", ".join("none" if each is None else str(each) for each in value) or "-"
    return "-" if value is None else str(value)


def _own_saves(record: Record) -> list[int]:
    """Without the steps of checkpoints that were there before: an Estimator saves again at the step it restores."""
    return [step for step in record.saved_steps if step not in record.handed_over]


def _compare_kept(old: Record, new: Record, reason: str) -> Row:
    """What each keeps of its own saves: OLD deletes its earlier ones in time, NEW none that another program wrote."""
    row = _equal("checkpoints kept", old, new, lambda r: [s for s in r.kept if s not in r.handed_over], reason)
    if reason or not new.handed_over:
        return row
    before = [_show([step for step in record.handed_over if step in record.kept]) for record in (old, new)]
    return replace(row, note=f"kept from the run before: OLD {before[0]}, NEW {before[1]}")


def _nothing_kept(old: Record, new: Record) -> str:
    """Why the checkpoints kept cannot be compared: a program that saves by Keras alone keeps other files."""
    if not old.kept and not new.kept:
        return "neither directory holds a TensorFlow checkpoint"
    for side, record in (("OLD", old), ("NEW", new)):
        if not record.kept and not any(event["kind"] in ("checkpoint", "saver") for event in record.of("save")):
            return f"{side} keeps no TensorFlow checkpoints"
    return ""


def batches_apart(old: Record, new: Record) -> list[int]:
    """The steps that both records made, with other batches."""
    before, after = old.by_step("batch"), new.by_step("batch")
    return [step for step in sorted(before.keys() & after.keys()) if before[step] != after[step]]


def _batches(old: Record, new: Record, reason: str) -> Row:
    before, after = old.by_step("batch"), new.by_step("batch")
    common = before.keys() & after.keys()
    texts = (f"{len(before)} steps seen", f"{len(after)} steps seen")
    if reason or not common:
        return Row("batches", *texts, Verdict.NOT_COMPARED, reason or _unseen(old, new, "batch") or "no common steps")
    apart = batches_apart(old, new)
    if not apart:
        return Row("batches", *texts, Verdict.SAME, f"all {len(common)} equal")
    note = f"{len(apart)} of {len(common)} differ, the first at step {apart[0]}"
    return Row("batches", *texts, Verdict.DIFFERENT, note)


def _losses(old: Record, new: Record, tolerance: float, rounding: Rounding | None, reason: str) -> Row:
    difference = _loss_difference(old, new)
    texts = (_last_loss(old), _last_loss(new))
    if difference is None:
        means = "only running means could be seen" if old.losses_are_means or new.losses_are_means else ""
        why = reason or means or _unseen(old, new, "loss") or "no common steps"
        return Row("losses", *texts, Verdict.NOT_COMPARED, why)
    if reason:
        return Row("losses", *texts, Verdict.NOT_COMPARED, reason)
    if difference.beyond(lambda step: tolerance) is None:
        return Row("losses", *texts, Verdict.SAME, difference.text)
    if rounding is None:
        return Row("losses", *texts, Verdict.DIFFERENT, difference.text)
    beyond = difference.beyond(lambda step: max(tolerance, rounding.until(step)))
    if beyond is None:
        return Row("losses", *texts, Verdict.SAME, f"{ROUNDED}: {difference.text}")
    allowed = f"at step {beyond} {difference.gaps[beyond]:.2g}, where rounding grows to {rounding.until(beyond):.2g}"
    return Row("losses", *texts, Verdict.DIFFERENT, f"{difference.text}; {allowed}")


def _unseen(old: Record, new: Record, what: str) -> str:
    """Why the recorder saw none of them, where it knows."""
    for side, record in (("OLD", old), ("NEW", new)):
        for event in record.of("unseen"):
            if event["what"] == what:
                return f"{side}'s could not be seen: {event['reason']}"
        if not record.by_step(what):
            return f"{side}'s could not be seen"
    return ""


def _last_loss(record: Record) -> str:
    losses = record.by_step("loss")
    return f"{losses[max(losses)]:.9g} at step {max(losses)}" if losses else "-"


def _evaluations(old: Record, new: Record, tolerance: float, apart: str, reason: str, moments: str) -> Row:
    before, after = dict(old.evaluations), dict(new.evaluations)
    texts = (_show(sorted(step or 0 for step in before)), _show(sorted(step or 0 for step in after)))
    if not before and not after:
        return Row("evaluations", *texts, Verdict.NOT_COMPARED, "neither program evaluated")
    blind = [side for side, record in (("OLD", old), ("NEW", new)) if not record.attempts[-1].of("evaluation")]
    unseen = f"{blind[0]} evaluates in no way that is seen, if at all" if len(blind) == 1 else ""
    if reason or unseen:
        return Row("evaluations", *texts, Verdict.NOT_COMPARED, reason or unseen)
    if moments and not (before and after):
        side = "NEW" if before else "OLD"
        return Row("evaluations", *texts, Verdict.NOT_COMPARED, f"a kill fell before each evaluation of {side}")
    if moments and max(step or 0 for step in before) == max(step or 0 for step in after):
        why = moments if moments in (BY_CLOCK, _BY_THROTTLE) else "a kill may fall before an evaluation"
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


def _variables(old: Record, new: Record, tolerance: float, rounding: Rounding | None, reason: str) -> Row:
    texts = (f"{len(old.variables)} variables", f"{len(new.variables)} variables")
    if not old.variables or not new.variables:
        return Row("final variables", *texts, Verdict.NOT_COMPARED, reason or "no checkpoint was read")
    if reason:
        return Row("final variables", *texts, Verdict.NOT_COMPARED, reason)
    difference = variable_difference(old.variables, new.variables)
    if difference.relative <= tolerance:
        return Row("final variables", *texts, Verdict.SAME, difference.text)
    if rounding is not None and difference.relative <= rounding.of_variables:
        return Row("final variables", *texts, Verdict.SAME, f"{ROUNDED}: {difference.text}")
    return Row("final variables", *texts, Verdict.DIFFERENT, difference.text)


def _exports(old: Record, new: Record, tolerance: float, apart: str) -> Iterator[Row]:
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


_SHOWN = 3
"""So many names are told, and then how many more there are."""


def _read_by_name(old: Record, new: Record) -> Iterator[Row]:
    """What a later program that reads OLD's checkpoints by the variables' names finds in NEW's."""
    before, after = ({one.get("key", name) for name, one in r.variables.items()} for r in (old, new))
    lost = sorted(before - after)
    if not before or not after:
        return
    texts = (f"{len(before)} names", f"{len(before) - len(lost)} of them")
    if not lost:
        yield Row("variables that can be read by OLD's names", *texts, Verdict.SAME)
        return
    more = f" and {len(lost) - _SHOWN} more" if len(lost) > _SHOWN else ""
    note = f"not {', '.join(lost[:_SHOWN])}{more}: a program that reads these by name finds none"
    yield Row("variables that can be read by OLD's names", *texts, Verdict.INFORMATION, note)


def _seconds_to_resume(record: Record) -> str:
    seconds = [attempt.seconds_to_first_step for attempt in record.attempts[1:]]
    return ", ".join("-" if each is None else f"{each:.1f}" for each in seconds) or "-"


def _information(name: str, old: Record, new: Record, read: Callable[[Record], str]) -> Row:
    return Row(name, read(old), read(new), Verdict.INFORMATION)
