"""Kill or stop each kind of task of a cluster, and start again each task that fails, as a container is OnFailure.

usage: python -m tests.benchmarks.cluster_kills [--clusters NAME,...] [--blows NAME,...]

The job is tests/interruption/model_fn/any_cluster.py, migrated and started on MIGRATE_NEW_PYTHON. For each kind of
cluster, task and blow a row tells after how many seconds the other tasks failed or that they went on, from which steps
the first task went on, and how long the job took to its end.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

from tests.interruption.model_fn.conftest import WrittenPair
from tests.interruption.model_fn.restarted_cluster import Blow, Job

PROGRAM = Path(__file__).parents[1] / "interruption" / "model_fn" / "any_cluster.py"
CLUSTERS = {
    "one worker": (["worker"], [0]),
    "two workers": (["worker"] * 2, [0, 1]),
    "three workers": (["worker"] * 3, [0, 2]),
    "two workers, graph": (["worker"] * 2, [0, 1], "--graph"),
    "servers": (["chief", "worker", "ps", "evaluator"], [0, 1, 2, 3]),
}
"""The types of the tasks, which of them are struck, and arguments of the program."""

BLOWS = {
    "killed, again at once": Blow(0),
    "killed, again after 5 s": Blow(5),
    "killed, again after 20 s": Blow(20),
    "killed before its first step": Blow(is_early=True),
    "stopped for 60 s": Blow(stop_seconds=60),
}


def row_of(job, number):
    """What came of a blow, in the columns of the table."""
    others = [task.name for task in job.tasks if task is not job.tasks[number]]
    told = [f"{name} failed after {seconds:.0f} s" for name, seconds in job.noticed.items()]
    told += [f"{name} went on" for name in others if name not in job.noticed and not name.startswith("ps")]
    begun = ", ".join(str(step) for step in job.tasks[0].numbers("ready at"))
    end = f"NOT AT AN END: {', '.join(job.missing)}" if job.missing else f"{job.seconds:.0f} s"
    return "; ".join(told), begun, end


def main():
    """Prints a row for each blow, and ends with 1 where a job did not come to its end."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clusters", default="/".join(CLUSTERS), help="separated by slashes")
    parser.add_argument("--blows", default="/".join(BLOWS), help="likewise")
    args = parser.parse_args()
    python, lost = os.environ.get("MIGRATE_NEW_PYTHON", sys.executable), False
    with tempfile.TemporaryDirectory() as place:
        pair = WrittenPair(PROGRAM, Path(place) / "pair")
        print("| cluster | task | blow | the others | begun at | to the end |\n|---|---|---|---|---|---|")
        for cluster in args.clusters.split("/"):
            types, struck, *more = CLUSTERS[cluster]
            for number in struck:
                for blow in args.blows.split("/"):
                    folder = Path(tempfile.mkdtemp(dir=place))
                    with Job(python, pair.new, types, folder, *more).ended() as job:
                        job.strike(number, BLOWS[blow])
                        row = [cluster, job.tasks[number].name, blow, *row_of(job, number)]
                        print("|", " | ".join(row), "|", flush=True)
                    lost |= bool(job.missing)
    sys.exit(lost)


if __name__ == "__main__":
    main()
