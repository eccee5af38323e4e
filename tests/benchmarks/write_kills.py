"""SIGKILL and Ctrl-C at random moments of ``--write`` over programs of several files: each must be old or new, whole.

usage: python -m tests.benchmarks.write_kills [--files N] [--kills K] [--commands C] [--seed S]

SIGKILL and SIGINT are sent to a process that writes what was found before, until each has struck K times between its
first temporary file and its end; C times SIGINT strikes a whole ``--write`` with two workers, the finding and rewriting
included. The tree is made anew for each. Then a command that writes, ``renew --write``, looks at the tree. Printed is
how many programs were found half migrated before it and after it; the exit code is 1 if any was after it, if Ctrl-C
left one before it, or if it left anything else or said what is not true.
"""

import argparse
import io
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from migrate.cli.main import main as command_line
from migrate.pipeline.outcome import Outcome
from migrate.pipeline.run import run, write
from migrate.settings import Settings

MODEL = """\
import tensorflow as tf


def model_fn(features, labels, mode):
    loss = tf.reduce_sum(features["x"]) + {number}.0
    step = tf.compat.v1.train.get_global_step()
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=tf.compat.v1.assign_add(step, 1))
"""
DATA = """\
import tensorflow as tf


def data():
    iterator = tf.compat.v1.data.make_one_shot_iterator(tf.data.Dataset.from_tensors({{"x": [{number}.0]}}).repeat())
    return iterator.get_next(), None
"""
JOB = """\
import tensorflow as tf

from data_{number} import data
from model_{number} import model_fn

estimator = tf.estimator.Estimator(model_fn, "m{number}", tf.estimator.RunConfig(save_checkpoints_steps=10))
estimator.train(data, max_steps=30)
"""
TEXTS = {"model": MODEL, "data": DATA, "job": JOB}
INTERRUPTED = 130
NOT_BEGUN = 131
"""The exit code of a process that was interrupted before it called its work, as on a busy machine."""
_MOST = 5
"""As many times as asked for signals are sent at most: a machine may be too busy to strike."""


