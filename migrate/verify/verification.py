"""Verify a pair of programs: run both undisturbed, then through each fault, and compare."""

import tempfile
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from migrate.verify import child
from migrate.verify.bench import Bench, Request, workers
from migrate.verify.compare import ROUNDED, batches_apart, share_a_state
from migrate.verify.comparison import Comparison, Verdict
from migrate.verify.differences import Rounding, move_weights, read_variables, rounding
from migrate.verify.faults import FAULTS, FaultUnavailable
from migrate.verify.faults.fault import Kill
from migrate.verify.faults.save import KillInSave
from migrate.verify.interruption import Progress, run, run_interrupted, steps_on_disk
from migrate.verify.record import Attempt, Record
from migrate.verify.training_program import OWN, Program, ProgramError, copy_directory

UNLIKE = "OLD itself draws other batches each time that it is started"
NOT_SHARED = "NEW does not start from OLD's first checkpoint as it is, so that losses and variables are not compared"
BEGUN_ANEW = (
    "no interruption came behind a save of the training, so that nothing was resumed but its start; have both programs "
    "save sooner, or train for longer, to see them go on from a checkpoint"
)


@dataclass
class Verification:
    """What came out.

    Attributes:
      comparisons: one for each fault and step, the undisturbed runs first, with the step in its title.
      not_tried: faults that could not be brought about, with the reason.
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
        """The result in a few words: how the programs resume first, and what they compute second.

        Numbers that differ after an interruption and not without one are a matter of resumption.
        """
        found = [one for _, one in self.comparisons]
        without = {name for one in found if not one.fault for name in one.numbers_apart}
        if not all(one.resumes and (not one.fault or one.numbers_apart <= without) for one in found):
            return "Resumption differs"
        for told, names in (
            ("differ", [row.name for one in found for row in one.differences]),
            (
                "differ as rounding does",
                [row.name for one in found for row in one.rows if row.note.startswith(ROUNDED)],
            ),
        ):
            if names:
                *others, last = dict.fromkeys(names)
                return f"Resumption matches; {', '.join(others)}{' and ' if others else ''}{last} {told}"
        seen = {name for one in found for name in one.row_names}
        return "Resumption matches" if "losses" in seen else "Resumption matches; losses were not compared"

    @property
    def first(self) -> str:
        """The first difference, with its fault; empty if there is none."""
        for title, comparison in self.comparisons:
            if not comparison.matches:
                return f"{title}: {comparison.first}"
        return ""


def verify(request: Request, progress: Progress = lambda what: None) -> Verification:
    done = Verification(request)
    try:
        with tempfile.TemporaryDirectory(prefix=OWN) as place, ExitStack() as nurseries, workers(2) as pool:
            # One folder deeper: what a recovery keeps beside the folder around a run's directory is the run's own, too.
            runs = Path(place, "runs")
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
    baseline = bench.both(lambda: None, "undisturbed")
    expect_sound(baseline[0], "OLD")
    expect_sound(baseline[1], "NEW")
    if request.share_initial or (request.share_initial is None and not share_a_state(*baseline)):
        baseline = _from_one_checkpoint(done, bench, baseline)
    bench.unlike = _why_unlike(bench, *baseline)
    if rounding_may_tell(bench.compare(*baseline)):
        bench.rounding = _rounding_of(bench, baseline[0])
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
    _end(done)


def _verify_alone(done: Verification, bench: Bench) -> None:
    """NEW without OLD: each interrupted run beside the undisturbed one."""
    undisturbed = bench.start("NEW", None, "undisturbed")()
    expect_sound(undisturbed, "NEW")
    bench.advance()
    for step in done.request.at or [default_step(undisturbed)]:
        _expect_within(step, undisturbed, "NEW")
        _try_faults(done, bench, step, (undisturbed, undisturbed))
    _end(done)


def _end(done: Verification) -> None:
    interrupted = [comparison.new for _, comparison in done.comparisons if comparison.fault]
    if not interrupted:
        raise ProgramError(f"nothing interrupted the programs: {'; '.join(dict.fromkeys(done.not_tried))}")
    if not any(record.went_on for record in interrupted):
        done.notes.append(BEGUN_ANEW)


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
    # A fault in the save itself strikes just before the first save after the step.
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
    """Raises ProgramError where a program's own undisturbed run does not train or save."""
    if not record.of("tensorflow"):
        ended = f"{side} ended (exit {record.attempts[-1].code}) without importing TensorFlow"
        raise ProgramError(f"{ended}. Is it the program that trains? See --args")
    if not record.of("step"):
        raise ProgramError(
            f"{side} made no step that could be seen: seen are those of an Estimator, of fit, of sessions with a "
            "global step, and of loops that checkpoint their counter"
        )
    if not record.of("save"):
        raise ProgramError(f"{side} never saves a checkpoint or a Keras model: there is nothing to resume from")


