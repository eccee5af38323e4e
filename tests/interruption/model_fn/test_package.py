"""A program whose runtime files are in the installed package holds none; that it resumes is shown in test_kills."""

import shutil
import subprocess
import sys
from importlib import metadata

import pytest

from tests.pairs import LEGACY
from tests.runtime_package import build

from .conftest import WrittenPair


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A directory into which pip has installed the package's wheel."""
    folder = tmp_path_factory.mktemp("package")
    options = ("--quiet", "--no-deps", "--no-index", "--disable-pip-version-check", "--target", folder / "installed")
    subprocess.run([sys.executable, "-m", "pip", "install", *options, build(folder)], check=True)
    return folder / "installed"


@pytest.fixture(scope="module")
def pair(tmp_path_factory, installed):
    folder = tmp_path_factory.mktemp("packaged")
    for name in ("hooked_model_fn.py", "modeling.py"):
        shutil.copy(LEGACY / name, folder)
    return WrittenPair(folder / "hooked_model_fn.py", folder / "pair", installed=installed)


def test_the_package_needs_tensorflow_alone(installed):
    (about,) = metadata.distributions(path=[str(installed)])
    needed = [need for need in about.requires if "extra ==" not in need]
    assert needed == ["tensorflow>=2.12"]
    assert about.metadata["Name"] == "tf2-recovery"


def test_no_runtime_file_is_in_the_tree(pair):
    assert [path.name for path in pair.packaged.parent.iterdir()] == [pair.packaged.name]


def test_without_the_package_the_program_does_not_start(pair, tmp_path):
    pair.installed, before = "", pair.installed
    process = pair.start(pair.packaged, tmp_path, "--max_steps", "1")
    process.communicate()
    pair.installed = before
    assert process.returncode != 0
    assert "tf2_recovery" in (pair.folder / "log").read_text()
