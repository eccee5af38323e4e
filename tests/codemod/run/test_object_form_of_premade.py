"""A premade estimator whose flow is hidden is migrated by its name, beside those of other kinds too."""

import textwrap

import pytest

from tests.cases import each
from tests.codemod.trees import outcome_of, whole

from .test_object_form import HEAD
from .test_object_form import migrated as of_text

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
HIDDEN = {
    "one of two in a statement": """\
def fit(est, other):
    est.train(input_fn, max_steps=10)
    other.train(input_fn, max_steps=10)


fit(tf.estimator.DNNRegressor([4], COLUMNS), tf.estimator.LinearRegressor(COLUMNS))
""",
    "one of several kinds": BY_KIND,
    "more metrics": WITH_METRICS,
}
BOOSTED = """\
def main(deep):
    if deep:
        est = tf.estimator.DNNRegressor([4], COLUMNS)
    else:
        est = tf.estimator.BoostedTreesRegressor(COLUMNS, 4)
    est.train(input_fn, max_steps=10)
"""


def migrated(path, text, **settings):
    return of_text(path, HEAD.replace("\n\n\n", f"\n\n{COLUMNS}\n\n", 1) + text, **settings)


@pytest.mark.parametrize("flow", HIDDEN)
def test_its_name_changes_and_its_calls_stay(tmp_path, flow):
    after, findings = migrated(tmp_path / "program.py", HIDDEN[flow])
    assert all(finding.rewritten for finding in findings), findings
    assert "tf.estimator" not in after
    assert "DNNRegressorV2([" in "".join(after.split())
    assert ".train(input_fn, max_steps=10)" in after


def test_the_classes_of_tensorflow_1_keep_their_names(tmp_path):
    text = HIDDEN["one of two in a statement"].replace("tf.estimator.", "tf.compat.v1.estimator.")
    after, findings = migrated(tmp_path / "program.py", text)
    assert all(finding.rewritten for finding in findings), findings
    assert "fit(DNNRegressor([4], COLUMNS), LinearRegressor(COLUMNS))" in after


def test_a_premade_estimator_over_a_given_head_is_that_of_its_tensorflow(tmp_path):
    """TensorFlow 1's and TensorFlow 2's of one name train otherwise."""
    text = """\
def main(folder):
    est = tf.estimator.BaselineEstimator(tf.estimator.BinaryClassHead(), folder)
    est.train(input_fn, max_steps=10)
"""
    after, findings = migrated(tmp_path / "program.py", text)
    assert all(finding.rewritten for finding in findings), findings
    assert "est = BaselineEstimatorV2(BinaryClassHead(), folder)" in after
    after, _ = migrated(tmp_path / "program.py", text.replace("tf.estimator.Base", "tf.compat.v1.estimator.Base"))
    assert "est = BaselineEstimator(BinaryClassHead(), folder)" in after


OBJECTS = (
    'DNNRegressor([4], columns, folder, optimizer="Adam")',
    "DNNRegressor([4], columns, folder, dropout=0.5)",
    "LinearRegressor(columns, folder)",
    "DNNLinearCombinedRegressor(folder, columns)",
    "BaselineRegressor(folder)",
    'DNNRegressor([4], columns, folder, weight_column="w")',
    "DNNRegressor([4], columns, folder, batch_norm=True)",
    "DNNRegressor([4], columns, folder, warm_start_from=folder)",
)


@pytest.mark.parametrize("made", OBJECTS)
def test_each_class_becomes_an_object_whatever_it_is_given(tmp_path, made):
    text = FOLLOWED.replace('DNNRegressor([4], columns, folder, optimizer="Adam")', made)
    assert "tf.estimator." + made in text
    after, findings = migrated(tmp_path / "program.py", text)
    assert all(finding.rewritten for finding in findings), findings
    assert f"est = {made.partition('(')[0]}V2(" in after


@each("name", "why")(
    ("BoostedTreesRegressor", "is not supported: it has no replacement"), ("BostedTrees", "exists in no TensorFlow")
)
def test_one_without_a_counterpart_and_one_that_no_tensorflow_has_leave_the_program(tmp_path, name, why):
    after, findings = migrated(tmp_path / "program.py", BOOSTED.replace("BoostedTreesRegressor", name))
    assert after == ""
    [reason] = [finding for finding in findings if finding.is_own_reason]
    assert reason.message == f"`tensorflow.estimator.{name}` {why}"


FOLLOWED = """\
def batches():
    return tf.data.Dataset.from_tensors(({"x": [1.0]}, [0.0])).repeat()


def main(folder):
    columns = [tf.feature_column.numeric_column("x")]
    est = tf.estimator.DNNRegressor([4], columns, folder, optimizer="Adam")
    est.train(batches, max_steps=10)
"""


@pytest.mark.parametrize("trains_itself", [False, True], ids=["made only", "trained there too"])
@pytest.mark.parametrize("imported", ["from program import est", "import program\n\nest = program.est"])
def test_one_at_the_top_of_a_file_that_others_import_keeps_its_methods(tmp_path, imported, trains_itself):
    (tmp_path / "use.py").write_text(f"import program\n{imported}\n\nest.evaluate(program.batches, steps=1)\n")
    head, followed = FOLLOWED.split("def main(folder):\n")
    made, trained = textwrap.dedent(followed.replace("folder", '"out"')).rsplit("est.train", 1)
    path = tmp_path / "program.py"
    path.write_text(f"import tensorflow as tf\n\n\n{head}{made}{'est.train' + trained if trains_itself else ''}")
    outcome = whole(tmp_path)
    assert any("est = DNNRegressorV2([4], columns" in change.after for change in outcome.changes)


OF_CONTRIB_ALONE = {
    "factorization.KMeansClustering": "scikit-learn",
    "learn.KMeansClustering": "tf.estimator on TensorFlow 1.15",
    "learn.DynamicRnnEstimator": "tf.estimator on TensorFlow 1.15",
    "factorization.GMM": "scikit-learn",
    "gan.estimator.GANEstimator": "tensorflow_gan",
    "tensor_forest.client.random_forest.TensorForestEstimator": "",
    "timeseries.ARRegressor": "tensorflow_probability",
}


@pytest.mark.parametrize("name", OF_CONTRIB_ALONE)
def test_an_estimator_of_contrib_alone_is_named_with_what_to_do_in_a_file_without_others(tmp_path, name):
    path = tmp_path / "program.py"
    path.write_text(f"import tensorflow as tf\n\nest = tf.contrib.{name}(3)\nest.train(input_fn)\n")
    outcome = outcome_of(path)
    assert not outcome.changes
    [reason] = [finding for finding in outcome.findings if finding.is_own_reason]
    assert reason.message == f"`tensorflow.contrib.{name}` is not supported: it has no replacement"
    assert reason.help
    assert OF_CONTRIB_ALONE[name] in reason.help


def test_a_name_among_what_an_input_function_is_given_does_not_stay(tmp_path):
    given = '{"x": x}, tf1.estimator.DNNClassifier, shuffle=False'
    (tmp_path / "program.py").write_text(
        "import tensorflow.compat.v1 as tf1\n\n\ndef main(x):\n"
        f"    train_input_fn = tf1.estimator.inputs.numpy_input_fn({given})\n"
        "    est = tf1.estimator.DNNClassifier([4], [tf1.feature_column.numeric_column('x')], model_dir='m')\n"
        "    est.train(train_input_fn, max_steps=10)\n"
    )
    (change, *_) = outcome_of(tmp_path).changes
    assert "DNNClassifier, shuffle" in change.after
    assert "tf1.estimator" not in change.after
