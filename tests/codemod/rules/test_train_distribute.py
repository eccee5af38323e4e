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
MIRRORED = PROGRAM.format("tf.distribute.MirroredStrategy()", "train_distribute")


def test_a_mirrored_strategy_stays_and_trains_the_model_fn_on_its_replicas():
    text, findings = migrate(MIRRORED)
    assert "strategy = tf.distribute.MirroredStrategy()\n" in text
    assert "training = ReplicatedTraining(strategy, model_fn, dataset, summary_dir=" in text
    assert "ModelFnTraining" not in text
    (found,) = [finding for finding in findings if finding.code == "FT111"]
    assert found.fidelity is Fidelity.NOTED
    assert "each replica draws a batch of its own" in found.message


def test_a_mirrored_strategy_of_tensorflow_1_stays_as_it_is():
    text, _ = migrate(MIRRORED.replace("tf.distribute", "tf.compat.v1.distribute"))
    assert "strategy = tf.compat.v1.distribute.MirroredStrategy()\n" in text
    assert "ReplicatedTraining(strategy, model_fn" in text


def test_a_strategy_in_the_config_gets_a_variable():
    made = 'tf.distribute.MirroredStrategy(["/gpu:0", "/gpu:1"])'
    config = PROGRAM.format("None", "train_distribute").splitlines()[3]
    inline = config.replace("_distribute=strategy", f"_distribute={made}")
    text, _ = migrate(MIRRORED.replace(config, "").replace("estimator = ", f"{inline}\nestimator = "))
    assert f"\nstrategy_2 = {made}\n" in text
    assert "ReplicatedTraining(strategy_2, model_fn, dataset" in text


def test_a_skipped_input_counts_the_batches_of_all_replicas():
    generated = MIRRORED.replace("def input_fn():", "def input_fn(params):")
    text, _ = migrate(generated, input="continue")
    assert "resume_input=lambda step: dataset.skip(step * strategy.num_replicas_in_sync)" in text


def test_an_input_function_is_told_which_part_of_the_data_is_its_own():
    text, _ = migrate(MIRRORED.replace("def input_fn():", "def input_fn(input_context=None):"))
    assert "dataset_from_input_fn(input_fn, input_context=input_context_2(strategy))" in text
    assert "evaluate_model_fn(model_fn, input_fn, " in text


@pytest.mark.parametrize("train", ["", "train_distribute=strategy, "], ids=["alone", "beside the same for training"])
def test_an_evaluation_on_replicas_draws_as_many_batches_on_one(train):
    source = PROGRAM.format("tf.distribute.MirroredStrategy()", f"{train}eval_distribute")
    for steps, written in (("steps=1", "steps=1 * strategy.num"), ("name='a'", "steps=100 * strategy.num")):
        text, findings = migrate(source.replace("steps=1", steps))
        assert written in text
        assert ("ReplicatedTraining(" in text) == bool(train)
        assert [f for f in findings if "those count, too" in f.message]
    text, _ = migrate(source.replace("steps=1", "steps=None"))
    assert "steps=None" in text
    assert "num_replicas_in_sync" not in text


def test_workers_that_train_may_be_evaluated_on_replicas_of_one():
    given = "train_distribute=strategy, eval_distribute=tf.distribute.MirroredStrategy()"
    text, _ = migrate(WORKERS.replace("train_distribute=strategy", given))
    assert "strategy_2 = tf.distribute.MirroredStrategy()\n" in text
    assert "steps=1 * strategy_2.num_replicas_in_sync" in text
    assert "WorkersTraining(strategy, model_fn," in text


def test_a_distribute_config_in_the_config_gives_both_their_variables():
    contrib = "tf.contrib.distribute.MirroredStrategy(num_gpus=2)"
    both = f"tf.contrib.distribute.DistributeConfig(train_distribute={contrib}, eval_distribute={contrib})"
    source = PROGRAM.format("None", "experimental_distribute").replace("=strategy", f"={both}")
    text, findings = migrate(source.replace("compat.v1.", ""))
    assert not [finding for finding in findings if finding.fidelity is Fidelity.MANUAL], findings
    assert "ReplicatedTraining(strategy_2, model_fn" in text
    assert "steps=1 * strategy_3.num_replicas_in_sync" in text


def test_the_devices_of_contribs_strategy_may_be_given_by_position():
    source = PROGRAM.format("tf.contrib.distribute.MirroredStrategy(['/gpu:0', '/gpu:1'])", "train_distribute")
    text, findings = migrate(source.replace("compat.v1.", ""), form="object")
    assert not [finding for finding in findings if finding.fidelity is Fidelity.MANUAL], findings
    assert "strategy = tf.distribute.MirroredStrategy(['/gpu:0', '/gpu:1'])\n" in text


WORKERS = PROGRAM.format("tf.distribute.MultiWorkerMirroredStrategy()", "train_distribute")
EVALUATED = """\
if is_evaluator(strategy):
    evaluate_checkpoints(
        lambda: evaluate_model_fn(model_fn, input_fn, model_dir, steps=1),
        model_dir,
        max_steps=9,
    )
else:
"""
LEFT = "under a MultiWorkerMirroredStrategy"


