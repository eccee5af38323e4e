"""What one rounding grows to is the tolerance between two lines of TensorFlow."""

from dataclasses import replace
from pathlib import Path

import pytest

from migrate.verify import Record, compare
from migrate.verify.compare import ROUNDING
from migrate.verify.comparison import Verdict
from migrate.verify.differences import EPSILON, ROUNDINGS, rounding
from migrate.verify.verification import rounding_may_tell

from .conftest import attempt


def run(apart, value=1.0, begun=0):
    """A run whose losses are by so much of themselves apart from 1 / step."""
    made = attempt(begun, 20, loss=lambda step: (1 + apart(step)) / step)
    variables = {"w": {"shape": [1], "values": [value], "digest": str(value)}}
    return Record([made], Path("model"), variables=variables)


@pytest.fixture
def measured():
    """A rounding at step 5 that doubles at each step."""
    return rounding(
        run(lambda step: 0, begun=5), run(lambda step: EPSILON * 2 ** (step - 5), 1 + 4 * EPSILON, begun=5), 5
    )


def test_it_is_the_largest_difference_until_a_step_counted_from_where_the_weights_were_moved(measured):
    assert measured.loss_tolerance(0) == ROUNDINGS * EPSILON
    assert measured.loss_tolerance(3) == pytest.approx(ROUNDINGS * 8 * EPSILON, rel=1e-3)
    assert measured.loss_tolerance(99) == measured.loss_tolerance(15)
    assert measured.variable_tolerance == pytest.approx(ROUNDINGS * 4 * EPSILON, rel=1e-3)


def test_a_difference_that_grows_no_faster_is_rounding_and_is_told_with_its_first_step_and_size(measured):
    new = run(lambda step: (step > 3) * EPSILON * 2 ** (step - 2), 1 + EPSILON)
    result = compare(run(lambda step: 0), new, losses=True, rounding=measured)
    assert result.matches
    assert (
        result.row("losses").note == f"{ROUNDING}: the first difference at step 4, of 4.8e-07 relative; 3 of 20 equal"
    )
    assert result.row("final variables").note.startswith(ROUNDING)


def test_a_difference_that_grows_faster_differs_and_the_step_and_both_sizes_are_told(measured):
    result = compare(run(lambda step: 0), run(lambda step: (step > 3) * 1e-3), losses=True, rounding=measured)
    row = result.row("losses")
    assert row.verdict is Verdict.DIFFERENT
    assert row.note.endswith("; at step 4 0.001, where rounding grows to 3.1e-05")


def test_without_a_measure_any_difference_is_one(measured):
    new = run(lambda step: (step > 3) * EPSILON)
    assert not compare(run(lambda step: 0), new, losses=True).matches
    assert compare(run(lambda step: 0), new, tolerance=1e-6, losses=True).matches


def test_variables_further_apart_than_rounding_takes_them_differ(measured):
    new = run(lambda step: 0, 1.01)
    assert compare(run(lambda step: 0), new, losses=True, rounding=measured).row("final variables").verdict is (
        Verdict.DIFFERENT
    )
    assert replace(measured, variables=0.01).variable_tolerance > 0.01


def test_it_is_measured_also_where_only_the_final_variables_differ():
    equal, apart = run(lambda step: 0), run(lambda step: 0, 1 + EPSILON)
    assert rounding_may_tell(compare(equal, apart, losses=True))
    assert not rounding_may_tell(compare(equal, equal, losses=True))
