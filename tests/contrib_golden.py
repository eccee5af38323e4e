"""What TensorFlow 1.15.5 itself computes with ``tf.contrib``, which ``tests.contrib_successors`` is compared with.

``PYTHON -m tests.contrib_golden`` writes ``contrib_golden.json``; PYTHON is a Python 3.7 that has TensorFlow 1.15.5.
Beside the results it keeps the names that each case used, and with which arguments.
"""

import importlib
import json
import sys
import types
from pathlib import Path

import tensorflow as tf

from tests.contrib_cases import CASES, computed_by

GOLDEN = Path(__file__).with_name("contrib_golden.json")


class Contrib:
    """``tf.contrib`` by its modules; keeps the names that are used.

    Attributes:
      core: the Estimator's classes.
      used: names, each with how often arguments stand by their places and the names of the others.
    """

    def __init__(self):
        self.core = tf.estimator
        self.used = []

    def __call__(self, module):
        place = importlib.import_module("tensorflow.contrib." + module)
        return Names(lambda name: self._called(module, name, getattr(place, name)))

    def _called(self, module, name, value):
        def call(*args, **names):
            use = [module + "." + name, len(args), sorted(names)]
            if use not in self.used:
                self.used.append(use)
            return value(*args, **names)

        return call


class Names(types.SimpleNamespace):
    """Has any name, which a function takes to a value."""

    def __init__(self, find):
        super().__init__(find=find)

    def __getattr__(self, name):
        return self.find(name)


if __name__ == "__main__":
    if not tf.__version__.startswith("1.15."):
        sys.exit("TensorFlow 1.15 is needed, not " + tf.__version__)
    lines = []
    for case in CASES:
        contrib = Contrib()
        found = {"case": case.__name__, "results": computed_by(case, contrib)}
        lines.append(json.dumps(dict(found, uses=sorted(contrib.used))))
    GOLDEN.write_text("[\n" + ",\n".join(lines) + "\n]\n")
