"""A spelling settles which defaults an estimator has: a wrong guess would train differently in silence."""

from tests.cases import each
from tests.codemod.programs import migrate

_PROGRAM = """\
import tensorflow as tf
{}


def data():
    return tf.data.Dataset.from_tensor_slices(({{"x": [1.0]}}, [0])).batch(1)


est = {}([4], [tf.feature_column.numeric_column("x")], "m")
est.train(data, max_steps=3)
"""


@each("spelled", "name", "written")(
    ("", "tf.estimator.DNNClassifier", "DNNClassifierV2"),
    ("", "tf.compat.v2.estimator.DNNClassifier", "DNNClassifierV2"),
    ("", "tf.compat.v1.estimator.DNNClassifier", "DNNClassifier"),
    ("import tensorflow.compat.v2 as tf2", "tf2.compat.v1.estimator.DNNClassifier", "DNNClassifier"),
    ("import tensorflow.compat.v1 as tf1", "tf1.compat.v2.estimator.DNNClassifier", "DNNClassifierV2"),
    ("from tensorflow import estimator as e", "e.DNNClassifier", "DNNClassifierV2"),
    ("from tensorflow_estimator import estimator as e", "e.DNNClassifier", "DNNClassifier"),
    ("from tensorflow_estimator.python.estimator.api import estimator as e", "e.DNNClassifier", "DNNClassifier"),
    ("from tensorflow_estimator.python.estimator.api._v2 import estimator as e", "e.DNNClassifier", "DNNClassifierV2"),
    ("import tensorflow_estimator._api.v1.estimator as e", "e.DNNClassifier", "DNNClassifier"),
    ("from tensorflow.python.estimator.canned.dnn import DNNClassifier", "DNNClassifier", "DNNClassifier"),
    ("from tensorflow_estimator.python.estimator.canned.dnn import DNNClassifier", "DNNClassifier", "DNNClassifier"),
)
def test_the_class_is_that_of_the_tensorflow_behind_the_name(spelled, name, written):
    output, _ = migrate(_PROGRAM.format(spelled, name))
    assert f"est = {written}([4], [" in output


def test_contrib_learn_is_not_taken_for_the_estimator_of_the_same_name():
    source = _PROGRAM.format("", "tf.contrib.learn.DNNClassifier")
    output, findings = migrate(source)
    assert output == source
    assert "tensorflow.contrib.learn.DNNClassifier" in "; ".join(finding.message for finding in findings)
