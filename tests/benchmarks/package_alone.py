"""The runtime package where TensorFlow is all else that is installed.

usage: python -m tests.benchmarks.package_alone VERSION...

For each VERSION of TensorFlow, pip installs ``tensorflow==VERSION`` into a new virtual environment, then the package's
wheel, both with what they require. Printed are

- what pip installed for the wheel beside itself, and what ``pip check`` says;
- how many files the package has, each of which is imported;
- of two migrated programs that import it, a Keras model's and a model_fn's, how a job goes on that is killed three
  times, and how many of its losses are not those of the undisturbed job to the last bit.
"""

import contextlib
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.durability import Job, figures
from tests.nursery import Nursery
from tests.pairs import write_all
from tests.program_arguments import digits
from tests.runtime_package import build

PROGRAMS = "fault_tolerance_run_config.py", "feature_columns/linear_ftrl.py"
KILLS = 3
TOLD = {
    "kills": "kills",
    "stuck": "cannot start",
    "far": "too far back",
    "elsewhere": "other end",
    "compared": "losses compared",
    "changed": "changed",
}
"""Of the figures of a killed job, the words of the durability's table."""
IMPORT = (
    "import importlib, pkgutil, tf2_recovery as t; found = pkgutil.walk_packages(t.__path__, 'tf2_recovery.');"
    " print(len([importlib.import_module(one.name) for one in found if not one.ispkg]))"
)


def environment(folder, version):
    """A new environment's interpreter, and the packages that the wheel brought beside TensorFlow's."""
    python = folder / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    installed = []
    for what in (f"tensorflow=={version}", str(build(folder))):
        output([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", what])
        listed = json.loads(output([python, "-m", "pip", "list", "--format", "json", "--disable-pip-version-check"]))
        installed.append({one["name"] for one in listed})
    return str(python), sorted(installed[1] - installed[0])


def output(command):
    """What a command prints; one that fails ends the benchmark."""
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def main(versions):
    """Print what becomes of each version."""
    for version in versions:
        with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
            place = Path(name)
            python, brought = environment(place / "environment", version)
            print(f"TensorFlow {version}: installed with the wheel: {', '.join(brought)}")
            print("pip check:", output([python, "-m", "pip", "check"]))
            print("files imported:", output([python, "-c", IMPORT]).splitlines()[-1], flush=True)
            write_all(place, helpers="package", input="continue")
            for script in (place / program for program in PROGRAMS):
                nursery = stack.enter_context(contextlib.closing(Nursery(python)))
                scratch = Path(tempfile.mkdtemp(dir=place))
                job = Job(nursery, script, scratch, digits(place))
                found = figures(job, job.killed(random.Random(script.name), most_kills=KILLS))
                print(f"{script.stem}:", ", ".join(f"{word} {found[what]}" for what, word in TOLD.items()), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
