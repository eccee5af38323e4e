"""The guide's program resumes after its migration where it resumed before; test_three_systems stops it, too."""

import pytest

from migrate.verify import compare

RECOVERY = ["failed starts", "resumed at step", "steps lost", "steps repeated", "steps run", "final step"]
SAVES = ["saved at steps", "checkpoints kept", "evaluations"]


def differences(comparison, rows):
    return [row for row in comparison.differences if row.name in rows]


@pytest.mark.parametrize(("fault", "at"), [("sigkill", 1), ("exception", 5)])
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


def test_from_one_checkpoint_an_interrupted_job_trains_on_as_the_interrupted_estimator(
    initial, without_chance, legacy, old_python, new_python, record
):
    old = record(without_chance / legacy.name, old_python, "sigkill", 6, initial)
    new = record(without_chance / "package" / legacy.name, new_python, "sigkill", 6, initial)
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
