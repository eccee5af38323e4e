"""No name that TensorFlow 2.16 lacks stays in a rewritten file, and nothing goes that a program left behind needs."""

import pytest

from tests.codemod.bodies import COLUMNS, PRELUDE, reason, rewritten
from tests.codemod.programs import migrate

TRAIN = "est.train(data, max_steps=3)\n"
BY_ALIAS = f"est = e.DNNClassifier([4], {COLUMNS}, 'm', config=C())\n{TRAIN}"
ALIASES = "e = tf.estimator\nC = tf.estimator.RunConfig\n"


def test_aliases_that_nothing_uses_any_more_go() -> None:
    assert "estimator" not in rewritten(ALIASES + BY_ALIAS)
    assert "estimator" not in rewritten(
        f"def f():\n    e = tf.estimator\n    C = e.RunConfig\n    {BY_ALIAS}".replace("\nest.", "\n    est.")
    )


@pytest.mark.parametrize(
    "line",
    [
        "def g(x: tf.estimator.Estimator): pass\n",
        "exporters = [tf.estimator.BestExporter]\n",
        "print(C)\n",
        "print(tf.estimator.RunConfig())\n",
        "class H(tf.estimator.SessionRunHook): pass\n",
    ],
)
def test_any_other_name_of_the_estimator_leaves_the_program(line: str) -> None:
    assert "would stay here" in reason(ALIASES + BY_ALIAS + line)


def test_a_program_that_is_left_keeps_its_aliases_and_lets_those_go_that_need_none() -> None:
    left = f"two = e.DNNClassifier([4], {COLUMNS}, 'n', loss_reduction='w')\ntwo.train(data, max_steps=3)\n"
    assert "loss_reduction" in reason(ALIASES + BY_ALIAS + left)
    output, _ = migrate(
        PRELUDE + "e = tf.estimator\n" + left + f"est = tf.estimator.DNNClassifier([4], {COLUMNS}, 'm')\n{TRAIN}"
    )
    assert "est = tf.keras.Model(" in output
    assert "two = e.DNNClassifier(" in output
    assert "e = tf.estimator\n" in output


def test_graph_mode_stays_where_a_program_that_is_left_runs_in_it() -> None:
    both = f"est = DNN()\n{TRAIN}two = DNN(loss_reduction='w')\ntwo.train(data, max_steps=3)\n"
    assert "loss_reduction" in reason(f"tf1.disable_v2_behavior()\n{both}")


def test_the_modes_that_an_input_function_is_given_are_emitted() -> None:
    output = rewritten(
        "def g(mode):\n    if mode == tf.estimator.ModeKeys.TRAIN:\n        return data().repeat()\n    return data()\n"
        "est = DNN()\nest.train(lambda: g(tf.estimator.ModeKeys.TRAIN), max_steps=3)\n"
    )
    assert "if mode == ModeKeys.TRAIN:" in output
    assert "g(ModeKeys.TRAIN)" in output


@pytest.mark.parametrize(
    "lines",
    [
        f"est = tf1.estimator.DNNClassifier([4], {COLUMNS}, 'm', extra=1)\n{TRAIN}",
        f"est = tf1.estimator.DNNClassifier([4], {COLUMNS}, 'm')\nest.train(data, max_steps=3, extra=[])\n",
        f"est = tf1.estimator.DNNClassifier([4], {COLUMNS}, 'm')\n{TRAIN}est.evaluate(data, extra=None)\n",
    ],
    ids=["constructor", "train", "evaluate"],
)
def test_an_argument_that_is_not_known_leaves_the_program(lines: str) -> None:
    assert reason(lines) == "its argument `extra` has no counterpart here"


_TWO_PROGRAMS = """\
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow.compat.v1.estimator import EvalSpec, RunConfig, TrainSpec, train_and_evaluate


def data():
    return tf.data.Dataset.from_tensor_slices(({"x": [[1.0]]}, [0])).batch(1)


def model_fn(features, labels, mode):
    loss = tf1.losses.sparse_softmax_cross_entropy(labels, features["x"])
    train_op = tf1.train.AdamOptimizer().minimize(loss, global_step=tf1.train.get_global_step())
    return tf1.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def first():
    estimator = tf.keras.estimator.model_to_estimator(keras_model_path="m.h5", model_dir="/tmp/m")
    estimator.train(data, max_steps=10)


def second():
    estimator = tf1.estimator.Estimator(model_fn, "/tmp/n")
    train_and_evaluate(estimator, TrainSpec(data, 9), EvalSpec(data))
"""


def test_what_one_program_takes_away_does_not_keep_another_from_its_rewrite() -> None:
    output, findings = migrate(_TWO_PROGRAMS, canned="auto")
    assert all(finding.rewritten for finding in findings)
    assert "compat.v1.estimator import" not in output
