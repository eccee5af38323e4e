"""A premade estimator beside a model_fn of TensorFlow 1: one import makes the names of both right."""

from tests.codemod.programs import migrate

MODEL_FN = """\
import tensorflow as tf


def input_fn():
    return tf.data.Dataset.from_tensors(({"x": [[1.0]]}, [0])).repeat()


def model_fn(features, labels, mode):
    logits = tf.layers.dense(features["x"], 2)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = tf.train.AdamOptimizer().minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def custom():
    est = tf.estimator.Estimator(model_fn, model_dir="/tmp/m")
    est.train(input_fn, max_steps=5)
"""
PREMADE = """

def premade():
    tf.logging.info("hello")
    est = tf.estimator.DNNClassifier([8], [tf.feature_column.numeric_column("x")], model_dir="/tmp/n")
    est.train(input_fn, max_steps=5)
"""


def test_both_are_objects_and_tensorflow_1_keeps_its_name():
    after, findings = migrate(MODEL_FN + PREMADE)
    assert all(finding.rewritten for finding in findings)
    assert "import tensorflow.compat.v1 as tf\n" in after
    assert "    est = DNNClassifierV2([8], [tf.feature_column" in after or "    est = DNNClassifier([8], [tf" in after
    assert 'tf.logging.info("hello")' in after
    assert migrate(after) == (after, [])
