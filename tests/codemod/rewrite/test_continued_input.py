"""With ``--input continue`` a ``model_fn``'s job draws on where it stood, however its input_fn gives the batches."""

import pytest

from migrate.run import run
from migrate.settings import Settings
from tests.pairs import LEGACY


@pytest.fixture(scope="module")
def migrated():
    outcome = run([str(LEGACY)], Settings(input="continue"), jobs=1, progress=None)
    return {change.path.rpartition("/")[2]: change.after for change in outcome.changes}


def test_the_iterator_of_a_dataset_is_part_of_the_checkpoint(migrated):
    text = migrated["custom_model_fn.py"]
    assert "training.checkpoint.batches = iter(dataset)" in text
    assert "dataset.skip" not in text


def test_what_may_come_from_a_generator_which_no_checkpoint_holds_is_skipped_after_the_restore(migrated):
    text = migrated["alternating_model_fn.py"]
    assert "checkpoint.batches" not in text
    assert "resume_input=dataset.skip" in text
