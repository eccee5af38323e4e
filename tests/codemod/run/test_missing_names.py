"""A program is rewritten only where the TensorFlow that it will run on has every name that it keeps."""

from pathlib import Path

import pytest

from tests.cases import cases, each
from tests.codemod.programs import migrate
from tests.codemod.trees import outcome_of, put

BODY = """\
def model_fn(features, labels, mode):
    loss = tf.reduce_mean(tf.get_variable("w", []) * features)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=tf.train.GradientDescentOptimizer(0.1).minimize(loss))


def input_fn():
    return tf.data.Dataset.from_tensors([1.0]).repeat()


estimator = tf.estimator.Estimator(model_fn, "d")
estimator.train(input_fn, max_steps=3{hooks})
"""


def program(head, hooks="", tensorflow="tensorflow"):
    return f"import {tensorflow} as tf\n{head}\n\n\n{BODY.format(hooks=hooks)}"


def left(text, **settings):
    after, findings = migrate(text, **settings)
    assert (after == text) == any(finding.fidelity.value == "manual" for finding in findings)
    return [f"{finding.span.line}: {finding.message} {finding.help}" for finding in findings if finding.is_own_reason]


EXAMPLES = "from tensorflow.examples.tutorials.mnist import input_data"


@each("head", "reason")(
    (f"{EXAMPLES}\nprint(input_data)", "2: `tensorflow.examples.tutorials.mnist.input_data` does not exist in Tensor"),
    (f"{EXAMPLES}\nprint(input_data)", "tf.keras.datasets.mnist"),
    ("print(tf.lite.experimental.nn)", "v1.lite.experimental.nn` does not exist in TensorFlow 2.15 and 2.21"),
    ("print(tf.nn.rnn_cell._linear)", "`tensorflow.compat.v1.nn.rnn_cell._linear` does not exist in TensorFlow 2.15"),
    (
        "from tensorflow.python import state_ops\nprint(state_ops.assign)",
        "2: `tensorflow.python.state_ops` does not exist in TensorFlow 2.15 and 2.21",
    ),
    (
        "from tensorflow.tools.graph_transforms import TransformGraph\nprint(TransformGraph)",
        "`tensorflow.tools.graph_transforms.TransformGraph` does not exist in TensorFlow 2.15 and 2.21",
    ),
    (
        "try:\n    from tensorflow.contrib import gan\nexcept ImportError:\n    gan = None\nprint(gan.gan_model)",
        "tensorflow.contrib.gan.gan_model` exists in no TensorFlow 2",
    ),
)
def test_a_name_that_no_tensorflow_2_has_leaves_the_program_with_the_reason_and_advice(head, reason):
    assert [reason in told for told in left(program(head))] == [True]


def test_an_import_of_tensorflows_examples_that_nothing_uses_goes():
    after, _ = migrate(program("from tensorflow.examples.tutorials.mnist import input_data"))
    assert "tensorflow.examples" not in after
    assert "tf.estimator" not in after


@each("imports", "stay")(
    ("import tensorflow.estimator.experimental\nimport tensorflow.compat.v1.logging", "import tensorflow.compat.v1"),
    ("import tensorflow.estimator.experimental", "import tensorflow\n"),
    ("import os, tensorflow.estimator", "import os, tensorflow\n"),
)
def test_an_import_of_the_estimator_leaves_the_name_of_its_package(imports, stay):
    after, _ = migrate(program(f"{imports}\nprint(tensorflow.nn.relu)"))
    assert "tensorflow.estimator" not in after
    assert stay in after
    assert "print(tensorflow.nn.relu)" in after


def test_an_import_of_the_estimator_that_is_tried_stays():
    tried = "try:\n    import tensorflow.estimator\n    HAS_IT = True\nexcept ImportError:\n    HAS_IT = False\n"
    after, _ = migrate(program(f"import tensorflow.nn\n{tried}print(tensorflow.nn.relu)"))
    assert tried in after


@pytest.mark.parametrize(("target", "is_left"), [("portable", True), ("keras3", True), ("keras2", False)])
def test_a_private_name_of_the_estimator_leaves_a_program_for_another_tensorflow_than_2_15(target, is_left):
    reasons = left(
        program("from tensorflow.python.estimator.canned import metric_keys\nprint(metric_keys)"), target=target
    )
    missing = "`tensorflow.python.estimator.canned.metric_keys` does not exist in TensorFlow 2.21"
    assert [missing in reason for reason in reasons] == [True] * is_left


