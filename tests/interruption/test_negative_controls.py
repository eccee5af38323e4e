"""Programs that resume wrongly: verify must say so, and what is wrong; ``test_verify_command`` has sound ones."""

import pytest

from migrate.verify import FAULTS, compare, run_interrupted
from migrate.verify.comparison import Verdict
from tests.kept_runs import IS_NEWEST


@pytest.fixture(scope="module")
def sound(program):
    return run_interrupted(program("loop"), FAULTS["sigkill"](at=13))


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


def test_slots_that_are_left_out_show_in_the_losses_alone(program, sound):
    slip = run_interrupted(program("loop", "--slip", "no_slots"), FAULTS["sigkill"](at=13))
    result = compare(sound, slip)
    assert [row.name for row in result.differences] == ["losses"]
    assert "the first difference at step 12" in result.first


def test_another_seed_shows_in_the_batches(program, sound):
    result = compare(sound, run_interrupted(program("loop", "--seed", "8"), FAULTS["sigkill"](at=13)))
    assert [row.name for row in result.differences] == ["batches"]
