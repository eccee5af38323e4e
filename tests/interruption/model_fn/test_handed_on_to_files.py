"""A TPUEstimator that one file makes and another trains: what stands for it goes on as it does, off TPUs."""

import shutil
from pathlib import Path

import pytest

from .conftest import WrittenPair, assert_equal, final_variables, kept, losses


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """The program of two files, and what the codemod writes for them."""
    source = Path(__file__).with_name("handed_on_tpu.py")
    return WrittenPair(source, tmp_path_factory.mktemp("handed_on_tpu"), ["handed_on_fit.py"])


@pytest.fixture(scope="module")
def begun(pair):
    """The Estimator's directory at step 30."""
    pair.run(pair.old, pair.folder / "begun", "--max_steps", 30, "--every", 15)
    return pair.folder / "begun"


@pytest.fixture(scope="module")
def continued(pair, begun):
    """By program, its directory at step 90, and what it printed."""
    found = {}
    for name, program in (("old", pair.old), ("new", pair.new)):
        directory = pair.folder / f"{name}_model"
        shutil.copytree(begun, directory)
        found[name] = directory, pair.run(program, directory, "--max_steps", 90, "--every", 15)
    return found


def test_both_files_are_written(pair):
    text = pair.new.read_text()
    assert "return TPUEstimator(" in text
    assert "config = TPURunConfig(save_checkpoints_secs=600, **common)" in text
    old, new = (p.with_name("handed_on_fit.py").read_text().splitlines() for p in (pair.old, pair.new))
    assert all("estimator." in line or "import" in line for line in old if line not in new)


def test_it_continues_the_estimator_to_the_last_bit(continued):
    old, new = losses(continued["old"][0]), losses(continued["new"][0])
    assert set(range(31, 91)) <= old.keys()
    assert new == old
    assert_equal(final_variables(continued["new"][0]), final_variables(continued["old"][0]))
    assert kept(continued["new"][0])[-5:] == kept(continued["old"][0])[-5:]


def test_it_evaluates_as_the_estimator_did(continued):
    assert len(continued["new"][1]) == 1
    assert continued["new"][1] == continued["old"][1]


def test_a_killed_job_ends_where_an_undisturbed_one_ends(pair, begun, continued):
    directory = pair.folder / "killed"
    shutil.copytree(begun, directory)
    pair.kill(pair.new, directory, "--max_steps", 90, "--every", 15)
    pair.run(pair.new, directory, "--max_steps", 90, "--every", 15)
    assert_equal(final_variables(directory), final_variables(continued["new"][0]))
    assert kept(directory)[-1] == 90


def test_it_refuses_to_run_on_a_tpu(pair):
    process = pair.start(pair.new, pair.folder / "tpu", "--max_steps", 1, "--use_tpu")
    process.communicate()
    assert process.returncode != 0
    assert "this program no longer runs on a TPU" in (pair.folder / "log").read_text()
