"""Steps and saves beside an Estimator's: ``python -m tests.benchmarks.model_fn_speed [--rounds N]``.

Each way trains the same networks in turn in this process: an Estimator (TensorFlow 2.15), the object that stands for it
with no hook and with one, and a bare callable of a session. Prints the CPU time of a step and of a save, in
milliseconds, the fastest of N rounds (3), and its ratio to the first way's.
"""

import argparse
import tempfile
import time

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from migrate.recovery.estimator import Estimator, EstimatorSpec
from migrate.recovery.run_config import RunConfig

SIZES = {"small": (16, 32, 3, 1000), "middle": (128, 512, 4, 100), "large": (320, 1024, 3, 20)}
"""Rows of a batch, width and number of the layers, and the steps from one save to the next."""


class Saves(tf1.train.CheckpointSaverListener):
    """Notes the CPU time at each save's beginning and end."""

    def __init__(self):
        self.begun, self.ended = [], []

    def before_save(self, session, global_step_value):
        self.begun.append(time.process_time())

    def after_save(self, session, global_step_value):
        self.ended.append(time.process_time())


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


def of_object(estimator, config, spec, size, input_fn, hooks=()):
    """The CPU seconds of a step and of a save of an estimator."""
    _, width, depth, steps = size
    saves = Saves()
    one = estimator(network(spec, width, depth), tempfile.mkdtemp(), config(save_checkpoints_steps=steps))
    one.train(input_fn, hooks=list(hooks), steps=4 * steps, saving_listeners=[saves])
    stretches = [begun - ended for ended, begun in zip(saves.ended, saves.begun[1:], strict=False)]
    lasted = [ended - begun for begun, ended in zip(saves.begun, saves.ended, strict=True)]
    return min(stretches[1:]) / steps, min(lasted[1:])  # the first is a warm-up


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
    return (time.process_time() - began) / steps, 0.0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    tf1.logging.set_verbosity(tf1.logging.ERROR)
    for name, size in SIZES.items():
        rows, width = size[:2]
        x, y = np.random.rand(rows * 4, width).astype("f"), np.random.randint(0, 10, rows * 4)

        def input_fn(x=x, y=y, rows=rows):
            dataset = tf.data.Dataset.from_tensor_slices((x, y)).repeat()
            return dataset.batch(rows, drop_remainder=True).prefetch(2)

        own = Estimator, RunConfig, EstimatorSpec, size, input_fn
        ways = {"object": lambda own=own: of_object(*own)}
        ways["object, a hook"] = lambda own=own: of_object(*own, hooks=[tf1.train.SessionRunHook()])
        ways["callable"] = lambda size=size, input_fn=input_fn: of_callable(size, input_fn)
        if hasattr(tf1, "estimator"):
            old = tf1.estimator.Estimator, tf1.estimator.RunConfig, tf1.estimator.EstimatorSpec, size, input_fn
            ways = {"Estimator": lambda old=old: of_object(*old), **ways}
        best = {}
        for _ in range(rounds):
            for way, measure in ways.items():
                found = measure()
                best[way] = [min(pair) for pair in zip(best.get(way, found), found, strict=True)]
        first = next(iter(best.values()))
        for way, (step, save) in best.items():
            ratios = f"{first[0] / step:.2f} x" + (f", save {save * 1e3:.1f} ms" if save else "")
            print(f"{tf.__version__} {name} {way}: {step * 1e3:.3f} ms, {ratios}", flush=True)


if __name__ == "__main__":
    main()
