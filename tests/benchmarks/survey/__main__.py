"""What becomes of jobs that are killed while they save: Keras' own ways to recover, and what the codemod writes.

usage: python -m tests.benchmarks.survey RESULTS [--kills N] [--seed S] [--written] PYTHON...
       python -m tests.benchmarks.survey RESULTS

Each job has 24 MiB of state and saves it 8 times. Each start is sent SIGKILL at a random moment of its second save, and
the job is started again, until it has come to its end. A job is a line of RESULTS, a file of JSON lines that later
calls add to, until it tells of N kills (60) for each way and interpreter. Then, and without an interpreter, a table is
printed: of the kills, after how many the job went on at the save that was killed or the one before, after how many it
went back further, and after how many it could not start again.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from migrate.pipeline.run import run as codemod
from migrate.settings import Settings
from migrate.verify import Fault, Program, run
from tests.nursery import Nursery
from tests.pairs import put

HERE = Path(__file__).parent
EPOCH, STEPS = 5, 40


class NearSave(Fault):
    """SIGKILL at a random moment of a start's second save.

    Args:
      chance: draws the moment.
      seconds: the longest that a save takes.
    """

    name = "near-save"
    same_moment = False

    def __init__(self, chance, seconds):
        super().__init__(1)
        self._after = chance.random() * seconds

    def watch(self, child, start, deadline):
        while child.running() and time.time() < deadline:
            child.new_events()
            if sum(event["event"] == "saving" and bool(event["step"]) for event in child.events) == 2:
                break
            time.sleep(0.001)
        time.sleep(self._after)
        child.kill()


def ways(python, place):
    """The programs by their names, with the Keras that they use: name, script, arguments, variables."""
    look = (
        "import importlib.util as u, tensorflow as tf; "
        "print(bool(u.find_spec('tf_keras')), hasattr(tf.compat.v1, 'estimator'))"
    )
    done = subprocess.run([python, "-c", look], check=True, capture_output=True, text=True)
    has_tf_keras, has_estimator = (word == "True" for word in done.stdout.split()[-2:])
    kerases = [("Keras 2", {})] if has_estimator else [("Keras 3", {})]
    kerases += [("tf_keras", {"TF_USE_LEGACY_KERAS": "1"})] if has_tf_keras else []
    for keras, env in kerases:
        yield f"BackupAndRestore, {keras}", HERE / "stock.py", ("--way", "backup"), env
        if keras == "Keras 3":
            double = "BackupAndRestore(double_checkpoint=True), Keras 3"
            yield double, HERE / "stock.py", ("--way", "backup-double"), env
        yield f"ModelCheckpoint and load_weights, {keras}", HERE / "stock.py", ("--way", "model-checkpoint"), env
        yield f"written for a canned Estimator, {keras}", place / "canned.py", (), env
    yield "written for a model_fn", place / "model_fn.py", (), {}


class Way:
    """One way to recover, under one interpreter."""

    def __init__(self, nursery, script, arguments, env):
        self.program = Program(
            script, nursery.python, ("--model_dir", "{model_dir}", *arguments), env, launch=nursery.launch
        )
        with tempfile.TemporaryDirectory() as place:
            self.reference = run(self.program, Path(place) / "model")
        assert self.reference.finished, self.reference.output
        self.seconds = 1.5 * max(event["seconds"] for event in self.reference.of("save"))

    def killed(self, chance):
        """What became of the kills of one job."""
        counts, saved = Counter(kills=0, went_on=0, went_back=0, stuck=0, elsewhere=0), None
        with tempfile.TemporaryDirectory() as place:
            while True:
                attempt = run(self.program, Path(place) / "model", NearSave(chance, self.seconds))
                done = attempt.finished and not attempt.steps
                if saved is not None:
                    stuck = attempt.code not in (0, -9)
                    back = not stuck and not done and (attempt.started_at or 0) < saved
                    counts["stuck" if stuck else "went_back" if back else "went_on"] += 1
                    saved = (attempt.started_at or 0) if back else saved
                if attempt.code != -9:
                    break
                counts["kills"] += 1
                begun = attempt.of("saving")[-1:]
                earlier = [e["step"] or 0 for e in attempt.of("save") if begun and e["time"] < begun[0]["time"]]
                saved = max([saved or 0, *earlier])
        counts["elsewhere"] += attempt.finished and not done and attempt.steps[-1] != STEPS
        return dict(counts)


def survey(options, results):
    """Run jobs in turn and add their lines, until there are enough kills of each way."""
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix="survey-") as name, ExitStack() as stack:
        place = Path(name)
        outcome = codemod([str(HERE / "legacy")], Settings(), jobs=1, progress=None)
        put(outcome.changes, HERE / "legacy", place)
        plan = [(python, *way) for python in options.pythons for way in ways(python, place)]
        plan = [each for each in plan if each[2].parent == place or not options.written]
        nurseries, made = {}, {}
        while plan:
            for each in list(plan):
                python, way, script, arguments, env = each
                key = (python, *env)
                if key not in nurseries:
                    nurseries[key] = Nursery(python, env)
                    stack.callback(nurseries[key].close)
                about = {"way": way, "tensorflow": nurseries[key].tensorflow}
                if sum(line["kills"] for line in lines(results) if about.items() <= line.items()) >= options.kills:
                    plan.remove(each)
                    continue
                if (python, way) not in made:
                    made[python, way] = Way(nurseries[key], script, arguments, env)
                line = about | made[python, way].killed(chance)
                with open(results, "a") as file:
                    print(json.dumps(line), file=file)


def lines(results):
    """The jobs so far."""
    return [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []


def table(jobs):
    """The sums by way of recovery."""
    made = Table(box=box.MARKDOWN)
    made.add_column("recovery")
    for heading in (
        "TensorFlow",
        "kills",
        "went on",
        "went back further",
        "cannot start again",
        "jobs with another end",
    ):
        made.add_column(heading, justify="right")
    rows = {}
    for job in jobs:
        numbers = {name: value for name, value in job.items() if isinstance(value, int)}
        rows.setdefault((job["way"], job["tensorflow"]), Counter()).update(numbers)
    for key, sums in sorted(rows.items()):
        wanted = ("kills", "went_on", "went_back", "stuck", "elsewhere")
        made.add_row(*key, *(str(sums[name]) for name in wanted))
    return made


def main(argv):
    """Add to the results, and print them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", metavar="RESULTS", type=Path)
    parser.add_argument("pythons", metavar="PYTHON", nargs="*")
    parser.add_argument("--kills", type=int, default=60)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--written", action="store_true", help="only what the codemod writes")
    options = parser.parse_intermixed_args(argv)
    if options.pythons:
        survey(options, options.results)
    Console(width=160).print(table(lines(options.results)))


if __name__ == "__main__":
    main(sys.argv[1:])
