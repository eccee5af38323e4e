"""The scenarios: in what order a program is started, killed and started again."""

import os
import re
import shutil
from pathlib import Path

from tests.benchmarks.resume_starts import variants
from tests.benchmarks.resume_starts.bench import PLAIN, Bench
from tests.benchmarks.resume_starts.jobs import Job, Start, length, longest
from tests.benchmarks.resume_starts.prepared import positional
from tests.benchmarks.resume_starts.repositories import entries, siblings
from tests.benchmarks.resume_starts.variants import Variant
from tests.benchmarks.resume_starts.verdicts import (
    NOT_TRIED,
    RIGHT,
    WRONG,
    Verdict,
    after_kill,
    as_the_old,
    begun,
    next_training,
    same,
    same_end,
)

_NAMES = 12


class Scenarios(Bench):
    """The scenarios of one program."""

    def run(self) -> list[Verdict]:
        """All scenarios."""
        self.resuming = self.find_resuming()
        for scenario in (self._kills_from_old, self._kills_alone, self._torn, self._worse, self._second_stage):
            self.verdicts += scenario()
        for scenario in (self._switches, self._names, self._named_files):
            self.verdicts += scenario()
        self.verdicts += [*self._siblings(), *self._callers(), *self._after_the_end()]
        return self.verdicts

    def _kills_from_old(self):
        if self.resuming is None:
            return [Verdict("A", NOT_TRIED, "no way was found by which the old code goes on")]
        job = self.job.fork()
        variants.started(job, "old", self.args, self.that_begins(job, self.resuming), self.middle())
        return list(self.kills(job, self.resuming, "A", True))

    def _kills_alone(self):
        job, variant = self.job.fork(), self.own
        found = list(self.kills(job, variant, "B", True))
        self.ended = job
        return found

    def _torn(self):
        """A kill in the middle of a save, of the recovery's and of the program's own."""
        for number in (3, 4, 5):
            job = self.begun_job()
            variant, scenario = self.own, f"T{number} kill within save {number}"
            first = variants.started(job, "new", self.args, variant, f"torn:{number}")
            if not first.of("killed"):
                continue
            old = self.old_here(job, variant)
            second = variants.started(job, "new", self.args, variant)
            yield (
                self.after_an_end(scenario, first, second, old)
                if first.of("end")
                else self.after(scenario, first, second, True, old)
            )

    def _worse(self):
        """Kills where the metrics get worse after some epochs, so that the best model is not the last."""
        job = self.job.fork()
        job.environment = {**job.environment, "STAND_IN_METRICS": "worse"}
        if self.undisturbed.saves(is_own=True) and len(job.fork().start("old", self.args).saves(is_own=True)) < len(
            self.undisturbed.saves(is_own=True)
        ):
            yield from self.kills(job, self.own, "W", True)

    def _second_stage(self):
        """A kill in a second training."""
        begins = [one for one in self.undisturbed.of("begin") if one["kind"] == "fit"]
        stages = list({one["place"]: one for one in begins}.values())
        if len(stages) < 2:
            return
        job, variant = self.job.fork(), self.own
        batch = stages[1]["batches"] + 7
        first = variants.started(job, "new", self.args, self.that_begins(job, variant), f"batch:{batch}")
        if first.of("killed") and len(first.trainings) > 1:
            old = self.old_here(job, variant)
            second = variants.started(job, "new", self.args, variant)
            yield self.after("S1 kill in a second stage", first, second, False, old)
            yield same_end("S2 end", second, self.undisturbed)

    def _switches(self):
        trained, found = self.begun_job(), []
        base = self.own
        usual = self.old_here(trained, base)
        tried = [PLAIN] if base != PLAIN else []
        tried += [one for one in variants.switches(self.undisturbed, self.texts()) if one != base and not one.file]
        for variant in tried[:_NAMES]:
            old = self.old_here(trained, variant)
            if not old.begins or same(old.trainings, usual.trainings):
                continue
            job = trained.fork()
            new = variants.started(job, "new", self.args, variant, self.middle())
            found.append(as_the_old(f"C1 {variant.told}", new, old))
            if found[-1].status == RIGHT and new.of("killed"):
                old = self.old_here(job, variant)
                again = variants.started(job, "new", self.args, variant, "batch:2")
                found.append(_told_kill(f"C2 {variant.told}, killed", new, again, old))
            shutil.rmtree(job.folder.parent)
        return found

    def _names(self):
        paths = _paths(self.undisturbed)
        trained, found = self.begun_job(), []
        for variant in variants.other_names(self.undisturbed, self.texts())[: 3 * _NAMES]:
            fresh = self.job.fork()
            alone = variants.started(fresh, "old", self.args, variant, self.middle())
            shutil.rmtree(fresh.folder.parent)
            is_in_path = not _paths(alone) <= paths
            is_known = variant.is_chosen and not variant.told.endswith(("_2", "another"))
            if not alone.begins or alone.error or not (is_in_path or is_known):
                continue
            job, both = trained.fork(), _with(variant, self.own)
            begun_by = both if self.old_here(job, both).begins else variant
            old = self.old_here(job, begun_by)
            new = variants.started(job, "new", self.args, begun_by, self.middle())
            letter = ("D" if variant.is_chosen else "N") if is_in_path else "P"
            verdict = as_the_old(f"{letter}1 {variant.told}", new, old)
            if letter == "P" and any(runs for one in old.trainings for _, runs in one.chains):
                continue  # The old code goes on from the first job's file, too.
            found.append(verdict)
            if found[-1].status == RIGHT and new.of("killed") and is_in_path:
                old = self.old_here(job, both)
                again = variants.started(job, "new", self.args, both, self.middle())
                found.append(self.after(f"{letter}2 {variant.told}, killed", new, again, False, old))
                old, before = self.old_here(job, self.own), trained.starts[-1]
                back = variants.started(job, "new", self.args, self.own)
                found.append(self.after(f"{letter}3 the first job after {variant.told}", before, back, False, old))
            shutil.rmtree(job.folder.parent)
            if len(found) > _NAMES:
                break
        return found

    def _named_files(self):
        variant = self.resuming
        if variant is None or not self.names_a_file:
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
        found.append(as_the_old("E1 names a file", first, self.old_like(job, copies[0], first)))
        again = variants.started(job, "new", self.args, copies[0], self.middle())
        found.append(self.after("E2 names it again", first, again, False))
        without = variants.started(job.fork(), "new", self.args, PLAIN, "batch:2")
        found.append(self.after("E3 names none", again, without, False))
        anew = job.fork()
        _put_in_place(here=anew.folder / anew.cwd, path=copies[0].file, other=copies[1].file)
        old = self.old_here(anew, copies[0])
        other = variants.started(anew, "new", self.args, copies[0], self.middle())
        found.append(as_the_old("F2 names the same file, which holds something else", other, old))
        old = self.old_here(job, copies[1])
        other = variants.started(job, "new", self.args, copies[1], self.middle())
        found.append(as_the_old("E4 names another file", other, old))
        return found

    def _constant_files(self):
        """A file that stands in the program as a text: another one in its place."""
        job, found = self.begun_job(), []
        saved = [one["path"] for one in job.starts[-1].saves(is_own=True) if "recovery" not in one["path"]]
        copied = _copied(job.folder / job.cwd, saved[-1], "given") if saved else None
        loaded = [one["path"] for one in self.undisturbed.of("load")]
        usual = self.old_here(job, self.own)
        loaded += [one["path"] for one in usual.of("load")]
        for path in dict.fromkeys(loaded if copied else []):
            if path in saved:
                continue  # Of one that it saves the name is another job's, too.
            for literal in variants.literals(path, self.texts()):
                pattern = r"()['\"]" + re.escape(literal) + r"['\"]"
                variant = _with(Variant(f"{literal!r} is {copied!r}", (), ((pattern, repr(copied)),)), self.own)
                old = self.old_here(job, variant)
                if same(old.trainings, usual.trainings) or not any(run for one in old.begins for _, run in one.chains):
                    continue
                new = variants.started(job.fork(), "new", self.args, variant, self.middle())
                found.append(as_the_old(f"E5 names another file: {literal!r}", new, old))
        return found

    def _siblings(self):
        found = []
        usual = self.old_here(self.begun_job(), self.own)
        own = _paths(self.undisturbed) | {one["path"] for one in [*usual.of("load"), *self.undisturbed.of("load")]}
        own = {_full(self.job, one) for one in own}
        for name in siblings(self.job.repository, self.job.program):
            text = (self.job.repository.plain / name).read_text(errors="replace")
            job = self.job.fork()
            written = set()
            for _ in range(2):  # Once for the file that this program begins with, and once anew.
                usual = self.old_here(job, self.own)
                job.cwd = str(Path(name).parent)
                other = job.start("new", positional(text), program=name)
                written = {_full(job, one["path"]) for one in other.saves(is_own=True)}
                job.cwd = self.job.cwd
                if not written & own:
                    break
                if len(job.starts) < 3:
                    variants.started(job, "new", self.args, self.that_begins(job, self.own), self.middle())
            else:
                old = self.old_here(job, self.own)
                if not same(old.trainings, usual.trainings):  # Else it loads none of them.
                    new = variants.started(job, "new", self.args, self.own, self.middle())
                    found.append(as_the_old(f"F1 after {name}", new, old))
            shutil.rmtree(job.folder.parent)
        return found

    def _callers(self):
        """Other programs of the repository that come to the same training: they must start as before."""
        found = []
        for name in entries(self.job.repository, self.job.program)[1:4]:
            text = (self.job.repository.plain / name).read_text(errors="replace")
            starts = {}
            for code in ("old", "new"):
                job = self.job.fork()
                job.cwd = str(Path(name).parent)
                starts[code] = job.start(code, positional(text), self.middle(), program=name)
                shutil.rmtree(job.folder.parent)
            if starts["old"].begins and not starts["old"].error:
                found.append(as_the_old(f"H1 started by {name}", starts["new"], starts["old"]))
        return found

    def _after_the_end(self):
        job, variant = self.ended, self.own
        if not job.starts or not job.starts[-1].is_ended:
            return [Verdict("G", NOT_TRIED, "no start came to its end")]
        last, old = job.starts[-1], self.old_here(job, variant)
        new = variants.started(job, "new", self.args, variant, self.middle())
        if _is_lost(last, new) and not (new.batches and same(new.trainings, old.trainings)):
            return [Verdict("G1 after the end", WRONG, f"{begun(new)}, and it saved {_is_lost(last, new)}")]
        rest = self.after("G1 after the end", last, new, False)
        return [rest if rest.status == RIGHT and new.batches else next_training("G1 after the end", new, old)]


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


def _put_in_place(here: Path, path: str, other: str) -> None:
    """Let a file, or the files that begin with its name, hold what another holds."""
    for one in (here / other).parent.glob(Path(other).name + "*"):
        target = (here / path).parent / one.name.replace(Path(other).name, Path(path).name)
        shutil.copy(one, target)


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
