"""Every fault on every pair of ``legacy_examples/`` and ``tf2_examples/``: where it resumes, and whether as it should.

usage: python -m tests.benchmarks.pairs_table RESULTS [--pair NAME...] [--fault NAME...] [--changes N] -- PYTHON...
       python -m tests.benchmarks.pairs_table RESULTS

The old programs run under the first PYTHON, with TensorFlow 2.15, the new ones under each other. Pairs are found by
their files; one without ``--max_steps`` is no job of one process, and is left to tests of its own. Each comparison is a
line of RESULTS, a file of JSON lines that later calls add to; what is there is not done again. Then, and without an
interpreter, a table in Markdown is printed.
``25→20`` means: killed after step 25, resumed at step 20, as the old program did, and with whatever else ``verify``
compares the same; a cell with ✗ names the first difference.
"""

import argparse
import contextlib
import functools
import json
import re
import sys
import tempfile
import time
from pathlib import Path

from migrate.verify import FAULTS, Program, compare, run, run_interrupted
from migrate.verify.comparison import Verdict
from migrate.verify.faults import FaultUnavailable
from migrate.verify.verification import default_step
from tests.nursery import Nursery
from tests.pairs import LEGACY, TF2
from tests.program_arguments import arguments, digits, keras_of

MAX_STEPS = 40
CHANGES = 6
"""Moments in a save that ``sigkill-in-save`` is tried at."""

NOTED = {"fault_tolerance_run_config.py": {"batches", "losses"}}
"""Rows that a note of the codemod names: it shuffles without a seed."""

NOT_APPLICABLE = "–"

SHARED = 1e-4
"""The largest relative difference of losses that began in one checkpoint: a hand-written optimizer reads and moves its
step in no stated order, so that two runs of the Estimator itself differ."""


def pairs():
    """The examples' names, but for those of contrib, which TensorFlow 2.15 does not run as they are."""
    return [path.name for path in sorted(LEGACY.glob("*.py")) if '"--max_steps"' in path.read_text()]


class Pair:
    """An example's programs, and the old one's records, each made once."""

    def __init__(self, name, old, data, place):
        self.name, self.data, self.place = name, data, place
        self.old = self.program(LEGACY / name, old)
        self.initial = None
        if re.search(r"\b(TPU)?Estimator\(", (TF2 / name).read_text()):
            self.initial = place / "initial"
            first = run(self.old, self.initial, FAULTS["sigkill"](1))
            assert first.events_of("save"), first.output
        self.records = {}
        self.undisturbed = self.record(self.old, None)
        self.at = default_step(self.undisturbed)

    def program(self, script, nursery):
        """One of the two under an interpreter."""
        given = arguments(script, "{model_dir}", MAX_STEPS, self.data)
        return Program(script, nursery.python, given, keras_of(script, nursery.python), launch=nursery.launch)

    def record(self, program, fault):
        """The program through a fault."""
        return run_interrupted(program, fault, initial=self.initial)

    def compare(self, new, name, change):
        """The comparison for a fault; ``change`` counts the moments of a kill in a save."""
        if name == "sigkill-in-save":
            saved = [step for step in self.undisturbed.saved_steps if step > self.at]
            at = (saved[0] if saved else self.at + 1) - 1
            make = lambda: FAULTS[name](at, change=change)  # noqa: E731
        else:
            make = lambda: FAULTS[name](self.at)  # noqa: E731
        if (name, change) not in self.records:
            self.records[name, change] = self.record(self.old, make())
        return compare(self.records[name, change], self.record(new, make()), SHARED if self.initial else 0.0)


def figures(name, comparison):
    """What a comparison says, as a line of the results."""
    differences = [row for row in comparison.differences if row.name not in NOTED.get(name, ())]
    new = comparison.new
    return {
        "matches": not differences,
        "first": f"{differences[0].name}: OLD {differences[0].old}, NEW {differences[0].new}" if differences else "",
        "interrupted_at": new.interrupted_at,
        "resumed_at": new.resumed_at,
        "refused": new.needs_person and not differences,
        "old_needs_person": comparison.old.needs_person,
        "compared": len([row for row in comparison.rows if row.verdict is Verdict.SAME]),
        "losses": next((row.note for row in comparison.rows if row.name == "losses"), ""),
    }


