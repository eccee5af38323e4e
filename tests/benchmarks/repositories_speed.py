"""Prints what a run costs over repositories as they are, as ratios to ast.parse of their files in the same run.

usage: python -m tests.benchmarks.repositories_speed FOLDER [--runs N]
         [--others] [--django-upgrade FILE] [--pyupgrade FILE] [--ruff FILE]

FOLDER, outside this repository, holds others, each in a folder of its own. CPU is user and system time of one process;
every figure is the least of the runs (default 1), which alternate. ``ast.parse`` is of all Python files and of the code
cells of all notebooks. Finding reads and judges everything and writes nothing (--check). What rewriting adds is
measured beside ``ast.parse`` of the files that are rewritten. A small program is
``legacy_examples/custom_model_fn.py``, start-up included.

With ``--others`` other tools stand beside it, once each, on copies of those Python files that can be parsed: ``ruff
check`` without its cache, ``django-upgrade``, ``pyupgrade``, and LibCST's own runner with a command that does nothing;
one is left out where it is not there.
"""

import argparse
import ast
import json
import os
import shutil
import sys
import tempfile
import warnings
from pathlib import Path

from tests.benchmarks.cost import measured, migrate, row

SMALL = "legacy_examples/custom_model_fn.py"
EMPTY = (
    "from libcst.codemod import VisitorBasedCodemodCommand\n\n\nclass Empty(VisitorBasedCodemodCommand):\n    pass\n"
)


def texts(path):
    """A Python file, or the code cells of a notebook, which holds none where it is not one."""
    if path.suffix == ".py":
        yield path.read_bytes()
        return
    try:
        cells = json.loads(path.read_bytes())["cells"]
        yield from ("".join(cell["source"]).encode() for cell in cells if cell["cell_type"] == "code")
    except (ValueError, KeyError, TypeError):
        return


def parse_all(listed):
    """Parses the files that another one lists, in a process of its own."""
    warnings.simplefilter("ignore")
    for path in Path(listed).read_text(encoding="utf-8").splitlines():
        for text in texts(Path(path)):
            try:
                ast.parse(text)
            except (SyntaxError, ValueError):
                continue  # of Python 2, or with a magic of IPython: it was read


def is_python_3(path):
    """Whether a file can be parsed; ``pyupgrade`` ends at the first that cannot."""
    try:
        ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return False
    return True


def changed(diff):
    """The files that a diff of files outside this repository changes; those that it makes have no old text."""
    lines = diff.read_text(encoding="utf-8", errors="replace").splitlines()
    return sorted({"/" + line.removeprefix("--- a/").split("\t")[0] for line in lines if line.startswith("--- a/")})


def others(given, python, place):
    """The commands of other tools over the same Python files; those that write get a copy."""
    (place / "empty_command.py").write_text(EMPTY, encoding="utf-8")
    copy = place / "copy"
    for number, path in enumerate(filter(is_python_3, python)):
        copied = copy / str(number % 100) / f"m{number}.py"
        copied.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copied)
    copies = [str(path) for path in sorted(copy.rglob("*.py"))]
    empty = ["codemod", "-x", "--hide-progress", "empty_command.Empty", str(copy), "-j", "1"]
    commands = {
        "ruff check": [shutil.which(given.ruff), "check", "--no-cache", "--isolated", "--quiet", str(copy)],
        "django-upgrade": [shutil.which(given.django_upgrade), "--target-version", "5.0", *copies],
        "pyupgrade": [shutil.which(given.pyupgrade), "--py310-plus", "--exit-zero-even-if-changed", *copies],
        "libcst.tool codemod, empty": [sys.executable, "-m", "libcst.tool", *empty],
    }
    return {name: [str(part) for part in command] for name, command in commands.items() if command[0]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--others", action="store_true", help="run the other tools too, which takes minutes")
    parser.add_argument("--django-upgrade", default="django-upgrade")
    parser.add_argument("--pyupgrade", default="pyupgrade")
    parser.add_argument("--ruff", default="ruff")
    given = parser.parse_args()
    folder = given.folder.resolve()
    found = [path for path in folder.rglob("*") if path.suffix in (".py", ".ipynb") and path.is_file()]
    python = [path for path in found if path.suffix == ".py"]
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        diff, listed = place / "all.diff", {}
        for name, files in {"python": python, "all": found, "changed": []}.items():
            listed[name] = place / name
            listed[name].write_text("\n".join(map(str, files)), encoding="utf-8")
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment |= {"PYTHONPYCACHEPREFIX": str(place / "bytecode"), "PYTHONPATH": directory}
        module = "from tests.benchmarks.repositories_speed import parse_all"
        work = {name: [sys.executable, "-c", f"{module}; parse_all({str(path)!r})"] for name, path in listed.items()}
        work["none"] = [sys.executable, "-c", module]
        work["find"] = migrate("-j1", "--check", str(folder))
        work["rewrite"] = migrate("-j1", "--output", str(diff), str(folder))
        work["small"], work["small, diff"] = migrate("--check", SMALL), migrate(SMALL)
        measured(work["rewrite"], environment, (0, 1, 2))  # makes the bytecode, and says what changes
        listed["changed"].write_text("\n".join(changed(diff)), encoding="utf-8")
        costs = dict.fromkeys(work, float("inf"))
        for _ in range(given.runs):
            for name, command in work.items():
                costs[name] = min(costs[name], measured(command, environment, (0, 1, 2)).cpu)
        everything = tell(costs, folder, len(python), len(found))
        for name, command in others(given, python, place).items() if given.others else ():
            cost = measured(command, environment, range(256)).cpu
            row(f"{name}, the Python files", f"{cost / everything:.2f} × ast.parse", "for comparison")


def tell(costs, folder, python, found):
    """Prints what the tool's own runs cost; the CPU time of ``ast.parse`` of everything."""
    everything, own = costs["all"] - costs["none"], costs["changed"] - costs["none"]
    repositories = sum(path.is_dir() for path in folder.iterdir())
    print(f"{repositories} repositories, {python} Python files, {found - python} notebooks:")
    print(f"ast.parse takes {everything:.2f} s of CPU, {costs['python'] - costs['none']:.2f} s without notebooks\n")
    row("", "measured", "target")
    for name, what, target in (
        ("find", "finding", "at most 2.0 ×"),
        ("rewrite", "finding and rewriting", "at most 3.0 ×"),
    ):
        row(what, f"{costs[name] / everything:.2f} × ast.parse", target)
    added = (costs["rewrite"] - costs["find"]) / own
    row("what rewriting adds, beside what it rewrites", f"{added:.2f} × ast.parse", "at most 12 ×")
    row("a small program, found", f"{costs['small']:.2f} s", "at most 0.20 s")
    row("a small program, with its diff", f"{costs['small, diff']:.2f} s", "at most 0.40 s")
    return everything


if __name__ == "__main__":
    main()
