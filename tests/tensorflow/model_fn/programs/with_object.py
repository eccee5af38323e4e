"""Continues each model's directory from step 10 to 70; usage: with_checkpoint_manager.py FROM COPY OUTPUT NAME…

Writes the losses of all steps, which a hook sees, and those in the summaries of a run without a hook.
"""

import json
import shutil
import sys
from pathlib import Path

import tensorflow.compat.v1 as tf1
from models import MODELS, PARAMS, input_fn

from migrate.recovery.estimator.estimator import Estimator
from migrate.recovery.estimator.run_config import RunConfig


class Losses(tf1.train.SessionRunHook):
    """Notes what a summary of the loss would hold, a step at a time."""

    def __init__(self):
        self.losses = []

    def before_run(self, run_context):
        return tf1.train.SessionRunArgs(tf1.get_collection(tf1.GraphKeys.LOSSES)[-1])

    def after_run(self, run_context, run_values):
        self.losses.append(float(run_values.results))


def continued(name, source, copy, hooks):
    shutil.copytree(source, copy)
    config = RunConfig(save_checkpoints_steps=5, save_summary_steps=7)
    params = PARAMS if name == "layers" else None
    Estimator(MODELS[name], str(copy), config, params).train(input_fn, hooks=hooks, max_steps=70)


def summaries(directory):
    """The losses of the summaries after step 10, by step."""
    found = {}
    for path in directory.glob("events*"):
        for event in tf1.train.summary_iterator(str(path)):
            found.update((event.step, value.simple_value) for value in event.summary.value if value.tag == "loss")
    return {step: loss for step, loss in sorted(found.items()) if step > 10}


source, copy, output, *names = sys.argv[1:]
results = {}
for name in names:
    hook, bare = Losses(), Path(copy, name + "_bare")
    continued(name, Path(source, name), Path(copy, name), [hook])
    continued(name, Path(source, name), bare, [])
    results[name] = {"one": dict(enumerate(hook.losses, 11)), "bare": summaries(bare)}
Path(output).write_text(json.dumps(results))
