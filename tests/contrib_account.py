"""Which names of ``tf.contrib`` are shown to be the same in TensorFlow 2, and how: ``python -m tests.contrib_account``.

A name is shown by its object, where TensorFlow 1.15.5 has the very object below ``tf.compat.v1``; by its place, where
that shows it nowhere else, and TensorFlow 2 defines it in the same module by the same name; by a case, where
what stands for it computes what TensorFlow 1.15.5 computed (``tests.contrib_cases``). A name of ``tf_slim`` is shown
by its code too, where it is contrib's own, or where a case uses each definition that differs (``tests.slim_sources``).

``python -m tests.contrib_account pairs`` writes what ``tests.contrib_golden`` reads; a name shows its own line.
"""

import hashlib
import json
import sys
from collections import Counter
from functools import cache
from pathlib import Path

from migrate.analysis.source.symbols import symbol
from migrate.rewrite.counterparts import counterpart
from migrate.tensorflow.contrib import TABLE, name_of, read_row, rows_around, rows_of
from tests import slim_sources
from tests.contrib_names import GONE_EARLIER, kind_of, of_1
from tests.contrib_successors import rows_for

GOLDEN = Path(__file__).with_name("contrib_golden.json")
USES = Path(__file__).with_name("contrib_uses.txt")
"""How often public code of 482 repositories uses a name."""
SAME = ("same", "tf", "by-name", "piece", "estimator", "slim")
"""The kinds of row that are written as the same."""


def pairs():
    """The names that the table calls names of TensorFlow itself, each with that name, as JSON."""
    found = {}
    for name in sorted({*of_1(), *(one for one in uses() if "." in one and not is_gone(one))}):
        rows = [row for row in (*rows_of(name), *rows_for(name, 0, ())) if row.kind == "tf"]
        if kind_of(name) in ("same", "tf") and rows:
            found[name] = rows[0].successor
    return json.dumps(found, sort_keys=True)


@cache
def uses():
    """The names that public code uses more than twice: how often, and in how many repositories."""
    found = {}
    for line in USES.read_text(encoding="utf-8").splitlines()[1:]:
        module, _, names = line.partition(": ")
        for name, count, where in map(str.split, names.split(", ")):
            found[f"{module}.{name}".lstrip(".")] = int(count), int(where)
    return found


def is_gone(name):
    """Whether TensorFlow 1.15 no longer had a name."""
    rows = Path(TABLE).read_text(encoding="utf-8").partition(GONE_EARLIER)[2].splitlines()
    ends = [name.rsplit(".", number)[0] for number in range(name.count(".") + 1)]
    gone = {(row.module, row.name) for line in rows if line for row in read_row(line)}
    return any((one.rpartition(".")[0], one.rpartition(".")[2]) in gone or (one, "*") in gone for one in ends)


def how_shown(name):
    """How a name that public code uses is shown: by its object, its place, a case, its code, or in the object form.

    It is ``rule``, ``none``, ``package`` or ``gone`` where nothing is written as the same, and "" where something is
    and nothing shows it.
    """
    kind = str(kind_of(name))
    found = symbol(f"tensorflow.contrib.{name}")
    if is_gone(name):
        return "gone"
    if kind in SAME and (how := shown(name, kind)):
        return how.split()[0]
    if found is not None and found.tail.startswith("estimator.") and counterpart(found, is_v1=True) is not None:
        return "form"
    if kind == "slim" and (row := next((one for one in rows_around(name) if one.kind == "slim"), None)) is not None:
        is_module = not row.successor or any(one.startswith(f"slim.{row.successor}.") for one in _sources()["equal"])
        return "code" if is_module or _by_code(f"slim.{row.successor}") else ""
    return kind if kind in ("none", "package", "rule") else ""


@cache
def _known():
    return json.loads(GOLDEN.read_text(encoding="utf-8"))


def is_current():
    """Whether TensorFlow 1.15.5 was asked about the rows as they are."""
    return _known()["objects"]["digest"] == hashlib.sha256(pairs().encode()).hexdigest()


@cache
def _same_objects():
    objects = _known()["objects"]
    return set(json.loads(pairs())).difference(objects["others"], objects["places"])


@cache
def _used():
    """The cases that use a name by a row of a kind."""
    found = {}
    for one in _known()["cases"]:
        for name, positional, keywords in one["uses"]:
            row = next(iter(rows_for(name, positional, keywords)), None)
            if row is not None:
                found.setdefault((name, row.kind), []).append(one["case"])
    return found


def shown(name, kind):
    """How a name is shown to be the same by its row of a kind; "" where it is not."""
    if name in _same_objects():
        return "object"
    if name in _known()["objects"]["places"]:
        return "place"
    cases = _used().get((name, "tf" if kind == "same" else kind))
    if cases:
        return f"case {', '.join(sorted({*cases}))}"
    return _by_code(name) if kind == "slim" else ""


@cache
def _sources():
    return slim_sources.read()


def _by_code(name):
    """How a name of tf_slim is shown by its code; "" where it is not."""
    used = {name_of(f"tensorflow.contrib.{one}") for one, kind in _used() if kind == "slim"}
    computed = {part for one in used for part in _sources()["other"].get(one, ())}
    if name in _sources()["equal"]:
        return "code"
    parts = _sources()["other"].get(name)
    return f"code and cases for {', '.join(parts)}" if parts and computed.issuperset(parts) else ""


if __name__ == "__main__":
    if sys.argv[1:] == ["pairs"]:
        print(pairs())
        sys.exit()
    counts = Counter()
    for name in of_1():
        kind = str(kind_of(name))
        if kind in SAME:
            how = shown(name, kind)
            counts[kind, how.split()[0] if how else "not shown"] += 1
            if name in sys.argv[1:] or not how:
                print(f"{name} ({kind}): {how or 'not shown'}")
    print(*(f"{kind}, {how}: {number}" for (kind, how), number in sorted(counts.items())), sep="\n")
    if not is_current():
        sys.exit("TensorFlow 1.15.5 was asked about other rows: write contrib_golden.json anew.")
