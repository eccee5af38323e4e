"""The recorder sees everything and changes nothing."""

import os
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest

from migrate.verify import FAULTS, Program, run, run_interrupted
from migrate.verify.differences import read_variables
from tests import nursery
from tests.cases import each
from tests.pairs import ROOT, TF2


def run_plainly(program, model_dir):
    done = nursery.run([program.python, *program.command(model_dir)], program.environment(model_dir))
    assert done.returncode == 0, done.stderr[-3000:]


def weights(path):
    with np.load(path) as arrays:
        return [arrays[name] for name in arrays.files]


@each("name", "args", "keras_2")(
    ("fit", (), False), ("fit", (), True), ("loop", (), False), ("loop", ("--steps_per_call", "5"), False)
)
def test_weights_and_slots_are_equal_with_and_without_recording(name, args, keras_2, program, legacy_keras, tmp_path):
    env = legacy_keras if keras_2 else {}
    plain = program(name, *args, "--weights", str(tmp_path / "plain.npz"), **env)
    recorded = program(name, *args, "--weights", str(tmp_path / "recorded.npz"), **env)
    run_plainly(plain, tmp_path / "plain")
    attempt = run(replace(recorded, allowed=(str(tmp_path),)), tmp_path / "recorded")
    assert attempt.finished, attempt.output
    for one, other in zip(weights(tmp_path / "plain.npz"), weights(tmp_path / "recorded.npz"), strict=True):
        np.testing.assert_array_equal(one, other)


def test_an_estimator_computes_the_same_with_and_without_recording(program, old_python, tmp_path):
    run_plainly(program("estimator", "--max_steps", "5", python=old_python), tmp_path / "plain")
    shutil.copytree(tmp_path / "plain", tmp_path / "recorded")
    job = program("estimator", "--max_steps", "12", python=old_python)
    run_plainly(job, tmp_path / "plain")
    attempt = run(job, tmp_path / "recorded")
    assert attempt.steps == list(range(6, 13))
    assert read_variables(job, tmp_path / "plain") == read_variables(job, tmp_path / "recorded")


@pytest.fixture(scope="module")
def estimator(program, old_python):
    return run_interrupted(program("estimator", "--max_steps", "7", "--evaluate", python=old_python), variables=True)


@pytest.fixture(scope="module")
def fitted(program):
    return run_interrupted(program("fit", "--max_steps", "7"), variables=True)


@pytest.fixture(scope="module")
def several_steps_a_call(program):
    return run_interrupted(program("loop", "--max_steps", "7", "--steps_per_call", "5"))


@pytest.mark.parametrize("record", ["estimator", "fitted", "several_steps_a_call"])
def test_every_step_is_seen_with_its_own_loss_and_batch(record, request):
    record = request.getfixturevalue(record)
    assert record.attempts[0].steps == [1, 2, 3, 4, 5, 6, 7]
    assert len(record.by_step("loss")) == 7
    assert len(set(record.by_step("batch").values())) == 7
    assert not record.losses_are_means


@pytest.mark.parametrize("record", ["estimator", "fitted", "several_steps_a_call"])
def test_saves_are_seen_with_their_step_and_duration(record, request):
    record = request.getfixturevalue(record)
    assert record.saved_steps == record.kept == [0, 5, 7]
    assert all(event["seconds"] > 0 for event in record.all_events("save"))


def test_the_same_examples_have_the_same_digest_in_an_input_fn_and_in_fit(estimator, fitted):
    assert estimator.by_step("batch") == fitted.by_step("batch")


def test_an_evaluation_is_seen_with_its_step_and_metrics_and_is_no_training(estimator):
    [(step, metrics)] = estimator.evaluations
    assert step == 7
    assert metrics["loss"] > 0
    assert [event["phase"] for event in estimator.all_events("restore")] == ["evaluate"]


SEVERAL_IN_A_WRAPPED_GRAPH = """
import tensorflow as tf
from migrate.verify.recording import ring

def two_steps():
    with tf.control_dependencies([ring.losses.push(tf.constant(1.5))]):
        second = ring.losses.push(tf.constant(2.5))
    with tf.control_dependencies([second]):
        return tf.constant(0.0) + 1

wrapped = tf.compat.v1.wrap_function(two_steps, [])
wrapped(), wrapped()
print(ring.losses.take())
"""


def test_of_several_steps_in_a_call_of_a_wrapped_graph_each_loss_is_read(new_python):
    ended = nursery.run([new_python, "-c", SEVERAL_IN_A_WRAPPED_GRAPH], {**os.environ, "PYTHONPATH": str(ROOT)})
    assert ended.stdout.strip() == "[1.5, 2.5, 1.5, 2.5]"


def test_a_loss_of_fit_is_the_step_s_own_and_no_running_mean(program, several_steps_a_call):
    one_step_a_call = run_interrupted(program("loop", "--max_steps", "7"))
    assert one_step_a_call.by_step("loss") == several_steps_a_call.by_step("loss")


def test_variables_are_read_under_their_own_names(estimator, fitted):
    assert {"global_step", "hidden/kernel", "hidden/kernel/Adam", "logits/bias/Adam_1"} <= estimator.variables.keys()
    assert len(fitted.variables) >= 8


