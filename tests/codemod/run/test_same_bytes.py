"""The same tree gives the same bytes, however the command is run."""

import shutil
from pathlib import Path

import pytest

from tests.benchmarks import same_bytes

EXAMPLES = Path(__file__).parents[3] / "legacy_examples"


@pytest.mark.slow
def test_processes_hash_seed_order_of_the_paths_and_directory_change_no_byte(tmp_path):
    for name, examples in (("one", EXAMPLES), ("two", EXAMPLES / "feature_columns")):
        shutil.copytree(examples, tmp_path / name)
    first, *_, all_at_once = same_bytes.ways([])
    digest = same_bytes.migrated(tmp_path, first)
    assert same_bytes.migrated(tmp_path, all_at_once) == digest
    assert int(digest.split()[1]) > 20