def fill(options, results):
    """Make the comparisons that are not there yet."""
    with tempfile.TemporaryDirectory(prefix="pairs-") as place, contextlib.ExitStack() as stack:
        data = digits(Path(place))

        @functools.cache
        def nursery(python, *keras):
            made = Nursery(python, dict.fromkeys(keras, "1"))
            stack.callback(made.close)
            return made

        @functools.cache
        def pair(name):
            return Pair(name, nursery(options.pythons[0]), data, Path(tempfile.mkdtemp(dir=place)))

        for name, fault, change, python in wanted(options):
            new = nursery(python, *keras_of(TF2 / name, python))
            about = {"pair": name, "tensorflow": new.tensorflow, "fault": fault, "change": change}
            if any(about.items() <= line.items() for line in lines(results)):
                continue
            try:
                found = figures(name, pair(name).compare(pair(name).program(TF2 / name, new), fault, change))
            except FaultUnavailable as reason:
                found = {"unavailable": str(reason)}
            with open(results, "a") as file:
                when = {"on": time.strftime("%Y-%m-%d"), "old": nursery(options.pythons[0]).tensorflow}
                print(json.dumps(about | when | found), file=file)


def wanted(options):
    """Each pair, fault, moment of it and interpreter of the new program."""
    for name in options.pair or pairs():
        for fault in options.fault:
            for change in range(1, (options.changes if fault == "sigkill-in-save" else 1) + 1):
                for python in options.pythons[1:]:
                    yield name, fault, change, python


def lines(results):
    """The comparisons so far."""
    return [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []


def table(compared):
    """The table, a line a fault and a column a pair; a fault that applies to none has no line."""
    names = sorted({line["pair"] for line in compared})
    versions = sorted({line["tensorflow"] for line in compared})
    made = ["| fault | " + " | ".join(f"`{name[:-3]}`" for name in names) + " |", "|---" * (len(names) + 1) + "|"]
    for fault in FAULTS:
        cells = []
        for name in names:
            here = [line for line in compared if line["pair"] == name and line["fault"] == fault]
            each = dict.fromkeys(cell([line for line in here if line["tensorflow"] == version]) for version in versions)
            cells.append(" / ".join(each))
        if set(cells) != {NOT_APPLICABLE}:
            made.append(f"| {fault} | " + " | ".join(cells) + " |")
    return "\n".join([*made, "", summary(compared, versions)])


def summary(compared, versions):
    """How many comparisons match, on which versions and when."""
    good = sum(line.get("matches", False) for line in compared)
    done = sum("matches" in line for line in compared)
    old = " and ".join(sorted({line["old"] for line in compared}))
    dates = sorted({line["on"] for line in compared if "on" in line})
    when = f", {' to '.join(dict.fromkeys((dates[0], dates[-1])))}" if dates else ""
    where = f"old programs on TensorFlow {old}, new ones on {' and '.join(versions)}{when}"
    return f"{good} of {done} comparisons match; {where}."


def cell(found):
    """What became of one pair under one fault on one TensorFlow."""
    if not found:
        return ""
    if "unavailable" in found[0]:
        return NOT_APPLICABLE
    apart = [line["first"] for line in found if not line["matches"]]
    if apart:
        return f"✗ {apart[0]}"
    if not FAULTS[found[0]["fault"]].same_moment:
        return "at a save"
    if None in found[0]["resumed_at"]:
        return "neither starts"
    pairs_of_steps = zip(found[0]["interrupted_at"], found[0]["resumed_at"], strict=True)
    text = ", ".join(f"{before}→{after}" for before, after in pairs_of_steps)
    return text + (" (old: cannot start)" if found[0]["old_needs_person"] else "")


def main(argv):
    """Add to the results, and print them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", metavar="RESULTS", type=Path)
    parser.add_argument("pythons", metavar="PYTHON", nargs="*")
    parser.add_argument("--pair", nargs="+")
    parser.add_argument("--fault", nargs="+", choices=list(FAULTS), default=list(FAULTS))
    parser.add_argument("--changes", type=int, default=CHANGES)
    options = parser.parse_intermixed_args(argv)
    if options.pythons:
        fill(options, options.results)
    print(table(lines(options.results)))


if __name__ == "__main__":
    main(sys.argv[1:])
