"""An estimator in an attribute, its config by branches: what stands for them goes on as the Estimator does."""

import shutil
from pathlib import Path

import pytest

from .conftest import WrittenPair, assert_equal, final_variables, kept, losses


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """The program, and what the codemod writes for it."""
    return WrittenPair(Path(__file__).with_name("handed_on.py"), tmp_path_factory.mktemp("handed_on"))


@pytest.fixture(scope="module")
def begun(pair):
    """The Estimator's directory at step 30."""
    pair.run(pair.old, pair.folder / "begun", "--max_steps", 30, "--every", 15)
    return pair.folder / "begun"


@pytest.fixture(scope="module")
def continued(pair, begun):
    """By program, its directory at step 90, and what its listener heard on the way."""
    found = {}
    for name, program in (("old", pair.old), ("new", pair.new)):
        directory = pair.folder / f"{name}_model"
        shutil.copytree(begun, directory)
        found[name] = directory, pair.run(program, directory, "--max_steps", 90, "--every", 15)
    return found


def test_names_change_in_the_program_and_calls_stay(pair):
    old, new = pair.old.read_text().splitlines(), pair.new.read_text().splitlines()
    assert 'self.estimator = Estimator(model_fn, args.model_dir, config, params={"rate": 0.01})' in map(str.strip, new)
    changed = [line for line in old if line not in new]
    assert all("estimator." in line or line.startswith(("import", "from")) for line in changed)


def test_it_continues_the_estimator_to_the_last_bit(continued):
    old, new = losses(continued["old"][0]), losses(continued["new"][0])
    assert set(range(31, 91)) <= old.keys()
    assert new == old
    assert_equal(final_variables(continued["new"][0]), final_variables(continued["old"][0]))
    assert kept(continued["new"][0])[-5:] == kept(continued["old"][0])[-5:]


def test_its_listener_hears_what_it_heard(continued):
    heard = continued["new"][1]
    assert heard == continued["old"][1]
    assert [line.split()[0] for line in heard[:3]] == ["begin", "before", "after"]
    assert heard[-1] == "end 90"


def test_the_final_exporter_exports_at_the_last_step_alone(begun, continued):
    before = {path.name for path in (begun / "export" / "final").iterdir()}
    assert len(before) == 1
    for directory, _ in continued.values():
        exports = {path.name for path in (directory / "export" / "final").iterdir()} - before
        assert len(exports) == 1
        assert (directory / "export" / "final" / exports.pop() / "saved_model.pb").exists()


def test_a_killed_job_ends_where_an_undisturbed_one_ends(pair, begun, continued):
    directory = pair.folder / "killed"
    shutil.copytree(begun, directory)
    pair.kill(pair.new, directory, "--max_steps", 90, "--every", 15)
    pair.run(pair.new, directory, "--max_steps", 90, "--every", 15)
    assert_equal(final_variables(directory), final_variables(continued["new"][0]))
    assert kept(directory)[-1] == 90
