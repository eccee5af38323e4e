"""Trains canned estimators to step 60, as it were in two parts: each keeps its checkpoint of step 10.

usage: run_estimators.py PROGRAM DIRECTORY; beside what the program gives, DIRECTORY/losses.json gets each step's loss.
"""

import json
import os
import runpy
import sys

import tensorflow.compat.v1 as tf1

BEFORE, STEPS = 10, 60

losses = {}


class Losses(tf1.train.SessionRunHook):
    """Reads each step's loss, and saves once more than the Estimator does.

    The input begins anew at that step, so nothing tells this job from one that was stopped there and started again.
    """

    def __init__(self, loss, values, path):
        self._loss, self._values, self._path = loss, values, path

    def before_run(self, run_context):
        return tf1.train.SessionRunArgs(self._loss)

    def after_run(self, run_context, run_values):
        self._values.append(float(run_values.results))
        if len(self._values) == BEFORE:
            (saver,) = tf1.get_collection(tf1.GraphKeys.SAVERS)
            saver.save(run_context.session, self._path, BEFORE, write_meta_graph=False)


def main():
    program, directory = sys.argv[1:]
    estimator = tf1.estimator.Estimator
    train, take_steps = estimator.train, estimator._train_with_estimator_spec

    def train_from_a_seed(self, *args, **settings):
        self._config = self._config.replace(tf_random_seed=1)
        return train(self, *args, **settings)

    def train_and_record(self, spec, worker_hooks, *rest):
        values = losses[os.path.basename(self.model_dir)] = []
        hook = Losses(spec.loss, values, os.path.join(self.model_dir, "model.ckpt"))
        return take_steps(self, spec, [*worker_hooks, hook], *rest)

    estimator.train = train_from_a_seed
    estimator._train_with_estimator_spec = train_and_record
    sys.argv = [program, directory, str(STEPS)]
    runpy.run_path(program, run_name="__main__")
    with open(os.path.join(directory, "losses.json"), "w") as file:
        json.dump(losses, file)


if __name__ == "__main__":
    main()
