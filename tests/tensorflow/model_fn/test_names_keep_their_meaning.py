"""A program for TensorFlow 2 that holds names of TensorFlow 1, in code that does not run, trains the same numbers."""

import json
import os
import shutil
import sys

import pytest

from migrate.pipeline.run import run, write
from migrate.settings import Settings
from tests import nursery
from tests.kept_runs import kept_run

FRAME = """\
import json
import os
import sys

import tensorflow as tf


class Losses(tf.compat.v1.train.SessionRunHook):
    def before_run(self, run_context):
        found = run_context.session.graph.get_collection(tf.compat.v1.GraphKeys.LOSSES)
        return tf.compat.v1.train.SessionRunArgs(found[-1])

    def after_run(self, run_context, run_values):
        print(json.dumps(float(run_values.results).hex()))


def optimize(loss, rate=0.05):
    optimizer = tf.compat.v1.train.GradientDescentOptimizer(rate)
    return optimizer.minimize(loss, tf.compat.v1.train.get_global_step())


def data(x, y):
    return lambda: tf.data.Dataset.from_tensors((tf.constant(x), tf.constant(y))).repeat()


def train(model, given, **more):
    folder, steps = sys.argv[1], int(sys.argv[2])
    config = tf.estimator.RunConfig(folder, save_checkpoints_steps=1, tf_random_seed=4)
    estimator = model(config) if more.get("premade") else tf.estimator.Estimator(model, config=config)
    estimator.train(given, max_steps=steps, hooks=[Losses()])


"""
BODIES = {
    "dropout": """\
class Net:
    def __init__(self, rate):
        self.rate = rate

    def counts(self, x):
        return tf.to_float(tf.layers.flatten(x))

    def __call__(self, x):
        return tf.reduce_sum(tf.nn.dropout(x, self.rate, None, 7), 1)


def model_fn(features, labels, mode):
    w = tf.compat.v1.get_variable("w", [8], initializer=tf.ones_initializer())
    loss = tf.reduce_mean((Net(0.25)(features * w) - labels) ** 2)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=optimize(loss, 1e-3))


train(model_fn, data([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]], [3.0]))
""",
    "gru of one import": """\
from tensorflow.keras.layers import GRU, Bidirectional


def masked(lengths):
    return tf.sequence_mask(tf.to_int32(lengths), maxlen=tf.dimension_value(lengths.shape[0]))


def model_fn(features, labels, mode):
    both = Bidirectional(GRU(3))(features)
    loss = tf.compat.v1.losses.mean_squared_error(labels, both)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=optimize(loss, 0.5))


train(model_fn, data([[[0.5, 1.0], [2.0, -3.0]]], [[0.1, 0.2, 0.3, 0.4, 0.5, 0.6]]))
""",
    "premade, a vocabulary in a file": """\
def joined(features, columns):
    return tf.feature_column.input_layer(features, columns)


def model(config):
    path = sys.argv[1] + ".words"
    with open(path, "w") as file:
        file.write("a\\nb\\nc\\n")
    column = tf.feature_column.categorical_column_with_vocabulary_file("word", path, 3, tf.string, None, 2)
    columns = [tf.feature_column.indicator_column(column), tf.feature_column.numeric_column("x")]
    return tf.estimator.DNNRegressor([4], columns, optimizer=tf.keras.optimizers.legacy.Adagrad(0.1), config=config)


def given():
    features = {"word": tf.constant(["b", "z", "a"]), "x": tf.constant([1.0, 2.0, 3.0])}
    return tf.data.Dataset.from_tensors((features, tf.constant([0.5, 1.0, -1.0]))).repeat()


train(model, given, premade=True)
""",
    "names of both in a branch that is not taken": """\
def model_fn(features, labels, mode):
    if "OLD_FORMAT" in os.environ:
        features = tf.decode_raw(tf.io.parse_single_example(features, {"x": tf.FixedLenFeature([], tf.string)})["x"])
    rate = tf.optimizers.schedules.ExponentialDecay(0.1, 2, 0.5)
    hidden = tf.keras.layers.GRU(2)(tf.nn.dropout(features, 0.5, seed=3))
    loss = tf.reduce_mean((hidden - labels) ** 2)
    train_op = optimize(loss, rate(tf.compat.v1.train.get_global_step()))
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


train(model_fn, data([[[0.5, 1.0], [2.0, -3.0]]], [[0.1, 0.2]]))
""",
}


def losses(python, program, folder, steps):
    is_new = python != os.environ["MIGRATE_OLD_PYTHON"]
    environment = {**os.environ, **({"TF_USE_LEGACY_KERAS": "1"} if is_new else {})}
    done = nursery.run([python, str(program), str(folder), str(steps)], environment)
    assert done.returncode == 0, done.stderr[-3000:]
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith('"')]


def before(name, body, old_python):
    """A directory with what the old program printed, and for some the job at step 1 from which it went on."""

    def make(place):
        (place / "program.py").write_text(FRAME + body)
        if name in BY_LAYER:
            losses(old_python, place / "program.py", place / "begun", 1)
            shutil.copytree(place / "begun", place / "job")
        printed = losses(old_python, place / "program.py", place / "job", 6)
        assert len(set(printed)) > 1
        (place / "losses.json").write_text(json.dumps(printed))

    return kept_run(f"meaning-{name}".replace(" ", "_"), [__file__], make)


def migrated(folder, body):
    """The program that the codemod makes of one, and the findings."""
    (folder / "program.py").write_text(FRAME + body)
    outcome = run([str(folder)], Settings(), jobs=1, progress=None)
    assert write(outcome) == []
    return folder / "program.py", outcome.findings


@pytest.mark.parametrize("name", BODIES)
def test_names_of_tensorflow_1_that_nothing_runs_change_no_loss(tmp_path, old_python, name):
    program, findings = migrated(tmp_path, BODIES[name])
    assert all(finding.rewritten for finding in findings), findings
    assert "import tensorflow as tf\n" in program.read_text()
    old = before(name, BODIES[name], old_python)
    expected = json.loads((old / "losses.json").read_text())
    if name in BY_LAYER:
        shutil.copytree(old / "begun", tmp_path / "job")
    found = losses(sys.executable, program, tmp_path / "job", 6)
    if sys.executable == old_python:
        assert found == expected
    else:
        assert [*map(float.fromhex, found)] == pytest.approx([*map(float.fromhex, expected)], rel=1e-5)


BY_LAYER = {"gru of one import", "names of both in a branch that is not taken"}
"""Keras begins its layers with other numbers in each process: both go on from one checkpoint."""
