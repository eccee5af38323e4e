"""Start programs out of a process that has imported TensorFlow already, one for each interpreter and Keras."""

import atexit
import os
import subprocess
import sys
from functools import cache

from migrate.verify.nursery import Nursery as _Nursery


class Nursery(_Nursery):
    """A nursery whose TensorFlow sees nothing of the tests' own environment.

    Args:
      python: the interpreter.
      env: variables that TensorFlow reads while it is imported, such as ``TF_USE_LEGACY_KERAS``.
      recording: whether the recorder is in place; a program is recorded if it is started as ``migrate.verify`` does.
    """

    def __init__(self, python, env=(), recording=True):
        environment = {"TF_CPP_MIN_LOG_LEVEL": "3", **os.environ, **dict(env)}
        for name in ("PYTHONPATH", *({"TF_USE_LEGACY_KERAS"} - dict(env).keys())):
            environment.pop(name, None)
        super().__init__(python, environment, recording)


@cache
def nursery(python, legacy_keras, recording):
    """The nursery for an interpreter and a Keras, with or without the recorder; it ends with the thread that asks."""
    made = Nursery(python, {"TF_USE_LEGACY_KERAS": "1"} if legacy_keras else {}, recording)
    atexit.register(made.close)
    return made


def launch(command, env, **rest):
    """Start a program as ``subprocess.Popen`` does, out of a nursery if it is for an interpreter with TensorFlow."""
    if command[0] not in {sys.executable, *(os.environ.get(f"MIGRATE_{line}_PYTHON") for line in ("OLD", "NEW"))}:
        return subprocess.Popen(command, env=env, **rest)
    legacy_keras = env.get("TF_USE_LEGACY_KERAS") == "1"
    return nursery(command[0], legacy_keras, "MIGRATE_VERIFY_EVENTS" in env).launch(command, env, **rest)


def run(command, env, cwd=None):
    """Start a program and wait for its end, as ``subprocess.run`` does with its output captured as text."""
    process = launch(command, env, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    output, errors = process.communicate()
    return subprocess.CompletedProcess(command, process.returncode, output, errors)
