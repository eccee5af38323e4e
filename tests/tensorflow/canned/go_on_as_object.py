"""Takes the jobs of canned estimators on as objects, in copies of their directories, to step 60.

usage: go_on_as_object.py PROGRAM DIRECTORY; PROGRAM is the migrated one. What the functions give is written to
DIRECTORY/results.json, the loss of each step to DIRECTORY/losses.json.
"""

import importlib
import json
import os
import sys

import tensorflow as tf

losses = {}


def main():
    program, directory = sys.argv[1:]
    sys.path.insert(0, os.path.dirname(program))
    module = importlib.import_module(os.path.basename(program).removesuffix(".py"))
    training = importlib.import_module("tf2_recovery.model_fn_training").ModelFnTraining
    take_step = training.take_step

    def take_and_record(self, *args):
        values = losses[name]
        loss, more = take_step(self, *args)
        tf.numpy_function(lambda loss: values.append(float(loss)), [loss], [])
        return loss, more

    training.take_step = take_and_record
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
