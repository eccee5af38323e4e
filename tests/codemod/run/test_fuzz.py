"""Estimator programs changed by chance keep every promise; ``python -m tests.fuzz`` tries many more of them."""

import pytest

from tests.fuzz.__main__ import made
from tests.fuzz.promises import tried


@pytest.mark.parametrize("number", range(40))
def test_a_program_changed_by_chance_is_rewritten_well_or_left(number: int) -> None:
    assert tried(*made(0, number)).broken == []


def test_the_programs_tried_hold_sites_and_some_are_rewritten() -> None:
    trials = [tried(*made(0, number)) for number in range(20)]
    assert any(trial.has_site for trial in trials)
    assert any(trial.is_rewritten for trial in trials)
