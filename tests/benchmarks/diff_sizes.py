"""Prints how long the diffs are that a person reads: the lines of the users' own files, and of the generated modules.

usage: python -m tests.benchmarks.diff_sizes PATH... -- PYTHON...

A copy of each PATH, a program or a repository, is migrated by the tool that each PYTHON has, the first of them being
"before". Lines are those that a unified diff without context adds and takes away.
"""

import argparse
import difflib
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def sizes(python, path):
    """What one tool makes of a path: sites that it rewrites, lines of users' files, lines of generated modules."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "copy"
        if path.is_dir():
            shutil.copytree(path, folder, symlinks=True)
        else:
            folder.mkdir()
            shutil.copy(path, folder)
        before = texts(folder)
        command = [python, "-m", "migrate", "--write", "--format", "json", "."]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        rewritten = sum(finding["rewritten"] for finding in json.loads(done.stdout)["findings"])
        own = generated = 0
        for name, text in texts(folder).items():
            lines = difflib.unified_diff(before.get(name, "").splitlines(), text.splitlines(), n=0, lineterm="")
            changed = sum(line[0] in "+-" for line in list(lines)[2:])
            own, generated = own + changed * (name in before), generated + changed * (name not in before)
        return rewritten, own, generated


def texts(folder):
    """The text of each Python file below a folder, by its path there."""
    return {str(path.relative_to(folder)): path.read_text(errors="replace") for path in sorted(folder.rglob("*.py"))}


def main(argv):
    """Print the table, in Markdown, a line as soon as it is known."""
    paths, pythons = argv[: argv.index("--")], argv[argv.index("--") + 1 :]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", metavar="PATH", nargs="+", type=Path)
    heads = [f"{what}, {'after' if at else 'before'}" for at in range(len(pythons)) for what in ("sites", "own", "new")]
    print("| path | " + " | ".join(heads) + " |")
    print("|---" + "|--:" * len(heads) + "|")
    sums = [0] * len(heads)
    for path in parser.parse_args(paths).paths:
        figures = [figure for python in pythons for figure in sizes(python, path)]
        sums = [total + figure for total, figure in zip(sums, figures, strict=True)]
        print(f"| {path.name} | " + " | ".join(f"{figure:,}" for figure in figures) + " |", flush=True)
    print("| all | " + " | ".join(f"{total:,}" for total in sums) + " |")


if __name__ == "__main__":
    main(sys.argv[1:])
