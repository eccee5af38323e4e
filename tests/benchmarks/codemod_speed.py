"""Prints how fast the codemod works through a large tree, as ratios to ast.parse of the same files in the same run.

usage: python -m tests.benchmarks.codemod_speed [--runs N]

The tree has 1,600 generated files, 450,000 lines, 12 % of the files with a hit; generated_tree.py says more. Every
figure comes from processes of their own and is the median of the runs (default 3), which alternate between the kinds of
work. CPU is user and system time together. Finding reads and judges everything and selects nothing (--ignore FT).
Bytecode is kept, as for an installed package. Twice the files are the same ones in two places.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.generated_tree import FILES, LINES, generate

ROOT = Path(__file__).parents[2]
PARSE = "import ast, sys\nfor path in open(sys.argv[1]).read().split():\n    ast.parse(open(path, 'rb').read())"
HEAVY = ("libcst", "rich", "black")
CLEAN_RUNS = 5
"""A run on a clean tree is so short that more of them are measured."""


@dataclass(frozen=True)
class Cost:
    """What one process took: CPU and wall time in seconds, the largest memory of any of its processes in MB."""

    cpu: float
    wall: float
    memory: float


def measured(command: Sequence[str], environment: Mapping[str, str], expected: Collection[int] = (0, 1)) -> Cost:
    """Runs a command and waits for it.

    Raises:
      RuntimeError: it ended otherwise than expected: 1 says that something was found, 2 that a file cannot be read.
    """
    began = time.perf_counter()
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in expected:
        raise RuntimeError(f"{command} ended with {process.returncode}")
    return Cost(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss * 1024 / 1e6)


def migrate(*arguments: str) -> list[str]:
    keeps = [] if "--cache-dir" in arguments else ["--no-cache"]
    return [sys.executable, "-m", "migrate", *keeps, *arguments]


def imported(tree: Path) -> list[str]:
    """The heavy modules that a run on a clean tree imports."""
    code = (
        f"import sys, migrate.cli.main; migrate.cli.main.main([{str(tree)!r}]); print(*{{*sys.modules}} & {{*{HEAVY}}})"
    )
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True).stdout.split()


def row(name: str, figure: str, target: str) -> None:
    print(f"{name:52}{figure:>20}   {target}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as directory:
        once, twice, clean = (Path(directory) / name for name in ("once", "twice", "clean"))
        listed = Path(directory) / "files"
        listed.write_text("\n".join(generate(once)), encoding="utf-8")
        for place in ("here", "there"):
            shutil.copytree(once, twice / place)
        generate(clean, 10, LINES * 10 // FILES, with_tensorflow=False)
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = str(Path(directory) / "bytecode")
        measured(migrate("legacy_examples"), environment)
        work = {
            "parse": [sys.executable, "-c", PARSE, str(listed)],
            "find": migrate("-j1", "--check", "--ignore", "FT", str(once)),
            "rewrite": migrate("-j1", str(once)),
            "twice": migrate("-j1", str(twice)),
            "two processes": migrate("-j2", str(once)),
        }
        costs = {name: [] for name in work}
        for _ in range(runs):
            for name, command in work.items():
                costs[name].append(measured(command, environment))
        cleans = [measured(migrate(str(clean)), environment).wall for _ in range(runs * CLEAN_RUNS)]
        starts = [measured([sys.executable, "-c", ""], environment).wall for _ in range(runs * CLEAN_RUNS)]
        heavy = imported(clean)

    def median(name: str, kind: str) -> float:
        return statistics.median(getattr(cost, kind) for cost in costs[name])

    parse, rewrite = median("parse", "cpu"), median("rewrite", "cpu")
    print(f"{FILES} files, {LINES} lines: ast.parse takes {parse:.2f} s of CPU\n")
    row("", "measured", "target")
    row("finding, CPU", f"{median('find', 'cpu') / parse:.2f} × ast.parse", "at most 1.5 ×")
    row("finding and all rewrites, CPU", f"{rewrite / parse:.2f} × ast.parse", "at most 8 ×")
    row("peak memory of a process", f"{median('rewrite', 'memory'):.0f} MB", "at most 300 MB")
    row("twice the files, CPU", f"{median('twice', 'cpu') / rewrite:.2f} ×", "at most 2.1 ×")
    row("twice the files, peak memory of a process", f"{median('twice', 'memory'):.0f} MB", "at most 300 MB")
    speedup = median("rewrite", "wall") / median("two processes", "wall")
    row("-j 2 against -j 1, wall", f"{speedup:.2f} × as fast", f"scales; {len(os.sched_getaffinity(0))} cores here")
    start = statistics.median(starts)
    row("10 clean files, wall", f"{statistics.median(cleans):.3f} s", f"at most 0.25 s; Python alone {start:.3f} s")
    row(f"10 clean files, imports of {', '.join(HEAVY)}", ", ".join(heavy) or "none", "none")


if __name__ == "__main__":
    main()
