"""Prints how many estimators each row of ``tf.contrib``'s table frees, and which names leave the others.

usage: python -m tests.benchmarks.contrib_sites REPOSITORY...

REPOSITORY is a checkout. A program, one estimator, is freed by a row where it is rewritten, and is not with that row
taken out of the table: the repositories that use the row are migrated again without it. A name leaves a program where
nothing is written for it; "alone" are those that no other finding leaves.
"""

import argparse
import contextlib
import datetime
import platform
from collections import defaultdict
from pathlib import Path

from migrate import __version__, api
from migrate.rules import contrib_names, object_form
from migrate.tensorflow.contrib import name_of

_CODES = ("FT138", "FT151")


def main(repositories):
    used, left, alone = (defaultdict(list) for _ in range(3))
    programs = with_contrib = freed_programs = 0
    rewritten = {}
    for repository in repositories:
        outcome = api.check([repository])
        rewritten[repository] = sum(program.cause is None for program in outcome.programs)
        of_file = defaultdict(list)
        for finding in outcome.findings:
            of_file[finding.path].append(finding)
        for program in outcome.programs:
            findings = [finding for file in program.files for finding in of_file[file]]
            contrib = [
                one
                for one in findings
                if one.code in _CODES and ".contrib." in one.symbol and ".contrib.tpu." not in one.symbol
            ]
            programs += 1
            with_contrib += bool(contrib)
            if program.cause is None:
                names = {finding.successor for finding in contrib if finding.successor}
                freed_programs += bool(contrib)
                for name in names:
                    used[name].append(repository)
            else:
                reasons = [finding for finding in findings if not finding.successor and finding.is_own_reason]
                names = {name_of(one.symbol) for one in reasons if one in contrib}
                for name in names:
                    left[name].append(repository)
                    if all(one in contrib and name_of(one.symbol) == name for one in reasons):
                        alone[name].append(repository)
    print(f"{datetime.date.today()}, estimator-migrate {__version__}, Python {platform.python_version()}: ", end="")
    print(f"{len(repositories)} repositories, {programs} estimators, {sum(rewritten.values())} rewritten; ", end="")
    print(f"{with_contrib} in files with names of `tf.contrib`, {freed_programs} of them rewritten.\n")
    freed = {name: freed_by(name, sorted(set(where)), rewritten) for name, where in used.items()}
    table("what stands for the name | estimators rewritten with it | freed by its row", used, freed)
    table("name of `tf.contrib` | estimators left with it | alone", left, {k: len(v) for k, v in alone.items()})


def freed_by(name, repositories, rewritten):
    """How many estimators are not rewritten without a row, which a successor names."""
    with without(name):
        return sum(
            rewritten[one] - sum(program.cause is None for program in api.check([one]).programs) for one in repositories
        )


@contextlib.contextmanager
def without(name):
    """Takes the rows of a successor out of the table."""
    written, counterpart = contrib_names._written, object_form.counterpart

    def of_row(file, node, row, *others):
        told = row.told() or "TensorFlow 2's of that name"
        return None if told == name else written(file, node, row, *others)

    def of_symbol(found, is_v1):
        other = counterpart(found, is_v1)
        return None if found.is_contrib and other is not None and name == other.told() else other

    contrib_names._written, object_form.counterpart = of_row, of_symbol
    try:
        yield
    finally:
        contrib_names._written, object_form.counterpart = written, counterpart


def table(title, found, second):
    print(f"| {title} | repositories |\n|---|--:|--:|--:|")
    for name, where in sorted(found.items(), key=lambda item: (-len(item[1]), item[0])):
        print(f"| {name} | {len(where)} | {second.get(name, 0)} | {len(set(where))} |")
    print()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", nargs="+", type=Path, metavar="REPOSITORY")
    main(parser.parse_args().repositories)
