"""Each migrated model_fn program goes on in its Estimator's directory as the Estimator would have gone on."""

import json
import re
import shutil

import numpy as np
import pytest

from tests.kept_runs import IS_NEWEST

from .conftest import Pair, assert_equal, final_variables, kept

# The hand-written optimizer reads and moves its step in no stated order: under an Estimator, runs differ a little.
# Two classes go through tf.sigmoid, which differs by a bit between TensorFlow 2.15 and the newest; so do the kernels
# of Ftrl, by 2e-7 of a slot.
PAIRS = {
    "custom_model_fn": 0.0,
    "alternating_model_fn": 0.0,
    "hooked_model_fn": 0.0,
    "fine_tuning": 1e-5,
    "feature_columns/wide_and_deep": 1e-5 if IS_NEWEST else 0.0,
    "feature_columns/linear_ftrl": 1e-6 if IS_NEWEST else 0.0,
    "feature_columns/warm_start": 0.0,
}
NUMBER = re.compile(r"\d+\.\d*(?:e[+-]\d+)?")


@pytest.fixture(scope="module", params=list(PAIRS))
def continued(request, tmp_path_factory, digits, census):
    """A pair, the Estimator's directory, the migrated program's, and what both printed; both went from 50 to 130."""
    folder = tmp_path_factory.mktemp("continued")
    arguments = {
        "custom_model_fn": ["--data", digits(600), "--save_steps", "20"],
        "feature_columns/wide_and_deep": ["--data", census],
    }
    pair = Pair(request.param, folder / "pair", arguments=[*map(str, arguments.get(request.param, []))])
    kept = pair.kept("alone", ("at_50", "--max_steps", 50), ("at_130", "--max_steps", 130))
    new = folder / "migrated"
    shutil.copytree(kept / "at_50", new)
    printed = json.loads((kept / "printed.json").read_text())["at_130"], pair.run(pair.new, new, "--max_steps", 130)
    return PAIRS[request.param], kept / "at_130", new, printed, pair


def test_eighty_steps_on_variables_and_slots_are_those_of_the_estimator(continued):
    near, old, new, *_ = continued
    assert_equal(final_variables(new), final_variables(old), near)


def test_the_same_checkpoints_are_kept(continued):
    """Those that the Estimator wrote are among them, or were deleted when their turn came."""
    _, old, new, *_ = continued
    assert kept(new) == kept(old)
    files = [sorted(path.name for path in folder.glob("*ckpt-*") if path.suffix != ".meta") for folder in (new, old)]
    assert files[0] == files[1]


def test_the_same_is_printed(continued):
    near, _, _, printed, _ = continued
    old, new = map("\n".join, printed)
    if near == 0.0:
        assert new == old
    assert NUMBER.sub("", new).split() == NUMBER.sub("", old).split()
    found, expected = ([float(number) for number in NUMBER.findall(text)] for text in (new, old))
    np.testing.assert_allclose(found, expected, rtol=near, atol=near)


def test_as_many_exports_are_kept(continued):
    _, old, new, *_ = continued
    exports = [sorted(str(path.parents[1].relative_to(d)) for path in d.rglob("saved_model.pb")) for d in (old, new)]
    assert exports[1] == exports[0]


def test_the_finished_job_run_again_changes_no_checkpoint(continued):
    *_, new, _, pair = continued
    before = {path: path.stat().st_mtime_ns for path in new.glob("*ckpt*")}
    pair.run(pair.new, new, "--max_steps", 130)
    assert {path: path.stat().st_mtime_ns for path in new.glob("*ckpt*")} == before
