"""One verification: what is asked for, its directories, its workers and its processes with TensorFlow."""

import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from migrate.verify import child
from migrate.verify.compare import compare, compare_with_itself
from migrate.verify.comparison import Comparison
from migrate.verify.differences import Rounding
from migrate.verify.faults import Fault
from migrate.verify.faults.save import KillInSave
from migrate.verify.interruption import TIMEOUT_SECONDS, Progress, run_interrupted
from migrate.verify.nursery import Starter
from migrate.verify.record import Attempt, Record
from migrate.verify.training_program import Program, ProgramError

MOST_CHANGES = 64

QUICK = ("exception", "sigkill", "sigkill-in-save")
"""The faults that are tried by default: they show most of what goes wrong, within a minute or two."""

QUICK_CHANGES = 2
"""So many moments of a save are tried by default."""


@dataclass
class Request:
    """What is to be verified.

    Attributes:
      faults: names of faults; by default those of ``QUICK``.
      at: the steps to strike at; one between two of OLD's saves by default.
      share_initial: whether both start from OLD's first checkpoint, so that losses can be compared; None for where
        their first losses differ and NEW can read it.
      continue_old: whether NEW goes on from where OLD was interrupted, instead of from an interruption of its own.
      tolerance: the largest relative difference of losses and variables that counts as none.
      timeout: in seconds for each start.
      changes: how many moments in a save ``sigkill-in-save`` tries at most.
      alone: whether NEW is compared with itself; OLD is then never started.
    """

    old: Program
    new: Program
    faults: list[str] = field(default_factory=lambda: list(QUICK))
    at: list[int] = field(default_factory=list)
    share_initial: bool | None = None
    continue_old: bool = False
    tolerance: float = 0.0
    timeout: float = TIMEOUT_SECONDS
    changes: int = QUICK_CHANGES
    alone: bool = False


@contextmanager
def workers(count: int) -> Iterator[ThreadPoolExecutor]:
    """Threads that each wait for a program; an error here ends the programs before the threads are waited for."""
    with ThreadPoolExecutor(count) as pool:
        try:
            yield pool
        except BaseException:
            child.stop_all()
            raise


class Bench:
    """The directories, the workers and the processes with TensorFlow of one verification."""

    def __init__(
        self, request: Request, place: Path, pool: ThreadPoolExecutor, progress: Progress, nurseries: ExitStack
    ) -> None:
        old, learn_old = _fork_program(request.old, nurseries)
        new, learn_new = _fork_program(request.new, nurseries)
        self.request = replace(request, old=old, new=new)
        self.plain_old = request.old
        self.learn = learn_old, learn_new
        self.place = place
        self.pool = pool
        self.progress = progress
        self.initial: tuple[Path | None, Path | None] = (None, None)
        self.unlike = ""
        self.rounding: Rounding | None = None
        self.undisturbed: tuple[Record, Record] | None = None
        self._made = 0
        self._done = 0
        tried = sum(request.changes if name == KillInSave.name else 1 for name in request.faults)
        self._planned = 1 + len(request.at or [1]) * (1 if request.continue_old else tried)

    def directory(self) -> Path:
        self._made += 1
        return self.place / f"run-{self._made}"

    def say(self, what: str) -> None:
        """Tell what is being done."""
        self.progress(f"{min(self._done + 1, self._planned)} of {self._planned} · {what}")

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
        return lambda: _result_of(running.result, side)

    def try_fault(self, make: Callable[[], Fault | None], what: str, undisturbed: tuple[Record, Record]) -> Comparison:
        """Run the programs through a fault of their own each, and compare them; NEW alone with its undisturbed run."""
        if self.request.alone:
            record = self.start("NEW", make(), what)()
            return compare_with_itself(undisturbed[1], record, self.request.tolerance)
        return self.compare(*self.both(make, what))

    def compare(self, old: Record, new: Record, losses: bool | None = None) -> Comparison:
        """What differs; ``losses`` must agree where both began in one checkpoint."""
        losses = True if self.initial[0] is not None else losses
        return compare(old, new, self.request.tolerance, losses, self.unlike, self.rounding, self.undisturbed)


def _fork_program(program: Program, nurseries: ExitStack) -> tuple[Program, Callable[[Attempt], None]]:
    """The program, forked from its second start on, and what learns from the first; one with a launch stays so."""
    if program.launch is not subprocess.Popen:
        return program, lambda attempt: None
    starter = nurseries.enter_context(closing(Starter(program)))
    return replace(program, launch=starter.launch), starter.learn


def _result_of(result: Callable[[], Record], side: str) -> Record:
    try:
        return result()
    except ProgramError as error:
        raise ProgramError(f"{side}: {error}") from error