test_what_is_guarded_unused_always_wrong_or_there_is_no_reason = cases(lambda head: left(program(head)), [])(
    "try:\n    from tensorflow.contrib import slim\nexcept ImportError:\n    slim = None",
    "try:\n    from tensorflow.python.util.nest import is_sequence as f\nexcept ImportError:\n    f = 0\nprint(f)",
    "Hook = tf.estimator.SessionRunHook if hasattr(tf, 'estimator') else tf.train.SessionRunHook",
    "if tf.__version__ < '2':\n    print(tf.contrib.slim)",
    "def unused():\n    return tf.lite.experimental.nn",
    "print(tf.no_such_name_in_any_tensorflow)",
    "print(tf.logging.__file__)",
    "from tensorflow.python.framework import ops\nprint(ops.Tensor)",
    "from tensorflow.python.client import device_lib\nprint(device_lib.list_local_devices())",
)


@each("lacking")("rnn = None", "raise ImportError('Use TensorFlow 1.')", "pass", "print('no contrib')")
def test_what_an_import_under_try_gives_is_written_where_the_program_has_nothing_in_its_place(lacking):
    head = f"try:\n    from tensorflow.contrib import rnn\nexcept ImportError:\n    {lacking}\nprint(rnn.LSTMCell)"
    after, findings = migrate(program(head))
    assert "print(tf.nn.rnn_cell.LSTMCell)" in after
    assert all(finding.rewritten for finding in findings)
    assert ("from tensorflow.contrib" in after) <= (lacking == "rnn = None")


@each("imported")(
    "import tensorflow_estimator as tfe",
    "if tf.__version__ >= '1.13.0':\n    import tensorflow_estimator as tfe\nelse:\n    tfe = tf",
    "try:\n    import tensorflow_estimator as tfe\nexcept ImportError:\n    tfe = tf",
    "tfe = tf\nif hasattr(tf, 'compat'):\n    import tensorflow_estimator as tfe",
)
def test_the_package_of_the_estimators_goes_also_where_tensorflow_takes_its_place(imported):
    use = "\nif str(tfe.estimator.ModeKeys.TRAIN):\n    print(tfe.estimator.ModeKeys.EVAL)"
    after, findings = migrate(program(imported + use))
    assert all(finding.rewritten for finding in findings), findings
    assert "    print(ModeKeys.EVAL)" in after
    assert "tensorflow_estimator" not in after


@each("condition", "answer")(
    ("tf.__version__ >= '1.4'", True),
    ("tf.VERSION > '1.4.1'", True),
    ("tf.__version__ < '2.0'", False),
    ("'PAI' in tf.__version__", False),
    ("tf.__version__ in known", False),
    ("tf.__version__.startswith('1.')", False),
    ("int(tf.__version__.split('.')[0]) >= 2", True),
    ("tf.__version__[0] == '2' or known[0] == f()", True),
    ("LooseVersion(tf.__version__) < LooseVersion('1.13')", False),
    ("not version.parse('2.0') <= version.parse(tf.__version__)", False),
    ("tf.__version__ >= '2.20'", None),
    ("f() and tf.__version__ >= '1.4'", None),
    ("tf.__version__ == f()", None),
)
def test_a_condition_whose_answer_each_tensorflow_2_gives_guards_the_other_branch_alone(condition, answer):
    head = "from distutils.version import LooseVersion\nfrom packaging import version\n\nknown = ['1.4']\n"
    head += f"if {condition}:\n    "
    guarded = head + "print(tf.contrib.gan.gan_model)\nelse:\n    print(1)"
    assert bool(left(program(guarded))) == (answer is True)
    otherwise = head + "print(1)\nelse:\n    print(tf.contrib.gan.gan_model)"
    assert bool(left(program(otherwise))) == (answer is False)


@each("use")(
    "if gan is not None:\n    print(gan.gan_model)",
    "print(gan and gan.gan_model)",
    "if HAS_GAN:\n    print(gan.gan_model)",
    "def f():\n    if not HAS_GAN:\n        return None\n    return gan.gan_model\n\n\nprint(f())",
)
def test_a_program_that_asks_what_an_import_under_try_gave_does_without_it(use):
    head = "try:\n    from tensorflow.contrib import gan\n    HAS_GAN = True\n"
    head += "except ImportError:\n    gan = None\n    HAS_GAN = False\n"
    assert left(program(head + use)) == []


