"""Prints how many estimators each row of ``tf.contrib``'s table frees, and which names leave the others.

usage: python -m tests.benchmarks.contrib_sites [--verify N] REPOSITORY...

REPOSITORY is a checkout. A program, one estimator, is freed by a row where it is rewritten, and is not with that row
taken out of the table. All rows are counted at once: a repository is migrated a second time, in which each name is
refused the row that it took the first time, so that a name for which no other row stands leaves its program. --verify
takes N rows out of the table one by one instead, and ends with 1 where the count differs. A name
leaves a program where nothing is written for it; "alone" are those that no other finding leaves.
"""

import argparse
import contextlib
import datetime
import platform
import random
import sys
from collections import defaultdict
from pathlib import Path

from migrate import __version__, api
from migrate.rules.names import contrib_names, object_form
from migrate.tensorflow.contrib import name_of

_CODES = ("FT138", "FT151")


def main(repositories, verified):
    used, left, alone, freed = (defaultdict(list) for _ in range(4))
    programs = with_contrib = rewritten_with_contrib = freed_programs = 0
    rewritten = {}
    for repository in repositories:
        with first_rows() as first:
            outcome = api.check([repository])
        rewritten[repository] = sum(program.cause is None for program in outcome.programs)
        of_file = findings_of(outcome)
        freed_here = defaultdict(set)
        if any(finding.successor and finding.rewritten for finding in outcome.findings):
            freed_here = freed_in(repository, outcome, first)
        for number, program in enumerate(outcome.programs):
            findings = [finding for file in program.files for finding in of_file[file]]
            contrib = [
                one
                for one in findings
                if one.code in _CODES and ".contrib." in one.symbol and ".contrib.tpu." not in one.symbol
            ]
            programs += 1
            with_contrib += bool(contrib)
            if program.cause is None:
                rewritten_with_contrib += bool(contrib)
                freed_programs += bool(freed_here[number])
                for name in {finding.successor for finding in contrib if finding.successor}:
                    used[name].append(repository)
                for name in freed_here[number]:
                    freed[name].append(repository)
            else:
                reasons = [finding for finding in findings if not finding.successor and finding.is_own_reason]
                names = {name_of(one.symbol) for one in reasons if one in contrib}
                for name in names:
                    left[name].append(repository)
                    if all(one in contrib and name_of(one.symbol) == name for one in reasons):
                        alone[name].append(repository)
    print(f"{datetime.date.today()}, estimator-migrate {__version__}, Python {platform.python_version()}: ", end="")
    print(f"{len(repositories)} repositories, {programs} estimators, {sum(rewritten.values())} rewritten; ", end="")
    print(f"{with_contrib} in files with names of `tf.contrib`, {rewritten_with_contrib} of them rewritten, ", end="")
    print(f"{freed_programs} by some row.\n")
    table("what stands for the name | estimators rewritten with it | freed by its row", used, freed)
    table("name of `tf.contrib` | estimators left with it | alone", left, alone)
    wrong = 0
    for name in random.Random(0).sample(sorted(used), min(verified, len(used))):
        alone_out = sum(rewritten[one] - rewritten_without(name, one) for one in set(used[name]))
        wrong += alone_out != len(freed[name])
        print(f"{name}: {len(freed[name])} counted, {alone_out} with its row alone taken out")
    sys.exit(wrong > 0)


def findings_of(outcome):
    of_file = defaultdict(list)
    for finding in outcome.findings:
        of_file[finding.path].append(finding)
    return of_file


def freed_in(repository, outcome, first):
    """The rows that free each program of a repository, by the program's place among all.

    Args:
      repository: the checkout.
      outcome: what becomes of it by the whole table.
      first: the rows that each name takes, as ``first_rows`` gives them.
    """
    with without(lambda place, told: place is None or told in first[place]):
        second = api.check([repository])
    of_file = findings_of(second)
    written = {start_of(one): one.successor for one in outcome.findings if one.successor and one.rewritten}
    freed = defaultdict(set)
    for number, program in enumerate(outcome.programs):
        for one in (one for file in program.files for one in of_file[file] if one.is_own_reason):
            name = written.get(start_of(one))
            if program.cause is None and name is not None:
                freed[number].add(name)
    return freed


def start_of(finding):
    """Where a name begins, which a finding of its call shares."""
    return finding.path, finding.cell, finding.span.line, finding.span.column


def rewritten_without(name, repository):
    """How many estimators of a repository are rewritten without the rows that a successor names."""
    with without(lambda place, told: told == name):
        return sum(program.cause is None for program in api.check([repository]).programs)


def place_of(file, node):
    return file.module.path, node.lineno, node.col_offset


@contextlib.contextmanager
def first_rows():
    """Gives the rows that each name takes, by its place: one in each form that its program is tried in."""
    verdict, first = contrib_names._verdict, defaultdict(set)

    def kept(file, node, *others):
        told = verdict(file, node, *others)
        first[place_of(file, node)].add(told.successor)
        return told

    contrib_names._verdict = kept
    try:
        yield first
    finally:
        contrib_names._verdict = verdict


@contextlib.contextmanager
def without(is_refused):
    """Takes rows out of the table.

    Args:
      is_refused: whether a name may not take a row, of its place and the words for the row's successor; of a name that
        the object form replaces, which has one row alone, the place is None.
    """
    written, counterpart = contrib_names._written, object_form.counterpart

    def of_row(file, node, row, *others):
        told = row.told() or "TensorFlow 2's of that name"
        return None if is_refused(place_of(file, node), told) else written(file, node, row, *others)

    def of_symbol(found, is_v1):
        other = counterpart(found, is_v1)
        return None if found.is_contrib and other is not None and is_refused(None, other.told()) else other

    contrib_names._written, object_form.counterpart = of_row, of_symbol
    try:
        yield
    finally:
        contrib_names._written, object_form.counterpart = written, counterpart


def table(title, found, second):
    print(f"| {title} | repositories |\n|---|--:|--:|--:|")
    for name, where in sorted(found.items(), key=lambda item: (-len(item[1]), item[0])):
        print(f"| {name} | {len(where)} | {len(second.get(name, ()))} | {len(set(where))} |")
    print()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", nargs="+", type=Path, metavar="REPOSITORY")
    parser.add_argument("--verify", type=int, default=0, metavar="N", help="take N rows out one by one")
    given = parser.parse_args()
    main(given.repositories, given.verify)
