import os
import shutil
import tempfile
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from tests.codemod.trees import put

NOBODY = 65534


@pytest.fixture
def tree(here):
    """Makes files from their paths and contents in an empty directory, which is the current one."""
    return partial(put, here)


@pytest.fixture
def public_directory(monkeypatch):
    """A current directory that every user may reach; pytest's own ones are for one user."""
    directory = Path(tempfile.mkdtemp())
    directory.chmod(0o777)
    monkeypatch.chdir(directory)
    yield directory
    for child in directory.iterdir():
        child.chmod(0o755)
    shutil.rmtree(directory)


@pytest.fixture
def as_user():
    """Gives up root's rights for a while: to root no permission is ever denied."""

    @contextmanager
    def unprivileged():
        user = os.geteuid()
        if user == 0:
            os.seteuid(NOBODY)
        try:
            yield
        finally:
            os.seteuid(user)

    return unprivileged