def _expect_within(step: int, record: Record, side: str) -> None:
    if record.final_step is not None and record.final_step < 2:
        raise ProgramError(f"{side} ends at step {record.final_step}, too soon to be interrupted: let it train longer")
    if record.final_step is None or record.final_step <= step:
        raise ProgramError(f"{side} ends at step {record.final_step}: choose a step before that, not {step}")


def default_step(record: Record) -> int:
    """A step between two saves, in the middle of the run, so that there is something to lose and something to keep."""
    saved = [step for step in record.saved_steps if step > 0] or [0]
    final = record.final_step or 0
    ends = [*saved[1:], final]
    gaps = [(low, high) for low, high in zip(saved, ends, strict=True) if high - low > 1 and high <= final]
    if not gaps:
        return max(final // 2, 1)
    low, high = gaps[len(gaps) // 2]
    return low + (high - low + 1) // 2


def _from_one_checkpoint(done: Verification, bench: Bench, baseline: tuple[Record, Record]) -> tuple[Record, Record]:
    """Runs both once more from OLD's first checkpoint, if NEW can read it or the user insists."""
    insists = bool(bench.request.share_initial)
    what = "undisturbed, from one checkpoint"
    try:
        bench.initial = _shared_initial(bench, baseline[0])
        waiting = bench.start("NEW", None, what)
        # OLD at the same time only where NEW, which writes OLD's names, is likely to read them.
        old = bench.start("OLD", None, what) if insists or _share_names(*baseline) else None
        new = waiting()
        if insists or (new.finished and any(event["phase"] == "train" for event in new.of("restore"))):
            return (old or bench.start("OLD", None, what))(), new
    except ProgramError:
        if insists:
            raise
    bench.initial = (None, None)
    done.notes.append(NOT_SHARED)
    return baseline


def _share_names(old: Record, new: Record) -> bool:
    """Whether the checkpoints of both have a name in common."""
    before, after = ({one.get("key", name) for name, one in record.variables.items()} for record in (old, new))
    return bool(before & after)


def _shared_initial(bench: Bench, old: Record) -> tuple[Path, Path]:
    """OLD's directory after its first save, and a copy for NEW."""
    first = old.saved_steps[0]
    start = bench.directory()
    run(bench.request.old, start, Kill(first + 1), timeout=bench.request.timeout)
    if not steps_on_disk(start, []):
        raise ProgramError("OLD writes no TensorFlow checkpoint to start from")
    copy = bench.directory()
    copy_directory(start, copy)
    return start, copy


def _why_unlike(bench: Bench, old: Record, new: Record) -> str:
    """Where OLD and NEW drew other batches: whether OLD, started once more, does so too.

    It goes as far as they differ: one batch of a few examples may come out the same by chance.
    """
    apart = batches_apart(old, new)
    if not apart or apart[0] >= (old.final_step or 0):
        return ""
    bench.say("undisturbed · OLD once more, for its batches differ from NEW's")
    directory = bench.directory()
    if bench.initial[0] is not None:
        copy_directory(bench.initial[0], directory)
    ending = Kill(apart[-1]) if apart[-1] < (old.final_step or 0) else None
    again = Record([run(bench.plain_old, directory, ending, timeout=bench.request.timeout)], directory)
    return UNLIKE if set(apart) & set(batches_apart(old, again)) else ""


def rounding_may_tell(undisturbed: Comparison) -> bool:
    """Whether numbers differ without an interruption: variables may where all losses are equal to the last bit."""
    return any(undisturbed.row(name).verdict is Verdict.DIFFERENT for name in ("losses", "final variables"))


def _rounding_of(bench: Bench, old: Record) -> Rounding | None:
    """What one rounding grows to in OLD, by two runs from its first checkpoint of a step; None where it has none."""
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
        bench.pool.submit(_go_on, program, directory, first, request.timeout)
        for program, directory in ((request.old, place), (request.new, copy))
    ]
    return bench.compare(runs[0].result(), runs[1].result(), losses=True)


def _go_on(program: Program, directory: Path, first: Attempt, timeout: float) -> Record:
    handed_over = steps_on_disk(directory, [first])
    attempts = [first, run(program, directory, timeout=timeout)]
    kept, variables = steps_on_disk(directory, attempts), read_variables(program, directory)
    return Record(attempts, directory, Kill.name, kept, variables, handed_over=handed_over)
