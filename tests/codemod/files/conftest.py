import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest

NOBODY = 65534


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """Makes files from their paths and contents in an empty directory, which becomes the current one."""
    monkeypatch.chdir(tmp_path)

    def make(files):
        for path, content in files.items():
            file = tmp_path / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)
        return tmp_path

    return make


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
