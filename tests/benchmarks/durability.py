"""Random SIGKILLs over the TF2 programs that the codemod writes for ``legacy_examples/``; the proof of durability.

usage: python -m tests.benchmarks.durability RESULTS [--kills N] [--seed S] [--program NAME]... PYTHON...
       python -m tests.benchmarks.durability RESULTS

Every program of the pairs runs under every interpreter, as it stands in ``tf2_examples/`` and as ``--input continue``
writes it. A job is killed again and again, each time at a random moment of its start, its restore, its steps or its
saves, until it has come to its end. Each job is a line of RESULTS, a file of JSON lines that later calls add to, until
it tells of N kills (1,000). Then, and without an interpreter, a table is printed. Counted are

- jobs that cannot start again after a kill,
- resumptions before the last checkpoint whose save was done, or further back than the longest way between two saves,
- jobs that end at another step than the undisturbed one,
- with ``--input continue``, steps whose loss is not that of the undisturbed job to the last bit.

A start is a fork of a process that has imported TensorFlow: see ``tests/nursery.py``.
"""

import argparse
import contextlib
import itertools
import json
import math
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from migrate.settings import Settings
from migrate.verify import Program, Record
from migrate.verify.child import Child
from migrate.verify.training_program import copy_directory
from tests.nursery import Nursery
from tests.pairs import Variant, runtime_files, written
from tests.program_arguments import arguments, digits, keras_of

WINDOW_SECONDS = 1.0
"""How long a start lives at most, beyond what the undisturbed job needed for its first step."""

TRIAL_STEPS, MOST_TRIALS, JOB_SECONDS = 100, 20, 4.0
"""A job is made long enough to train for some seconds, by its speed in a short trial."""

TIMEOUT_SECONDS = 300.0


class Job:
    """One program under one interpreter: its undisturbed run, and runs with kills.

    Args:
      nursery: starts it.
      script: the program.
      place: an empty directory.
      data: a file in MNIST's layout, for programs that want one.
      seconds: how long it is to train.
      others: the same program in other forms, which take turns with it where it is killed.
      environment: variables for all of them.
    """

    def __init__(self, nursery, script, place, data, seconds=JOB_SECONDS, others=(), environment=None):
        self.nursery, self.script, self.place, self.data = nursery, script, place, data
        self.forms, self.environment = [*others, script], environment or {}
        self.max_steps, self.runs = TRIAL_STEPS, 0
        # What a start shares with the next is a checkpoint: a seed need not make the same weights twice.
        self.begun = place / "begun"
        self.start(self.begun, until_saved=True)
        self.reference = self.undisturbed()
        times = [event["time"] for event in self.reference.all_events("step")]
        trials = min(int(seconds / (times[-1] - times[0])), MOST_TRIALS)
        if trials > 1:
            self.max_steps *= trials
            self.reference = self.undisturbed()
        undisturbed = self.reference.attempts[0]
        steps = undisturbed.events_of("step")
        self.window = undisturbed.seconds_to_first_step + min(WINDOW_SECONDS, steps[-1]["time"] - steps[0]["time"])
        self.interval = max(after - before for before, after in pairwise([0, *self.reference.saved_steps]))

    def undisturbed(self):
        """A run without kills."""
        directory = self.directory()
        record = Record([self.start(directory)], directory)
        if not record.finished:
            raise SystemExit(f"{self.script}: {record.attempts[0].error}\n{record.attempts[0].output}")
        return record

    def directory(self):
        """A copy of the directory that all runs begin in."""
        self.runs += 1
        directory = self.place / f"run-{self.runs}"
        if self.begun.exists():
            copy_directory(self.begun, directory)
        return directory

    def killed(self, chance, most_kills=math.inf):
        """A run that is killed, at most so many times, until it has come to its end or cannot start again."""
        directory, attempts, window, most = self.directory(), [], self.window, 0
        while not attempts or attempts[-1].code == -9:
            after = chance.random() * window if len(attempts) < most_kills else None
            form = self.forms[len(attempts) % len(self.forms)]
            attempts.append(self.start(directory, after, script=form))
            # A program may need longer, the further it has come, until its first new step.
            window = self.window if attempts[-1].steps and attempts[-1].steps[-1] > most else window * 1.5
            most = max([most, *attempts[-1].steps])
        shutil.rmtree(directory)
        return Record(attempts, directory)

    def start(self, directory, kill_after=None, until_saved=False, script=None):
        """One start, with a kill after so many seconds, or when the first checkpoint is there."""
        script = script or self.script
        given = arguments(script, "{model_dir}", self.max_steps, self.data)
        environment = {**self.environment, **keras_of(script, self.nursery.python)}
        program = Program(script, self.nursery.python, given, environment, launch=self.nursery.launch)
        deadline = time.time() + TIMEOUT_SECONDS
        with tempfile.TemporaryDirectory() as scratch, Child(program, directory, Path(scratch) / "start") as child:
            if until_saved:
                child.wait_for("save", deadline)
                child.kill()
            elif kill_after is not None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    child.process.wait(kill_after)
                child.kill()
            return child.attempt(deadline)


