"""Prints how the cost of a run grows: with the files of a program, the programs of a file, the lines of a page.

usage: python -m tests.benchmarks.growth [KIND...]

KIND is files, estimators, resumptions, trainings, cells or page; by default all of them. CPU is user and system time of
one process, less that of a run over one file without a site. The ratio is the CPU of one more file, program or line, as
the step from the size above costs it, beside what the step before cost: 1 where the cost is linear.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.cost import measured, migrate

LAYER = """\
import tensorflow as tf
{imported}

def layer_{number}(x, mode):
    if mode == tf.estimator.ModeKeys.TRAIN:
        x = tf.nn.dropout(x, keep_prob=0.5)
    return tf.matmul({inner}, tf.get_variable("w{number}", [4, 4]))
"""
MAIN = """\
import tensorflow as tf
from layer_0 import layer_0


def model_fn(features, labels, mode):
    loss = tf.losses.mean_squared_error(labels, layer_0(features["x"], mode))
    train_op = tf.train.AdamOptimizer().minimize(loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    return tf.data.Dataset.from_tensors(({"x": [[1.0] * 4]}, [[1.0] * 4])).repeat()


tf.estimator.Estimator(model_fn, model_dir="/tmp/m").train(input_fn, max_steps=100)
"""
INPUT = """\
import tensorflow as tf


def input_fn():
    return tf.data.Dataset.from_tensors(({"x": [1.0]}, [1])).repeat()


"""
ESTIMATOR = """\
estimator_{number} = tf.estimator.DNNClassifier(
    hidden_units=[8, 4],
    feature_columns=[tf.feature_column.numeric_column("x")],
    n_classes=3,
    model_dir="/tmp/m{number}",
    config=tf.estimator.RunConfig(save_checkpoints_steps=100),
)
estimator_{number}.train(input_fn=input_fn, steps=1000)
"""
BUILD = """\
import os

import tensorflow as tf


def build():
    return tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])

"""
RESUMPTION = """
def train_{number}(x, y):
    model = build()
    path = "/tmp/w{number}/weights.h5"
    if os.path.exists(path):
        model.load_weights(path)
    model.fit(x, y, epochs=10, callbacks=[tf.keras.callbacks.ModelCheckpoint(path, save_weights_only=True)])

"""


def files(size):
    """One program: a chain of files, each of which imports the next."""
    made = {"main.py": MAIN}
    for number in range(size - 1):
        following, is_last = f"layer_{number + 1}", number == size - 2
        imported = "" if is_last else f"from {following} import {following}\n"
        inner = "x" if is_last else f"{following}(x, mode)"
        made[f"layer_{number}.py"] = LAYER.format(imported=imported, number=number, inner=inner)
    return made


def estimators(size):
    return {"main.py": INPUT + "".join(ESTIMATOR.format(number=number) for number in range(size))}


def resumptions(size):
    return {"main.py": BUILD + "".join(RESUMPTION.format(number=number) for number in range(size))}


def trainings(size):
    """A file that trains one model again and again, and loads it once."""
    first = 'model = build()\nif os.path.exists("/tmp/w.h5"):\n    model.load_weights("/tmp/w.h5")\n'
    fits = "".join(f"model.fit(read({number}), y, epochs=2)\n" for number in range(size))
    return {"main.py": f'{BUILD}{first}{fits}model.save_weights("/tmp/w.h5")\n'}


def cells(size):
    """A notebook with an estimator in its first cell."""
    texts = [INPUT + ESTIMATOR.format(number=0), *(f"x_{number} = {number}\n" for number in range(size - 1))]
    blank = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    notebook = {
        "cells": [blank | {"source": text} for text in texts],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 2,
    }
    return {"main.ipynb": json.dumps(notebook)}


def page(size):
    return {"main.py": INPUT + "x = 1\n" * size + ESTIMATOR.format(number=0)}


KINDS = {
    "files": (files, (10, 30, 100, 300, 1000), ("--check",)),
    "estimators": (estimators, (50, 100, 200, 400), ("--check",)),
    "resumptions": (resumptions, (50, 100, 200, 400), ("--check",)),
    "trainings": (trainings, (50, 100, 200, 400), ("--check",)),
    "cells": (cells, (100, 1000, 4000), ("--check",)),
    "page": (page, (1000, 4000, 16000), ("--check", "--format", "html")),
}


def cost(made, arguments, environment):
    """The CPU of a run over a tree, in seconds; the lesser of two runs."""
    with tempfile.TemporaryDirectory() as directory:
        (Path(directory) / ".git").mkdir()
        for name, text in made.items():
            (Path(directory) / name).write_text(text, encoding="utf-8")
        return min(measured(migrate("-j1", *arguments, directory), environment).cpu for _ in range(2))


def main():
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as bytecode:
        environment["PYTHONPYCACHEPREFIX"] = bytecode
        for kind in sys.argv[1:] or KINDS:
            make, sizes, arguments = KINDS[kind]
            least = cost(make(2), arguments, environment)
            steps = []
            before, size_before = least, 2
            for size in sizes:
                spent = cost(make(size), arguments, environment)
                steps.append((spent - before) / (size - size_before))
                ratio = f"{steps[-1] / steps[-2]:.2f}" if len(steps) > 1 else "-"
                print(
                    f"{size:6} {kind:12} {spent:8.2f} s {1000 * steps[-1]:10.3f} ms each more {ratio:>8} ×", flush=True
                )
                before, size_before = spent, size


if __name__ == "__main__":
    main()
