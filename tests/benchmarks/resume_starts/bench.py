"""One program: how it is killed and started again, and what its old code does from the same files."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.benchmarks.resume_starts import variants
from tests.benchmarks.resume_starts.jobs import Job, Start
from tests.benchmarks.resume_starts.variants import Variant
from tests.benchmarks.resume_starts.verdicts import (
    NOT_TRIED,
    RIGHT,
    WRONG,
    Verdict,
    after_kill,
    as_the_old,
    begun,
    error_of,
    next_training,
    same,
    same_end,
)

PLAIN = Variant("as it is")


@dataclass
class Bench:
    """One program and what is known of it.

    Args:
      job: the job, not yet begun.
      args: the arguments by which it trains.
      undisturbed: the start of the old code that nothing stopped.
    """

    job: Job
    args: list[str]
    undisturbed: Start
    resuming: Variant | None = None
    ended: Job | None = None
    verdicts: list[Verdict] = field(default_factory=list)

    def texts(self) -> dict[str, str]:
        """The files of the repository that the program may read its constants from: its own first."""
        plain = self.job.repository.plain
        names = [self.job.program, *self.job.repository.old]
        names += [
            str(one.relative_to(plain)) for one in plain.rglob("*.py") if "onfig" in one.name or "sett" in one.name
        ]
        return {name: (plain / name).read_text(errors="replace") for name in dict.fromkeys(names)}

    def middle(self) -> str:
        """A kill in the middle of the third interval between two saves of the program, or of the third epoch."""
        counts = list(dict.fromkeys(one["batches"] for one in self.undisturbed.saves(is_own=True) if one["batches"]))
        is_fit = any(one.kind == "fit" for one in self.undisturbed.begins)
        total = self.undisturbed.batches
        if is_fit and (len(counts) < 3 or counts[0] <= 4):
            return "batch:11" if total > 12 else f"batch:{max(2, total - 1)}"
        if len(counts) < 3:
            return f"batch:{max(2, total - 1)}"
        return f"batch:{(counts[1] + counts[2]) // 2 + 1}"

    def find_resuming(self) -> Variant | None:
        """How the old code is started so that it goes on from what it has saved; None where nothing was found."""
        job = self.job.fork()
        first = job.start("old", self.args, self.middle())
        if not first.saves(is_own=True):
            job = self.job.fork()
            first = job.start("old", self.args)
        saved = list(dict.fromkeys(one["path"] for one in reversed(first.saves(is_own=True))))[:2]
        saved += [os.path.dirname(one) for one in saved[:1] if os.path.dirname(one)]
        tried = [PLAIN, *variants.switches(self.undisturbed, self.texts())]
        stems = [os.path.splitext(os.path.basename(one))[0] for one in saved[:1]]
        tried += variants.with_file(self.undisturbed, [*saved, *stems], self.texts())
        for variant in tried[:40]:
            fork = job.fork()
            start = variants.started(fork, "old", self.args, variant, "batch:2")
            shutil.rmtree(fork.folder.parent)
            if any(run[0] == 0 for one in start.begins for _, runs in one.chains for run in runs):
                return variant
        return None

    def old_here(self, job: Job, variant: Variant) -> Start:
        """What the old code does from the same files."""
        fork = job.fork()
        start = variants.started(fork, "old", self.args, variant, "batch:2")
        shutil.rmtree(fork.folder.parent)
        return start

    def after(self, scenario, killed, new, may_lose, old=None) -> Verdict:
        """As ``after_kill``; but where no start of the old code was seen to go on, one that does as it says nothing."""
        found = after_kill(scenario, killed, new, may_lose, old)
        is_as_old = old is not None and not new.error and same(new.trainings, old.trainings)
        if found.status == WRONG and self.resuming is None and is_as_old:
            return Verdict(scenario, NOT_TRIED, f"as the old code, of which no way to go on was found: {begun(new)}")
        return found

    def after_an_end(self, scenario, killed, new, old) -> Verdict:
        """After a kill behind the end of a training: in the next one, or as after the end of the job."""
        found = self.after(scenario, killed, new, True, old)
        return found if found.status == RIGHT else next_training(scenario, new, old)

    def kills(self, job: Job, variant: Variant, scenario: str, is_first_judged: bool) -> Iterator[Verdict]:
        """The new code: killed in the middle, killed behind a save, and to its end."""
        begun_by = self.that_begins(job, variant)
        old = self.old_here(job, begun_by)
        first = variants.started(job, "new", self.args, begun_by, self.middle())
        if is_first_judged:
            yield as_the_old(f"{scenario}1 first start of the new code", first, old)
        if not first.begins:
            return
        if not first.of("killed"):
            yield Verdict(f"{scenario}2 kill in the middle", NOT_TRIED, "it ended before the kill" + error_of(first))
            return
        old = self.old_here(job, variant)
        second = variants.started(job, "new", self.args, variant, "save:3")
        yield self.after(f"{scenario}2 kill in the middle", first, second, False, old)
        if not second.begins:
            return
        if second.of("killed"):
            old = self.old_here(job, variant)
            third = variants.started(job, "new", self.args, variant)
            if second.of("end"):  # The kill was behind the last save: as after the job's end.
                yield self.after_an_end(f"{scenario}3 kill behind the last save", second, third, old)
                return
            yield self.after(f"{scenario}3 kill behind a save", second, third, True, old)
            yield self.judged_end(scenario, third)
        else:
            yield self.judged_end(scenario, second)

    def judged_end(self, scenario, last):
        if scenario in "BW":
            return same_end(f"{scenario}4 end", last, self.undisturbed)
        if last.error:
            return Verdict(f"{scenario}4 end", WRONG, error_of(last))
        return Verdict(f"{scenario}4 end", RIGHT if last.is_ended else NOT_TRIED)

    def begun_job(self) -> Job:
        """A job that the new code has begun, with kills behind it."""
        job = self.job.fork()
        variants.started(job, "new", self.args, self.that_begins(job, self.own), self.middle())
        return job

    @property
    def names_a_file(self) -> bool:
        return self.resuming is not None and bool(self.resuming.file)

    @property
    def own(self) -> Variant:
        """How a job that names no file is started."""
        return PLAIN if self.resuming is None or self.names_a_file else self.resuming

    def that_begins(self, job: Job, variant: Variant) -> Variant:
        """How a job is begun that is to go on by a variant: by that, unless the old code cannot begin so."""
        return variant if self.old_here(job, variant).begins else PLAIN

    def old_like(self, job, variant, start):
        fork = job.fork()
        fork.starts = fork.starts[: start.number]
        made = variants.started(fork, "old", self.args, variant, "batch:2")
        shutil.rmtree(fork.folder.parent)
        return made