def test_a_program_runs_as_it_would_by_itself(tmp_path, new_python):
    script = tmp_path / "shows.py"
    script.write_text("import sys, neighbour\nprint(__name__, sys.argv, sys.path[0], sorted(sys.modules))")
    (tmp_path / "neighbour.py").write_text("here = True")

    attempt = run(Program(script, new_python, ("--flag", "x")), tmp_path / "none")
    plain = subprocess.run([new_python, script, "--flag", "x"], capture_output=True, text=True, env=os.environ)
    assert attempt.output.split("[", 1)[0] == plain.stdout.split("[", 1)[0] == "__main__ "
    assert attempt.output.split("]")[0].split(", ", 1)[1] == plain.stdout.split("]")[0].split(", ", 1)[1]
    assert str(tmp_path) in attempt.output
    assert "tensorflow" not in attempt.output


def test_an_exception_is_recorded_and_still_ends_the_program(tmp_path, new_python):
    script = tmp_path / "fails.py"
    script.write_text("raise ValueError('no data')")

    attempt = run(Program(script, new_python, ()), tmp_path / "none")
    assert attempt.code == 1
    assert attempt.error == "ValueError: no data"
    assert "Traceback" in attempt.output


def test_a_monitored_session_is_seen_with_its_resumption(program):
    record = run_interrupted(program("monitored"), FAULTS["sigkill"](at=13))
    assert record.resumed_at == [10]
    assert record.saved_steps == [0, 5, 10, 15, 20, 23]
    assert len(record.by_step("loss")) == len(record.by_step("batch")) == 23


@pytest.mark.parametrize("seconds", [0, 600])
def test_a_job_that_saves_by_the_clock_is_seen_to_do_so(seconds, program):
    assert run_interrupted(program("monitored", "--save_secs", str(seconds))).saves_by_clock == bool(seconds)


def test_each_step_of_a_migrated_model_fn_is_seen_and_its_evaluations_too(new_python):
    arguments = ("--model_dir", "{model_dir}", "--max_steps", "20")
    record = run_interrupted(Program(TF2 / "alternating_model_fn.py", new_python, arguments, launch=nursery.launch))
    assert record.attempts[0].steps == list(range(1, 21))
    assert len(record.by_step("loss")) == len(record.by_step("batch")) == 20
    assert [step for step, _ in record.evaluations] == [10, 20]


TRAINS_AND_PREDICTS = """
import sys
import tensorflow as tf, tensorflow.compat.v1 as tf1
from tf2_recovery.estimator.estimator import Estimator, EstimatorSpec
from tf2_recovery.estimator.model_checkpoints import ModelCheckpoints

def model_fn(features, labels, mode):
    weight = tf1.get_variable("weight", [], initializer=tf1.zeros_initializer())
    if mode == "infer":
        return EstimatorSpec(mode, predictions=weight * features)
    loss = tf.reduce_mean((weight * features - labels) ** 2)
    train_op = tf1.train.AdamOptimizer(0.1).minimize(loss, tf1.train.get_global_step())
    return EstimatorSpec(mode, loss=loss, train_op=train_op)

def batches():
    return tf.data.Dataset.from_tensor_slices(([1.0, 2.0], [2.0, 4.0])).repeat(20).batch(4)

estimator = Estimator(model_fn, checkpoints=ModelCheckpoints(sys.argv[-1], None, 4))
estimator.train(batches, max_steps=9)
print(list(estimator.predict(batches)))
"""


def test_a_migrated_model_fn_is_seen_to_save_at_its_steps_and_to_train_no_more_where_it_predicts(tmp_path, new_python):
    (tmp_path / "job.py").write_text(TRAINS_AND_PREDICTS)
    job = Program(tmp_path / "job.py", new_python, ("{model_dir}",), {"PYTHONPATH": str(TF2)}, launch=nursery.launch)
    first, again = run(job, tmp_path / "model"), run(job, tmp_path / "model")
    assert [event["step"] for event in first.events_of("save")] == [0, 4, 8, 9]
    assert [event["step"] for event in first.events_of("start")] == [0]
    assert [(event["step"], event["phase"]) for event in first.events_of("restore")] == [(9, "predict")]
    assert again.finished
    assert (again.started_at, again.steps) == (None, [])
    assert not first.events_of("hook"), "a hook of the runtime is told as the program's own"


def test_a_kill_strikes_at_its_very_step_inside_a_call_of_several(program):
    record = run_interrupted(program("loop", "--steps_per_call", "5"), FAULTS["sigkill"](at=13))
    assert record.interrupted_at == [13]
    assert record.resumed_at == [10]
    assert len(record.by_step("loss")) == 23


def test_a_training_function_that_xla_compiles_is_recorded_and_struck(program):
    """Keras 3 has XLA compile it by default where there is a GPU."""
    record = run_interrupted(program("fit", "--max_steps", "7", "--jit_compile"), FAULTS["sigkill"](at=6))
    assert (record.interrupted_at, record.resumed_at) == ([6], [5])
    assert len(record.by_step("loss")) == len(record.by_step("batch")) == 7


def test_a_program_leaves_memory_of_the_gpu_to_the_one_beside_it(program):
    assert program("fit").environment("")["TF_FORCE_GPU_ALLOW_GROWTH"] == "true"
    assert program("fit", TF_FORCE_GPU_ALLOW_GROWTH="0").environment("")["TF_FORCE_GPU_ALLOW_GROWTH"] == "0"
