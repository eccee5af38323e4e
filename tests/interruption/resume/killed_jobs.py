"""Starts a job that recovers by ``BackupAndRestore``, kills it, and starts it again."""

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np

from tests import nursery
from tests.runtime_package import copy

PROGRAM = Path(__file__).parent / "killed" / "job.py"


class KilledJob:
    """One job in a directory of its own.

    Args:
      directory: where it runs; it is made.
      python: the interpreter.
      legacy_keras: whether ``tf.keras`` is Keras 2 on a TensorFlow with Keras 3.
      program: which one runs.
    """

    def __init__(self, directory, python, legacy_keras=False, program=PROGRAM):
        self.directory, self._python, self._legacy = Path(directory), str(python), legacy_keras
        self.directory.mkdir(parents=True)
        copy(self.directory, ["BackupAndRestore", "recovered"])
        self.program = Path(shutil.copy(program, self.directory))
        self.output = ""

    def start(self, *arguments, kill=None, status=None):
        """Runs the program to its end or its kill; returns the epochs that began."""
        epochs = self.directory / "epochs"
        epochs.write_text("")
        environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "EPOCHS": str(epochs)}
        for name in ("PYTHONPATH", "TF_USE_LEGACY_KERAS", "KILL-AT"):
            environment.pop(name, None)
        environment |= {"KILL-AT": kill} if kill else {}
        environment |= {"TF_USE_LEGACY_KERAS": "1"} if self._legacy else {}
        command = [self._python, str(self.program), *arguments]
        self.status, self.output = self.run(command, environment)
        expected = status if status is not None else (0,) if kill is None else (-9,)
        assert self.status in expected, self.output[-3000:]
        assert status is not None or "Traceback" not in self.output, self.output[-3000:]
        return [int(line) for line in epochs.read_text().split()]

    def run(self, command, environment):
        """Runs a program; returns its exit status and what it printed."""
        done = nursery.launch(
            command, environment, cwd=self.directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        output = done.communicate()[0]
        return done.returncode, output

    @property
    def final(self):
        """The weights that the program has ended with, an array; None while it has not ended."""
        path = self.directory / "w" / "final.npy"
        return np.load(path) if path.exists() else None

    @property
    def kept(self):
        """The files of the recovery that are there."""
        return sorted(path.name for path in self.directory.glob(".recovery/**/*") if path.is_file())
