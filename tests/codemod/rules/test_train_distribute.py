"""A strategy that cannot be carried over leaves its program whole, and says why and what to do."""

import pytest

from migrate.finding import Fidelity
from tests.codemod.programs import migrate

PROGRAM = """\
import tensorflow as tf

strategy = {}
config = tf.estimator.RunConfig(model_dir="/tmp/m", {}=strategy)


def model_fn(features, labels, mode):
    loss = tf.compat.v1.losses.mean_squared_error(labels, tf.compat.v1.layers.dense(features["x"], 1))
    step = tf.compat.v1.train.get_global_step()
    train_op = tf.compat.v1.train.AdamOptimizer().minimize(loss, step)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    return tf.data.Dataset.from_tensor_slices(({{"x": [[1.0]]}}, [[0.0]])).repeat().batch(8)


estimator = tf.estimator.Estimator(model_fn, config=config)
tf.estimator.train_and_evaluate(
    estimator, tf.estimator.TrainSpec(input_fn, max_steps=9), tf.estimator.EvalSpec(input_fn, steps=1)
)
"""
ONE_PROCESS = "whose processes reduce their gradients together: what is emitted trains in one process"


MIRRORED = PROGRAM.format("tf.distribute.MirroredStrategy()", "train_distribute")


def test_a_mirrored_strategy_stays_and_trains_the_model_fn_on_its_replicas():
    text, findings = migrate(MIRRORED)
    assert "strategy = tf.distribute.MirroredStrategy()\n" in text
    assert "training = ReplicatedTraining(\n    strategy, model_fn, dataset, summary_dir=" in text
    assert "ModelFnTraining" not in text
    (found,) = [finding for finding in findings if finding.code == "FT111"]
    assert found.fidelity is Fidelity.NOTED
    assert "each replica draws a batch of its own" in found.message


def test_a_mirrored_strategy_of_tensorflow_1_stays_as_it_is():
    text, _ = migrate(MIRRORED.replace("tf.distribute", "tf.compat.v1.distribute"))
    assert "strategy = tf.compat.v1.distribute.MirroredStrategy()\n" in text
    assert "ReplicatedTraining(\n    strategy, model_fn" in text


def test_a_strategy_in_the_config_gets_a_variable():
    made = 'tf.distribute.MirroredStrategy(["/gpu:0", "/gpu:1"])'
    config = PROGRAM.format("None", "train_distribute").splitlines()[3]
    inline = config.replace("_distribute=strategy", f"_distribute={made}")
    text, _ = migrate(MIRRORED.replace(config, "").replace("estimator = ", f"{inline}\nestimator = "))
    assert f"\nstrategy_2 = {made}\n" in text
    assert "ReplicatedTraining(\n    strategy_2, model_fn, dataset" in text


def test_a_skipped_input_counts_the_batches_of_all_replicas():
    generated = MIRRORED.replace("def input_fn():", "def input_fn(params):")
    text, _ = migrate(generated, input="continue")
    assert "dataset = dataset.skip(step * strategy.num_replicas_in_sync)" in text


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("train_op=train_op)", "train_op=train_op, scaffold=made())", "a Scaffold (line 11) is not carried over"),
        ("(model_fn, config=config)", "(model_fn, config=config, warm_start_from=path)", "a warm start is not carried"),
        ("def input_fn():", "def input_fn(input_context):", "takes `input_context` (line 14), which nothing fills in"),
    ],
)
def test_a_model_fn_on_several_replicas_is_left_with_what_is_not_carried_over(before, after, reason):
    assert before in MIRRORED
    _, findings = migrate(MIRRORED.replace(before, after))
    (left,) = [finding for finding in findings if finding.code == "FT111"]
    assert left.fidelity is Fidelity.MANUAL
    assert reason in left.message
    assert left.help == "Take out what is named here, or train_distribute, to migrate the program."


@pytest.mark.parametrize(
    ("strategy", "setting", "reason", "help"),
    [
        ("tf.distribute.MultiWorkerMirroredStrategy()", "train_distribute", ONE_PROCESS, "as FT404 shows"),
        ("tf.contrib.distribute.CollectiveAllReduceStrategy()", "train_distribute", ONE_PROCESS, "as FT404 shows"),
        (
            "tf.distribute.experimental.ParameterServerStrategy()",
            "train_distribute",
            "under a ParameterServerStrategy",
            "on the coordinator alone",
        ),
        ("chosen()", "train_distribute", "under a distribution strategy", "strategy.scope()"),
        ("tf.distribute.MirroredStrategy()", "eval_distribute", "evaluates on one", "Take out"),
        ("chosen()", "experimental_distribute", "cannot be followed", "strategy.scope()"),
    ],
)
def test_a_custom_estimator_under_several_replicas_is_left_whole(strategy, setting, reason, help):
    program = PROGRAM.format(strategy, setting)
    _, findings = migrate(program)
    (left,) = [finding for finding in findings if finding.code == "FT111"]
    assert left.fidelity is Fidelity.MANUAL
    assert reason in left.message
    assert help in left.help
    assert all(f.code in ("FT401", "FT138") for f in findings if f.fidelity is not Fidelity.MANUAL)
