"""Prints how many estimators the successors of ``tf.contrib``'s names free, and which names leave the others.

usage: python -m tests.benchmarks.contrib_sites REPOSITORY...

REPOSITORY is a checkout. A program, one estimator, is freed by the names of contrib in its files that are written,
where it is rewritten: without their rows it would be skipped. A name leaves a program where nothing is written for it.
"Alone" are those with no other name of contrib, and those that no other finding leaves.
"""

import argparse
import datetime
import platform
from collections import defaultdict
from pathlib import Path

from migrate import __version__, api
from migrate.tensorflow.contrib import name_of


def main(repositories):
    freed, freed_alone, left, alone = (defaultdict(list) for _ in range(4))
    programs = rewritten = with_contrib = freed_programs = 0
    for repository in repositories:
        outcome = api.check([repository])
        of_file = defaultdict(list)
        for finding in outcome.findings:
            of_file[finding.path].append(finding)
        for program in outcome.programs:
            findings = [finding for file in program.files for finding in of_file[file]]
            contrib = [finding for finding in findings if finding.code == "FT138"]
            programs += 1
            rewritten += program.cause is None
            with_contrib += bool(contrib)
            if program.cause is None:
                names = {finding.successor for finding in contrib}
                freed_programs += bool(names)
                for name in names:
                    freed[name].append(repository.name)
                    if len(names) == 1:
                        freed_alone[name].append(repository.name)
            else:
                reasons = [finding for finding in findings if not finding.successor and finding.is_own_reason]
                names = {name_of(one.symbol) for one in reasons if one.code == "FT138"}
                for name in names:
                    left[name].append(repository.name)
                    if all(one.code == "FT138" and name_of(one.symbol) == name for one in reasons):
                        alone[name].append(repository.name)
    print(f"{datetime.date.today()}, estimator-migrate {__version__}, Python {platform.python_version()}: ", end="")
    print(
        f"{len(repositories)} repositories, {programs} estimators, {rewritten} rewritten; {with_contrib} in files with"
    )
    print(f"names of `tf.contrib`, {freed_programs} of them rewritten.\n")
    table("what stands for the name | estimators rewritten with it", freed, freed_alone)
    table("name of `tf.contrib` | estimators left with it", left, alone)


def table(title, found, alone):
    print(f"| {title} | alone | repositories |\n|---|--:|--:|--:|")
    for name, where in sorted(found.items(), key=lambda item: (-len(item[1]), item[0])):
        print(f"| {name} | {len(where)} | {len(alone[name])} | {len(set(where))} |")
    print()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", nargs="+", type=Path, metavar="REPOSITORY")
    main(parser.parse_args().repositories)
