"""Start rewritten Keras programs by scenario, under a stand-in for TensorFlow, and judge with what each start begins.

usage: python -m tests.benchmarks.resume_starts [--python PYTHON] [--tool CHECKOUT] [--work FOLDER] REPOSITORY…

Prints for each program the verdict of each scenario, and the counts. PYTHON runs the programs; it needs no TensorFlow,
and should have NumPy and pandas. What a scenario is stands in ``scenarios.py``. Where the bench runs as root, what it
starts can write in a folder below FOLDER alone.
"""

import argparse
import json
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.benchmarks.resume_starts import jobs, prepared, repositories
from tests.benchmarks.resume_starts.scenarios import Scenarios
from tests.benchmarks.resume_starts.verdicts import NOT_TRIED, Verdict


def judged(source: Path, python: str, tool: Path, above: Path, only: str = "") -> list[tuple[str, list[Verdict] | str]]:
    """Each rewritten program of a repository with its verdicts, or why it cannot be started."""
    work = Path(tempfile.mkdtemp(dir=above))
    found: list[tuple[str, list[Verdict] | str]] = []
    seen = set()
    try:
        repository = repositories.read(source, work / "repository", sys.executable, tool)
        for file in repository.rewritten:
            if only not in file:
                continue
            name = f"{source.name}/{file}"
            try:
                job, args, start = prepared.prepare(repository, work, file, python)
            except prepared.CannotStart as error:
                found.append((name, str(error)))
                continue
            if job.program in seen:
                continue
            seen.add(job.program)
            name += f" by {job.program}" if job.program != file else ""
            found.append((name, Scenarios(job, args, start).run()))
    finally:
        jobs.close_servers()
        shutil.rmtree(work, ignore_errors=True)
    return found


def main(argv=None):
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--tool", type=Path, default=repositories.TREE)
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--only", default="", help="a part of the path of the programs to start")
    parser.add_argument("--json", type=Path, help="append a line for each program to a file")
    args = parser.parse_args(argv)
    for missing in [one for one in args.repositories if not one.is_dir()]:
        parser.error(f"{missing} is no folder")
    counts: Counter = Counter()
    for source in args.repositories:
        begun = time.monotonic()
        for name, verdicts in judged(source, args.python, args.tool, args.work, args.only):
            _print(name, verdicts, counts)
            if args.json:
                told = verdicts if isinstance(verdicts, str) else [vars(one) for one in verdicts]
                with args.json.open("a") as file:
                    file.write(json.dumps({"program": name, "verdicts": told}) + "\n")
        print(f"  {time.monotonic() - begun:.1f} s", flush=True)
    for scenario in sorted({one for one, _ in counts}):
        print(f"{scenario}: " + ", ".join(f"{counts[scenario, kind]} {kind}" for kind in ("right", "wrong", NOT_TRIED)))


def _print(name, verdicts, counts):
    if isinstance(verdicts, str):
        print(f"{name}: cannot be started: {verdicts}")
        return
    print(name)
    kinds: dict[str, str] = {}
    for one in verdicts:
        letter = one.scenario[0]
        kinds[letter] = max(kinds.get(letter, NOT_TRIED), one.status, key=(NOT_TRIED, "right", "wrong").index)
        print(f"  {one}")
    counts.update(kinds.items())


if __name__ == "__main__":
    main()
