"""The request of a verification, and the directories, threads and TensorFlow processes that it uses."""

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
"""How many moments of a save are tried by default."""


@dataclass
class Request:
    """What is to be verified.

    Attributes:
      faults: names of faults; by default those of ``QUICK``.
      at: the steps to strike at; one between two of OLD's saves by default.
      share_initial: whether both start from OLD's first checkpoint, so that losses can be compared; None for only if
        their first losses differ and NEW can read it.
      continue_old: whether NEW resumes OLD's interrupted run instead of its own.
      tolerance: the largest relative difference of losses and variables that counts as equal.
      timeout: the seconds for each start.
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
def thread_pool(count: int) -> Iterator[ThreadPoolExecutor]:
    """Yields a pool of threads that wait for programs; on an error it ends the programs before it joins the threads."""
    with ThreadPoolExecutor(count) as pool:
        try:
            yield pool
        except BaseException:
            child.stop_all()
            raise


class Bench:
    """The directories, the threads and the TensorFlow processes of one verification."""

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
        self.batch_reason = ""
        self.rounding: Rounding | None = None
        self.undisturbed: tuple[Record, Record] | None = None
        self._directory_count = 0
        self._done_count = 0
        tried = sum(request.changes if name == KillInSave.name else 1 for name in request.faults)
        self._planned_count = 1 + len(request.at or [1]) * (1 if request.continue_old else tried)

    def directory(self) -> Path:
        self._directory_count += 1
        return self.place / f"run-{self._directory_count}"

    def say(self, what: str) -> None:
        """Reports what is being done, and how much of what is planned is done."""
        self.progress(f"{min(self._done_count + 1, self._planned_count)} of {self._planned_count} · {what}")

    def advance(self) -> None:
        """Counts one planned comparison as done."""
        self._done_count += 1

    def run_both(self, fault: Callable[[], Fault | None], what: str) -> tuple[Record, Record]:
        """Runs OLD and NEW at the same time, each through its own fault, and returns their records."""
        old, new = self.start("OLD", fault(), what), self.start("NEW", fault(), what)
        return old(), new()

    def start(self, side: str, fault: Fault | None, what: str) -> Callable[[], Record]:
        """Starts OLD or NEW with a fault; the returned function waits for the end and returns the record."""
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
        return lambda: _named_result(running.result, side)

    def try_fault(self, make: Callable[[], Fault | None], what: str, undisturbed: tuple[Record, Record]) -> Comparison:
        """Compares both programs after a fault, or NEW with its undisturbed run if it is verified alone."""
        if self.request.alone:
            record = self.start("NEW", make(), what)()
            return compare_with_itself(undisturbed[1], record, self.request.tolerance)
        return self.compare(*self.run_both(make, what))

    def compare(self, old: Record, new: Record, losses: bool | None = None) -> Comparison:
        """Compares two records; their losses must agree if both began from the same checkpoint."""
        losses = True if self.initial[0] is not None else losses
        return compare(old, new, self.request.tolerance, losses, self.batch_reason, self.rounding, self.undisturbed)


def _fork_program(program: Program, nurseries: ExitStack) -> tuple[Program, Callable[[Attempt], None]]:
    """Returns the program, forked from its second start on, and the function to call with its first attempt."""
    if program.launch is not subprocess.Popen:
        return program, lambda attempt: None
    starter = nurseries.enter_context(closing(Starter(program)))
    return replace(program, launch=starter.launch), starter.learn


def _named_result(result: Callable[[], Record], side: str) -> Record:
    try:
        return result()
    except ProgramError as error:
        raise ProgramError(f"{side}: {error}") from error
