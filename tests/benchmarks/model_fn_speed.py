"""Steps, saves and memory beside an Estimator's: ``python -m tests.benchmarks.model_fn_speed [--rounds N]``.

Each way trains the same networks in turn in this process: an Estimator (TensorFlow 2.15), the object that stands for it
with no hook and with one, and a bare callable of a session. Prints the CPU time of a step, in milliseconds, the fastest
of N rounds (3), and its ratio to the first way's; then the CPU time and the time of a save of few, many and large
variables, with and without syncs; then the most memory that a process of its own has resident in each way.
"""

import argparse
import functools
import re
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from migrate.recovery.estimator.estimator import Estimator, EstimatorSpec
from migrate.recovery.estimator.model_checkpoints import ModelCheckpoints
from migrate.recovery.estimator.run_config import RunConfig

SIZES = {"small": (16, 32, 3, 1000), "middle": (128, 512, 4, 100), "large": (320, 1024, 3, 20)}
"""Rows of a batch, width and number of the layers, and the steps from one save to the next."""

SAVED = {"3 variables": (1, 16), "360 variables": (358, 32), "500 MiB": (4, 5724)}
"""How many square variables, and their side; two more are a weight and the step."""

SAVES = 6


class Saves(tf1.train.CheckpointSaverListener):
    """Notes the CPU time and the time at each save's beginning and end, in seconds."""

    def __init__(self):
        self.begun, self.ended = [], []

    def before_save(self, session, global_step_value):
        self.begun.append((time.process_time(), time.perf_counter()))

    def after_save(self, session, global_step_value):
        self.ended.append((time.process_time(), time.perf_counter()))


def ways():
    """Estimator, RunConfig and EstimatorSpec by way, what goes before first."""
    found = {"object": (Estimator, RunConfig, EstimatorSpec)}
    if hasattr(tf1, "estimator"):
        found = {"Estimator": (tf1.estimator.Estimator, tf1.estimator.RunConfig, tf1.estimator.EstimatorSpec), **found}
    return found


def network(spec, width, depth):
    def model_fn(features, labels, mode):
        net = features
        for i in range(depth):
            net = tf.nn.relu(tf.matmul(net, tf1.get_variable(f"w{i}", [width, width])))
        logits = tf.matmul(net, tf1.get_variable("w", [width, 10]))
        loss = tf1.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)
        train_op = tf1.train.AdamOptimizer(1e-4).minimize(loss, global_step=tf1.train.get_global_step())
        return spec(mode=mode, loss=loss, train_op=train_op)

    return model_fn


def of_object(way, size, input_fn, hooks=()):
    """The CPU seconds of a step of an estimator."""
    estimator, config, spec = way
    _, width, depth, steps = size
    saves = Saves()
    with tempfile.TemporaryDirectory() as model_dir:
        one = estimator(network(spec, width, depth), model_dir, config(save_checkpoints_steps=steps))
        one.train(input_fn, hooks=list(hooks), steps=4 * steps, saving_listeners=[saves])
    stretches = [begun[0] - ended[0] for ended, begun in zip(saves.ended, saves.begun[1:], strict=False)]
    return min(stretches[1:]) / steps  # the first is a warm-up


def of_callable(size, input_fn):
    """The CPU seconds of a step that nothing surrounds."""
    _, width, depth, steps = size
    with tf.Graph().as_default():
        tf1.train.create_global_step()
        batch = tf1.data.make_one_shot_iterator(input_fn()).get_next()
        spec = network(EstimatorSpec, width, depth)(*batch, "train")
        session = tf1.Session()
        session.run(tf1.global_variables_initializer())
    call = session.make_callable([spec.train_op, spec.loss])
    call()
    began = time.process_time()
    for _ in range(steps):
        call()
    return (time.process_time() - began) / steps


def of_saves(way, count, side, sync=True):
    """The CPU seconds and the seconds of a save."""
    estimator, config, spec = way
    ModelCheckpoints.sync_saves, saves = sync, Saves()

    def model_fn(features, mode):
        for i in range(count):
            tf1.get_variable(f"v{i}", [side, side], initializer=tf1.ones_initializer(), trainable=False)
        loss = tf1.get_variable("w", []) * features
        optimizer = tf1.train.GradientDescentOptimizer(0.1)
        return spec(mode, loss=loss, train_op=optimizer.minimize(loss, global_step=tf1.train.get_global_step()))

    with tempfile.TemporaryDirectory() as model_dir:
        one = estimator(model_fn, model_dir, config(save_checkpoints_steps=1, keep_checkpoint_max=1))
        one.train(lambda: tf.data.Dataset.from_tensors(1.0).repeat(), steps=SAVES, saving_listeners=[saves])
    ModelCheckpoints.sync_saves = True
    lasted = np.array(saves.ended[1:]) - np.array(saves.begun[1:])  # the first is a warm-up
    return lasted.min(axis=0)


def print_steps(rounds):
    for name, size in SIZES.items():
        rows, width = size[:2]
        x, y = np.random.rand(rows * 4, width).astype("f"), np.random.randint(0, 10, rows * 4)

        def input_fn(x=x, y=y, rows=rows):
            dataset = tf.data.Dataset.from_tensor_slices((x, y)).repeat()
            return dataset.batch(rows, drop_remainder=True).prefetch(2)

        measures = {way: functools.partial(of_object, own, size, input_fn) for way, own in ways().items()}
        hooks = [tf1.train.SessionRunHook()]
        measures["object, a hook"] = functools.partial(of_object, ways()["object"], size, input_fn, hooks)
        measures["callable"] = functools.partial(of_callable, size, input_fn)
        best = _fastest(measures, rounds)
        first = next(iter(best.values()))
        for way, step in best.items():
            print(f"{tf.__version__} {name} {way}: {step * 1e3:.3f} ms, {first / step:.2f} x", flush=True)


def print_saves(rounds):
    for name, size in SAVED.items():
        measures = {way: functools.partial(of_saves, own, *size) for way, own in ways().items()}
        measures["object, no syncs"] = functools.partial(of_saves, ways()["object"], *size, sync=False)
        best = _fastest(measures, rounds)
        first = next(iter(best.values()))
        for way, (cpu, whole) in best.items():
            told = f"{cpu * 1e3:.1f} ms CPU ({cpu / first[0]:.2f} x), {whole * 1e3:.1f} ms ({whole / first[1]:.2f} x)"
            print(f"{tf.__version__} save, {name}, {way}: {told}", flush=True)


def _fastest(measures, rounds):
    """What is the least of all rounds, in which the ways take turns."""
    found = [{way: measure() for way, measure in measures.items()} for _ in range(rounds)]
    return {way: np.min([one[way] for one in found], axis=0) for way in measures}


def resident(way, size):
    """The most MiB that a process which saves has resident."""
    of_saves(ways()[way], *size)
    # Of Linux: what getrusage tells counts the process that started this one.
    peak = re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text())
    return int(peak[1]) / 1024


def print_memory():
    for name, size in SAVED.items():
        for way in ways():
            with ProcessPoolExecutor(1, get_context("spawn")) as alone:
                most = alone.submit(resident, way, size).result()
            print(f"{tf.__version__} memory, {name}, {way}: {most:,.0f} MiB", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    tf1.logging.set_verbosity(tf1.logging.ERROR)
    print_steps(rounds)
    print_saves(rounds)
    print_memory()


if __name__ == "__main__":
    main()
