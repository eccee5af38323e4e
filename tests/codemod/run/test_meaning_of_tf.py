"""``tf`` keeps its meaning: a file of a program for TensorFlow 2 keeps its import, and what it lacks is written."""

import pytest

from tests.cases import each
from tests.codemod.programs import migrate, program
from tests.codemod.run.test_several_files import main, new_text, reasons
from tests.codemod.trees import outcome_of, put

V1 = "import tensorflow.compat.v1 as tf\n"
ON_2 = """\
import tensorflow as tf


def unused(key):
    {unused}


def model_fn(features, labels, mode):
    loss = tf.reduce_mean({value} * tf.compat.v1.get_variable("w", []))
    train_op = tf.compat.v1.train.AdamOptimizer().minimize(loss, tf.compat.v1.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


estimator = tf.estimator.Estimator(model_fn, "d")
estimator.train(lambda: tf.data.Dataset.from_tensors((1.0, 1.0)).repeat(), max_steps=3)
"""
BY_NAME = {
    "return tf.FixedLenFeature([], key)": "return tf.compat.v1.FixedLenFeature([], key)",
    "return tf.reduce_sum(key, keep_dims=True)": "return tf.compat.v1.reduce_sum(key, keep_dims=True)",
    "import tensorflow as t; return t.log(key)": "import tensorflow as t; return t.compat.v1.log(key)",
    "from tensorflow import gfile, nn; return gfile.Open(nn.relu(key))": "return tf.compat.v1.gfile.Open(nn.relu(key))",
    "layers = tf.layers; return layers.dense(key, 1)": "layers = tf.compat.v1.layers; return layers.dense(key, 1)",
}


@pytest.mark.parametrize("value", ["tf.nn.dropout(features, 0.1)", "tf.keras.layers.LSTM(4)(features)"])
@pytest.mark.parametrize("unused", BY_NAME)
def test_a_name_in_code_that_nothing_runs_is_written_by_itself(unused, value):
    after, findings = migrate(ON_2.format(unused=unused, value=value))
    assert after.startswith("import tensorflow as tf\n")
    assert value in after
    assert BY_NAME[unused] in after
    assert all(finding.rewritten for finding in findings)


def test_a_method_that_nothing_calls_tells_nothing(tmp_path):
    text = ON_2.format(unused="return key", value="tf.nn.dropout(features, 0.1)")
    text = text.replace("def unused(key):\n", "class Net:\n    def unused(self, key):\n    ").replace(
        "def model_fn(features, labels, mode):\n", "def model_fn(features, labels, mode):\n    print(Net())\n"
    )
    outcome = outcome_of(put(tmp_path, {"main.py": text.replace("return key", "return tf.to_int32(key)")}))
    assert reasons(outcome) == []
    assert "return tf.compat.v1.to_int32(key)" in new_text(outcome, tmp_path / "main.py")


def test_a_program_that_runs_names_of_tensorflow_1_alone_is_for_it():
    text = ON_2.format(unused="pass", value="tf.layers.dense(tf.nn.dropout(features, 0.1), 1)")
    after, findings = migrate(text)
    assert after.startswith(V1)
    assert all(finding.rewritten for finding in findings)


@each("value")(
    "tf.nn.dropout(tf.layers.dense(features, tf.data.AUTOTUNE), 0.1)",
    "tf.nn.dropout(tf.layers.dense(features, 1) if labels is None else features, 0.1)",
)
def test_a_program_that_speaks_both_is_left_for_each_name_with_two_meanings(value):
    after, findings = migrate(ON_2.format(unused="pass", value=value))
    assert "tf.estimator" in after
    [left] = [finding for finding in findings if finding.code == "FT192" and finding.is_own_reason]
    assert left.message.startswith("`tensorflow.nn.dropout` has different meanings in TensorFlow 1 and 2")
    assert left.help == "Write tf.compat.v1.nn.dropout or tf.compat.v2.nn.dropout, then migrate again."


@each("unused", "called")(
    ("return tf.layers.dense(key, 1)", 'unused(features) if params["unused"] else features'),
    ("return tf.layers.dense(key, 1)", '{"old": unused, "new": tf.abs}[params["net"]](features)'),
    ("if key is None:\n        return 1\n    return tf.layers.dense(key, 1)", "unused(features)"),
)
def test_a_function_that_may_run_without_a_name_of_tensorflow_1_tells_no_more_than_a_branch(unused, called):
    text = ON_2.format(unused=unused, value=f"tf.nn.dropout({called}, 0.1)")
    after, findings = migrate(text)
    assert after == text
    (reason,) = [finding.message for finding in findings if finding.is_own_reason]
    assert reason.startswith("`tensorflow.nn.dropout` has different meanings in TensorFlow 1 and 2")


