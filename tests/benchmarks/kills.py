"""How programs stand a number of random SIGKILLs: the survey of recovery APIs and the proof of durability.

usage: python tests/benchmarks/kills.py [--kills N] [--each N] [--near-saves] [--seed S] PYTHON PROGRAM [ARGS]
       the arguments in one text; {model_dir} in them is the directory of a job

Jobs are started, killed ``--each`` times in a row at random moments, and brought to their end, until ``--kills`` kills
have been made. With ``--near-saves`` each kill falls into a save, at a random one of its changes to the directory.
Counted are jobs that cannot start again, resumptions that lose more than the longest way between two saves, jobs that
end at another step than an undisturbed one, and steps whose loss differs from that of the undisturbed job (which says
something only where the program's input goes on where it stood).
"""

import argparse
import random
import shlex
import sys
import time
from itertools import pairwise

from migrate.verify import FAULTS, Program, run_interrupted

CHANGES_IN_A_SAVE = 24


def faults(options, reference, chance):
    """The faults of one job after another, without end."""
    saves = [step for step in reference.saved_steps if step > 1]
    while True:
        if options.near_saves:
            yield FAULTS["sigkill-in-save"](chance.choice(saves) - 1, change=chance.randint(1, CHANGES_IN_A_SAVE))
        else:
            run = reference.attempts[0]
            length = run.ended - run.of("step")[0]["time"]
            yield FAULTS["random-sigkills"](1, times=options.each, seed=chance.random(), within=length)


def main(argv):
    """Make the kills and print what became of the jobs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=60)
    parser.add_argument("--each", type=int, default=5)
    parser.add_argument("--near-saves", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("python")
    parser.add_argument("program")
    parser.add_argument("args", nargs="?", default="--model_dir {model_dir}")
    options = parser.parse_args(argv)
    job = Program(options.program, options.python, tuple(shlex.split(options.args)))
    reference = run_interrupted(job)
    longest = max(after - before for before, after in pairwise([0, *reference.saved_steps]))
    losses = reference.by_step("loss")
    kills = jobs = stuck = far = elsewhere = changed = seen = most = 0
    begun = time.monotonic()
    for fault in faults(options, reference, random.Random(options.seed)):
        record = run_interrupted(job, fault)
        jobs += 1
        kills += len(record.attempts) - 1
        lost = [steps for steps in record.steps_lost if steps is not None]
        most = max([most, *lost])
        stuck += record.needs_person
        far += sum(steps > longest for steps in lost)
        elsewhere += not record.needs_person and record.final_step != reference.final_step
        made = [(event["step"], event["loss"]) for event in record.of("step") if "loss" in event]
        seen += len(made)
        changed += sum(losses.get(step) != loss for step, loss in made)
        if kills >= options.kills:
            break
    [tensorflow] = reference.attempts[0].of("tensorflow")
    print(
        f"TensorFlow {tensorflow['version']}, {options.program} {options.args}\n"
        f"{kills} kills of {jobs} jobs in {time.monotonic() - begun:.0f} s: {stuck} cannot start again, "
        f"{far} lose more than {longest} steps (most {most}), {elsewhere} end at another step, "
        f"{changed} of {seen} losses differ"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
