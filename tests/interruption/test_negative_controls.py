"""Programs that resume wrongly: verify must say so, and what is wrong."""

import pytest

from migrate.verify import FAULTS, compare, run_interrupted
from migrate.verify.comparison import Verdict
from tests.kept_runs import IS_NEWEST


@pytest.fixture(scope="module")
def sound(program):
    return run_interrupted(program("loop"), FAULTS["sigkill"](at=13))


def test_an_estimator_and_its_sound_successor_match(program, old_python):
    old = run_interrupted(program("estimator", python=old_python), FAULTS["exception"](at=13))
    new = run_interrupted(program("fit"), FAULTS["exception"](at=13))
    result = compare(old, new)
    assert result.matches, result.text
    assert {"resumed at step", "final step", "steps repeated", "saved at steps", "batches"} <= set(result.row_names)


def test_stock_backup_with_save_freq_repeats_steps_on_keras_3(program, old_python):
    old = run_interrupted(program("estimator", "--max_steps", "30", python=old_python), FAULTS["sigkill"](at=18))
    stock = program("backup", "--save_freq", "5", "--steps_per_epoch", "10", "--epochs", "3")
    result = compare(old, run_interrupted(stock, FAULTS["sigkill"](at=18)))
    assert result.row("resumed at step").verdict is Verdict.SAME
    if IS_NEWEST:
        assert result.first == "final step: OLD 30, NEW 35"
    else:
        assert result.row("final step").verdict is Verdict.SAME


def test_stock_backup_killed_in_a_save_cannot_start_again_on_keras_3(program):
    record = run_interrupted(program("backup"), FAULTS["sigkill-in-save"](14, change=6))
    result = compare(run_interrupted(program("loop"), FAULTS["sigkill-in-save"](14, change=6)), record)
    if IS_NEWEST:
        assert result.first.startswith("failed starts: OLD none, NEW OSError")
    else:
        assert not record.needs_person


def test_load_checkpoint_restores_nothing(program, sound):
    slip = run_interrupted(program("loop", "--slip", "load_checkpoint"), FAULTS["sigkill"](at=13))
    assert compare(sound, slip).first == "resumed at step: OLD 10, NEW 0"


def test_slots_that_are_left_out_show_in_the_losses_alone(program, sound):
    slip = run_interrupted(program("loop", "--slip", "no_slots"), FAULTS["sigkill"](at=13))
    result = compare(sound, slip)
    assert [row.name for row in result.differences] == ["losses"]
    assert "the first difference at step 12" in result.first


def test_another_seed_shows_in_the_batches(program, sound):
    result = compare(sound, run_interrupted(program("loop", "--seed", "8"), FAULTS["sigkill"](at=13)))
    assert [row.name for row in result.differences] == ["batches"]


def test_a_second_run_of_the_same_program_matches_to_the_last_bit(program, sound):
    result = compare(sound, run_interrupted(program("loop", "--steps_per_call", "1"), FAULTS["sigkill"](at=13)))
    assert result.matches
    assert result.row("losses").note == "all 23 bit-equal"