def make(tree, files):
    """Writes the old programs, each of three files, in at most ten directories."""
    for number in range(files // len(TEXTS)):
        for name, text in TEXTS.items():
            path = tree / f"d{number % 10}" / f"{name}_{number}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.format(number=number), encoding="utf-8")


Contents = dict[str, bytes]


def contents(tree):
    """Every Python file by its path below the tree."""
    return {str(path.relative_to(tree)): path.read_bytes() for path in tree.rglob("*.py")}


@dataclass(frozen=True)
class Trees:
    """The tree before the write and after it, and what is to be written there; both paths stand below one directory."""

    old: Contents
    new: Contents
    outcome: Outcome

    def states(self, found):
        """How many programs are old, new and half migrated: a new one has its runtime files too."""
        states = Counter()
        for job in filter(lambda path: "job_" in path, self.old):
            files = [job.replace("job_", f"{name}_") for name in TEXTS]
            folder = os.path.join(os.path.dirname(job), "tf2_recovery", "")
            generated = [path for path in self.new if path.startswith(folder)]
            is_old = all(found.get(path) == self.old[path] for path in files)
            is_new = all(found.get(path) == self.new[path] for path in (*files, *generated))
            states["old" if is_old else "new" if is_new else "half"] += 1
        return states


@dataclass
class Tally:
    """What the signals left.

    Attributes:
      sent: how many were sent.
      struck: how many struck when the work had begun and not ended.
      torn: how many of these left some programs new and others not, or one half migrated.
      before: the states of all programs before the next command.
      after: the same after it.
      wrong: what ought not to be, with how often it was.
    """

    sent: int
    struck: int
    torn: int
    before: Counter[str]
    after: Counter[str]
    wrong: Counter[str]


def forked(work, directory, errors=os.devnull):
    """Starts a process that works in a directory, whose exit code is what the work returns; its id, when it begins."""
    reader, writer = os.pipe()
    process = os.fork()
    if process == 0:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.chdir(directory)
        with open(errors, "w", encoding="utf-8") as file:
            os.dup2(file.fileno(), 2)
        with open(os.devnull, "w", encoding="utf-8") as file:
            os.dup2(file.fileno(), 1)
        sys.stderr = io.TextIOWrapper(open(2, "wb", closefd=False), write_through=True)  # noqa: SIM115
        code = 3
        try:
            os.write(writer, b"!")
            code = work()
        except KeyboardInterrupt as error:
            code = INTERRUPTED if error.__traceback__ and error.__traceback__.tb_next else NOT_BEGUN
        except BaseException:
            traceback.print_exc()
        finally:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            os._exit(code)
    os.close(writer)
    os.read(reader, 1)
    os.close(reader)
    return process


def ended(process):
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def writing(trees):
    """What a command does when it has found all: 130 after Ctrl-C."""
    try:
        return len(write(trees.outcome))
    except KeyboardInterrupt:
        return INTERRUPTED


def whole_command():
    """``--write`` with two workers, as the process of a command line runs it."""
    return command_line(["--write", "-j", "2", "tree"])


def struck(trees, work, number, moment, tally):
    """Sends a signal to a process that works on a tree, looks at the tree, and runs the next command on it."""
    with tempfile.TemporaryDirectory() as directory:
        tree = Path(directory) / "tree"
        for path, data in trees.old.items():
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            (tree / path).write_bytes(data)
        errors = Path(directory) / "errors"
        process = forked(work, directory, str(errors))
        if work is not whole_command:
            wait_for_first_file(directory)
        time.sleep(moment)
        os.kill(process, number)
        code = ended(process)
        before = trees.states(contents(tree))
        left = list(tree.rglob(".migrate*"))
        tally.sent += 1
        tally.struck += bool(left) if number == signal.SIGKILL else code == INTERRUPTED
        tally.before += before
        tally.torn += 0 < before["new"] + before["half"] < sum(before.values()) or before["half"] > 0
        if number == signal.SIGINT:
            told = errors.read_text(encoding="utf-8")
            tally.wrong["half migrated after Ctrl-C"] += before["half"]
            tally.wrong["left beside the files"] += bool(left)
            tally.wrong[f"exit code {code}: {told[-300:]}"] += code not in (0, 1, INTERRUPTED, NOT_BEGUN)
            if work is whole_command and code == INTERRUPTED:
                tally.wrong["not one line"] += told.count("\n") != 1
                tally.wrong["untrue"] += ("no file was changed" in told) != (not before["new"])
        code = ended(forked(lambda: command_line(["renew", "--write", "tree"]), directory))
        tally.wrong["exit code of the next command"] += code not in (0, 1)
        after = trees.states(contents(tree))
        tally.after += after
        tally.wrong["half migrated after the next command"] += after["half"]
        tally.wrong["left after the next command"] += any(tree.rglob(".migrate*"))


def wait_for_first_file(directory):
    """Waits until a write has put its first file beside the others, at most two seconds."""
    first = min(found.path for found in os.scandir(os.path.join(directory, "tree")))
    until = time.monotonic() + 2.0
    while time.monotonic() < until and not any(name.startswith(".migrate") for name in os.listdir(first)):
        pass


def duration(work):
    """How many seconds the work takes where nothing disturbs it."""
    with tempfile.TemporaryDirectory() as directory:
        shutil.copytree("tree", os.path.join(directory, "tree"))
        process = forked(work, directory)
        if work is not whole_command:
            wait_for_first_file(directory)
        begun = time.monotonic()
        assert ended(process) in (0, 1)
        return time.monotonic() - begun


def strike(trees, work, number, times, chance, name):
    """Sends a signal at so many moments of some work, and prints what came of it; whether all was right."""
    length = min(duration(work) for _ in range(3))
    tally = Tally(0, 0, 0, Counter(), Counter(), Counter())
    while tally.struck < times and tally.sent < _MOST * times:
        struck(trees, work, number, chance.uniform(0, length), tally)
    programs = sum(trees.states(trees.old).values())
    print(f"{tally.sent} {number.name} in {name} ({length:.3f} s) of {programs} programs of {len(TEXTS)} files")
    print(f"  {tally.struck} struck before its end, {tally.torn} of them among the renamings")
    for when, states in (("before", tally.before), ("after", tally.after)):
        print(f"  {when} the next command: {', '.join(f'{states[state]} {state}' for state in ('old', 'new', 'half'))}")
    for what, count in sorted((+tally.wrong).items()):
        print(f"  WRONG: {what}: {count}")
    return not +tally.wrong


def main(argv):
    """Send the signals and print what they left."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=60)
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--commands", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(argv)
    chance = random.Random(options.seed)
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        try:
            make(Path("tree"), options.files)
            old = contents(Path("tree"))
            outcome = run(["tree"], Settings(), jobs=1, progress=None)
            shutil.copytree("tree", "done/tree")
            assert ended(forked(lambda: len(write(outcome)), "done")) == 0
            trees = Trees(old, contents(Path("done/tree")), outcome)
            assert trees.states(trees.new)["new"] == options.files // len(TEXTS)
            right = [
                strike(trees, lambda: writing(trees), signal.SIGKILL, options.kills, chance, "the writing"),
                strike(trees, lambda: writing(trees), signal.SIGINT, options.kills, chance, "the writing"),
                strike(trees, whole_command, signal.SIGINT, options.commands, chance, "a whole command"),
            ]
        finally:
            os.chdir(here)
    return 0 if all(right) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
