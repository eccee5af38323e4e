"""What TensorFlow 1.15.5 itself computes with ``tf.contrib``, which ``tests.contrib_successors`` is compared with.

``python -m tests.contrib_account pairs | PYTHON -m tests.contrib_golden`` writes ``contrib_golden.json``; PYTHON is a
Python 3.7 that has TensorFlow 1.15.5. Beside the results it keeps the names that each case used, with which arguments,
and which names of contrib are not the very object that the table gives for them.
"""

import hashlib
import importlib
import json
import operator
import sys
import types
from pathlib import Path

import tensorflow as tf
from tensorflow.python.util import tf_decorator

from tests.contrib_cases import CASES, computed_by
from tests.contrib_estimator_cases import ESTIMATOR_CASES
from tests.contrib_event_cases import EVENT_CASES
from tests.contrib_slim_cases import SLIM_CASES
from tests.contrib_small_cases import SMALL_CASES

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
        place = _object(module)
        return Names(lambda name: self._called(module, name, getattr(place, name)))

    def raw(self, module, name):
        """The object itself, as an ``arg_scope`` takes it."""
        self.used.append([f"{module}.{name}", 0, []])
        return getattr(_object(module), name)

    def _called(self, module, name, value):
        def call(*args, **names):
            use = [module + "." + name, len(args), sorted(names)]
            if use not in self.used:
                self.used.append(use)
            return value(*args, **names)

        return call


def _object(path):
    """An object of contrib; a module that its package does not show is imported."""
    try:
        return operator.attrgetter(path)(tf.contrib)
    except AttributeError:
        return importlib.import_module("tensorflow.contrib." + path)


class Names(types.SimpleNamespace):
    """Has any name, which a function takes to a value."""

    def __init__(self, find):
        super().__init__(find=find)

    def __getattr__(self, name):
        return self.find(name)


def compared(text):
    """Which names of contrib are other objects than their successors.

    Of those whose successor TensorFlow 1.15 lacks it tells where contrib's object is defined.

    Args:
      text: a JSON object from names to names below ``tf.compat.v1``.
    """
    found = {"digest": hashlib.sha256(text.encode()).hexdigest(), "others": [], "places": {}}
    for name, successor in json.loads(text).items():
        module, _, last = name.rpartition(".")
        here = unwrapped(getattr(_object(module), last))
        try:
            there = unwrapped(operator.attrgetter(successor)(tf.compat.v1))
        except AttributeError:
            if callable(here):
                found["places"][name] = [successor, here.__module__, here.__qualname__]
            continue
        if here is not there and (callable(here) or here != there):
            found["others"].append(name)
    return found


def unwrapped(value):
    return tf_decorator.unwrap(value)[1] if callable(value) else value


if __name__ == "__main__":
    if not tf.__version__.startswith("1.15."):
        sys.exit("TensorFlow 1.15 is needed, not " + tf.__version__)
    lines = []
    objects = compared(sys.stdin.read().strip())
    for case in (*CASES, *SMALL_CASES, *ESTIMATOR_CASES, *EVENT_CASES, *SLIM_CASES):
        contrib = Contrib()
        found = {"case": case.__name__, "results": computed_by(case, contrib)}
        lines.append(json.dumps(dict(found, uses=sorted(contrib.used))))
    text = ",\n".join(lines)
    GOLDEN.write_text(f'{{"objects": {json.dumps(objects)},\n"cases": [\n{text}\n]}}\n')
