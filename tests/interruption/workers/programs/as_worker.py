"""Run a program as one worker of a job: seed it, print its steps, strike it where it is told, and keep its weights.

usage: python as_worker.py FAULT WEIGHTS PROGRAM [ARGS...]

``FAULT`` is ``none``, ``step:N`` (SIGKILL after step N) or ``written:N`` (in the save at step N, when its files are
written and not yet listed; in the N-th save where a loop of the program's own tells no steps). ``step:N:2`` waits until
two workers have come that far, so that one that is killed does not end the other before.
"""

import os
import runpy
import signal
import sys
import time
from pathlib import Path

import numpy as np
import tensorflow as tf
from tensorflow.python.checkpoint import checkpoint_management

fault, at, together = [*sys.argv[1].split(":"), "0", "1"][:3]
weights, program = sys.argv[2:4]
del sys.argv[:3]
sys.path[0] = os.path.dirname(program)
optimizer_of, saves = [], []


def step():
    return int(optimizer_of[-1].iterations.numpy()) if optimizer_of else len(saves)


def strike(moment):
    if fault == moment and step() == int(at):
        Path(weights).with_suffix(".struck").touch()
        latest = time.monotonic() + 60
        while len([*Path(weights).parent.glob("*.struck")]) < int(together) and time.monotonic() < latest:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGKILL)


def watch(owner, name, before, after):
    inner = getattr(owner, name)

    def watched(self, *args, **kwargs):
        before(self)
        result = inner(self, *args, **kwargs)
        after(self)
        return result

    setattr(owner, name, watched)


def begin(calls):
    optimizer_of.append(calls.model.optimizer)
    print("starts", flush=True)


def say(calls):
    print("step", step(), flush=True)
    strike("step")


def written(*args, **kwargs):
    strike("written")
    return list_checkpoints(*args, **kwargs)


watch(tf.keras.callbacks.CallbackList, "on_train_begin", begin, lambda calls: None)
watch(tf.keras.callbacks.CallbackList, "on_train_batch_end", lambda calls: None, say)
watch(tf.train.Checkpoint, "_write", saves.append, lambda checkpoint: None)
list_checkpoints = checkpoint_management.update_checkpoint_state_internal
checkpoint_management.update_checkpoint_state_internal = written
tf.keras.utils.set_random_seed(1)
made = runpy.run_path(program, run_name="__main__")
np.savez(weights, *made["model"].get_weights())
print("done", flush=True)
