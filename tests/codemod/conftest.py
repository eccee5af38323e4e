"""A project to migrate."""

import gc
import os
import subprocess
import sys
import tempfile

import pytest

from tests.codemod import shared
from tests.codemod.programs import program
from tests.codemod.trees import put

# A run of the pipeline unfreezes the tests that pytest holds, and each full collection would go through them all.
gc.set_threshold(20_000, 20, 100)

# Where Python is told to keep no bytecode, each of the many processes would compile the tests and the tool again.
if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
    sys.dont_write_bytecode = False
    sys.pycache_prefix = os.path.join(tempfile.gettempdir(), f"estimator-migrate-bytecode-{os.getuid()}")
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix


@pytest.fixture(scope="session", autouse=True)
def place_of_this_run(tmp_path_factory):
    """All processes of a run of the tests share what they know of the same text."""
    own = tmp_path_factory.getbasetemp()
    shared.place = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "shared"
    shared.place.mkdir(exist_ok=True)


@pytest.fixture
def rewritten_once(monkeypatch):
    """For a test over many programs that other tests rewrite too: each text is rewritten once in a run."""
    monkeypatch.setattr("migrate.pipeline.attempt.apply", shared.apply)


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty directory that is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def repository(here):
    """An empty repository that is also the current directory."""
    subprocess.run(["git", "init", "--quiet", str(here)], check=True)
    return here


@pytest.fixture
def project(repository):
    """A repository with one Estimator program and one other file; also the current directory."""
    return put(repository, {"train.py": program(), "other.py": "import tensorflow as tf\n"})
