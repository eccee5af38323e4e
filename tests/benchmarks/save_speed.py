"""A save of a migrated ``model_fn`` beside an Estimator's: ``python -m tests.benchmarks.save_speed [--saves N]``.

The same variables are saved by turns, each way N times (15), with the list of checkpoints and what is deleted for it:
by the ``Saver`` that an Estimator has, with ``.meta`` as it saves and without; by ``tf.train.CheckpointManager`` with a
``NamedCheckpoint``, which waits for the disk or does not, and with a ``tf.train.Checkpoint``. Training stands still
meanwhile. Prints milliseconds, the fastest and the median, and their ratios to the ``Saver`` with ``.meta`` for small
variables, without for large ones. The most memory that is resident beyond the variables is measured in a process each.
"""

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

SIZES = {"12 of 4 KiB": (12, 1024), "120 of 4 KiB": (120, 1024), "5 of 100 MiB": (5, 25 * 2**20)}
SAVER, WITHOUT = "Saver with .meta", "Saver without"
NAMED, UNSYNCED, OBJECTS = "NamedCheckpoint", "NamedCheckpoint, sync_saves=False", "tf.train.Checkpoint"


def ways(count, length, folder, wanted):
    """A function for each way, which saves once at a step."""
    import tensorflow as tf
    import tensorflow.compat.v1 as tf1
    from migrate.recovery.model_fn_spec import EstimatorSpec
    from migrate.recovery.model_fn_training import ModelFnTraining

    def model_fn(features, mode):
        step, total = tf1.train.get_global_step(), features
        for number in range(count - 1):
            total += tf1.get_variable(f"layer_{number}/kernel", [length], initializer=tf1.ones_initializer())[0]
        return EstimatorSpec(mode, loss=total, train_op=step.assign_add(1))

    made = {}
    for way in wanted:
        place = folder / way
        if way in (SAVER, WITHOUT):
            graph = tf.Graph()
            with graph.as_default():
                tf1.train.create_global_step()
                model_fn(tf.zeros([]), "train")
                saver = tf1.train.Saver(sharded=True, save_relative_paths=True, max_to_keep=2)
                session = tf1.Session()
                session.run(tf1.global_variables_initializer())
            place.mkdir()
            made[way] = partial(_save, saver, session, str(place / "model.ckpt"), write_meta_graph=way == SAVER)
        else:
            dataset = tf.data.Dataset.from_tensors(tf.zeros([])).repeat()
            training = ModelFnTraining(model_fn, dataset, sync_saves=way == NAMED)
            checkpoint = training.checkpoint
            if way == OBJECTS:
                checkpoint = tf.train.Checkpoint(variables=training.variables)
            manager = tf.train.CheckpointManager(checkpoint, str(place), max_to_keep=2, checkpoint_name="model.ckpt")
            made[way] = lambda step, manager=manager: manager.save(checkpoint_number=step)
    return made


def _save(saver, session, prefix, step, **arguments):
    with session.graph.as_default():
        saver.save(session, prefix, step, **arguments)


def milliseconds(size, saves, folder):
    """The times of each way, by turns."""
    made = ways(*SIZES[size], folder, [SAVER, WITHOUT, NAMED, UNSYNCED, OBJECTS])
    times = {way: [] for way in made}
    for step in range(saves + 1):
        for way, save in made.items():
            begun = time.perf_counter()
            save(step)
            times[way].append((time.perf_counter() - begun) * 1000)
    return {way: each[1:] for way, each in times.items()}  # the first save makes what the others use again


def memory(way, folder):
    """The MiB by which one save of the large variables raises the most that was resident."""
    save = ways(*SIZES["5 of 100 MiB"], folder, [way])[way]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    now = int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() // 1024
    save(0)
    return max(0, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024, now // 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--saves", type=int, default=15)
    parser.add_argument("--memory", help=argparse.SUPPRESS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        if options.memory:
            print(json.dumps(memory(options.memory, Path(name))))
            return
        import tensorflow as tf

        print("TensorFlow", tf.__version__)
        for size in SIZES:
            folder = Path(name) / size
            folder.mkdir()
            times = milliseconds(size, options.saves, folder)
            against = WITHOUT if "MiB" in size else SAVER
            for way, each in times.items():
                ratios = [find(each) / find(times[against]) for find in (min, statistics.median)]
                print(f"{size:13} {way:34} {min(each):8.2f} {statistics.median(each):8.2f} ms", end="  ")
                print(f"{ratios[0]:.2f} {ratios[1]:.2f} x {against}")
    for way in (WITHOUT, NAMED, OBJECTS):
        command = [sys.executable, "-m", "tests.benchmarks.save_speed", "--memory", way]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        more, resident = json.loads(done.stdout.splitlines()[-1])
        print(f"5 of 100 MiB  {way:34} {more} MiB more than the {resident} MiB before")


if __name__ == "__main__":
    main()
