"""Verify a pair of programs: run both undisturbed, then through each fault, and compare."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from migrate.verify import child
from migrate.verify.checkpoint import read_variables
from migrate.verify.compare import Comparison, batches_apart, compare, share_a_state
from migrate.verify.directory import copy_directory
from migrate.verify.faults import FAULTS, Fault, FaultUnavailable
from migrate.verify.faults.kills import Kill
from migrate.verify.faults.raised import ExceptionInHook
from migrate.verify.faults.save import KillInSave
from migrate.verify.interruption import (
    TIMEOUT_SECONDS,
    Progress,
    kept_steps,
    run,
    run_interrupted,
)
from migrate.verify.nursery import Starter
from migrate.verify.program import Program, ProgramError
from migrate.verify.record import Attempt, Record

Converter = Callable[[Path, Path], None]
"""Turns OLD's directory, the first, into one that NEW can start from, the second, which does not exist yet."""

MOST_CHANGES = 64

QUICK = ("exception", "exception-in-hook", "sigkill", "sigkill-in-save")
"""The faults that are tried by default: they show most of what goes wrong, within a minute or two."""

QUICK_CHANGES = 2
"""So many moments of a save are tried by default."""

UNLIKE = "OLD itself draws other batches each time that it is started"
NOT_SHARED = (
    "NEW does not start from OLD's first checkpoint as it is, so that losses and variables are not compared; "
    '--convert "estimator-migrate checkpoint {old} {new} --for NEW" converts it for a Keras program'
)


@dataclass
class Request:
    """What is to be verified.

    Attributes:
      old: the program that is to be matched.
      new: the program that should match.
      faults: names of faults; by default those of ``QUICK``.
      at: the steps to strike at; one between two of OLD's saves by default.
      share_initial: whether both start from OLD's first checkpoint, so that losses can be compared; None for where
        their first losses differ and NEW can read it.
      continue_old: whether NEW goes on from where OLD was interrupted, instead of from an interruption of its own.
      convert: how OLD's directory becomes one that NEW reads; a plain copy by default.
      tolerance: the largest relative difference of losses and variables that counts as none.
      timeout: in seconds for each start.
      changes: how many moments in a save ``sigkill-in-save`` tries at most.
      at_once: how many programs run at the same time.
    """

    old: Program
    new: Program
    faults: list[str] = field(default_factory=lambda: list(QUICK))
    at: list[int] = field(default_factory=list)
    share_initial: bool | None = None
    continue_old: bool = False
    convert: Converter = copy_directory
    tolerance: float = 0.0
    timeout: float = TIMEOUT_SECONDS
    changes: int = QUICK_CHANGES
    at_once: int = 2


