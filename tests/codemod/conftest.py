"""A project to migrate."""

import subprocess
from pathlib import Path

import pytest

from tests.codemod.programs import program


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one Estimator program and one other file; also the current directory."""
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(program())
    (tmp_path / "other.py").write_text("import tensorflow as tf\n")
    return tmp_path
