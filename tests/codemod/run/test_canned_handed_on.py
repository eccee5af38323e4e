"""With --canned model-fn a canned estimator that is handed on becomes a job, as one from a model_fn does."""

from pathlib import Path

import pytest

from migrate.finding import Finding
from migrate.run import run
from migrate.settings import Settings

from .test_handed_on import FLOWS, HEAD

COLUMNS = 'COLUMNS = [tf.feature_column.numeric_column("x")]\n'
BY_KIND = """\
def make(kind, folder):
    config = tf.estimator.RunConfig(save_checkpoints_steps=5)
    if kind == "wide":
        est = tf.estimator.LinearRegressor(COLUMNS, model_dir=folder, config=config)
    elif kind == "deep":
        est = tf.estimator.DNNRegressor([4], COLUMNS, model_dir=folder, config=config)
    else:
        est = tf.estimator.Estimator(model_fn, folder, config)
    return est


def main(kind, folder):
    est = make(kind, folder)
    est.train(input_fn, max_steps=10)
"""
WITH_METRICS = """\
def rmse(labels, predictions):
    return {"rmse": tf.compat.v1.metrics.root_mean_squared_error(labels, predictions["predictions"])}


def main(folder):
    est = tf.estimator.DNNRegressor([4], COLUMNS, folder)
    est = tf.estimator.add_metrics(est, rmse)
    est.train(input_fn, max_steps=10)
    print(est.evaluate(input_fn, steps=1))
"""
LEFT = {
    "made in a loop": (
        """\
def fit(est):
    est.train(input_fn, max_steps=10)


for units in (4, 8):
    fit(tf.estimator.DNNRegressor([units], COLUMNS))
""",
        "the estimator is made in a loop, or among others in a statement, and handed on from there",
    ),
    "one of two in a statement": (
        """\
def fit(est, other):
    est.train(input_fn, max_steps=10)
    other.train(input_fn, max_steps=10)


fit(tf.estimator.DNNRegressor([4], COLUMNS), tf.estimator.LinearRegressor(COLUMNS))
""",
        "the estimator is made in a loop, or among others in a statement, and handed on from there",
    ),
    "one that meets boosted trees": (
        """\
def main(deep):
    if deep:
        est = tf.estimator.DNNRegressor([4], COLUMNS)
    else:
        est = tf.estimator.BoostedTreesRegressor(COLUMNS, 4)
    est.train(input_fn, max_steps=10)
""",
        "`est` may be something else than this estimator: it is set at line 18 too",
    ),
    "more metrics from unknown code": (
        WITH_METRICS.replace("add_metrics(est, rmse)", "add_metrics(other(est), rmse)"),
        "`est` is handed on here, so its training cannot be followed",
    ),
}


def migrated(path: Path, text: str, canned: str = "model-fn") -> tuple[str, list[Finding]]:
    path.write_text(HEAD.replace("\n\n\n", f"\n\n{COLUMNS}\n\n", 1) + text)
    outcome = run([str(path.parent)], Settings(canned=canned, form="loop"), jobs=1, progress=None)
    after = [change.after for change in outcome.changes if change.path == str(path)]
    return (after or [""])[0], outcome.findings


@pytest.mark.parametrize("flow", FLOWS)
def test_it_is_migrated_however_it_and_its_config_flow(tmp_path: Path, flow: str) -> None:
    text = FLOWS[flow].replace("tf.estimator.Estimator(model_fn", "tf.estimator.DNNRegressor([4], COLUMNS")
    after, findings = migrated(tmp_path / "program.py", text)
    assert all(finding.rewritten for finding in findings), findings
    assert "(features, labels, mode):\n" in after
    assert "TrainingJob(model_fn_2" in after
    assert "tf.estimator" not in after


def test_estimators_of_several_kinds_meet_in_one_variable(tmp_path: Path) -> None:
    after, findings = migrated(tmp_path / "program.py", BY_KIND)
    assert all(finding.rewritten for finding in findings), findings
    assert after.count("est = TrainingJob(") == 3
    assert "est = TrainingJob(model_fn_2, model_dir=folder, config=config)" in after
    assert "est = TrainingJob(model_fn, folder, config)" in after
    assert "est = make(kind, folder)\n    mend_checkpoint_list" not in after
    assert after.count("training = ModelFnTraining(") == 1


def test_one_that_gets_more_metrics_goes_through_an_emitted_function(tmp_path: Path) -> None:
    after, findings = migrated(tmp_path / "program.py", WITH_METRICS)
    assert all(finding.rewritten for finding in findings), findings
    assert "    est = add_metrics(est, rmse)\n" in after
    assert "evaluate_model_fn(\n        est.model_fn,\n" in after
    assert "tf.estimator" not in after


def test_its_file_and_the_one_that_trains_it_change_together(tmp_path: Path) -> None:
    make, fit = BY_KIND.split("\n\n\ndef main")
    (tmp_path / "fit.py").write_text(f"import tensorflow as tf\nfrom program import input_fn, make\n\n\ndef main{fit}")
    after, findings = migrated(tmp_path / "program.py", make + "\n")
    assert all(finding.rewritten for finding in findings), findings
    assert "TrainingJob(" in after


@pytest.mark.parametrize("case", LEFT)
def test_what_hides_its_training_or_would_change_its_names_leaves_it(tmp_path: Path, case: str) -> None:
    text, reason = LEFT[case]
    after, findings = migrated(tmp_path / "program.py", text)
    assert after == ""
    assert reason in [finding.message for finding in findings]


def test_for_keras_it_is_left(tmp_path: Path) -> None:
    after, _ = migrated(tmp_path / "program.py", BY_KIND, canned="keras")
    assert after == ""
