"""Continues each model's directory from step 10 to 70; usage: with_checkpoint_manager.py FROM COPY OUTPUT NAME…

Writes the losses of all steps, taken one by one, and the last loss of a run in calls of several steps.
"""

import json
import shutil
import sys
from pathlib import Path

import tensorflow as tf
from models import MODELS, PARAMS, input_fn

from migrate.recovery.model_fn_checkpoints import mend_checkpoint_list
from migrate.recovery.model_fn_training import ModelFnTraining


def continued(name, source, copy, steps_a_call):
    shutil.copytree(source, copy)
    dataset = input_fn()
    train = ModelFnTraining(MODELS[name], dataset, params=PARAMS, summary_dir=str(copy), save_summary_steps=7)
    mend_checkpoint_list(str(copy))
    manager = tf.train.CheckpointManager(train.checkpoint, str(copy), max_to_keep=3)
    step = first = train.restore(manager)
    assert step == 10
    batches, losses = iter(dataset), {}
    while step < 70:
        loss = float(train(batches, step + steps_a_call, first))
        step = int(train.global_step)
        losses[step] = loss
    return losses


source, copy, output, *names = sys.argv[1:]
results = {}
for name in names:
    one = continued(name, Path(source, name), Path(copy, name), 1)
    twelve = continued(name, Path(source, name), Path(copy, name + "_twelve"), 12)
    results[name] = {"one": one, "twelve": twelve}
Path(output).write_text(json.dumps(results))