def test_on_several_workers_the_chief_saves_and_a_task_of_its_own_evaluates():
    text, findings = migrate(WORKERS)
    assert EVALUATED in text
    assert " ModelFnCheckpointManager( training, model_dir, max_to_keep=5, checkpoint_interval=1000 ) " in " ".join(
        text.split()
    )
    assert "EvaluationListener(\n" in text
    assert "        if training.is_alone\n" in text
    assert all(finding.fidelity is not Fidelity.MANUAL for finding in findings)


def test_a_task_that_evaluates_and_exports_is_given_the_function_and_no_lambda_around_it():
    exporter = "tf.compat.v1.estimator.LatestExporter('e', serve)"
    text, _ = migrate(WORKERS.replace("steps=1", f"steps=1, exporters={exporter}"))
    assert "    evaluate_checkpoints(evaluate_and_export, model_dir, max_steps=9)\n" in text


def test_workers_save_every_so_many_steps_and_never_by_their_clocks():
    for config in ("", ", save_checkpoints_secs=60"):
        text, findings = migrate(WORKERS.replace("=strategy", f"=strategy{config}"))
        assert "checkpoint_interval=1000\n" in text
        assert "save_secs" not in text
        assert [f.message for f in findings if "every 1000 steps" in f.message]


@pytest.mark.parametrize(
    ("made", "written"),
    [
        (
            "tf.distribute.experimental.MultiWorkerMirroredStrategy()",
            "strategy = tf.distribute.MultiWorkerMirroredStrategy()",
        ),
        (
            "tf.distribute.experimental.MultiWorkerMirroredStrategy("
            "communication=tf.distribute.experimental.CollectiveCommunication.RING)",
            "strategy = tf.distribute.MultiWorkerMirroredStrategy(\n    communication_options=",
        ),
        (
            "tf.compat.v1.distribute.experimental.MultiWorkerMirroredStrategy()",
            "strategy = tf.distribute.MultiWorkerMirroredStrategy()",
        ),
    ],
)
def test_the_strategy_of_several_workers_gets_its_stable_name(made, written):
    text, findings = migrate(PROGRAM.format(made, "train_distribute"))
    assert written in text
    assert "WorkersTraining(" in text
    assert not [finding for finding in findings if finding.fidelity is Fidelity.MANUAL]
    assert not [finding for finding in migrate(text)[1] if finding.rewritten]


def test_a_file_of_tensorflow_1_gets_the_strategy_of_tensorflow_2():
    made = "tf.contrib.distribute.CollectiveAllReduceStrategy(num_gpus_per_worker=2)"
    text, findings = migrate(PROGRAM.format(made, "train_distribute").replace("tf.compat.v1.", "tf."))
    assert "import tensorflow as tf2\n" in text
    assert "strategy = tf2.distribute.MultiWorkerMirroredStrategy()\n" in text
    assert not [finding for finding in findings if finding.fidelity is Fidelity.MANUAL]


def test_a_strategy_of_workers_in_the_config_gets_a_variable():
    config = next(line for line in WORKERS.splitlines() if line.startswith("config = "))
    made = "tf.distribute.experimental.MultiWorkerMirroredStrategy()"
    inline = config.replace("=strategy", f"={made}")
    text, _ = migrate(WORKERS.replace(config, "").replace("estimator = ", f"{inline}\nestimator = "))
    assert "\nstrategy_2 = tf.distribute.MultiWorkerMirroredStrategy()\n" in text
    assert "WorkersTraining(strategy_2, model_fn," in text


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("MirroredStrategy()", "MirroredStrategy(cluster_resolver=found())", f"{LEFT}, which is given `cluster_resol"),
        (
            "max_steps=9)",
            "max_steps=9, hooks=[tf.train.CheckpointSaverHook('/tmp/h', 60)])",
            "would save on each worker",
        ),
        ("max_steps=9)", "max_steps=9, saving_listeners=[x])", f"{LEFT}, whose workers told saving_listeners (line 20"),
        (
            "    step = ",
            "    print(tf.distribute.get_replica_context())\n    step = ",
            "`get_replica_context` (line 9)",
        ),
        ("max_steps=9)", "max_steps=9)\n)\nestimator.train(input_fn", "train() (line 22) raised where TF_CONFIG named"),
        (
            "max_steps=9)",
            "max_steps=9, hooks=[tf.estimator.experimental.stop_if_lower_hook(estimator, 'loss', 1)])",
            "where the workers stopped early (line 20) by a common signal",
        ),
        ("def input_fn():", "def input_fn(config):\n    print(config.task_id)", "is read from `config` here"),
    ],
)
def test_workers_are_left_with_what_is_not_carried_over(before, after, reason):
    assert before in WORKERS
    text, findings = migrate(WORKERS.replace(before, after, 1))
    left = [finding for finding in findings if finding.fidelity is Fidelity.MANUAL]
    assert "WorkersTraining" not in text
    assert [finding for finding in left if reason in finding.message], left


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("train_op=train_op)", "train_op=train_op, scaffold=made())", "a Scaffold (line 11) is not carried over"),
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
        (
            "tf.distribute.experimental.ParameterServerStrategy()",
            "train_distribute",
            "under a ParameterServerStrategy",
            "on the coordinator alone",
        ),
        ("chosen()", "train_distribute", "under a distribution strategy", "strategy.scope()"),
        (
            "tf.distribute.MultiWorkerMirroredStrategy()",
            "eval_distribute",
            "evaluation under a MultiWorkerMirroredStrategy: the generated code evaluates in one process",
            "or eval_distribute, to migrate",
        ),
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