def test_a_file_of_the_program_that_names_moved_names_alone_changes_with_it(tmp_path):
    cells = "from tensorflow.python.ops import control_flow_ops\nfrom tensorflow.python.util import nest\n\n\n"
    cells += "def run(x):\n    return control_flow_ops.while_loop(nest.is_sequence, print, [x])\n"
    losses = "from tensorflow.contrib.layers.python.layers import layers\n\nWEIGHT = 3\n"
    train = program("import cells\nimport losses\ncells.run(losses.WEIGHT)")
    outcome = outcome_of(put(tmp_path, {"cells.py": cells, "losses.py": losses, "train.py": train}))
    written = {Path(change.path).name: change.after for change in outcome.changes}
    assert "tf.compat.v1.while_loop(tf.compat.v1.nest.is_nested, print, [x])" in written["cells.py"]
    assert "contrib" not in written["losses.py"]
    assert "estimator = Estimator(" in written["train.py"]


def test_a_file_that_imports_in_vain_beside_what_it_uses_keeps_the_rest(tmp_path):
    imported = "from tensorflow.python.ops.control_flow_ops import while_loop, group"
    (tmp_path / "cells.py").write_text(f"{imported}\n\n\ndef run():\n    return group()\n")
    outcome = outcome_of(put(tmp_path, {"train.py": program("import cells\ncells.run()")}))
    written = {Path(change.path).name: change.after for change in outcome.changes}
    assert written["cells.py"].startswith("from tensorflow.python.ops.control_flow_ops import group\n")
    assert "estimator = Estimator(" in written["train.py"]


OF_CANNED = "from tensorflow.python.estimator.canned import "


@each("imported", "use", "written")(
    # a private import of a mapped name
    ("from tensorflow.python.estimator.model_fn import ModeKeys as M", "print(M.TRAIN)", "print(ModeKeys.TRAIN)"),
    # what only TensorFlow 1 shows in the place of a private package
    ("from tensorflow.python import summary", "print(summary.scalar('x', 1))", "print(tf.summary.scalar('x', 1))"),
    ("from tensorflow.python import layers", "print(layers.dense([[1.0]], 1))", "print(tf.layers.dense([[1.0]], 1))"),
    ("from tensorflow.python import feature_column as f", "f.numeric_column('x')", "tf.feature_column.numeric_column("),
    # a private name whose work is known becomes generated
    (f"{OF_CANNED}prediction_keys", "print(prediction_keys.PredictionKeys.LOGITS)", "print(PredictionKeys.LOGITS)"),
    (f"{OF_CANNED}metric_keys", "print(metric_keys.MetricKeys)", "print(MetricKeys)"),
    ("from tensorflow.python.estimator import util", "util.fn_args(print)", "\nfn_args(print)"),
    (
        "from tensorflow_estimator.python.estimator import estimator as lib",
        "lib._load_global_step_from_checkpoint_dir('m')",
        "\nload_global_step('m')",
    ),
    # TensorFlow's copy of Keras, in code that does not run too
    (
        "from tensorflow.python.keras.utils import Progbar",
        "class Unused:\n    def show(self):\n        return Progbar(3)",
        "return tf.keras.utils.Progbar(3)",
    ),
    (
        "from tensorflow.python.keras import backend as K, layers",
        "(K.mean, layers.Dropout)",
        "(tf.keras.backend.mean, tf.",
    ),
    ("from tensorflow.python.keras.engine.base_layer import Layer", "print(Layer)", "print(tf.keras.layers.Layer)"),
    ("from tensorflow.python.keras.layers.core import Dense", "print(Dense)", "print(tf.keras.layers.Dense)"),
    (
        "from tensorflow.python.ops import control_flow_ops as ops",
        "def unused(x):\n    return ops.cond(x, f, g)",
        "return tf.cond(x, f, g)",
    ),
    # TensorFlow's logger is asked for by the function that gives it
    ("", "tf.logging._logger.setLevel(10)", "tf.get_logger().setLevel(10)"),
)
def test_a_private_name_is_written_by_its_public_one(imported, use, written):
    after, _ = migrate(program(f"{imported}\n\n\n{use}"))
    assert written in after
    assert "tensorflow.python" not in after
    assert "tensorflow_estimator" not in after