@dataclass
class Verification:
    """What came out.

    Attributes:
      request: what was asked for.
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
    def first(self) -> str:
        """The first difference, with its fault; empty if there is none."""
        for title, comparison in self.comparisons:
            if not comparison.matches:
                return f"{title}: {comparison.first}"
        return ""


def verify(request: Request, progress: Progress = lambda what: None) -> Verification:
    """Carry out the request.

    Raises:
      ProgramError: if a program cannot be verified for a reason of its own.
    """
    done = Verification(request)
    try:
        with (
            tempfile.TemporaryDirectory(prefix="migrate-verify-") as place,
            ExitStack() as nurseries,
            _workers(request.at_once) as pool,
        ):
            _verify(done, _Bench(request, Path(place), pool, progress, nurseries))
    finally:
        child.allow_starts()
    return done


@contextmanager
def _workers(count: int) -> Iterator[ThreadPoolExecutor]:
    """Threads that each wait for a program; an error here ends the programs before the threads are waited for."""
    with ThreadPoolExecutor(count) as pool:
        try:
            yield pool
        except BaseException:
            child.stop_all()
            raise


class _Bench:
    """The directories, the workers and the processes with TensorFlow of one verification."""

    def __init__(
        self, request: Request, place: Path, pool: ThreadPoolExecutor, progress: Progress, nurseries: ExitStack
    ) -> None:
        old, learn_old = _forked(request.old, nurseries)
        new, learn_new = _forked(request.new, nurseries)
        self.request = replace(request, old=old, new=new)
        self.plain_old = request.old
        self.learn = learn_old, learn_new
        self.place = place
        self.pool = pool
        self.progress = progress
        self.initial: tuple[Path | None, Path | None] = (None, None)
        self.unlike = ""
        self._made = 0
        self._begun = time.monotonic()
        self._done = 0
        tried = sum(request.changes if name == KillInSave.name else 1 for name in request.faults)
        self._planned = 1 + len(request.at or [1]) * (1 if request.continue_old else tried)

    def directory(self) -> Path:
        """A new path."""
        self._made += 1
        return self.place / f"run-{self._made}"

    def say(self, what: str) -> None:
        """Tell what is being done and, once something has been, how long it may go on."""
        left = max(self._planned - self._done, 1)
        rest = ""
        if self._done:
            rest = f" · about {_duration((time.monotonic() - self._begun) / self._done * left)} to go"
        self.progress(f"{min(self._done + 1, self._planned)} of {self._planned} · {what}{rest}")

    def advance(self) -> None:
        """One of what was planned is done."""
        self._done += 1

    def both(self, fault: Callable[[], Fault | None], what: str) -> tuple[Record, Record]:
        """Run OLD and NEW through a fault of their own each."""
        old, new = self.start("OLD", fault(), what), self.start("NEW", fault(), what)
        return old(), new()

    def start(self, side: str, fault: Fault | None, what: str) -> Callable[[], Record]:
        """Run OLD or NEW through a fault; what is given waits for its end."""
        index = ("OLD", "NEW").index(side)
        running = self.pool.submit(
            run_interrupted,
            (self.request.old, self.request.new)[index],
            fault,
            self.directory(),
            self.initial[index],
            self.request.timeout,
            lambda doing: self.say(f"{what} · {side} · {doing}"),
            self.request.share_initial is not False,
            self.learn[index],
        )
        return lambda: _named(running.result, side)

    def compare(self, old: Record, new: Record, losses: bool | None = None) -> Comparison:
        """What differs; ``losses`` must agree where both began in one checkpoint."""
        losses = True if self.initial[0] is not None else losses
        return compare(old, new, self.request.tolerance, losses, self.unlike)


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def _forked(program: Program, nurseries: ExitStack) -> tuple[Program, Callable[[Attempt], None]]:
    """The program, forked from its second start on, and what learns from the first; one with a launch stays so."""
    if program.launch is not subprocess.Popen:
        return program, lambda attempt: None
    starter = nurseries.enter_context(closing(Starter(program)))
    return replace(program, launch=starter.launch), starter.learn


def _named(result: Callable[[], Record], side: str) -> Record:
    try:
        return result()
    except ProgramError as error:
        raise ProgramError(f"{side}: {error}") from error


def _verify(done: Verification, bench: _Bench) -> None:
    request = done.request
    baseline = bench.both(lambda: None, "undisturbed")
    _expect_sound(baseline[0], "OLD")
    _expect_sound(baseline[1], "NEW")
    if request.share_initial or (request.share_initial is None and not share_a_state(*baseline)):
        baseline = _from_one_checkpoint(done, bench, baseline)
    bench.unlike = _why_unlike(bench, *baseline)
    done.comparisons.append(("undisturbed", bench.compare(*baseline)))
    bench.advance()
    for step in request.at or [default_step(baseline[0])]:
        _expect_within(step, baseline[0], "OLD")
        _expect_within(step, baseline[1], "NEW")
        if request.continue_old:
            bench.say(f"NEW resumes for OLD at step {step}")
            done.comparisons.append((f"NEW resumes for OLD at step {step}", _continued(bench, step)))
            bench.advance()
            continue
        for name in request.faults:
            try:
                _try_fault(done, bench, name, step, baseline)
            except FaultUnavailable as reason:
                done.not_tried.append(f"{name}: {reason}")
                bench.advance()
    if len(done.comparisons) == 1:
        raise ProgramError(f"nothing interrupted the programs: {'; '.join(dict.fromkeys(done.not_tried))}")


def _try_fault(done: Verification, bench: _Bench, name: str, step: int, baseline: tuple[Record, Record]) -> None:
    # A fault in the save itself strikes just before the first save after the step.
    later = [saved for saved in baseline[0].saved_steps if saved > step]
    make: Callable[[], Fault] = lambda: FAULTS[name](step)  # noqa: E731
    if name == ExceptionInHook.name:
        hooks = _common_hooks(*baseline)
        at_saves = [saved for saved in (*later, *reversed(baseline[0].saved_steps)) if saved > 0]
        step = next((saved for saved in at_saves if saved < (baseline[0].final_step or 0)), step)
        make = lambda: ExceptionInHook(step, hooks)  # noqa: E731
    if name != KillInSave.name:
        records = bench.both(make, f"{name} at step {step}")
        done.comparisons.append((f"{name} at step {step}", bench.compare(*records)))
        bench.advance()
        return
    before = (later[0] if later else step + 1) - 1
    for change in range(1, done.request.changes + 1):
        faults = KillInSave(before, change), KillInSave(before, change)
        each = iter(faults)
        records = bench.both(lambda each=each: next(each), f"{name} at change {change} of step {before + 1}")  # type: ignore[misc]
        title = f"{name} at change {change} of the save of step {before + 1}"
        done.comparisons.append((title, bench.compare(*records)))
        bench.advance()
        if all(fault.complete for fault in faults):
            return


def _common_hooks(old: Record, new: Record) -> tuple[str, ...]:
    """The hooks and callbacks of the programs' own that run in both; a migrated hook keeps its name."""
    names = [{event["name"] for event in record.of("hook")} for record in (old, new)]
    if not names[0] & names[1]:
        raise FaultUnavailable("OLD and NEW have no hook or callback of their own in common")
    return tuple(sorted(names[0] & names[1]))


