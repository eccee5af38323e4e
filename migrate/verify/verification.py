"""Verifies a pair of programs: runs both undisturbed, then through each fault, and compares them."""

import tempfile
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from migrate.verify import child
from migrate.verify.bench import Bench, Request, thread_pool
from migrate.verify.compare import ROUNDING, differing_batches, share_initial_state
from migrate.verify.comparison import Comparison, Verdict
from migrate.verify.differences import Rounding, move_weights, read_variables, rounding
from migrate.verify.faults import FAULTS, FaultUnavailable
from migrate.verify.faults.fault import Kill
from migrate.verify.faults.save import KillInSave
from migrate.verify.interruption import Progress, run, run_interrupted, steps_on_disk
from migrate.verify.record import Attempt, Record
from migrate.verify.training_program import PREFIX, Program, ProgramError, copy_directory

RANDOM_BATCHES = "OLD itself draws other batches each time that it is started"
OTHER_WEIGHTS = "NEW does not start from OLD's first checkpoint as it is, so that losses and variables are not compared"
NOTHING_RESUMED = (
    "no interruption came after a save of the training, so that nothing was resumed but its start; have both programs "
    "save sooner, or train for longer, to see them resume from a checkpoint"
)


@dataclass
class Verification:
    """The result of verifying two programs, or one with itself.

    Attributes:
      comparisons: the title and the comparison of each fault and step; that of the undisturbed runs first.
      not_tried: faults that could not be tried, with the reason.
      notes: what else the reader should know.
    """

    request: Request
    comparisons: list[tuple[str, Comparison]] = field(default_factory=list)
    not_tried: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def matches(self) -> bool:
        """Whether nothing that was compared differs."""
        return all(comparison.matches for _, comparison in self.comparisons)

    @property
    def headline(self) -> str:
        """The result in a few words: whether the programs resume alike, and what they compute differently."""
        # Numbers that differ only after an interruption are a difference of resumption.
        found = [one for _, one in self.comparisons]
        without = {name for one in found if not one.fault for name in one.differing_numbers}
        if not all(one.resumes and (not one.fault or one.differing_numbers <= without) for one in found):
            return "Resumption differs"
        for verb, names in (
            ("differ", [row.name for one in found for row in one.differences]),
            (
                "differ as rounding does",
                [row.name for one in found for row in one.rows if row.note.startswith(ROUNDING)],
            ),
        ):
            if names:
                *others, last = dict.fromkeys(names)
                return f"Resumption matches; {', '.join(others)}{' and ' if others else ''}{last} {verb}"
        seen = {name for one in found for name in one.row_names}
        return "Resumption matches" if "losses" in seen else "Resumption matches; losses were not compared"

    @property
    def first(self) -> str:
        """The first difference, with its fault; "" if there is none."""
        for title, comparison in self.comparisons:
            if not comparison.matches:
                return f"{title}: {comparison.first}"
        return ""


def verify(request: Request, progress: Progress = lambda what: None) -> Verification:
    done = Verification(request)
    try:
        with tempfile.TemporaryDirectory(prefix=PREFIX) as top, ExitStack() as nurseries, thread_pool(2) as pool:
            # One directory deeper, because a recovery may write into the parent of the parent of a run's directory.
            runs = Path(top, "runs")
            runs.mkdir()
            _verify(done, Bench(request, runs, pool, progress, nurseries))
    finally:
        child.allow_starts()
    return done


def _verify(done: Verification, bench: Bench) -> None:
    request = done.request
    if request.alone:
        _verify_alone(done, bench)
        return
    baseline = bench.run_both(lambda: None, "undisturbed")
    expect_sound(baseline[0], "OLD")
    expect_sound(baseline[1], "NEW")
    if request.share_initial or (request.share_initial is None and not share_initial_state(*baseline)):
        baseline = _share_checkpoint(done, bench, baseline)
    bench.batch_reason = _batch_reason(bench, *baseline)
    if rounding_may_tell(bench.compare(*baseline)):
        bench.rounding = _measure_rounding(bench, baseline[0])
    done.comparisons.append(("undisturbed", bench.compare(*baseline)))
    bench.advance()
    bench.undisturbed = baseline
    for step in request.at or [default_step(baseline[0])]:
        _expect_within(step, baseline[0], "OLD")
        _expect_within(step, baseline[1], "NEW")
        if request.continue_old:
            bench.say(f"NEW resumes for OLD at step {step}")
            done.comparisons.append((f"NEW resumes for OLD at step {step}", _compare_continued(bench, step)))
            bench.advance()
        else:
            _try_faults(done, bench, step, baseline)
    _finish(done)


