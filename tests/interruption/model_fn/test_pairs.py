"""Each migrated model_fn program goes on in its Estimator's directory as the Estimator would have gone on."""

import json
import shutil

import pytest

from .conftest import Pair, assert_equal, final_variables, kept

# The hand-written optimizer reads and moves its step in no stated order: under an Estimator, runs differ a little.
PAIRS = {"custom_model_fn": 0.0, "alternating_model_fn": 0.0, "hooked_model_fn": 0.0, "fine_tuning": 1e-5}


@pytest.fixture(scope="module", params=list(PAIRS))
def continued(request, tmp_path_factory, digits):
    """A pair, the Estimator's directory, the migrated program's, and what both printed; both went from 50 to 130."""
    folder = tmp_path_factory.mktemp(request.param)
    arguments = ("--data", digits(600), "--save_steps", "20") if request.param == "custom_model_fn" else ()
    pair = Pair(request.param, folder / "pair", arguments=[str(a) for a in arguments])
    kept = pair.kept("alone", ("at_50", "--max_steps", 50), ("at_130", "--max_steps", 130))
    new = folder / "migrated"
    shutil.copytree(kept / "at_50", new)
    printed = json.loads((kept / "printed.json").read_text())["at_130"], pair.run(pair.new, new, "--max_steps", 130)
    return pair, kept / "at_130", new, printed


def tolerance(pair):
    return PAIRS[pair.new.stem]


def test_eighty_steps_on_variables_and_slots_are_those_of_the_estimator(continued):
    pair, old, new, _ = continued
    assert_equal(final_variables(new), final_variables(old), tolerance(pair))


def test_the_same_checkpoints_are_kept(continued):
    """Those that the Estimator wrote are among them, or were deleted when their turn came."""
    _, old, new, _ = continued
    assert kept(new) == kept(old)
    files = [sorted(path.name for path in folder.glob("*ckpt-*") if path.suffix != ".meta") for folder in (new, old)]
    assert files[0] == files[1]


def test_the_same_is_printed(continued):
    pair, _, _, (old, new) = continued
    if tolerance(pair) == 0.0:
        assert new[-1] == old[-1]
    assert len(new) == len(old)


def test_as_many_exports_are_kept(continued):
    _, old, new, _ = continued
    exports = [sorted(str(path.parent.relative_to(d)) for path in d.glob("export/*/*")) for d in (old, new)]
    assert exports[1] == exports[0]


def test_the_finished_job_run_again_changes_no_checkpoint(continued):
    pair, _, new, _ = continued
    before = {path: path.stat().st_mtime_ns for path in new.glob("*ckpt*")}
    pair.run(pair.new, new, "--max_steps", 130)
    assert {path: path.stat().st_mtime_ns for path in new.glob("*ckpt*")} == before
