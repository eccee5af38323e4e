"""Jobs that are stopped under the old code, go on under the new one, and are killed there again and again."""

import json
import os
import shutil
import subprocess
from pathlib import Path

from migrate.pipeline.run import run
from migrate.settings import Settings
from tests import nursery
from tests.interruption.resume.programs import BY_NAME, SHAPES, WITHOUT_A_RANGE
from tests.pairs import put

TRAINED = Path(__file__).parent / "job.py"
EPOCHS = 6


class Job:
    """One job in a directory of its own: its files, its old and its new program, and the record of its epochs.

    Args:
      shape: the name of a program.
      directory: where it runs.
      target: the TensorFlow that the new program is for.
    """

    def __init__(self, shape, directory, target="portable"):
        self.files, self.record = directory / "files", directory / "record"
        self.old, self.new = directory / "old" / f"{shape}.py", directory / "new" / f"{shape}.py"
        for program in (self.old, self.new):
            program.parent.mkdir(parents=True)
            program.write_text({**SHAPES, **BY_NAME, **WITHOUT_A_RANGE}[shape])
            shutil.copy(TRAINED, program.parent)
        outcome = run([str(self.new)], Settings(target=target), jobs=1, progress=None)
        self.findings = outcome.findings
        put(outcome.changes, self.new.parent, self.new.parent)

    def start(self, program, python, legacy_keras=False, kill=None):
        """Run a program to its end, or to where it is killed; gives its exit status and what it printed."""
        environment = {**os.environ, "JOB_RECORD": str(self.record), "TF_CPP_MIN_LOG_LEVEL": "3"}
        environment.pop("TF_USE_LEGACY_KERAS", None)
        environment.pop("PYTHONPATH", None)
        environment |= {"TF_USE_LEGACY_KERAS": "1"} if legacy_keras else {}
        environment |= {"JOB-KILL": kill} if kill else {}
        command = [str(python), str(program), str(self.files), str(EPOCHS)]
        process = nursery.launch(
            command, environment, cwd=program.parent, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        output = process.communicate()[0]
        return process.returncode, output

    def events(self):
        """What the programs wrote down, in order; a line that was cut short is none."""
        lines = self.record.read_text().splitlines() if self.record.exists() else []
        return [json.loads(line) for line in lines if line.endswith("}")]

    def starts(self):
        """For each start, its first epoch, the weights that it began with, and the epochs that it ended."""
        found = []
        for event in self.events():
            if "start" in event:
                found.append((event, []))
            else:
                found[-1][1].append(event)
        return found


def check(job, old_starts=1, is_counted=True):
    """Raise unless every start of the new program went on where the one before it had ended.

    Args:
      job: the job, which has reached its last epoch.
      old_starts: how many starts the old program made.
      is_counted: whether the old program knows how many epochs are done; else the new one counts its own.
    """
    starts, ended = job.starts(), {}
    for number, (begun, ends) in enumerate(starts):
        first = begun["start"]
        if number == old_starts and not is_counted:
            assert (first, begun["weights"]) == (0, ended[max(ended)]["weights"]), "the old file was not loaded"
            ended = {}
        if number >= old_starts:
            done = max(ended, default=-1) + 1
            # A kill between an epoch's last batch and the end of its save costs that epoch.
            assert first in (done, done - 1), f"start {number} begins at epoch {first}, {done} were done"
            if first > 0:
                assert begun["weights"] == ended[first - 1]["weights"], f"start {number} has other weights"
                if number > old_starts:
                    assert begun["steps"] == ended[first - 1]["steps"], f"start {number} lost the optimizer's state"
        for place, end in enumerate(ends):
            assert end["end"] == first + place
            ended[end["end"]] = end
    assert sorted(ended) == list(range(EPOCHS))
