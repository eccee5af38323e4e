"""The scenarios: in what order a program is started, killed and started again."""

import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.benchmarks.resume_starts import variants
from tests.benchmarks.resume_starts.jobs import Job, Start, length, longest
from tests.benchmarks.resume_starts.prepared import positional
from tests.benchmarks.resume_starts.repositories import siblings
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
    same,
    same_end,
)

_NAMES = 12
_PLAIN = Variant("as it is")


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
    verdicts: list[Verdict] = field(default_factory=list)

    def run(self) -> list[Verdict]:
        """All scenarios."""
        self.resuming = self._find_resuming()
        for scenario in (self._kills_from_old, self._kills_alone, self._torn, self._worse, self._second_stage):
            self.verdicts += scenario()
        for scenario in (self._switches, self._names, self._named_files):
            self.verdicts += scenario()
        self.verdicts += [*self._siblings(), *self._after_the_end()]
        return self.verdicts

    def _texts(self) -> dict[str, str]:
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

    def _find_resuming(self) -> Variant | None:
        """How the old code is started so that it goes on from what it has saved; None where nothing was found."""
        job = self.job.fork()
        first = job.start("old", self.args, self.middle())
        if not first.saves(is_own=True):
            job = self.job.fork()
            first = job.start("old", self.args)
        saved = list(dict.fromkeys(one["path"] for one in reversed(first.saves(is_own=True))))[:2]
        saved += [os.path.dirname(one) for one in saved[:1] if os.path.dirname(one)]
        tried = [_PLAIN, *variants.switches(self.undisturbed, self._texts())]
        stems = [os.path.splitext(os.path.basename(one))[0] for one in saved[:1]]
        tried += variants.with_file(self.undisturbed, [*saved, *stems], self._texts())
        for variant in tried[:40]:
            fork = job.fork()
            start = variants.started(fork, "old", self.args, variant, "batch:2")
            shutil.rmtree(fork.folder.parent)
            if any(run[0] == 0 for one in start.begins for _, runs in one.chains for run in runs):
                return variant
        return None

    def _old_here(self, job: Job, variant: Variant) -> Start:
        """What the old code does from the same files."""
        fork = job.fork()
        start = variants.started(fork, "old", self.args, variant, "batch:2")
        shutil.rmtree(fork.folder.parent)
        return start

    def _after(self, scenario, killed, new, may_lose, old=None) -> Verdict:
        """As ``after_kill``; but where no start of the old code was seen to go on, one that does as it says nothing."""
        found = after_kill(scenario, killed, new, may_lose, old)
        is_as_old = old is not None and not new.error and same(new.trainings, old.trainings)
        if found.status == WRONG and self.resuming is None and is_as_old:
            return Verdict(scenario, NOT_TRIED, f"as the old code, of which no way to go on was found: {begun(new)}")
        return found

    def _kills(self, job: Job, variant: Variant, scenario: str, is_first_judged: bool) -> Iterator[Verdict]:
        """The new code: killed in the middle, killed behind a save, and to its end."""
        begun_by = self._that_begins(job, variant)
        old = self._old_here(job, begun_by)
        first = variants.started(job, "new", self.args, begun_by, self.middle())
        if is_first_judged:
            yield as_the_old(f"{scenario}1 first start of the new code", first, old)
        if not first.begins:
            return
        if not first.of("killed"):
            yield Verdict(f"{scenario}2 kill in the middle", NOT_TRIED, "it ended before the kill" + error_of(first))
            return
        old = self._old_here(job, variant)
        second = variants.started(job, "new", self.args, variant, "save:3")
        yield self._after(f"{scenario}2 kill in the middle", first, second, False, old)
        if not second.begins:
            return
        if second.of("killed"):
            old = self._old_here(job, variant)
            third = variants.started(job, "new", self.args, variant)
            if second.of("end"):  # The kill was behind the last save: as after the job's end.
                yield _next(f"{scenario}3 kill behind the last save", third, old)
                return
            yield self._after(f"{scenario}3 kill behind a save", second, third, True, old)
            yield self._judged_end(scenario, third)
        else:
            yield self._judged_end(scenario, second)

    def _judged_end(self, scenario, last):
        if scenario in "BW":
            return same_end(f"{scenario}4 end", last, self.undisturbed)
        if last.error:
            return Verdict(f"{scenario}4 end", WRONG, error_of(last))
        return Verdict(f"{scenario}4 end", RIGHT if last.is_ended else NOT_TRIED)

    def _kills_from_old(self):
        if self.resuming is None:
            return [Verdict("A", NOT_TRIED, "no way was found by which the old code goes on")]
        job = self.job.fork()
        variants.started(job, "old", self.args, self._that_begins(job, self.resuming), self.middle())
        return list(self._kills(job, self.resuming, "A", True))

    def _kills_alone(self):
        job, variant = self.job.fork(), self._own
        found = list(self._kills(job, variant, "B", True))
        self._ended = job
        return found

    def _torn(self):
        """A kill in the middle of a save, of the recovery's and of the program's own."""
        for number in (3, 4, 5):
            job = self._trained()
            variant, scenario = self._own, f"T{number} kill within save {number}"
            first = variants.started(job, "new", self.args, variant, f"torn:{number}")
            if not first.of("killed"):
                continue
            old = self._old_here(job, variant)
            second = variants.started(job, "new", self.args, variant)
            yield _next(scenario, second, old) if first.of("end") else self._after(scenario, first, second, True, old)

    def _worse(self):
        """Kills where the metrics get worse after some epochs, so that the best model is not the last."""
        job = self.job.fork()
        job.environment = {**job.environment, "STAND_IN_METRICS": "worse"}
        if self.undisturbed.saves(is_own=True) and len(job.fork().start("old", self.args).saves(is_own=True)) < len(
            self.undisturbed.saves(is_own=True)
        ):
            yield from self._kills(job, self._own, "W", True)

    def _second_stage(self):
        """A kill in a second training."""
        begins = [one for one in self.undisturbed.of("begin") if one["kind"] == "fit"]
        stages = list({one["place"]: one for one in begins}.values())
        if len(stages) < 2:
            return
        job, variant = self.job.fork(), self._own
        batch = stages[1]["batches"] + 7
        first = variants.started(job, "new", self.args, self._that_begins(job, variant), f"batch:{batch}")
        if first.of("killed") and len(first.trainings) > 1:
            old = self._old_here(job, variant)
            second = variants.started(job, "new", self.args, variant)
            yield self._after("S1 kill in a second stage", first, second, False, old)
            yield same_end("S2 end", second, self.undisturbed)

    def _trained(self) -> Job:
        """A job that the new code has begun, with kills behind it."""
        job = self.job.fork()
        variants.started(job, "new", self.args, self._that_begins(job, self._own), self.middle())
        return job

    @property
    def _names_a_file(self) -> bool:
        return self.resuming is not None and bool(self.resuming.file)

    @property
    def _own(self) -> Variant:
        """How a job that names no file is started."""
        return _PLAIN if self.resuming is None or self._names_a_file else self.resuming

    def _that_begins(self, job: Job, variant: Variant) -> Variant:
        """How a job is begun that is to go on by a variant: by that, unless the old code cannot begin so."""
        return variant if self._old_here(job, variant).begins else _PLAIN

    def _switches(self):
        trained, found = self._trained(), []
        base = self._own
        usual = self._old_here(trained, base)
        tried = [_PLAIN] if base != _PLAIN else []
        tried += [one for one in variants.switches(self.undisturbed, self._texts()) if one != base]
        for variant in tried[:_NAMES]:
            old = self._old_here(trained, variant)
            if not old.begins or same(old.trainings, usual.trainings):
                continue
            job = trained.fork()
            new = variants.started(job, "new", self.args, variant, self.middle())
            found.append(as_the_old(f"C1 {variant.told}", new, old))
            if found[-1].status == RIGHT and new.of("killed"):
                old = self._old_here(job, variant)
                again = variants.started(job, "new", self.args, variant, "batch:2")
                found.append(_told_kill(f"C2 {variant.told}, killed", new, again, old))
            shutil.rmtree(job.folder.parent)
        return found

    def _names(self):
        paths = _paths(self.undisturbed)
        trained, found = self._trained(), []
        for variant in variants.other_names(self.undisturbed, self._texts())[: 3 * _NAMES]:
            fresh = self.job.fork()
            alone = variants.started(fresh, "old", self.args, variant, self.middle())
            shutil.rmtree(fresh.folder.parent)
            is_in_path = not _paths(alone) <= paths
            is_known = variant.is_chosen and not variant.told.endswith(("_2", "another"))
            if not alone.begins or alone.error or not (is_in_path or is_known):
                continue
            job, both = trained.fork(), _with(variant, self._own)
            begun_by = both if self._old_here(job, both).begins else variant
            old = self._old_here(job, begun_by)
            new = variants.started(job, "new", self.args, begun_by, self.middle())
            letter = ("D" if variant.is_chosen else "N") if is_in_path else "P"
            found.append(as_the_old(f"{letter}1 {variant.told}", new, old))
            if found[-1].status == RIGHT and new.of("killed") and is_in_path:
                old = self._old_here(job, both)
                again = variants.started(job, "new", self.args, both, self.middle())
                found.append(self._after(f"{letter}2 {variant.told}, killed", new, again, False, old))
                old, before = self._old_here(job, self._own), trained.starts[-1]
                back = variants.started(job, "new", self.args, self._own)
                found.append(self._after(f"{letter}3 the first job after {variant.told}", before, back, False, old))
            shutil.rmtree(job.folder.parent)
            if len(found) > _NAMES:
                break
        return found

    def _named_files(self):
        variant = self.resuming
        if variant is None or not self._names_a_file:
            return self._constant_files()
        job = self.job.fork()
        job.start("old", self.args, self.middle())
        here = job.folder / job.cwd
        copies = []
        for number in range(2):
            own = {one["path"] for start in job.starts for one in start.of("save")}
            copied = variant.file in own and _copied(here, variant.file, f"given{number}")
            if not copied:
                return []
            copies.append(variant.naming(copied))
            job.start("old", self.args, self.middle())
        found = []
        first = variants.started(job, "new", self.args, copies[0], self.middle())
        found.append(as_the_old("E1 names a file", first, self._old_like(job, copies[0], first)))
        again = variants.started(job, "new", self.args, copies[0], self.middle())
        found.append(self._after("E2 names it again", first, again, False))
        without = variants.started(job.fork(), "new", self.args, _PLAIN, "batch:2")
        found.append(self._after("E3 names none", again, without, False))
        old = self._old_here(job, copies[1])
        other = variants.started(job, "new", self.args, copies[1], self.middle())
        found.append(as_the_old("E4 names another file", other, old))
        return found

    def _constant_files(self):
        """A file that stands in the program as a text: another one in its place."""
        job, found = self._trained(), []
        saved = [one["path"] for one in job.starts[-1].saves(is_own=True) if "recovery" not in one["path"]]
        copied = _copied(job.folder / job.cwd, saved[-1], "given") if saved else None
        loaded = [one["path"] for one in self.undisturbed.of("load")]
        usual = self._old_here(job, self._own)
        loaded += [one["path"] for one in usual.of("load")]
        for path in dict.fromkeys(loaded if copied else []):
            if path in saved:
                continue  # Of one that it saves the name is another job's, too.
            for literal in variants.literals(path, self._texts()):
                pattern = r"()['\"]" + re.escape(literal) + r"['\"]"
                variant = _with(Variant(f"{literal!r} is {copied!r}", (), ((pattern, repr(copied)),)), self._own)
                old = self._old_here(job, variant)
                if same(old.trainings, usual.trainings) or not any(run for one in old.begins for _, run in one.chains):
                    continue
                new = variants.started(job.fork(), "new", self.args, variant, self.middle())
                found.append(as_the_old(f"E5 names another file: {literal!r}", new, old))
        return found

    def _old_like(self, job, variant, start):
        fork = job.fork()
        fork.starts = fork.starts[: start.number]
        made = variants.started(fork, "old", self.args, variant, "batch:2")
        shutil.rmtree(fork.folder.parent)
        return made

    def _siblings(self):
        found = []
        usual = self._old_here(self._trained(), self._own)
        own = _paths(self.undisturbed) | {one["path"] for one in [*usual.of("load"), *self.undisturbed.of("load")]}
        own = {_full(self.job, one) for one in own}
        for name in siblings(self.job.repository, self.job.program):
            before = self._trained()
            job = before.fork()
            job.cwd = str(Path(name).parent)
            text = (self.job.repository.plain / name).read_text(errors="replace")
            other = job.start("new", positional(text), program=name)
            written = {_full(job, one["path"]) for one in other.saves(is_own=True)}
            job.cwd = self.job.cwd
            if not written & own:
                continue
            if same(self._old_like(job, self._own, other).trainings, self._old_here(before, self._own).trainings):
                continue  # It loads none of them.
            old = self._old_here(job, self._own)
            new = variants.started(job, "new", self.args, self._own, self.middle())
            verdict = as_the_old(f"F1 after {name}", new, old)
            found.append(verdict)
        return found

    def _after_the_end(self):
        job, variant = self._ended, self._own
        if not job.starts or not job.starts[-1].is_ended:
            return [Verdict("G", NOT_TRIED, "no start came to its end")]
        last, old = job.starts[-1], self._old_here(job, variant)
        new = variants.started(job, "new", self.args, variant, self.middle())
        if _is_lost(last, new):
            return [Verdict("G1 after the end", WRONG, f"{begun(new)}, and it saved {_is_lost(last, new)}")]
        rest = self._after("G1 after the end", last, new, False)
        return [rest if rest.status == RIGHT and new.batches else _next("G1 after the end", new, old)]