def test_an_import_stays_no_longer_than_its_uses_where_a_function_has_an_argument_of_its_name():
    head = "from tensorflow.examples.tutorials.mnist import input_data as mnist"
    use = "def first(mnist):\n    return mnist.train.images[0]\n\n\nprint(first(mnist.read_data_sets('/tmp')))"
    after, findings = migrate(program(f"{head}\n\n\n{use}"))
    assert "first(read_data_sets('/tmp'))" in after and "tensorflow.examples" not in after
    assert all(finding.fidelity.value != "manual" for finding in findings)


def test_keras_by_the_path_that_an_editor_completes_becomes_that_of_tensorflow():
    text = program("from tensorflow.python.keras.api._v2 import keras\nprint(keras.layers.Dense(1))")
    after, _ = migrate(text.replace("tf.get_variable", "tf.compat.v1.get_variable"))
    assert "keras.api" not in after
    assert "print(tf.keras.layers.Dense(1))" in after or "print(tf.compat.v2.keras.layers.Dense(1))" in after


TRIED = """\
try:
    {tried}
    print(norm)
except ImportError:
    print(tf.contrib.layers.{name}(x))
"""


def test_what_stands_where_another_package_is_missing_is_written():
    after, _ = migrate(program(TRIED.format(tried="from fused_norm import norm", name="layer_norm")))
    assert "contrib.layers.layer_norm(x)" not in after
    assert left(program(TRIED.format(tried="from fused_norm import norm", name="real_valued_column")))


@pytest.mark.parametrize("tried", ["from tf_slim import norm", "norm = tf.keras.layers.LayerNormalization"])
def test_what_stands_where_a_newer_tensorflow_is_missing_stays(tried):
    text = program(TRIED.format(tried=tried, name="real_valued_column"))
    assert not left(text) and "tf.contrib" in migrate(text)[0]


def test_another_file_of_the_program_counts_where_the_program_runs_its_code(tmp_path):
    data = "from tensorflow.examples.tutorials.mnist import input_data\n\n\ndef load():\n    return input_data\n"
    outcome = outcome_of(put(tmp_path, {"data.py": data, "train.py": program("import data\ndata.load()")}))
    assert outcome.changes == []
    said = [finding.message for finding in outcome.findings]
    assert any("`tensorflow.examples.tutorials.mnist.input_data` does not exist" in message for message in said)


def test_code_of_another_file_that_the_program_does_not_run_is_no_reason(tmp_path):
    (tmp_path / "data.py").write_text("import tensorflow as tf\n\n\ndef old():\n    return tf.lite.experimental.nn\n")
    outcome = outcome_of(put(tmp_path, {"train.py": program("import data\nprint(data)")}))
    assert str(tmp_path / "train.py") in [change.path for change in outcome.changes]


def test_a_name_of_tensorflow_1_that_several_imports_give_is_said_once():
    _, findings = migrate(program("import tensorflow as tf\nprint(tf.logging.INFO)"))
    reasons = [finding for finding in findings if finding.is_own_reason]
    assert "FT198" not in [finding.code for finding in reasons]


def test_what_of_keras_is_private_stays_where_it_is():
    after, _ = migrate(program("from tensorflow.python.keras.engine import training_utils\nprint(training_utils.x)"))
    assert "from tensorflow.python.keras.engine import training_utils" in after


def test_a_file_of_the_program_that_names_tensorflows_copy_of_keras_alone_changes_with_it(tmp_path):
    (tmp_path / "net.py").write_text("from tensorflow.python.keras.layers import Dense\n\nlayer = Dense(3)\n")
    outcome = outcome_of(put(tmp_path, {"task.py": program("import net\nprint(net.layer)")}))
    (after,) = [change.after for change in outcome.changes if change.path.endswith("net.py")]
    assert after == "import tensorflow as tf\n\nlayer = tf.compat.v1.keras.layers.Dense(3)\n"


