"""The same tree gives the same bytes, however the command is run."""

import shutil
from pathlib import Path

import pytest

from tests.benchmarks import same_bytes

EXAMPLES = Path(__file__).parents[3] / "legacy_examples"


@pytest.mark.slow
def test_processes_hash_seed_order_of_the_paths_and_directory_change_no_byte(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, examples in (("one", EXAMPLES), ("two", EXAMPLES / "feature_columns")):
        shutil.copytree(examples, tmp_path / name)
    assert same_bytes.main([str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 6
    assert int(lines[0].split()[1]) > 20
