"""Estimator programs changed by chance keep every promise; ``python -m tests.fuzz`` tries many more of them."""

import pytest

from tests.fuzz.__main__ import made, trees_tried
from tests.fuzz.promises import tried


@pytest.mark.parametrize("number", range(40))
def test_a_program_changed_by_chance_is_rewritten_well_or_left(number: int) -> None:
    assert tried(*made(0, number)).broken == []


def test_the_programs_tried_hold_sites_and_some_are_rewritten() -> None:
    trials = [tried(*made(0, number)) for number in range(20)]
    assert any(trial.has_site for trial in trials)
    assert any(trial.is_rewritten for trial in trials)


@pytest.mark.parametrize("first", [0, 20])
def test_a_tree_of_files_and_notebooks_changed_by_chance_is_written_well_or_left(first: int) -> None:
    counts, broken = trees_tried(0, first, first + 20)
    assert broken == []
    assert min(counts["files"], counts["notebooks"], counts["changed"]) > 0
