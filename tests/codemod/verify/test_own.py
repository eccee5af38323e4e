"""An interrupted run beside the same program's undisturbed one."""

from dataclasses import replace
from pathlib import Path

import pytest

from migrate.verify import Record, compare
from migrate.verify.compare import SAME_END, compare_with_itself
from migrate.verify.comparison import Verdict
from migrate.verify.own import INPUT_RESTARTS, UNEQUAL_RUNS_NOTE
from migrate.verify.verification import Verification

from .conftest import attempt


@pytest.fixture
def undisturbed():
    def make(**how):
        return Record([attempt(0, 20, **how)], Path("model"), kept=[10, 15, 20])

    return make


@pytest.fixture
def slip(record):
    """An interrupted run with other losses after its resumption."""
    made = record()
    for event in made.attempts[1].events_of("step"):
        event["loss"] *= 1.5
    return made


def test_a_run_that_ends_as_the_undisturbed_one_matches(undisturbed, record):
    result = compare_with_itself(undisturbed(), record())
    assert result.matches
    assert result.sides == ("undisturbed", "interrupted")
    assert result.row("losses").note == "all 20 bit-equal"


def test_a_loss_that_is_another_after_the_resumption_differs_where_the_batches_are_equal(undisturbed, slip):
    result = compare_with_itself(undisturbed(), slip)
    assert [row.name for row in result.differences] == ["losses"]
    assert result.row("losses").note.startswith("the first difference at step 11, of 0.33 relative; 10 of 20 equal")


def test_losses_are_not_compared_where_the_input_begins_anew(undisturbed, record):
    anew = record()
    for event in anew.attempts[1].events_of("step"):
        event.update(batch=event["step"] - 10, loss=9.0)
    result = compare_with_itself(undisturbed(), anew)
    assert result.matches
    assert (result.row("losses").verdict, result.row("losses").note) == (Verdict.NOT_COMPARED, INPUT_RESTARTS)


def test_losses_are_not_compared_where_the_runs_differ_without_an_interruption(undisturbed, record):
    result = compare_with_itself(undisturbed(loss=lambda step: 3.0), record())
    assert result.matches
    assert result.row("losses").note == UNEQUAL_RUNS_NOTE


def test_a_run_that_ends_at_another_step_or_resumes_where_nothing_was_saved_differs(undisturbed, record):
    assert compare_with_itself(undisturbed(), record(final=21)).first.startswith("final step: undisturbed 20")
    assert compare_with_itself(undisturbed(), record(resumed=12)).first.startswith("resumed at a saved step")
    assert compare_with_itself(undisturbed(), record(resumed=0)).first.startswith("most steps lost at once")


def test_a_pair_has_a_row_that_says_whether_each_ends_as_its_own_undisturbed_run(undisturbed, record, slip):
    row = compare(record(), slip, undisturbed=(undisturbed(), undisturbed())).row(SAME_END)
    assert (row.old, row.verdict) == ("yes", Verdict.DIFFERENT)
    assert row.new.startswith("no: losses: the first difference at step 11")
    both = compare(slip, slip, undisturbed=(undisturbed(), undisturbed())).row(SAME_END)
    assert both.verdict is Verdict.INFORMATION


def headline(verification, *comparisons):
    made = verification()
    made.comparisons[:] = [("", one) for one in comparisons]
    assert isinstance(made, Verification)
    return made.headline


def test_losses_that_differ_without_an_interruption_too_are_no_matter_of_resumption(verification, undisturbed, record):
    other = {"loss": lambda step: 1.0 / step + (step > 3) * 1e-3}
    plain = compare(undisturbed(), undisturbed(**other))
    assert headline(verification, plain, compare(record(), record(**other))) == "Resumption matches; losses differ"
    assert headline(verification, compare(undisturbed(), undisturbed()), compare(record(), record())) == (
        "Resumption matches"
    )


def test_the_headline_says_where_losses_were_not_compared(verification, undisturbed, record):
    one = compare(record(), record(), losses=False)
    assert headline(verification, one) == "Resumption matches; losses were not compared"


def test_losses_that_differ_after_an_interruption_alone_are(verification, undisturbed, record, slip):
    plain = compare(undisturbed(), undisturbed())
    assert headline(verification, plain, compare(record(), slip)) == "Resumption differs"
    assert headline(verification, plain, compare(record(), replace(record(resumed=5)))) == "Resumption differs"


def test_after_damage_a_run_may_go_back_further(undisturbed, record):
    result = compare_with_itself(undisturbed(), record(resumed=5, fault="torn-data"))
    assert result.matches
    assert (
        result.row("most steps lost at once").note == "8 lost, 5 steps between two saves, of which the last was damaged"
    )


def test_losses_of_new_do_not_count_where_those_of_old_cannot_be_compared(undisturbed, record, slip):
    blind = record(batch=lambda step: None), undisturbed(batch=lambda step: None)
    for one in blind:
        for event in one.all_events("step"):
            del event["batch"]
    row = compare(blind[0], slip, undisturbed=(blind[1], undisturbed())).row(SAME_END)
    assert row.verdict is Verdict.INFORMATION
