"""What stands for names of ``tf.contrib``, found by the table's rows, so that what is compared is what the tool writes.

``python -m tests.contrib_successors FILE`` writes the results of ``tests.contrib_cases`` there.
"""

import ast
import importlib.util
import json
import operator
import os
import sys
import types
from functools import cache
from pathlib import Path

from migrate import recovery
from migrate.tensorflow.contrib import Row, rows_around, rows_of
from migrate.tensorflow.known_names import public_name


def rows_for(name, positional, keywords):
    """The rows that may be written for a call of a name of contrib, the first first.

    Args:
      name: without ``tf.contrib``.
      positional: how many arguments it gives by their places.
      keywords: the names of the others.
    """
    public = public_name(f"tensorflow.contrib.{name}")
    shown = []
    if public is not None and not public.tail.startswith("contrib."):
        shown.append(Row("tf", name.rpartition(".")[0], name.rpartition(".")[2], (public.tail,)))
    for row in [*rows_of(name), *shown, *rows_around(name)]:
        if not row.arguments or row.takes(positional, keywords):
            yield row


@cache
def _modules():
    """The module of ``migrate.recovery`` that defines each name."""
    found = {}
    root = Path(recovery.__file__).parent
    for path in root.rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            names = [node.name] if isinstance(node, ast.ClassDef | ast.FunctionDef) else []
            names += [one.id for one in getattr(node, "targets", []) if isinstance(one, ast.Name)]
            found |= dict.fromkeys(names, ".".join(path.relative_to(root).with_suffix("").parts))
    return found


def piece(name):
    return getattr(importlib.import_module(f"migrate.recovery.{_modules()[name]}"), name)


class Successors:
    """Takes a module of contrib to what stands for its names."""

    def __init__(self):
        names = ("Estimator", "EstimatorSpec", "RunConfig")
        self.core = types.SimpleNamespace(**{name: piece(name) for name in names})
        self.core.export = types.SimpleNamespace(ServingInputReceiver=piece("ServingInputReceiver"))
        piece("ClusterTraining")  # which gives the Estimator its strategies

    def __call__(self, module):
        return _Module(module)

    def raw(self, module, name):
        """The object itself, as an ``arg_scope`` takes it."""
        rows = sorted(rows_for(f"{module}.{name}", 0, ()), key=lambda row: row.kind != "slim")
        return successor(rows[0])


class _Module:
    def __init__(self, module):
        self._module = module

    def __getattr__(self, name):
        def call(*args, **names):
            row = next(rows_for(f"{self._module}.{name}", len(args), names))
            if row.kind == "by-name":
                args, names = ((), {**dict(zip(row.arguments, args, strict=False)), **names})
            return successor(row)(*args, **names)

        return call


def successor(row):
    """The object that a row says stands for its name."""
    import tensorflow.compat.v1 as tf1

    if row.kind in ("tf", "by-name"):
        return operator.attrgetter(row.successor)(tf1)
    if row.kind in ("piece", "estimator", "rule") and row.successor:
        first, *rest = row.successor.split(".")
        return operator.attrgetter(".".join(rest))(piece(first)) if rest else piece(first)
    if row.kind == "slim":
        return operator.attrgetter(row.successor)(piece("slim"))
    raise LookupError(f"nothing is written: {row}")


if __name__ == "__main__":
    if importlib.util.find_spec("tf_keras") is not None:  # recurrent cells are layers of Keras 2
        os.environ["TF_USE_LEGACY_KERAS"] = "1"
    from tests.contrib_cases import CASES, computed_by
    from tests.contrib_estimator_cases import ESTIMATOR_CASES
    from tests.contrib_event_cases import EVENT_CASES
    from tests.contrib_slim_cases import SLIM_CASES
    from tests.contrib_small_cases import SMALL_CASES

    results = [
        {"case": case.__name__, "results": computed_by(case, Successors())}
        for case in (*CASES, *SMALL_CASES, *ESTIMATOR_CASES, *EVENT_CASES, *SLIM_CASES)
    ]
    Path(sys.argv[1]).write_text(json.dumps(results), encoding="utf-8")
