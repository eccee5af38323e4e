"""The guide's program resumes after its migration where it resumed before."""

import pytest

from migrate.verify import Program, compare, run
from tests import nursery

RECOVERY = ["failed starts", "resumed at step", "steps lost", "steps repeated", "steps run", "final step"]
SAVES = ["saved at steps", "checkpoints kept", "evaluations"]


def differences(comparison, rows):
    return [row for row in comparison.differences if row.name in rows]


@pytest.mark.parametrize(("fault", "at"), [("sigkill", 1), ("exception", 5), ("sigkill", 9)])
def test_the_example_resumes_saves_and_ends_as_the_estimator(
    fault, at, legacy, migrated, old_python, new_python, record
):
    comparison = compare(record(legacy, old_python, fault, at), record(migrated, new_python, fault, at))
    assert not differences(comparison, [*RECOVERY, *SAVES]), comparison.text
    assert comparison.new.resumed_at == [at]  # it saves after every step


def test_a_list_of_checkpoints_that_is_empty_garbled_or_lost_costs_no_step(migrated, new_python, record):
    for fault in ("empty-checkpoint-file", "garbled-checkpoint-file", "lost-checkpoint-file"):
        found = record(migrated, new_python, fault, 9)
        assert (found.resumed_at, found.final_step) == ([9], 10), fault


@pytest.mark.parametrize(("fault", "at", "helpers"), [("sigkill", 6, "package"), ("exception", 9, "copy")])
def test_steps_after_the_last_save_are_repeated_as_by_the_estimator(
    fault, at, helpers, without_chance, legacy, old_python, new_python, record
):
    old = record(without_chance / legacy.name, old_python, fault, at)
    new = record(without_chance / helpers / legacy.name, new_python, fault, at)
    comparison = compare(old, new)
    assert not differences(comparison, [*RECOVERY, *SAVES, "batches"]), comparison.text
    assert new.resumed_at == [at - at % 4]
    assert new.steps_repeated == at % 4


def test_a_finished_job_that_is_started_again_does_nothing(without_chance, legacy, new_python, data, tmp_path):
    arguments = ("--model_dir", "{model_dir}", "--data", str(data), "--max_steps", "10", "--interrupt_at", "0")
    program = Program(without_chance / "copy" / legacy.name, new_python, arguments, launch=nursery.launch)
    assert run(program, tmp_path).steps == list(range(1, 11))
    again = run(program, tmp_path)
    assert again.finished
    assert again.steps == []


@pytest.mark.parametrize("interrupted", [4])
def test_a_hook_that_asks_to_stop_is_obeyed_and_training_goes_on(
    interrupted, migrated, legacy, old_python, new_python, data, tmp_path
):
    records = {}
    for script, python in ((legacy, old_python), (migrated, new_python)):
        arguments = ("--model_dir", "{model_dir}", "--data", str(data), "--interrupt_at", str(interrupted))
        attempt = run(Program(script, python, arguments, launch=nursery.launch), tmp_path / script.parent.name)
        records[script] = [event["step"] for event in attempt.of("start")], attempt.steps
    assert records[migrated] == records[legacy] == ([0, interrupted], list(range(1, 11)))


def test_from_one_checkpoint_an_interrupted_job_trains_on_as_the_interrupted_estimator(
    initial, without_chance, legacy, old_python, new_python, record
):
    old = record(without_chance / legacy.name, old_python, "sigkill", 6, initial)
    new = record(without_chance / "copy" / legacy.name, new_python, "sigkill", 6, initial)
    comparison = compare(old, new, tolerance=1e-5, losses=True)
    assert not differences(comparison, [*RECOVERY, *SAVES, "batches", "losses"]), comparison.text
    assert len(new.by_step("loss")) == 10


def test_where_every_batch_is_the_same_an_interruption_leaves_no_trace_in_the_weights(
    initial, same_batches, without_chance, legacy, old_python, new_python, record
):
    for script, python in (
        (without_chance / legacy.name, old_python),
        (without_chance / "copy" / legacy.name, new_python),
    ):
        undisturbed = record(script, python, None, 0, initial, same_batches, True)
        interrupted = record(script, python, "sigkill", 7, initial, same_batches, True)
        assert interrupted.steps_repeated == 3
        assert undisturbed.variables
        assert weights(interrupted) == weights(undisturbed)


def weights(record):
    """The variables of the last checkpoint, without the counter of saves, which an interruption may well change."""
    return {name: value for name, value in record.variables.items() if "save_counter" not in name}