def test_a_name_that_only_tensorflow_2_has_keeps_the_import_beside_names_of_tensorflow_1():
    after, _ = migrate(program("tf.logging.info(1)\nprint(tf.keras.losses.Reduction.NONE)"))
    assert "import tensorflow as tf\n" in after
    assert "tf.compat.v1.logging.info(1)\nprint(tf.keras.losses.Reduction.NONE)" in after


@each("call", "written")(
    ("tf.summary.scalar('x', data=1.0)", "tf.compat.v2.summary.scalar('x', data=1.0)"),
    ("tf.summary.image('x', y, step=3)", "tf.compat.v2.summary.image('x', y, step=3)"),
    ("tf.summary.scalar('x', tensor=1.0)", "tf.summary.scalar('x', tensor=1.0)"),
    ("tf.summary.scalar('x', 1.0)", "tf.summary.scalar('x', 1.0)"),
)
def test_a_call_with_arguments_of_tensorflow_2_stays_tensorflow_2s_beside_names_of_tensorflow_1(call, written):
    after, _ = migrate(program(f"y = tf.layers.dense\nprint({call})"))
    assert "import tensorflow.compat.v1 as tf" in after
    assert f"print({written})" in after


def test_an_unused_import_that_only_the_older_keras_has_goes():
    after, _ = migrate(program("from tensorflow.keras.estimator import model_to_estimator"))
    assert "model_to_estimator" not in after


@each("call", "written")(
    ("tf.keras.mixed_precision.experimental.set_policy('float32')", "set_global_policy('float32')"),
    ("print(tf.keras.mixed_precision.experimental.Policy('float32'))", "print(tf.keras.mixed_precision.Policy("),
    ("print(tf.keras.mixed_precision.experimental.global_policy())", "print(tf.keras.mixed_precision.global_policy("),
)
def test_policies_of_mixed_precision_have_lost_the_word_experimental(call, written):
    after, findings = migrate(program(f"print(tf.data.AUTOTUNE)\n{call}"))
    assert written in after
    assert "experimental" not in after
    assert all(finding.rewritten for finding in findings)


def test_a_loss_scale_of_mixed_precision_is_left_with_its_successor():
    _, findings = migrate(program("tf.keras.mixed_precision.experimental.LossScaleOptimizer(1, 'dynamic')"))
    assert any("Use tf.keras.mixed_precision.LossScaleOptimizer(optimizer)." in finding.help for finding in findings)


@each("use", "help")(
    ("tf.contrib.nn.alpha_dropout(x, 0.5)", "Use tf.keras.layers.AlphaDropout(1 - keep_prob)(x, training=True)"),
    ("tf.contrib.tfprof.ProfileContext('d')", "Use tf.profiler.experimental.Profile(profile_dir)"),
)
def test_names_of_contrib_are_left_with_their_successors(use, help):
    _, findings = migrate(program(f"x = {use}"))
    assert any(finding.help.startswith(help) for finding in findings)


def test_two_rules_say_the_same_of_contribs_parameter_servers():
    made = (
        "s = tf.contrib.distribute.ParameterServerStrategy()\nc = tf.estimator.RunConfig(train_distribute=s)\nprint(c)"
    )
    _, findings = migrate(program(made))
    told = [finding.help for finding in findings if "ParameterServer" in finding.message]
    assert len(told) == 2
    assert all(help.startswith("Give train_distribute=None") for help in told)


def test_a_file_is_not_rewritten_by_half(tmp_path):
    copy = "from tensorflow.python.ops import array_ops\n\n\ndef used(x):\n    return array_ops.stack(x)\n\n\n"
    copy += "def unused(x):\n    return array_ops.stack(x)\n"
    outcome = outcome_of(put(tmp_path, {"rnn.py": copy, "task.py": program("import rnn\nprint(rnn.used([1]))")}))
    texts = [change.after for change in outcome.changes if change.path.endswith("rnn.py")]
    assert len(texts) == 1
    assert "array_ops" not in texts[0]
    assert all(finding.rewritten for finding in outcome.findings)


@pytest.mark.parametrize("name", ["data.experimental", "contrib.data"])
def test_a_hook_that_saves_the_input_is_told_what_does_the_same(name):
    _, findings = migrate(program(f"print(tf.{name}.CheckpointInputPipelineHook)"))
    helps = [one.help for one in findings if one.is_own_reason]
    assert helps == ["Take it away: `--input continue` does the same. Then migrate again."]
