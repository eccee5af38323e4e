"""Takes the jobs of canned estimators on as objects, in copies of their directories, to step 60.

usage: go_on_as_object.py PROGRAM DIRECTORY; PROGRAM is the migrated one. What the functions give is written to
DIRECTORY/results.json, the loss of each step to DIRECTORY/losses.json.
"""

import importlib
import json
import os
import sys

import tensorflow.compat.v1 as tf1

losses = {}


class Losses(tf1.train.SessionRunHook):
    """Notes the loss of each step."""

    def __init__(self, values):
        self._values = values

    def before_run(self, run_context):
        return tf1.train.SessionRunArgs(tf1.get_collection(tf1.GraphKeys.LOSSES)[-1])

    def after_run(self, run_context, run_values):
        self._values.append(float(run_values.results))


def main():
    program, directory = sys.argv[1:]
    sys.path.insert(0, os.path.dirname(program))
    module = importlib.import_module(os.path.basename(program).removesuffix(".py"))
    estimator = importlib.import_module("tf2_recovery.estimator.estimator").Estimator
    train = estimator.train

    def train_and_record(self, input_fn, hooks=None, **ends):
        return train(self, input_fn, [*(hooks or ()), Losses(losses[name])], **ends)

    estimator.train = train_and_record
    results = {}
    for one in module.ALL:
        name = one.__name__
        losses[name] = []
        results[name] = one(os.path.join(directory, name), 60)
    for name, values in (("results", results), ("losses", losses)):
        with open(os.path.join(directory, f"{name}.json"), "w") as file:
            json.dump(values, file)


if __name__ == "__main__":
    main()
