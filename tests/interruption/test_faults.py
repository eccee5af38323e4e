"""Each fault does what its help says."""

import shutil
from dataclasses import replace

import pytest

from migrate.verify import FAULTS, ProgramError, compare, run, run_interrupted
from migrate.verify.faults import FaultUnavailable
from tests.cases import each
from tests.interruption.full_disk import DiskFull


@each("name", "code", "error")(
    ("exception", 1, "Interruption"),
    ("keyboard-interrupt", -2, "KeyboardInterrupt"),
    ("sigterm", -15, "killed by signal 15"),
    ("sigkill", -9, "killed by signal 9"),
)
def test_a_fault_strikes_right_after_its_step(name, code, error, program, tmp_path):
    attempt = run(program("loop"), tmp_path, FAULTS[name](at=8))
    assert attempt.steps[-1] == 8
    assert attempt.code == code
    assert error in attempt.error


@pytest.mark.parametrize("name", ["exception", "sigkill"])
def test_a_fault_strikes_an_estimator_after_its_own_work_for_the_step(name, program, old_python, tmp_path):
    attempt = run(program("estimator", python=old_python), tmp_path, FAULTS[name](at=10))
    assert attempt.steps[-1] == 10
    assert attempt.events_of("save")[-1]["step"] == 10


def test_two_kills_strike_between_the_same_two_saves(program):
    record = run_interrupted(program("loop"), FAULTS["two-kills"](at=13))
    assert record.interrupted_at == [13, 11]
    assert record.resumed_at == [10, 10]


def test_a_kill_in_a_save_strikes_while_the_checkpoint_is_written(program):
    fault = FAULTS["sigkill-in-save"](14, change=4)
    record = run_interrupted(program("loop"), fault)
    assert fault.notes == []
    assert [event["event"] for event in record.attempts[0].events[-2:]] == ["fault", "saving"] or not fault.complete
    assert record.resumed_at == [10]
    assert record.final_step == 23


@each("name")("torn-data", "torn-index", "zeroed-data", "zeroed-index", "flipped-data", "flipped-index")
def test_a_damaged_checkpoint_keeps_a_program_without_a_fallback_from_starting_again(name, program):
    record = run_interrupted(program("loop"), FAULTS[name](at=13))
    assert record.needs_person


def test_without_the_checkpoint_file_a_program_starts_from_scratch(program):
    record = run_interrupted(program("loop"), FAULTS["lost-checkpoint-file"](at=13))
    assert record.resumed_at == [0]
    assert record.steps_lost == [13]


def test_with_an_empty_checkpoint_file_a_program_does_not_start_again(program):
    record = run_interrupted(program("loop"), FAULTS["empty-checkpoint-file"](at=13))
    assert record.needs_person
    assert "Invalid checkpoint state" in record.attempts[-1].error


def test_with_bytes_that_are_no_text_in_the_checkpoint_file_a_program_does_not_start_again(program):
    record = run_interrupted(program("loop"), FAULTS["garbled-checkpoint-file"](at=13))
    assert record.needs_person


def test_a_full_disk_fails_the_save_and_leaves_the_one_before(program):
    record = run_interrupted(program("loop"), DiskFull(at=13))
    assert [event["step"] for event in record.attempts[0].events_of("save_failed")] == [15]
    assert "No space left on device" in record.attempts[0].error
    assert record.resumed_at == [10]
    assert record.kept == [15, 20, 23]


def test_a_program_that_ends_before_the_step_is_not_interrupted_and_says_so(program):
    record = run_interrupted(program("loop", "--max_steps", "7"), FAULTS["sigkill"](at=13))
    assert record.resumed_at == []
    assert record.notes == ["start 1 finished before it could be interrupted (sigkill)"]


def test_a_program_that_fails_by_itself_is_told_from_an_interrupted_one_with_its_command_and_its_last_words(program):
    with pytest.raises(ProgramError, match="fails by itself before its first step") as told:
        run_interrupted(program("loop", "--no-such-flag"), FAULTS["sigkill"](at=13))
    _, command, *printed = str(told.value).splitlines()
    assert command.startswith("started as: ")
    assert command.endswith("--no-such-flag")
    assert printed[-1].endswith("unrecognized arguments: --no-such-flag")
    assert printed[0].startswith("usage: ")


def test_a_missing_interpreter_is_told(program):
    with pytest.raises(ProgramError, match="interpreter /no/python does not exist"):
        run_interrupted(program("loop", python="/no/python"))


def first_batch_after(attempt):
    return attempt.events_of("step")[0]["batch"]


def test_with_another_seed_the_second_start_draws_other_batches(program, tmp_path):
    first = run(program("loop"), tmp_path, FAULTS["sigkill"](at=13))
    other = run(program("loop", "--seed", "8"), shutil.copytree(tmp_path, tmp_path.with_name("other")))
    assert first_batch_after(run(program("loop"), tmp_path)) == first_batch_after(first)
    assert first_batch_after(other) != first_batch_after(first)


@pytest.mark.parametrize(("slip", "is_refused"), [([], True), (["--slip", "no_slots"], False)])
def test_another_optimizer_is_refused_by_a_program_that_looks(slip, is_refused, program, tmp_path):
    run(program("loop", *slip), tmp_path, FAULTS["sigkill"](at=13))
    second = run(program("loop", *slip, "--optimizer", "Adagrad"), tmp_path)
    assert (second.code != 0) is is_refused


def test_a_killed_worker_fails_the_job_which_then_goes_on_as_a_whole(program):
    record = run_interrupted(replace(program("workers"), workers=2), FAULTS["worker-killed"](at=13))
    assert record.attempts[0].code != 0
    assert record.resumed_at == [10]
    assert record.final_step == 23


def test_a_killed_chief_fails_the_job(program, tmp_path):
    attempt = run(replace(program("workers"), workers=2), tmp_path, FAULTS["chief-killed"](at=13))
    assert attempt.code == -9
    assert attempt.steps[-1] == 13


@pytest.mark.parametrize("task", ["chief", "ps", "evaluator"])
def test_a_cluster_with_a_killed_task_goes_on_whole_with_its_parameter_server_and_evaluator(task, program, old_python):
    cluster = replace(program("cluster", python=old_python), chief=True, parameter_servers=1, evaluator=True)
    record = run_interrupted(cluster, FAULTS[f"{task}-killed"](at=13))
    assert [event["step"] for event in record.attempts[0].events_of("fault")] == [13]
    [made], [resumed] = record.interrupted_at, record.resumed_at
    assert made == 13 or (task != "chief" and 13 < made <= 40)
    assert resumed == (made - made % 10 if made < 40 else None)  # training may be done before an evaluator is missed
    assert record.final_step == 40
    assert record.evaluations[-1][0] == 40
    assert compare(record, record).matches


@each("name", "message")(
    ("worker-killed", "--workers and --chief start several"),
    ("ps-killed", "--ps starts one"),
    ("evaluator-killed", "--evaluator starts one"),
)
def test_the_faults_of_a_cluster_need_one(name, message, program):
    with pytest.raises(FaultUnavailable, match=message):
        run_interrupted(program("loop"), FAULTS[name](at=13))
