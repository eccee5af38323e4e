"""Continues each model's directory from step 10 to 70; usage: with_object.py FROM COPY OUTPUT NAME…

Writes the losses of all steps.
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


source, copy, output, *names = sys.argv[1:]
results = {}
for name in names:
    shutil.copytree(Path(source, name), Path(copy, name))
    config = RunConfig(save_checkpoints_steps=5, save_summary_steps=7)
    hook, params = Losses(), PARAMS if name == "layers" else None
    Estimator(MODELS[name], str(Path(copy, name)), config, params).train(input_fn, hooks=[hook], max_steps=70)
    results[name] = hook.losses
Path(output).write_text(json.dumps(results))
