"""Estimator programs changed by chance keep every promise; ``python -m tests.fuzz`` tries many more of them."""

from tests.fuzz.__main__ import made, trees_tried
from tests.fuzz.promises import tried


def test_programs_changed_by_chance_are_rewritten_well_or_left() -> None:
    trials = [tried(*made(0, number)) for number in range(30)]
    assert [trial.broken for trial in trials] == [[]] * 30
    assert any(trial.has_site for trial in trials)
    assert any(trial.is_rewritten for trial in trials)


def test_a_tree_of_files_and_notebooks_changed_by_chance_is_written_well_or_left() -> None:
    counts, broken = trees_tried(0, 0, 20)
    assert broken == []
    assert min(counts["files"], counts["notebooks"], counts["changed"]) > 0