def _verify_alone(done: Verification, bench: Bench) -> None:
    """Compares each interrupted run of NEW with its undisturbed run."""
    undisturbed = bench.start("NEW", None, "undisturbed")()
    expect_sound(undisturbed, "NEW")
    bench.advance()
    for step in done.request.at or [default_step(undisturbed)]:
        _expect_within(step, undisturbed, "NEW")
        _try_faults(done, bench, step, (undisturbed, undisturbed))
    _finish(done)


def _finish(done: Verification) -> None:
    interrupted = [comparison.new for _, comparison in done.comparisons if comparison.fault]
    if not interrupted:
        raise ProgramError(f"nothing interrupted the programs: {'; '.join(dict.fromkeys(done.not_tried))}")
    if not any(record.resumed_later for record in interrupted):
        done.notes.append(NOTHING_RESUMED)


def _try_faults(done: Verification, bench: Bench, step: int, baseline: tuple[Record, Record]) -> None:
    for name in done.request.faults:
        try:
            _try_fault(done, bench, name, step, baseline)
        except FaultUnavailable as reason:
            done.not_tried.append(f"{name}: {reason}")
            bench.advance()


def _try_fault(done: Verification, bench: Bench, name: str, step: int, baseline: tuple[Record, Record]) -> None:
    if name != KillInSave.name:
        title = f"{name} at step {step}"
        done.comparisons.append((title, bench.try_fault(lambda: FAULTS[name](step), title, baseline)))
        bench.advance()
        return
    # A fault in a save strikes one step before the first save after ``step``.
    before = next((saved for saved in baseline[0].saved_steps if saved > step), step + 1) - 1
    for change in range(1, done.request.changes + 1):
        faults = KillInSave(before, change), KillInSave(before, change)
        each = iter(faults)
        title = f"killed during the save of step {before + 1} (file operation {change})"
        done.comparisons.append((title, bench.try_fault(lambda each=each: next(each), title, baseline)))  # type: ignore[misc]
        bench.advance()
        if all(fault.complete for fault in faults[: 1 if done.request.alone else 2]):
            return


def expect_sound(record: Record, side: str) -> None:
    """Raises ProgramError if a program's undisturbed run does not train or save."""
    if not record.all_events("tensorflow"):
        ended = f"{side} ended (exit {record.attempts[-1].code}) without importing TensorFlow"
        raise ProgramError(f"{ended}. Is it the program that trains? See --args")
    if not record.all_events("step"):
        raise ProgramError(
            f"{side} made no step that could be seen: seen are those of an Estimator, of fit, of sessions with a "
            "global step, and of loops that checkpoint their counter"
        )
    if not record.all_events("save"):
        raise ProgramError(f"{side} never saves a checkpoint or a Keras model: there is nothing to resume from")


def _expect_within(step: int, record: Record, side: str) -> None:
    if record.final_step is not None and record.final_step < 2:
        raise ProgramError(f"{side} ends at step {record.final_step}, too soon to be interrupted: let it train longer")
    if record.final_step is None or record.final_step <= step:
        raise ProgramError(f"{side} ends at step {record.final_step}: choose a step before that, not {step}")


