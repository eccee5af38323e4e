"""A DNNEstimator with a standard head becomes what the estimator with that head built in becomes."""

import pytest

from tests.codemod.programs import migrate

HEADS = {
    "BinaryClassHead()": "DNNClassifier({0})",
    "MultiClassHead(3, weight_column='w')": "DNNClassifier({0}, n_classes=3, weight_column='w')",
    "MultiClassHead(n_classes=3, label_vocabulary=['u', 'v', 'w'])": (
        "DNNClassifier({0}, n_classes=3, label_vocabulary=['u', 'v', 'w'])"
    ),
    "BinaryClassHead(loss_reduction=tf.losses.Reduction.SUM)": (
        "DNNClassifier({0}, loss_reduction=tf.losses.Reduction.SUM)"
    ),
    "RegressionHead()": "DNNRegressor({0})",
}
NOT_CARRIED = {
    "tf.estimator.BinaryClassHead(thresholds=[0.3])": "`thresholds` of BinaryClassHead is not carried over",
    "tf.estimator.RegressionHead(inverse_link_fn=tf.exp)": "`inverse_link_fn` of RegressionHead is not carried over",
    "tf.estimator.RegressionHead(shape=3)": "its argument `shape` has no counterpart here",
    "tf.estimator.MultiLabelHead(3)": "is none of BinaryClassHead, MultiClassHead, RegressionHead",
    "made": "the head `made` is used elsewhere too",
    "args.head": "`args.head` is none of",
}


def program(made, before="pass"):
    return f"""\
import tensorflow as tf


def data():
    return tf.data.Dataset.from_tensors(({{"x": [1]}}, [1])).batch(2)


def main(args):
    columns = [tf.feature_column.embedding_column(args.column, 4)]
    {before}
    estimator = tf.estimator.{made}
    estimator.train(data, max_steps=10)
    print(estimator.evaluate(data))
    for prediction in estimator.predict(data):
        print(prediction)
"""


@pytest.mark.parametrize("head", HEADS)
def test_it_becomes_what_the_estimator_with_this_head_becomes(head):
    found, _ = migrate(program(f"DNNEstimator(tf.estimator.{head}, [8], columns)"))
    expected, _ = migrate(program(f"{HEADS[head].format('[8], columns')}"))
    assert "tf2_recovery" in found
    assert found == expected


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ("LinearEstimator({}, columns)", "LinearRegressor(columns)"),
        (
            "DNNLinearCombinedEstimator({}, args.dir, columns, 'Ftrl', columns, 'Adagrad', [8])",
            "DNNLinearCombinedRegressor(args.dir, columns, 'Ftrl', columns, 'Adagrad', [8])",
        ),
    ],
)
def test_linear_and_combined_estimators_do_as_well(made, expected):
    found, _ = migrate(program(made.format("tf.estimator.RegressionHead()")))
    assert "tf2_recovery" in found
    assert found == migrate(program(expected))[0].replace("Classifier", "Estimator")


def test_a_head_in_a_variable_goes_with_its_comment_kept():
    before = "# Three kinds.\n    head = tf.estimator.MultiClassHead(3)"
    found, _ = migrate(program("DNNEstimator(head, [8], columns)", before))
    assert "tf.estimator" not in found
    assert "# Three kinds." in found


@pytest.mark.parametrize("head", NOT_CARRIED)
def test_another_head_leaves_the_program_with_the_reason(head):
    text = program(f"DNNEstimator({head}, [8], columns)", "made = tf.estimator.BinaryClassHead(); print(made)")
    found, findings = migrate(text)
    assert found == text
    assert any(NOT_CARRIED[head] in one.message for one in findings)


def test_one_of_tensorflow_1_is_left():
    text = program("DNNEstimator(tf.estimator.BinaryClassHead(), [8], columns)").replace(
        "tf.estimator.DNNEstimator", "tf.compat.v1.estimator.DNNEstimator"
    )
    assert migrate(text)[0] == text
