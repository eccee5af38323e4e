"""Checks the table of contrib's successors: ``python -m tests.contrib_names``.

It prints how many names have which kind.

With a name (``layers.conv2d``) it prints what the table says of it.
"""

import ast
import sys
from collections import Counter
from pathlib import Path

from migrate.runtime_files.package import defining_file, public_names, sources
from migrate.tensorflow.contrib import TABLE, read_row, rows_around, rows_of
from migrate.tensorflow.known_names import NEW, OLD, lines_without, public_name
from tests.tensorflow_names import names_in_version

_OF_PYTHON = (
    "framework.nest.",
    "learn.learn_runner.",
    "learn.ModeKeys.",
    "learn.datasets.",
    "learn.preprocessing.",
    "learn.utils.",
    "seq2seq.gather_tree",
    "slim.learning.",
    "slim.python.",
)
"""What contrib shows of private modules, of a class and of compiled code."""

GONE_EARLIER = "# Gone before 1.15"
"""The line of the table that ends the names of TensorFlow 1.15."""
KINDS = ("tf", "by-name", "piece", "slim", "estimator", "rule", "package", "none")


def of_1():
    """The names that TensorFlow 1.15 has below ``tf.contrib``, without it."""
    return [name.removeprefix("contrib.") for name in names_in_version("1.15") if name.startswith("contrib.")]


def kind_of(name):
    """What kind of row a name has; ``same`` where TensorFlow 2 has the object by another name; None for no row."""
    rows = list(rows_of(name))
    if rows:
        return rows[0].kind
    public = public_name(f"tensorflow.contrib.{name}")
    if public is not None and not public.tail.startswith("contrib.") and is_there(public.tail):
        return "same"
    rows = [row for row in rows_around(name) if row.kind != "tf" or is_there(row.successor)]
    return rows[0].kind if rows else None


def successors():
    """The names below ``tf.compat.v1`` that the table gives one by one."""
    lines = (line for line in Path(TABLE).read_text(encoding="utf-8").splitlines() if line and not line.startswith("#"))
    rows = [row for line in lines for row in read_row(line) if row.kind in ("tf", "by-name") and row.name != "*"]
    return sorted({row.successor for row in rows})


def is_there(tail):
    return not lines_without(f"tensorflow.compat.v1.{tail}", (OLD, NEW))


def wrong(known):
    """What is wrong with the table, a line for each.

    Args:
      known: the names of TensorFlow 1.15.
    """
    yield from (f"{name} has no row" for name in known if kind_of(name) is None)
    modules = {".".join(name.split(".")[:end]) for name in known for end in range(1, name.count(".") + 2)}
    before, _, earlier = Path(TABLE).read_text(encoding="utf-8").partition(GONE_EARLIER)
    lines = [(line, True) for line in before.splitlines()] + [(line, False) for line in earlier.splitlines()]
    for line, is_of_1 in lines:
        if not line or line.startswith("#"):
            continue
        for row in read_row(line):
            yield from wrong_of(row, line, known if is_of_1 else (), modules if is_of_1 else ())


def wrong_of(row, line, known, modules):
    name = f"{row.module}.{row.name}"
    if row.kind not in KINDS:
        yield f"no such kind: {line}"
    is_private = ".python." in f"{name}." or name.startswith(_OF_PYTHON)
    if modules and row.name != "*" and not is_private and name not in {*known, *modules}:
        yield f"{name} is in no TensorFlow 1.15: {line}"
    if row.kind in ("tf", "by-name") and row.name != "*" and not is_there(row.successor):
        yield f"tf.compat.v1.{row.successor} is not there: {line}"
    if row.kind == "piece":
        yield from wrong_piece(row, line)
    if row.kind == "estimator" and row.successor.split(".")[0] not in public_names():
        yield f"no piece {row.successor}: {line}"
    if row.kind in ("none", "package", "rule") and not row.advice:
        yield f"no advice: {line}"


def wrong_piece(row, line):
    if row.successor not in public_names():
        yield f"no piece {row.successor}: {line}"
        return
    tree = ast.parse(sources()[defining_file(row.successor)])
    made = next((n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == row.successor), None)
    takes = [one for one in row.arguments if not one.startswith("-")]
    if made is not None and takes:
        given = [one.arg for one in made.args.args + made.args.kwonlyargs]
        placed = takes[: takes.index("*")] if "*" in takes else takes
        if given[: len(placed)] != placed or not set(takes) - {"*"} <= set(given):
            yield f"{row.successor} takes {given}: {line}"


if __name__ == "__main__":
    names = of_1()
    if sys.argv[1:]:
        print(*(row for name in sys.argv[1:] for row in (*rows_of(name), *rows_around(name))), sep="\n")
    else:
        problems = list(wrong(set(names)))
        counts = Counter(str(kind_of(name)) for name in names)
        print(*problems, *(f"{kind}: {number}" for kind, number in sorted(counts.items())), sep="\n")
        sys.exit(bool(problems))
