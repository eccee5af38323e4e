"""The same tree gives the same bytes, however the command is run."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
FOLDERS = ("one", "two")


def migrated(place, folders, *options, seed):
    """The bytes of each file of a copy of the examples that one command has written."""
    for name, examples in (("one", "legacy_examples"), ("two", "legacy_examples/feature_columns")):
        shutil.copytree(ROOT / examples, place / name)
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "migrate", "--write", *options, *(place / name for name in folders)]
    assert subprocess.run(command, env=environment, cwd=place, capture_output=True, check=False).returncode in (0, 1)
    return {path.relative_to(place): path.read_bytes() for path in place.rglob("*") if path.suffix in (".py", ".ipynb")}


@pytest.mark.slow
def test_processes_hash_seed_and_order_of_the_paths_change_no_byte(tmp_path):
    first = migrated(tmp_path / "a", FOLDERS, "-j1", seed="0")
    assert migrated(tmp_path / "b", FOLDERS[::-1], "-j2", seed="7") == first
    assert len(first) > 20