def _expect_sound(record: Record, side: str) -> None:
    if not record.of("tensorflow"):
        raise ProgramError(f"{side} has not imported TensorFlow")
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


def _from_one_checkpoint(done: Verification, bench: _Bench, baseline: tuple[Record, Record]) -> tuple[Record, Record]:
    """The undisturbed runs once more, from OLD's first checkpoint; as they are where nobody insists and NEW cannot."""
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


def _shared_initial(bench: _Bench, old: Record) -> tuple[Path, Path]:
    """OLD's directory after its first save, as it is for OLD and converted for NEW."""
    first = old.saved_steps[0]
    start = bench.directory()
    run(bench.request.old, start, Kill(first + 1), timeout=bench.request.timeout)
    if not kept_steps(start, []):
        raise ProgramError("OLD writes no TensorFlow checkpoint to start from")
    converted = bench.directory()
    bench.request.convert(start, converted)
    return start, converted


def _why_unlike(bench: _Bench, old: Record, new: Record) -> str:
    """Where OLD and NEW drew other batches: whether OLD, started once more, does so too."""
    first = next(iter(batches_apart(old, new)), None)
    if first is None or first >= (old.final_step or 0):
        return ""
    bench.say("undisturbed · OLD once more, for its batches differ from NEW's")
    directory = bench.directory()
    if bench.initial[0] is not None:
        copy_directory(bench.initial[0], directory)
    again = Record([run(bench.plain_old, directory, Kill(first), timeout=bench.request.timeout)], directory)
    return UNLIKE if first in batches_apart(old, again) else ""


def _continued(bench: _Bench, step: int) -> Comparison:
    """OLD is killed at ``step``; OLD goes on in its directory, NEW in a copy."""
    request = bench.request
    place, copy = bench.directory(), bench.directory()
    first = run(request.old, place, Kill(step), timeout=request.timeout)
    request.convert(place, copy)
    runs = [
        bench.pool.submit(_go_on, program, directory, first, request.timeout)
        for program, directory in ((request.old, place), (request.new, copy))
    ]
    return bench.compare(runs[0].result(), runs[1].result(), losses=True)


def _go_on(program: Program, directory: Path, first: Attempt, timeout: float) -> Record:
    handed_over = kept_steps(directory, [first])
    attempts = [first, run(program, directory, timeout=timeout)]
    kept, variables = kept_steps(directory, attempts), read_variables(program, directory)
    return Record(attempts, directory, Kill.name, kept, variables, handed_over=handed_over)
