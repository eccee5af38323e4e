"""Estimators in an attribute, with a config by branches, and in another file: what stands for them goes on as they."""

import json
import shutil
from pathlib import Path

import pytest

from .conftest import WrittenPair, assert_equal, final_variables, kept, losses

OTHER_FILES = {"handed_on": [], "handed_on_tpu": ["handed_on_fit.py"]}
"""The programs, and what they import."""
one_file = pytest.mark.parametrize("pair", ["handed_on"], indirect=True)
for_tpus = pytest.mark.parametrize("pair", ["handed_on_tpu"], indirect=True)


@pytest.fixture(scope="module", params=OTHER_FILES)
def pair(request, tmp_path_factory):
    """The program, and what the codemod writes for it."""
    source = Path(__file__).with_name(f"{request.param}.py")
    return WrittenPair(source, tmp_path_factory.mktemp(request.param), OTHER_FILES[request.param])


@pytest.fixture(scope="module")
def alone(pair):
    """The Estimator's directories at step 30 and 90."""
    return pair.kept("alone", *((name, "--max_steps", at, "--every", 15) for name, at in (("begun", 30), ("end", 90))))


@pytest.fixture(scope="module")
def begun(alone):
    return alone / "begun"


@pytest.fixture(scope="module")
def continued(pair, alone):
    """By program, its directory at step 90, and what it printed: what its listener heard, or its evaluation."""
    directory = shutil.copytree(alone / "begun", pair.folder / "new_model")
    new = pair.run(pair.new, directory, "--max_steps", 90, "--every", 15)
    old = json.loads((alone / "printed.json").read_text())["end"]
    return {"old": (alone / "end", old), "new": (directory, new)}


def test_it_continues_the_estimator_to_the_last_bit(continued):
    old, new = losses(continued["old"][0]), losses(continued["new"][0])
    assert set(range(31, 91)) <= old.keys()
    assert new == old
    assert_equal(final_variables(continued["new"][0]), final_variables(continued["old"][0]))
    assert kept(continued["new"][0])[-5:] == kept(continued["old"][0])[-5:]


def test_it_evaluates_and_its_listener_hears_as_with_the_estimator(continued):
    assert continued["new"][1]
    assert continued["new"][1] == continued["old"][1]


@one_file
def test_the_final_exporter_exports_at_the_last_step_alone(begun, continued):
    before = {path.name for path in (begun / "export" / "final").iterdir()}
    assert len(before) == 1
    for directory, _ in continued.values():
        exports = {path.name for path in (directory / "export" / "final").iterdir()} - before
        assert len(exports) == 1
        assert (directory / "export" / "final" / exports.pop() / "saved_model.pb").exists()


@for_tpus
def test_it_refuses_to_run_on_a_tpu(pair):
    process = pair.start(pair.new, pair.folder / "tpu", "--max_steps", 1, "--use_tpu")
    process.communicate()
    assert process.returncode != 0
    assert "this program no longer runs on a TPU" in (pair.folder / "log").read_text()