def test_names_of_tensorflow_1_in_a_branch_of_a_program_that_needs_2_are_written_by_themselves():
    value = "(tf.layers.dense(features, 1) if labels is None else tf.nn.dropout(features, 0.1)) * tf.data.AUTOTUNE"
    after, findings = migrate(ON_2.format(unused="pass", value=value))
    assert value.replace("tf.layers", "tf.compat.v1.layers") in after
    assert all(finding.rewritten for finding in findings)


def test_a_premade_estimator_has_two_meanings_too():
    text = program().replace("import tensorflow as tf\n", "import tensorflow as tf\n\nprint(tf.data.AUTOTUNE)\n")
    text += "\n\ntf.logging.info(1)\ntf.estimator.DNNClassifier([8], [])\n"
    _, findings = migrate(text)
    assert any("`tensorflow.estimator.DNNClassifier` has different meanings" in finding.message for finding in findings)


SCALE = "import tensorflow as tf\n\n\ndef scale(x):\n    return {value}\n"
SAME = [
    "tf.io.parse_single_example(x, {})",
    "tf.nn.dropout(x, rate=0.1)",
    "tf.squeeze(tf.reduce_sum(x, 1, True), axis=0)",
    "tf.nn.conv2d(x, x, [1, 1, 1, 1], 'SAME')",
]
USER_ON_2 = "import tensorflow as tf\nimport net\n\nnet.scale(tf.Variable(1.0))\n"


SCALED = """\
import net
import tensorflow as tf


def model_fn(features, labels, mode):
    tf.logging.info(1)
    return tf.estimator.EstimatorSpec(mode, loss=net.scale(features["x"]))
"""


@pytest.mark.parametrize("value", SAME)
def test_a_call_that_means_the_same_in_both_keeps_no_program_from_being_migrated(tmp_path, value):
    put(tmp_path, {"main.py": main(), "modeling.py": SCALED, "net.py": SCALE.format(value=value), "on_2.py": USER_ON_2})
    outcome = outcome_of(tmp_path)
    assert reasons(outcome) == []
    assert not any(change.path.endswith("net.py") for change in outcome.changes)


def test_layers_of_keras_in_a_file_of_a_program_for_tensorflow_1_are_its(tmp_path):
    text = SCALE.format(value="tf.keras.layers.LSTM(3)(x)")
    outcome = outcome_of(put(tmp_path, {"main.py": main(), "modeling.py": SCALED, "net.py": text}))
    assert reasons(outcome) == []
    assert new_text(outcome, tmp_path / "net.py") == text.replace("import tensorflow as tf\n", V1)


def test_a_file_that_needs_tensorflow_2_keeps_its_meaning_beside_one_that_needs_1(tmp_path):
    text = ON_2.format(unused="return key", value="tf.nn.dropout(features, 0.1)")
    text = text.replace(
        "import tensorflow as tf\n", "import tensorflow as tf\nimport net\n\nnet.scale(tf.data.AUTOTUNE)\n", 1
    )
    put(tmp_path, {"main.py": text, "net.py": SCALE.format(value="tf.nn.dropout(tf.to_float(x), 0.9)")})
    outcome = outcome_of(tmp_path)
    assert reasons(outcome) == []
    assert "tf.nn.dropout(features, 0.1)" in new_text(outcome, tmp_path / "main.py")
    assert new_text(outcome, tmp_path / "main.py").startswith("import tensorflow as tf\n")
    assert new_text(outcome, tmp_path / "net.py").startswith(V1)


MODEL = ON_2.format(unused="return key", value="tf.nn.dropout(features, 0.1)").partition("\nestimator = ")[0]
LOOK = """\
import tensorflow as tf
import model

tf.estimator.Estimator(model.model_fn, "d").train(lambda: None, max_steps=3)
"""
TASK = LOOK + "tf.logging.info('trained')\n"


def test_a_program_is_what_it_is_by_itself_beside_one_that_runs_on_both(tmp_path):
    found = []
    for name, other in {"alone": {}, "beside": {"look.py": LOOK}}.items():
        put(tmp_path / name, {"model.py": MODEL, "task.py": TASK, **other})
        outcome = outcome_of(tmp_path / name)
        assert reasons(outcome) == []
        found.append([new_text(outcome, tmp_path / name / one) for one in ("model.py", "task.py")])
    assert found[0] == found[1]
    assert found[0][0].startswith(V1)


GUARDED = [
    "try:\n        return tf.reduce_sum(key, keep_dims=True)\n    except TypeError:\n        return tf.reduce_sum(key)",
    'if tf.__version__ >= "2.0.0":\n        return key\n    return tf.to_int32(key)',
]


@pytest.mark.parametrize("unused", GUARDED)
def test_code_for_each_tensorflow_tells_nothing(unused):
    text = ON_2.format(unused=unused, value="tf.nn.dropout(unused(features), 0.1)")
    after, findings = migrate(text)
    assert unused in after
    assert after.startswith("import tensorflow as tf\n")
    assert all(finding.rewritten for finding in findings)
