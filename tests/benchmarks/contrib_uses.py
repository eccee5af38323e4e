"""Counts which names of ``tf.contrib`` public code uses more than twice, and prints how each is shown.

usage: python -m tests.benchmarks.contrib_uses [REPOSITORY...]

REPOSITORY is a git directory: the files of its newest commit are read, each content once, and notebooks by their cells.
A use is a name that the file's imports lead to ``tensorflow.contrib``. The counts are written to
``tests/contrib_uses.txt``; without a REPOSITORY they are those that stand there.
"""

import argparse
import ast
import json
import re
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

from migrate.analysis.source.names import Names
from migrate.analysis.source.symbols import symbol
from migrate.tensorflow.contrib import advice, name_of, rows_of
from tests.contrib_account import USES, how_shown, uses
from tests.contrib_names import of_1

_LEAST = 3


def main(repositories):
    if repositories:
        write(repositories)
    found = defaultdict(list)
    for name, (count, where) in uses().items():
        found[how_shown(name)].append((name, count, where))
    for how, names in sorted(found.items(), key=lambda item: -sum(count for _, count, _ in item[1])):
        print(f"{how or 'not shown'}: {len(names)} names, {sum(count for _, count, _ in names)} uses")
    for how in ("none", "package", "gone", ""):
        print(f"\n{how or 'not shown'}")
        for name, count, where in found[how]:
            print(f"| {name} | {count} | {where} | {advice(name)} |")


def write(repositories):
    known, counts, where = {*of_1()}, Counter(), defaultdict(set)
    seen = set()
    for repository in repositories:
        for text in texts(repository):
            if text not in seen:
                seen.add(text)
                for name in names_in(text):
                    public = public_name(name, known)
                    counts[public] += 1
                    where[public].add(repository)
    modules = defaultdict(list)
    for name, count in counts.most_common():
        if count >= _LEAST:
            module, _, last = name.rpartition(".")
            modules[module].append(f"{last} {count} {len(where[name])}")
    lines = ["# each name of contrib with more than two uses, its uses and repositories: tests.benchmarks.contrib_uses"]
    lines += [f"{module}: {', '.join(names)}" for module, names in sorted(modules.items())]
    USES.write_text("\n".join(lines) + "\n", encoding="utf-8")


def public_name(name, known):
    """The name below ``tf.contrib`` by which TensorFlow 1.15 or the table knows a name, also of a private module's."""
    inside = name.partition(".contrib.")[2]
    elsewhere = symbol(name).tail.removeprefix("estimator.")  # what private modules of contrib.tpu hold
    if any(rows_of(inside)) or elsewhere in known:
        return inside if any(rows_of(inside)) else elsewhere
    parts = name_of(name.replace("compat.v1.", "")).split(".")
    return next((one for end in range(len(parts), 0, -1) if (one := ".".join(parts[:end])) in known), ".".join(parts))


def texts(repository):
    """The Python texts of a repository's newest commit that may name contrib."""

    def git(*arguments):
        return subprocess.run(["git", "--git-dir", repository, *arguments], capture_output=True).stdout.decode(
            errors="replace"
        )

    newest = (
        git("rev-parse", "-q", "--verify", "HEAD^{commit}") or git("for-each-ref", "--format=%(objectname)")
    ).split()
    if not newest:
        return
    for path in git("grep", "-l", "-I", "-E", "contrib|learn_runner", newest[0], "--", "*.py", "*.ipynb").splitlines():
        text = git("show", path)
        if path.endswith(".ipynb"):
            try:
                cells = json.loads(text)["cells"]
            except (ValueError, KeyError):
                continue
            text = "\n".join("".join(one["source"]) for one in cells if one["cell_type"] == "code")
            text = re.sub(r"(?m)^\s*[%!].*$", "pass", text)
        yield text


def names_in(text):
    """The names of contrib in a file, as its imports lead to them."""
    try:
        names = Names(ast.parse(text))
    except (SyntaxError, ValueError, RecursionError):
        return
    for node, parent in names.parents.items():
        is_read = isinstance(node, ast.Attribute | ast.Name) and isinstance(node.ctx, ast.Load)
        if is_read and not isinstance(parent, ast.Attribute):
            name = names.qualified(node)
            if name and name.startswith("tensorflow") and ".contrib." in name:
                yield name


if __name__ == "__main__":
    sys.setrecursionlimit(10_000)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", nargs="*", type=Path, metavar="REPOSITORY")
    main(parser.parse_args().repositories)