def figures(job, record):
    """What became of a killed job, as a line of the results."""
    losses, kinds = job.reference.by_step("loss"), Counter(moment(a) for a in record.attempts if a.code == -9)
    made = [(e["step"], e["loss"]) for e in record.all_events("step") if "loss" in e]
    saved, made_steps, far = 0, 0, 0
    for attempt in record.attempts:
        at = attempt.started_at
        if at is not None:
            far += at < saved or made_steps - at > job.interval
        saved = max([saved, *(e["step"] for e in attempt.events_of("save"))])
        made_steps = max([at or made_steps, *attempt.steps]) if at is not None else made_steps
    return {
        "kills": sum(attempt.code == -9 for attempt in record.attempts),
        "moments": dict(kinds),
        "stuck": int(not record.finished),
        "far": far,
        "elsewhere": int(record.finished and record.final_step != job.reference.final_step),
        "compared": len(made),
        "changed": sum(losses.get(step) != loss for step, loss in made),
        "interval": job.interval,
        "steps": job.max_steps,
        "error": "" if record.finished else record.attempts[-1].error,
    }


def moment(attempt):
    """Where a kill struck: before the first step, in a save, or between two steps."""
    saving = len(attempt.events_of("saving")) > len(attempt.events_of("save")) + len(attempt.events_of("save_failed"))
    return "in a save" if saving else "in a step" if attempt.steps else "before the first step"


def programs(place, **settings):
    """The scripts by the input's way, as the codemod writes them; what has no --max_steps is no job of one process."""
    for way in ("restart", "continue"):
        folder = place / way
        variant = Variant(folder, Settings(input=way, **settings))
        for name, text in (written(variant) | runtime_files([variant])).items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            # The random state of dropout is in no checkpoint, and a shuffle without a seed is another in each process.
            text = text.replace("dropout=0.2,", "dropout=0.0,").replace("shuffle=True", "shuffle=False")
            (folder / name).write_text(text)
        yield from ((way, path) for path in sorted(folder.glob("*.py")) if '"--max_steps"' in path.read_text())


def kill_jobs(options, results):
    """Run jobs in turn and add their lines, until there are enough kills."""
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix="durability-") as name, ExitStack() as stack:
        place = Path(name)
        data, scripts = digits(place), list(programs(place))
        scripts = [(way, path) for way, path in scripts if not options.program or path.stem in options.program]
        plan = [(python, way, script) for python in options.pythons for way, script in scripts]
        jobs = {}
        for each in itertools.cycle(plan):
            if each not in jobs:
                jobs[each] = stack.enter_context(ready(*each, Path(tempfile.mkdtemp(dir=place)), data))
            kills = 0
            while kills < options.each:
                if sum(line["kills"] for line in lines(results)) >= options.kills:
                    return
                line = jobs[each](chance)
                kills += line["kills"]
                with open(results, "a") as file:
                    print(json.dumps(line), file=file)


@contextmanager
def ready(python, way, script, place, data):
    """A function that kills a job again and again, and gives its line."""
    with contextlib.closing(Nursery(python, keras_of(script, python))) as nursery:
        job = Job(nursery, script, place, data)
        about = {"tensorflow": nursery.tensorflow, "program": script.name, "input": way}
        yield lambda chance: about | figures(job, job.killed(chance))


def lines(results):
    """The jobs so far."""
    return [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []


def table(jobs):
    """The sums by TensorFlow, program and way of the input."""
    made = Table(box=box.MARKDOWN)
    for heading in ("TensorFlow", "program", "--input", "kills", "in a save", "cannot start", "too far back"):
        made.add_column(heading, justify="right" if heading not in ("program", "--input") else "left")
    for heading in ("other end", "losses compared", "changed"):
        made.add_column(heading, justify="right")
    rows = {}
    for job in jobs:
        for key in ((job["tensorflow"], job["program"], job["input"]), ("all", "", "")):
            continues = job["input"] == "continue"
            rows.setdefault(key, Counter()).update(
                {name: job[name] for name in ("kills", "stuck", "far", "elsewhere")}
                | {"in a save": job["moments"].get("in a save", 0)}
                | {name: job[name] * continues for name in ("compared", "changed")}
            )
    for key, sums in sorted(rows.items(), key=lambda row: (row[0][0] == "all", row[0])):
        wanted = ("kills", "in a save", "stuck", "far", "elsewhere", "compared", "changed")
        made.add_row(*key, *(f"{sums[name]:,}" for name in wanted))
    return made


def main(argv):
    """Add to the results, and print them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", metavar="RESULTS", type=Path)
    parser.add_argument("pythons", metavar="PYTHON", nargs="*")
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--each", type=int, default=20, help="kills of one program before the next has its turn")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--program", action="append", metavar="NAME", help="only this pair; may be given again")
    options = parser.parse_intermixed_args(argv)
    if options.pythons:
        kill_jobs(options, options.results)
    Console(width=160).print(table(lines(options.results)))


if __name__ == "__main__":
    main(sys.argv[1:])
