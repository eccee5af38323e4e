"""Prints how fast the codemod is beside other tools on the same files, as ratios of CPU time in one run.

usage: python -m tests.benchmarks.codemod_against_others [--lines N] [--copies N] [--old-python PYTHON]

The files are generated, 280 lines each, half a per cent of them with a hit (generated_tree.py says more). Every tool
works in one process on the tree of N lines (default 450,000); ``grep``, the search for hits and the cache on as many
hard-linked copies of it as make some 100,000 files (default 60). CPU is user and system time together, so that a busy
machine changes the ratios little. ``tf_upgrade_v2`` needs a Python with TensorFlow: MIGRATE_OLD_PYTHON by default.
"""

import argparse
import os
import shutil
import sys
import tempfile
from datetime import date
from importlib.metadata import version
from pathlib import Path

from tests.benchmarks.cost import PARSE, measured, migrate, row
from tests.benchmarks.generated_tree import FILES, LINES, generate

HITS = 0.005 / 0.12
"""The share of generated files with a hit is 12 %; this makes it half a per cent."""

LIBCST = "import libcst as c, sys\nfor path in open(sys.argv[1]).read().split():\n    c.parse_module(open(path).read())"
EMPTY = (
    "from libcst.codemod import VisitorBasedCodemodCommand\n\n\nclass Empty(VisitorBasedCodemodCommand):\n    pass\n"
)
WORDS = (
    "stimator|RunConfig|TrainSpec|EvalSpec|train_and_evaluate|heckpoint|BackupAndRestore|Hook|Saver|MirroredStrategy"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=LINES)
    parser.add_argument("--copies", type=int, default=60)
    parser.add_argument("--old-python", default=os.environ.get("MIGRATE_OLD_PYTHON"))
    options = parser.parse_args()
    files = FILES * options.lines // LINES
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        tree, many, listed = place / "tree", place / "many", place / "files"
        listed.write_text("\n".join(generate(tree, files, options.lines, share=HITS)), encoding="utf-8")
        (place / "empty_command.py").write_text(EMPTY, encoding="utf-8")
        for number in range(options.copies):
            shutil.copytree(tree, many / str(number), copy_function=os.link)
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment |= {"PYTHONPYCACHEPREFIX": str(place / "bytecode"), "TF_CPP_MIN_LOG_LEVEL": "3"}
        environment["PYTHONPATH"] = str(place)
        measured(migrate("legacy_examples"), environment)
        python, cache = sys.executable, ["--cache-dir", str(place / "cache")]
        codemod = ["-m", "libcst.tool", "codemod", "-x", "--hide-progress", "empty_command.Empty", str(tree), "-j", "1"]
        upgrade = ["--intree", str(tree), "--outtree", str(place / "upgraded"), "--reportfile", str(place / "report")]
        work = {
            "ast.parse": [python, "-c", PARSE, str(listed)],
            "find": migrate("-j1", "--check", "--ignore", "FT", str(tree)),
            "rewrite": migrate("-j1", str(tree)),
            "libcst.parse_module": [python, "-c", LIBCST, str(listed)],
            "libcst.tool codemod": [python, *codemod],
            "ruff check": [python, "-m", "ruff", "check", "--no-cache", "--isolated", "--quiet", str(tree)],
            "grep": ["grep", "-rlE", "--include=*.py", WORDS, str(many)],
            "find in many": migrate("-j1", "--check", "--ignore", "FT", str(many)),
            "cache, first run": migrate("-j1", "--check", "--ignore", "FT", *cache, str(many)),
            "cache, second run": migrate("-j1", "--check", "--ignore", "FT", *cache, str(many)),
        }
        if options.old_python:
            work["tf_upgrade_v2"] = [str(Path(options.old_python).parent / "tf_upgrade_v2"), *upgrade]
        costs = {name: measured(command, environment) for name, command in work.items()}
    cpu = {name: cost.cpu for name, cost in costs.items()}
    print(f"{date.today()}, Python {sys.version.split()[0]}, LibCST {version('libcst')}, ruff {version('ruff')}")
    print(
        f"{files} files, {options.lines} lines; {files * options.copies} files in many; load {os.getloadavg()[0]:.0f}"
    )
    print(f"CPU seconds: {', '.join(f'{name} {seconds:.2f}' for name, seconds in cpu.items())}\n")
    row("", "measured", "target")
    row("finding", f"{cpu['find'] / cpu['ast.parse']:.2f} × ast.parse", "at most 1.0 ×")
    for name, target in (
        ("tf_upgrade_v2", 20),
        ("libcst.tool codemod", 10),
        ("libcst.parse_module", 1),
        ("ruff check", 0),
    ):
        if name in cpu:
            wanted = f"at least {target} ×" if target else "for comparison"
            row(f"finding and rewriting, beside {name}", f"{cpu[name] / cpu['rewrite']:.2f} × as fast", wanted)
    beyond = cpu["find in many"] - 3 * cpu["grep"]
    row("many files, finding", f"3 × grep {beyond:+.1f} s", "at most 3 × grep + 20 s")
    row("many files unchanged, --cache-dir", f"{cpu['cache, second run'] / cpu['grep']:.2f} × grep", "at most 1.5 ×")
    grown = costs["find in many"].memory / costs["find"].memory
    row("many files, memory", f"{costs['find in many'].memory:,.0f} MB, {grown:.1f} × one tree's", "flat")


if __name__ == "__main__":
    main()