def _next(scenario, new, old):
    """After the end of a training the new code trains nothing, which is told, or as the old code does."""
    if new.error and not old.error:
        return Verdict(scenario, WRONG, begun(new) + (error_of(new) if new.begins else ""))
    if not new.batches:
        return Verdict(scenario, RIGHT, f"trained nothing; the old code: {begun(old)}")
    return as_the_old(scenario, new, old)


def _told_kill(scenario, killed, again, old):
    """A kill of a start without the flag: to come back is right, and so is what the old code does."""
    if same(again.trainings, old.trainings) and not again.error:
        return Verdict(scenario, RIGHT, begun(again))
    return after_kill(scenario, killed, again, False)


def _is_lost(last: Start, new: Start) -> str:
    """What a start after the end has saved with less training than the job had; empty for nothing."""
    had = length(longest(last.final)) if last.final else 0
    for one in new.saves(is_own=True):
        most = max((sum((b - a) * 4 + n for _, a, b, n in runs) for _, runs, _ in one["weights"]), default=0)
        if most < had:
            return f"{one['path']} with {most} batches of {had}"
    return ""


def _paths(start: Start) -> set[str]:
    return {one["path"] for one in start.saves(is_own=True) if "recovery" not in one["path"]}


def _full(job: Job, path: str) -> str:
    return os.path.normpath(os.path.join(job.cwd, path))


def _with(variant: Variant, base: Variant) -> Variant:
    if "argument" in (variant.told.split()[:1] + base.told.split()[:1]):
        return variant
    return Variant(variant.told, (*base.args, *variant.args), (*base.edits, *variant.edits), variant.is_chosen)


def _copied(here: Path, path: str, name: str) -> str | None:
    """A copy of a saved file, or of the files that begin with its name, that nothing writes over."""
    source = here / path
    target = here / name
    target.mkdir(exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True)
        return name
    found = [one for one in source.parent.glob(source.name + "*") if one.is_file()]
    for one in found:
        shutil.copy(one, target)
    return os.path.join(name, source.name) if found else None
