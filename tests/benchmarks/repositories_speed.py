"""Prints what a run costs over repositories as they are, as ratios to ast.parse of their files in the same run.

usage: python -m tests.benchmarks.repositories_speed FOLDER [--runs N]

FOLDER, outside this repository, holds others, each in a folder of its own. CPU is user and system time of one process;
every figure is the least of the runs (default 1), which alternate. ``ast.parse`` is of all Python files and of the code
cells of all notebooks. Finding reads and judges everything and writes nothing (--check). What rewriting adds is
measured beside ``ast.parse`` of the files that are rewritten.
"""

import argparse
import ast
import json
import os
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.codemod_speed import measured, migrate, row


def texts(path: Path) -> Iterator[bytes]:
    """A Python file, or the code cells of a notebook, which holds none where it is not one."""
    if path.suffix == ".py":
        yield path.read_bytes()
        return
    try:
        cells = json.loads(path.read_bytes())["cells"]
        yield from ("".join(cell["source"]).encode() for cell in cells if cell["cell_type"] == "code")
    except (ValueError, KeyError, TypeError):
        return


def parse_all(listed: str) -> None:
    """Parses the files that another one lists, in a process of its own."""
    warnings.simplefilter("ignore")
    for path in Path(listed).read_text(encoding="utf-8").splitlines():
        for text in texts(Path(path)):
            try:
                ast.parse(text)
            except (SyntaxError, ValueError):
                continue  # of Python 2, or with a magic of IPython: it was read


def changed(diff: Path) -> list[str]:
    """The files that a diff of files outside this repository changes; those that it makes have no old text."""
    lines = diff.read_text(encoding="utf-8", errors="replace").splitlines()
    return sorted({"/" + line.removeprefix("--- a/").split("\t")[0] for line in lines if line.startswith("--- a/")})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int, default=1)
    given = parser.parse_args()
    folder = given.folder.resolve()
    found = [path for path in folder.rglob("*") if path.suffix in (".py", ".ipynb") and path.is_file()]
    python = [path for path in found if path.suffix == ".py"]
    with tempfile.TemporaryDirectory() as directory:
        diff, listed = Path(directory) / "all.diff", {}
        for name, files in {"python": python, "all": found, "changed": []}.items():
            listed[name] = Path(directory) / name
            listed[name].write_text("\n".join(map(str, files)), encoding="utf-8")
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = str(Path(directory) / "bytecode")
        module = "from tests.benchmarks.repositories_speed import parse_all"
        work = {name: [sys.executable, "-c", f"{module}; parse_all({str(path)!r})"] for name, path in listed.items()}
        work["none"] = [sys.executable, "-c", module]
        work["find"] = migrate("-j1", "--check", str(folder))
        work["rewrite"] = migrate("-j1", "--output", str(diff), str(folder))
        measured(work["rewrite"], environment, (0, 1, 2))  # makes the bytecode, and says what changes
        listed["changed"].write_text("\n".join(changed(diff)), encoding="utf-8")
        costs = dict.fromkeys(work, float("inf"))
        for _ in range(given.runs):
            for name, command in work.items():
                costs[name] = min(costs[name], measured(command, environment, (0, 1, 2)).cpu)
    everything, own = costs["all"] - costs["none"], costs["changed"] - costs["none"]
    repositories = sum(path.is_dir() for path in folder.iterdir())
    print(f"{repositories} repositories, {len(python)} Python files, {len(found) - len(python)} notebooks:")
    print(f"ast.parse takes {everything:.2f} s of CPU, {costs['python'] - costs['none']:.2f} s without notebooks\n")
    row("", "measured", "target")
    row("finding", f"{costs['find'] / everything:.2f} × ast.parse", "at most 1.5 ×")
    row("finding and rewriting", f"{costs['rewrite'] / everything:.2f} × ast.parse", "at most 3 ×")
    added = (costs["rewrite"] - costs["find"]) / own
    row("what rewriting adds, beside what it rewrites", f"{added:.2f} × ast.parse", "at most 12 ×")


if __name__ == "__main__":
    main()
