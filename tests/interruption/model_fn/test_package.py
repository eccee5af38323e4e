"""A program whose runtime files are in the installed package, and not in its tree, resumes as one that holds them."""

import shutil
import subprocess
import sys
from importlib import metadata

import pytest

from tests.pairs import LEGACY
from tests.runtime_package import build

from .conftest import WrittenPair, assert_equal, final_variables

STEPS = ("--max_steps", "600")


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
    source = folder / "hooked_model_fn.py"
    # With every batch the same the step resumed at does not show in the weights.
    source.write_text((LEGACY / source.name).read_text().replace(".repeat()", ".take(10).repeat()"))
    shutil.copy(LEGACY / "modeling.py", folder)
    return WrittenPair(source, folder / "pair", installed=installed)


def test_the_package_needs_tensorflow_alone(installed):
    (about,) = metadata.distributions(path=[str(installed)])
    needed = [need for need in about.requires if "extra ==" not in need]
    assert needed == ["tensorflow>=2.12"]
    assert about.metadata["Name"] == "tf2-recovery"


def test_no_runtime_file_is_in_the_tree(pair):
    assert [path.name for path in pair.packaged.parent.iterdir()] == [pair.packaged.name]


def test_without_the_package_the_program_does_not_start(pair, tmp_path):
    pair.installed, before = "", pair.installed
    process = pair.start(pair.packaged, tmp_path, *STEPS)
    process.communicate()
    pair.installed = before
    assert process.returncode != 0
    assert "tf2_recovery" in (pair.folder / "log").read_text()


def test_an_estimator_and_its_migration_take_turns_and_are_killed(pair, tmp_path):
    alone = pair.kept("alone", ("begun", "--max_steps", 1), ("undisturbed", *STEPS))
    directory = tmp_path / "model"
    shutil.copytree(alone / "begun", directory)
    assert [pair.kill(pair.packaged, directory, *STEPS), pair.kill(pair.old, directory, *STEPS)]
    pair.run(pair.packaged, directory, *STEPS)
    assert_equal(final_variables(directory), final_variables(alone / "undisturbed"))