def default_step(record: Record) -> int:
    """Returns a step between two saves in the middle of the run, so that a fault loses some steps but not all."""
    saved = [step for step in record.saved_steps if step > 0] or [0]
    final = record.final_step or 0
    ends = [*saved[1:], final]
    gaps = [(low, high) for low, high in zip(saved, ends, strict=True) if high - low > 1 and high <= final]
    if not gaps:
        return max(final // 2, 1)
    low, high = gaps[len(gaps) // 2]
    return low + (high - low + 1) // 2


def _share_checkpoint(done: Verification, bench: Bench, baseline: tuple[Record, Record]) -> tuple[Record, Record]:
    """Runs both again from OLD's first checkpoint if NEW can read it or the user insists; else returns ``baseline``."""
    insists = bool(bench.request.share_initial)
    what = "undisturbed, from one checkpoint"
    try:
        bench.initial = _shared_initial(bench, baseline[0])
        waiting = bench.start("NEW", None, what)
        # Start OLD at the same time only if NEW writes some of OLD's names, so that it probably reads them too.
        old = bench.start("OLD", None, what) if insists or _share_names(*baseline) else None
        new = waiting()
        if insists or (new.finished and any(event["phase"] == "train" for event in new.all_events("restore"))):
            return (old or bench.start("OLD", None, what))(), new
    except ProgramError:
        if insists:
            raise
    bench.initial = (None, None)
    done.notes.append(OTHER_WEIGHTS)
    return baseline


def _share_names(old: Record, new: Record) -> bool:
    """Whether the checkpoints of both have a variable's name in common."""
    before, after = ({one.get("key", name) for name, one in record.variables.items()} for record in (old, new))
    return bool(before & after)


def _shared_initial(bench: Bench, old: Record) -> tuple[Path, Path]:
    """Returns OLD's directory after its first save, and a copy of it for NEW."""
    first = old.saved_steps[0]
    start = bench.directory()
    run(bench.request.old, start, Kill(first + 1), timeout=bench.request.timeout)
    if not steps_on_disk(start, []):
        raise ProgramError("OLD writes no TensorFlow checkpoint to start from")
    copy = bench.directory()
    copy_directory(start, copy)
    return start, copy


def _batch_reason(bench: Bench, old: Record, new: Record) -> str:
    """Returns ``RANDOM_BATCHES`` if OLD and NEW have different batches, and OLD has others when run again; else ""."""
    apart = differing_batches(old, new)
    if not apart or apart[0] >= (old.final_step or 0):
        return ""
    bench.say("undisturbed · OLD once more, for its batches differ from NEW's")
    directory = bench.directory()
    if bench.initial[0] is not None:
        copy_directory(bench.initial[0], directory)
    ending = Kill(apart[-1]) if apart[-1] < (old.final_step or 0) else None  # one small batch may be equal by chance
    again = Record([run(bench.plain_old, directory, ending, timeout=bench.request.timeout)], directory)
    return RANDOM_BATCHES if set(apart) & set(differing_batches(old, again)) else ""


def rounding_may_tell(undisturbed: Comparison) -> bool:
    """Whether losses or variables differ without an interruption, so that rounding may be the reason."""
    return any(undisturbed.row(name).verdict is Verdict.DIFFERENT for name in ("losses", "final variables"))


def _measure_rounding(bench: Bench, old: Record) -> Rounding | None:
    """Measures what one rounding grows to in OLD by two runs from its first checkpoint after step 0; None without."""
    begun = next((step for step in old.saved_steps if step > 0), None)
    if begun is None or begun >= (old.final_step or 0):
        return None
    bench.say("how far one rounding takes OLD")
    start, moved = bench.directory(), bench.directory()
    if bench.initial[0] is not None:
        copy_directory(bench.initial[0], start)
    run(bench.request.old, start, Kill(begun + 1), timeout=bench.request.timeout)
    copy_directory(start, moved)
    if not steps_on_disk(start, []) or not move_weights(bench.request.old, moved):
        return None
    waiting = [
        bench.pool.submit(
            run_interrupted, bench.request.old, None, bench.directory(), initial, bench.request.timeout, variables=True
        )
        for initial in (start, moved)
    ]
    plain, other = (one.result() for one in waiting)
    return rounding(plain, other, begun)


def _compare_continued(bench: Bench, step: int) -> Comparison:
    """Kills OLD at ``step``, lets OLD resume in its directory and NEW in a copy, and compares them."""
    request = bench.request
    place, copy = bench.directory(), bench.directory()
    first = run(request.old, place, Kill(step), timeout=request.timeout)
    copy_directory(place, copy)
    runs = [
        bench.pool.submit(_resume, program, directory, first, request.timeout)
        for program, directory in ((request.old, place), (request.new, copy))
    ]
    return bench.compare(runs[0].result(), runs[1].result(), losses=True)


def _resume(program: Program, directory: Path, first: Attempt, timeout: float) -> Record:
    handed_over = steps_on_disk(directory, [first])
    attempts = [first, run(program, directory, timeout=timeout)]
    kept, variables = steps_on_disk(directory, attempts), read_variables(program, directory)
    return Record(attempts, directory, Kill.name, kept, variables, handed_over=handed_over)
