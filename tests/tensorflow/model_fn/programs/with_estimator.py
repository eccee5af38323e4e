"""Trains each model to step 10, copies its directory, trains on to step 70, judges the last.

usage: with_estimator.py DIRECTORY
"""

import json
import shutil
import sys
from pathlib import Path

import tensorflow.compat.v1 as tf1
from models import MODELS, PARAMS, eval_input_fn, input_fn


class Losses(tf1.train.SessionRunHook):
    def __init__(self):
        self.losses = []

    def before_run(self, run_context):
        return tf1.train.SessionRunArgs(tf1.get_default_graph().get_tensor_by_name("the_loss:0"))

    def after_run(self, run_context, run_values):
        self.losses.append(float(run_values.results))


directory = Path(sys.argv[1])
continued = {}
for name, model_fn in MODELS.items():
    config = tf1.estimator.RunConfig(save_checkpoints_steps=5, save_summary_steps=7)
    params = PARAMS if name == "layers" else None
    estimator = tf1.estimator.Estimator(model_fn, str(directory / "own" / name), config, params)
    estimator.train(input_fn, max_steps=10)
    shutil.copytree(directory / "own" / name, directory / "at_10" / name)
    hook = Losses()
    estimator.train(input_fn, hooks=[hook], max_steps=70)
    continued[name] = hook.losses
metrics = {key: float(value) for key, value in estimator.evaluate(eval_input_fn, steps=9).items()}
predictions = [prediction["probability"].tolist() for prediction in estimator.predict(eval_input_fn)]
continued["judged"] = {"metrics": metrics, "predictions": predictions}
(directory / "estimator.json").write_text(json.dumps(continued))
