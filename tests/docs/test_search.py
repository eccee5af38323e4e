"""The site's own search leads from an error message to its answer: ``tox -e docs`` builds the site first."""

import shutil
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote_plus

import pytest

if TYPE_CHECKING:
    pass

SITE = Path(__file__).parents[2] / "docs" / "_build"
ASKED = {
    "module 'tensorflow' has no attribute 'estimator'": "has-no-attribute-estimator",
    "cannot import name 'estimator' from 'tensorflow.compat.v1'": "cannot-import-name-estimator",
    "No module named 'tensorflow.python.estimator'": "tensorflow-python-estimator",
    "tensorflow_gan no attribute estimator": "import-tensorflow_gan",
    "module 'tensorflow._api.v2.train' has no attribute 'SessionRunHook'": "sessionrunhook",
    "No module named 'tensorflow.contrib'": "tensorflow-contrib",
    "filepath provided must end in .weights.h5": "weights-h5",
    "The filepath provided must end in .keras": "must-end-in-keras",
    "latest_checkpoint .weights.h5": "latest_checkpoint-returns-none",
    "keras.optimizers.legacy is not supported in Keras 3": "keras-optimizers-legacy",
    "object has no attribute '_in_graph_mode'": "in_graph_mode",
    "dense is not available with Keras 3": "dense-is-not-available",
    "No module named 'tf_keras'": "no-module-named-tf_keras",
    "File format not supported Keras 3 only supports V3 .keras files": "file-format-not-supported",
    "BackupAndRestore cannot load": "backupandrestore-cannot-load",
    "model must be built before you call fit": "must-be-built",
    "Key dense/kernel not found in checkpoint": "not-found-in-checkpoint",
    "No module named 'tf2_recovery'": "no-module-named-tf2_recovery",
    "EarlyStopping best after a resume": "earlystopping",
    "MultiWorkerMirroredStrategy fit Keras 3": "multiworkermirroredstrategy",
    "continue my old job from the old model_dir": "migration.html",
    "exit codes": "reference.html#exit-codes",
    "exclude files": "reference.html",
    "ignore comments": "reference.html#ignore-comments",
    "interrupted write journal": "reference.html",
    "helpers package tf2-recovery install": "reference.html",
    "baseline CI new estimator code": "plan.html",
    "roll back to the old program": "rollback.html",
    "SIGTERM kubernetes preemption": "migration.html",
    "parameter server TF_CONFIG": "workers.html",
    "multiple GPUs MirroredStrategy": "devices.html",
    "serving signature export_saved_model": "serving.html",
    "verify refuses directory in code": "verify.html",
    "python api rewrite check functions": "api.html",
}
"""What people ask, in their words, many of them on public trackers, and what the address of the answer holds."""


@pytest.fixture(scope="module")
def page():
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("THE SEARCH WAS NOT TRIED IN A BROWSER: install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser.new_page()
        browser.close()


@pytest.mark.parametrize("query", ASKED)
def test_an_error_message_leads_to_its_answer_in_the_first_three_hits(query, page):
    page.goto(f"{(SITE / 'search.html').as_uri()}?q={quote_plus(query)}")
    page.wait_for_function("/finished|did not match/.test(document.querySelector('.search-summary')?.innerText)")
    hits = page.locator("#search-results ul.search > li > a").evaluate_all("all => all.map(one => one.href)")
    assert any(ASKED[query] in hit for hit in hits[:3]), hits[:5]
