"""Mutated Estimator programs in great number, each held against every promise of the codemod.

usage: python -m tests.fuzz [--inputs N] [--seed S] [-j N] [--keep DIRECTORY] [--trees]

Prints how many programs were tried, how many of them were Python, held a site and were rewritten, and each broken
promise with the number of its program; ``--keep`` stores those programs. The exit code is 1 if a promise was broken.
Program number i of seed S is the same on every machine, whatever ``-j`` is. With ``--trees`` they stand as files and
notebooks in trees that the command line migrates with ``--write``, and the files on the disk are looked at.
"""

import argparse
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from random import Random

from migrate.settings import Settings
from tests.fuzz.mutations import is_python, mutated
from tests.fuzz.promises import tried
from tests.fuzz.seeds import seeds
from tests.fuzz.trees import tree_tried

CHUNK = 250
TREE = 50


def made(seed, number):
    """The program of a number, and the settings to try it with."""
    chance = Random(f"{seed}-{number}")
    text = mutated(chance.choice(seeds()), chance, seeds())
    recovery = chance.choice(["auto", "auto", "backup-and-restore"])
    target = chance.choice(["portable", "portable", "keras3"])
    reading = chance.choice(["restart", "restart", "restart", "continue"])
    return text, Settings(recovery=recovery, target=target, input=reading)


def tried_all(seed, first, last):
    """The counts over some programs, and what went wrong with which."""
    counts = Counter()
    broken = []
    for number in range(first, last):
        text, settings = made(seed, number)
        trial = tried(text, settings)
        broken += [(number, problem) for problem in trial.broken]
        counts["programs"] += 1
        counts["Python"] += is_python(text)
        counts["with a site"] += trial.has_site
        counts["rewritten"] += trial.is_rewritten
    return counts, broken


def trees_tried(seed, first, last):
    """The counts over some programs in one tree, and what went wrong with which."""
    texts = {number: made(seed, number)[0] for number in range(first, last)}
    counts, broken = tree_tried(texts, Random(f"{seed}-{first}-tree"))
    counts["programs"] = len(texts)
    return counts, broken


def main(argv):
    """Try the programs and print what became of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the number of the first program")
    parser.add_argument("-j", "--jobs", type=int, default=1)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--trees", action="store_true", help="write them into trees, and migrate those with --write")
    options = parser.parse_args(argv)
    step, work = (TREE, trees_tried) if options.trees else (CHUNK, tried_all)
    named = ("files", "notebooks", "changed") if options.trees else ("programs", "Python", "with a site", "rewritten")
    starts = range(options.first, options.first + options.inputs, step)
    ends = [min(start + step, starts.stop) for start in starts]
    begun, counts, number_broken = time.monotonic(), Counter[str](), 0
    with ProcessPoolExecutor(options.jobs) as pool:
        for found, broken in pool.map(work, [options.seed] * len(ends), starts, ends):
            counts += found
            number_broken += len(broken)
            for number, problem in broken:
                print(f"program {number}: {problem[:300]}", flush=True)
                if options.keep is not None:
                    options.keep.mkdir(parents=True, exist_ok=True)
                    text, settings = made(options.seed, number)
                    (options.keep / f"{number}.py").write_bytes(f"# {settings}\n{text}".encode())
            if counts["programs"] % 1_000 == 0:
                print(f"{counts['programs']} programs, {number_broken} broken promises", file=sys.stderr, flush=True)
    counted = ", ".join(f"{counts[name]} {name}" for name in named)
    print(f"seed {options.seed}: {counted}; {number_broken} broken promises; {time.monotonic() - begun:.0f} s")
    return 1 if number_broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
