"""A program whose flow is hidden is migrated by its names alone: they change, and the calls stay."""

import ast
from pathlib import Path

import pytest

from tests.cases import each
from tests.codemod.trees import outcome_of, put, whole
from tests.fuzz.seeds import BERT

HEAD = """\
import tensorflow as tf


def model_fn(features, labels, mode):
    return tf.estimator.EstimatorSpec(mode, loss=tf.reduce_sum(labels))


def input_fn():
    return tf.data.Dataset.from_tensors((0, 1)).repeat()


"""
FLOWS = {
    "config by branches": """\
def main(flag):
    if flag:
        config = tf.estimator.RunConfig("/tmp/m", save_checkpoints_steps=5)
    else:
        config = tf.estimator.RunConfig("/tmp/m", save_checkpoints_secs=60)
    est = tf.estimator.Estimator(model_fn, config=config)
    est.train(input_fn, max_steps=10)
""",
    "kept in a list": """\
def main():
    ests = [tf.estimator.Estimator(model_fn, model_dir="/tmp/m")]
    ests[0].train(input_fn, max_steps=10)
""",
    "estimators in a dictionary, chosen by name": """\
MAKERS = {"plain": tf.estimator.Estimator, "tpu": tf.estimator.tpu.TPUEstimator}


def main(name, **settings):
    est = MAKERS[name](model_fn, **settings)
    est.train(input_fn, max_steps=10)
""",
    "a class that derives from Estimator": """\
class Own(tf.estimator.Estimator):
    def __init__(self, folder):
        super().__init__(model_fn, model_dir=folder)


def main():
    Own("/tmp/m").train(input_fn, max_steps=10)
""",
    "settings in a dictionary, exporters in a list, a type in a log line": """\
def main(settings, serving):
    exporters = [tf.estimator.BestExporter("best", serving), tf.estimator.LatestExporter("latest", serving)]
    est = tf.estimator.Estimator(model_fn, config=tf.estimator.RunConfig(**settings))
    print(type(est), isinstance(est, tf.estimator.Estimator))
    spec = tf.estimator.EvalSpec(input_fn, exporters=exporters)
    tf.estimator.train_and_evaluate(est, tf.estimator.TrainSpec(input_fn, 9), spec)
""",
    "a strategy that a function chooses": """\
def chosen(flag):
    if flag:
        return tf.distribute.MirroredStrategy()
    return tf.distribute.OneDeviceStrategy("/cpu:0")


def main(flag):
    config = tf.estimator.RunConfig("/tmp/m", train_distribute=chosen(flag))
    est = tf.estimator.Estimator(model_fn, config=config)
    est.train(input_fn, max_steps=10)
""",
    "the module by another name": """\
def main(est):
    e = tf.estimator
    made = est or e.Estimator(model_fn, config=e.RunConfig("/tmp/m"))
    made.train(input_fn, max_steps=10)
""",
    "a model_fn that a function chooses": """\
def build(flag):
    def other(features, labels, mode):
        return model_fn(features, labels, mode)

    if flag:
        return other
    return lambda features, labels, mode: model_fn(features, labels, mode)


def main(flag):
    est = tf.estimator.Estimator(build(flag), model_dir="/tmp/m")
    est.train(input_fn, max_steps=10)
""",
}


def migrated(path, text, **settings):
    path.write_text(text)
    outcome = outcome_of(path.parent, **settings)
    after = [change.after for change in outcome.changes if change.path == str(path)]
    return (after or [""])[0], outcome.findings


def rewritten(directory, text, **settings):
    """The new text of a program that is migrated whole."""
    after, findings = migrated(directory / "program.py", text, **settings)
    assert all(finding.rewritten for finding in findings), findings
    return after


TPU_FLOW = """\
class Runner:
    def __init__(self, est):
        self.est = est

    def fit(self):
        self.est.train(input_fn, max_steps=10)


def main(flag):
    config = tf.estimator.tpu.RunConfig(model_dir="/tmp/m")
    Runner(tf.estimator.tpu.TPUEstimator(model_fn, config=config, use_tpu=flag, train_batch_size=8)).fit()
"""


@pytest.mark.parametrize("flow", [*FLOWS.values(), TPU_FLOW], ids=[*FLOWS, "a TPUEstimator as an attribute"])
def test_a_program_is_migrated_whole_however_its_objects_flow_and_only_lines_that_name_the_api_change(tmp_path, flow):
    text = HEAD + flow
    after = rewritten(tmp_path, text)
    assert not {node.attr for node in ast.walk(ast.parse(after)) if isinstance(node, ast.Attribute)} & {"estimator"}
    lines = after.splitlines()
    changed = [line for line in text.splitlines() if line not in lines]
    assert all("estimator" in line or "e." in line for line in changed)


def test_a_program_in_the_manner_of_bert_is_migrated_whole_with_a_resolver_that_something_else_reads(tmp_path):
    after = rewritten(tmp_path, BERT)
    assert "contrib" not in after
    assert "import tensorflow.compat.v1 as tf\n" in after
    mark = "    is_per_host = "
    text = BERT.replace("tf.contrib.tpu.TPUEst", "tf.contrib.tpu.python.tpu.tpu_estimator.TPUEst")
    after = rewritten(tmp_path, text.replace(mark, f"    print(tpu_cluster_resolver)\n{mark}"))
    assert "estimator = TPUEstimator(" in after
    assert "tpu_cluster_resolver = tf.distribute.cluster_resolver.TPUClusterResolver(" in after


def test_each_finding_says_that_the_program_is_in_object_form(tmp_path):
    _, findings = migrated(tmp_path / "program.py", HEAD + FLOWS["config by branches"])
    messages = [finding.message for finding in findings if finding.code == "FT151"]
    assert "becomes Estimator, an object with the Estimator's methods; the calls stay" in messages
    stay = [finding.message for finding in findings if finding.code == "FT152"]
    assert stay
    assert all(message.startswith("kept as RunConfig") for message in stay)


def test_a_file_with_an_estimator_of_its_own_gives_its_model_fn_to_another_program(tmp_path):
    own = "def evaluate():\n    estimator = tf.estimator.Estimator(model_fn, 'd')\n    estimator.evaluate(input_fn)\n"
    train = "import tensorflow as tf\n\nfrom model import *\n\nmakers = [tf.estimator.Estimator]\n"
    train += "makers[0](model_fn, 'd').train(input_fn, max_steps=3)\n"
    outcome = whole(put(tmp_path, {"model.py": HEAD + own, "train.py": train}))
    written = {Path(change.path).name: change.after for change in outcome.changes}
    assert "estimator = Estimator(model_fn, 'd')" in written["model.py"]
    assert "makers = [Estimator]" in written["train.py"]


def test_a_variable_that_holds_a_name_of_the_estimator_stays_in_its_place(tmp_path):
    per_host = "tf.estimator.tpu.InputPipelineConfig.PER_HOST_V2"
    text = TPU_FLOW.replace(
        '    config = tf.estimator.tpu.RunConfig(model_dir="/tmp/m")\n',
        f"    per_host = {per_host}\n    parts = tf.estimator.tpu.TPUConfig(5, per_host_input_for_training=per_host)\n"
        '    config = tf.estimator.tpu.RunConfig(model_dir="/tmp/m", tpu_config=parts)\n',
    )
    after, _ = migrated(tmp_path / "program.py", HEAD + text)
    assert "    per_host = InputPipelineConfig.PER_HOST_V2\n" in after
    assert "TPUConfig(5, per_host_input_for_training=per_host)\n" in after


@each("flow", "line", "is_written")(
    ("kept in a list", "", False),
    ("kept in a list", "    print(os.environ.get('TF_CONFIG'))\n", True),
    ("kept in a list", "    tf.estimator.train_and_evaluate(estimators[0], train_spec, eval_spec)\n", True),
    ("a strategy that a function chooses", "", True),
)
def test_what_trains_in_a_cluster_is_written_where_a_program_may_be_started_in_one(tmp_path, flow, line, is_written):
    text = HEAD.replace("import tensorflow as tf\n", "import os\n\nimport tensorflow as tf\n", 1)
    (tmp_path / "program.py").write_text(text + FLOWS[flow] + line)
    outcome = outcome_of(tmp_path / "program.py")
    assert any(change.path.endswith("cluster.py") for change in outcome.changes) == is_written


def test_what_exports_is_written_beside_a_program_that_exports_with_a_receiver_of_anybody(tmp_path):
    for name, more in (("trains", ""), ("exports", "    estimators[0].export_saved_model('out', receiver_fn)\n")):
        (tmp_path / f"{name}.py").write_text(
            HEAD + "from receivers import receiver_fn\n" + FLOWS["kept in a list"] + more
        )
        outcome = outcome_of(tmp_path / f"{name}.py")
        assert any(change.path.endswith("/export.py") for change in outcome.changes) == (name == "exports")


EITHER = """\
def main(flag):
    config = tf.estimator.tpu.RunConfig(model_dir="/tmp/m")
    if flag:
        est = tf.estimator.tpu.TPUEstimator(model_fn, config=config, use_tpu={use_tpu}, train_batch_size=8)
    else:
        est = tf.estimator.Estimator(model_fn, config=config)
    est.train(input_fn, max_steps=10)
"""


@pytest.mark.parametrize("use_tpu", ["flag", "True", "False"])
def test_both_arms_of_a_choice_between_a_tpu_and_another_machine_are_migrated(tmp_path, use_tpu):
    after = rewritten(tmp_path, HEAD + EITHER.format(use_tpu=use_tpu))
    assert f"est = TPUEstimator(model_fn, config=config, use_tpu={use_tpu}, train_batch_size=8)" in after
    assert "est = Estimator(model_fn, config=config)" in after


@pytest.mark.parametrize("use_tpu", ["flag", "True"])
def test_a_program_that_may_run_on_a_tpu_is_left_if_that_is_asked_for(tmp_path, use_tpu):
    after, findings = migrated(tmp_path / "program.py", HEAD + EITHER.format(use_tpu=use_tpu), tpu="leave")
    assert after == ""
    assert any(finding.message.startswith("it may run on a TPU, and --tpu leave") for finding in findings)


def test_a_tpu_estimator_that_always_runs_on_tpus_is_left_however_it_flows(tmp_path):
    text = TPU_FLOW.replace("use_tpu=flag", "use_tpu=True")
    after, findings = migrated(tmp_path / "program.py", HEAD + text)
    assert after == ""
    assert any(finding.message.startswith("use_tpu is true, so the program runs on a TPU") for finding in findings)


FIT = """\
def fit(chosen):
    est = tf.estimator.Estimator(chosen, model_dir="/tmp/m")
    est.train(input_fn, max_steps=10)


"""


@pytest.mark.parametrize("calls", ["", "fit(model_fn)\nfit(print)\n"])
def test_a_model_fn_that_a_caller_hides_is_called_as_the_program_runs(tmp_path, calls):
    after = rewritten(tmp_path, HEAD + FIT + calls)
    assert 'est = Estimator(chosen, model_dir="/tmp/m")' in after


GUARDED = """\
try:
    from tensorflow.contrib.framework import nest
except ImportError:
    from tensorflow import nest


"""


def test_a_name_of_contrib_that_the_program_does_without_leaves_nothing(tmp_path):
    text = HEAD.replace("\n\ndef model_fn", "\n" + GUARDED + "def model_fn", 1) + FLOWS["kept in a list"]
    text += "    print(nest.flatten(ests))\n"
    after = rewritten(tmp_path, text)
    assert GUARDED.strip() in after
    assert "print(nest.flatten(ests))" in after


V1_HEAD = HEAD.replace(
    "import tensorflow as tf", "import tensorflow as tf\nfrom tensorflow import feature_column as fc"
)


def test_a_module_of_tensorflow_1_that_is_imported_by_itself_keeps_its_meaning(tmp_path):
    text = V1_HEAD + FLOWS["kept in a list"] + "    tf.logging.info(fc.input_layer)\n"
    after = rewritten(tmp_path, text)
    assert "from tensorflow.compat.v1 import feature_column as fc\n" in after
    assert "import tensorflow.compat.v1 as tf\n" in after


READ = """\
def read(path):
    values = tf.data.TextLineDataset(path).make_one_shot_iterator().get_next()
    found = []
    with tf.Session() as session:
        found.append(session.run(values))
    return found


def main(path):
    ests = [tf.estimator.Estimator(model_fn, model_dir="/tmp/m")]
    ests[0].train(lambda: read(path), max_steps=10)
    print(read(path))
"""


def test_a_function_that_makes_its_own_session_gets_a_graph_of_its_own(tmp_path):
    after = rewritten(tmp_path, HEAD + READ)
    assert "@in_own_graph\ndef read(path):\n" in after


@pytest.mark.parametrize("start", ["tf.app.run()", "tf.app.run(main)", "tf.app.run(main=main)", "app.run(main)"])
def test_a_main_that_the_app_runs_beside_the_estimators_gets_a_graph_of_its_own(start, tmp_path):
    (tmp_path / "model.py").write_text(HEAD + "ests = [tf.estimator.Estimator(model_fn)]\n")
    main = READ.partition("\n\n\ndef main")[0].replace("read(path)", "main(path)")
    text = f"import tensorflow as tf\nfrom absl import app\nimport model\n\nprint(model.model_fn)\n\n\n{main}\n"
    text += f'\n\nif __name__ == "__main__":\n    {start}\n'
    after, findings = migrated(tmp_path / "cache.py", text)
    assert all(finding.rewritten for finding in findings), findings
    assert "@in_own_graph\ndef main(path):\n" in after


@each("call")("tf.feature_column.shared_embedding_columns(columns, 2)", "tf.train.slice_input_producer([columns])")
def test_what_tensorflow_makes_in_no_eager_mode_keeps_the_file_in_graph_mode(call, tmp_path):
    text = f"{HEAD}def main(columns):\n    made = {call}\n    return tf.estimator.Estimator(model_fn, params=made)\n"
    after, findings = migrated(tmp_path / "program.py", text)
    assert all(finding.rewritten for finding in findings), findings
    assert "\ntf.disable_eager_execution()\n" in after


TEST_CASE = """\
import model
import tensorflow as tf


class ModelTest(tf.test.TestCase):
    def test_loss(self):
        with self.{session}() as session:
            session.run(model.model_fn(tf.to_float(1), tf.to_float(2), tf.estimator.ModeKeys.EVAL).loss)
"""


@pytest.mark.parametrize("session", ["test_session", "cached_session"])
def test_a_test_case_that_asks_itself_for_a_session_stays_in_graph_mode(session, tmp_path):
    (tmp_path / "model.py").write_text(HEAD + "ests = [tf.estimator.Estimator(model_fn)]\n")
    after, findings = migrated(tmp_path / "model_test.py", TEST_CASE.format(session=session))
    assert all(finding.rewritten for finding in findings), findings
    assert "\ntf.disable_eager_execution()\n" in after


GIVEN_AWAY = READ.replace("    return found", "    return found, session")


def test_a_file_that_gets_tensorflow_by_a_star_import_stays_in_graph_mode_too(tmp_path):
    (tmp_path / "names.py").write_text("import tensorflow as tf\n")
    head = HEAD.replace("import tensorflow as tf\n", "from names import *\n")
    after = rewritten(tmp_path, head + GIVEN_AWAY)
    assert "import tensorflow.compat.v1 as tf\n" in after and "in_own_graph" not in after and "Estimator(" in after
    assert "\ntf.disable_eager_execution()\n" in after


def test_a_call_that_turns_eager_mode_off_is_what_keeps_graph_mode(tmp_path):
    head = HEAD.replace("import tensorflow as tf\n", "import tensorflow.compat.v1 as tf\n\ntf.disable_v2_behavior()\n")
    after = rewritten(tmp_path, head + GIVEN_AWAY)
    assert after.count("\ntf.disable_eager_execution()\n") == 1 and "disable_v2_behavior" not in after


def test_a_session_of_a_program_in_eager_mode_stays_as_it_is(tmp_path):
    head = HEAD.replace("import tensorflow as tf\n", "import tensorflow.compat.v1 as tf\n\ntf.enable_v2_behavior()\n")
    assert "disable_eager_execution" not in rewritten(tmp_path, head + GIVEN_AWAY)


def test_what_only_a_file_started_by_itself_does_leaves_no_program_that_imports_it(tmp_path):
    demo = '\n\nif __name__ == "__main__":\n    with tf.Session() as session:\n        session.run(model_fn(1, 2, 3))\n'
    (tmp_path / "model.py").write_text(HEAD + demo)
    text = "import tensorflow as tf\nimport model\n\nests = [tf.estimator.Estimator(model.model_fn)]\n"
    after = rewritten(tmp_path, text)
    assert "ests = [Estimator(model.model_fn)]" in after


PLACED = """\
def main(est):
    x = tf.placeholder(tf.float32, [None, 3])
    serving = tf.estimator.export.build_raw_serving_input_receiver_fn({"x": x})
    made = est or tf.estimator.Estimator(model_fn, model_dir="/tmp/m")
    made.export_saved_model("/tmp/e", serving)
"""


def test_a_placeholder_in_a_variable_that_only_says_what_requests_feed_becomes_a_spec(tmp_path):
    after = rewritten(tmp_path, HEAD + PLACED)
    assert "    x = tf.TensorSpec(shape=[None, 3], dtype=tf.float32)\n" in after


LIBRARIES = {
    "tensorflow_model_analysis as tfma": "tfma.export.export_eval_savedmodel(ests[0])",
    "adanet": "adanet.Estimator(ests[0])",
    "tfx": "tfx.components.Trainer(ests[0])",
}


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_library_that_takes_an_estimator_leaves_the_program_and_is_named(tmp_path, library):
    text = f"import {library}\n{HEAD}" + FLOWS["kept in a list"] + f"    {LIBRARIES[library]}\n"
    after, findings = migrated(tmp_path / "program.py", text)
    assert after == ""
    [reason] = [finding for finding in findings if finding.is_own_reason]
    assert "which works with TensorFlow's own Estimator" in reason.message


def test_a_program_that_is_left_names_what_the_object_form_has_for_each_name_of_contrib(tmp_path):
    own = "    opt = tf.contrib.estimator.clip_gradients_by_norm(None, 5.0)\n    e = tf.contrib.tpu.RunConfig()\n"
    own += "    h = tf.contrib.training.HParams()\n    import adanet\n    adanet.Estimator(ests[0])\n"
    after, findings = migrated(tmp_path / "program.py", HEAD + FLOWS["kept in a list"] + own)
    assert after == ""
    told = {one.symbol.rpartition(".")[2]: one.help for one in findings if ".contrib." in one.symbol and one.help}
    assert told == {
        "clip_gradients_by_norm": "Its successor is the generated clip_gradients_by_norm.",
        "RunConfig": "Its successor is the generated TPURunConfig.",
        "HParams": "Its successor is the generated HParams.",
    }


@pytest.mark.parametrize("made", ["tf.estimator.Estimator(model_fn)", "tf.estimator.DNNRegressor([4], [])"])
def test_an_object_goes_on_in_its_input_where_that_is_asked_for(tmp_path, made):
    after = rewritten(tmp_path, f"{HEAD}ests = [{made}]\n", input="continue")
    assert after.count('\n\nEstimator.input = "continue"\n\n\ndef ') == 1
    assert "import DNNRegressorV2, Estimator" in after or "import Estimator" in after


def test_a_config_of_another_file_becomes_the_emitted_one_there(tmp_path):
    config = 'import tensorflow as tf\n\nCONFIG = tf.estimator.RunConfig("/tmp/m", save_summary_steps=5)\n'
    text = f"import settings\n{HEAD}tf.estimator.Estimator(model_fn, config=settings.CONFIG).train(input_fn)\n"
    outcome = whole(put(tmp_path, {"settings.py": config, "program.py": text}))
    texts = {Path(change.path).name: change.after for change in outcome.changes}
    assert 'CONFIG = RunConfig("/tmp/m", save_summary_steps=5)' in texts["settings.py"]
    assert "Estimator(model_fn, config=settings.CONFIG)" in texts["program.py"]


@each("text", "symbol")(
    ("import tensorflow.compat.v2 as tf\n\ntf.compat.v1.estimator.Estimator(use)\n", ".v1.estimator.Estimator"),
    ("from tensorflow.contrib.factorization import KMeansClustering\n\nKMeansClustering(3)\n", "KMeansClustering"),
)
def test_an_estimator_is_found_under_each_of_its_names(tmp_path, text, symbol):
    _, findings = migrated(tmp_path / "program.py", text)
    assert symbol in findings[0].symbol


@each("text", "after")(
    ("tf.contrib.learn.datasets.load_dataset('mnist')", "load_dataset('mnist')"),
    ("tf.contrib.learn.datasets.mnist.read_data_sets('/tmp')", "read_data_sets('/tmp')"),
    ("tf.contrib.learn.datasets.load_dataset('iris')", None),
    ("tf.contrib.learn.datasets.load_dataset", None),
)
def test_mnist_of_contrib_is_read_by_a_generated_function_and_no_other_dataset(tmp_path, text, after):
    program = HEAD + f"data = {text}\nfor est in [tf.estimator.Estimator(model_fn)]:\n    est.train(input_fn)\n"
    changed, _ = migrated(tmp_path / "program.py", program)
    assert (f"\ndata = {after}\n" in changed) is (after is not None)
    assert after is not None or "program.py" not in changed


def test_a_keras_model_in_a_dictionary_becomes_an_object_over_it(tmp_path):
    flow = "both = {'k': tf.keras.estimator.model_to_estimator(build()), 'e': tf.estimator.Estimator(model_fn)}\n"
    after = rewritten(tmp_path, HEAD + flow)
    assert "both = {'k': model_to_estimator(build()), 'e': Estimator(model_fn)}" in after


LISTED = HEAD + FLOWS["kept in a list"]
NET = """\
import tensorflow as tf


def make(config):
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    model.compile("adam", "mse")
    return tf.keras.estimator.model_to_estimator(model, config=config)
"""
ALIASES = """\
from tensorflow.contrib.training.python.training import evaluation
from tensorflow.contrib.tpu.python.tpu import bfloat16
from tensorflow.contrib.tpu.python.ops import tpu_ops


def watch(folder):
    for path in evaluation.checkpoints_iterator(folder):
        with bfloat16.bfloat16_scope():
            print(tpu_ops.cross_replica_sum(path))
"""
HEADED = """\
def headed(features, labels, mode):
    head = tf.contrib.estimator.binary_classification_head()
    logits = tf.layers.dense(features, 1)
    return head.create_estimator_spec(features, mode, logits, labels, tf.train.AdamOptimizer())


ests = [tf.estimator.Estimator(headed)]
"""
BLOCKERS = {
    "a Keras estimator that another file makes of a config from here": {
        "net.py": NET,
        "program.py": "import tensorflow as tf\n\nimport net\n\nest = net.make(tf.estimator.RunConfig('/tmp/m'))\n",
    },
    "a module that is not there": {"pkg/__init__.py": "", "program.py": "from pkg import gone\n" + LISTED},
    "packages that know TensorFlow 1 alone": {"program.py": "import bert_serving\nimport sonnet\n" + LISTED},
    "contrib by the paths of its private modules": {"program.py": LISTED + "\n\n" + ALIASES},
    "a head of contrib in a model_fn": {"program.py": HEAD + HEADED},
}
"""What left programs of application code, and is no reason to leave one."""


@pytest.mark.parametrize("blocker", BLOCKERS)
def test_what_is_no_obstacle_leaves_no_program(tmp_path, blocker):
    outcome = whole(put(tmp_path, BLOCKERS[blocker]))
    texts = [change.after for change in outcome.changes if "tf2_recovery" not in change.path]
    assert texts
    assert not any("tf.estimator" in text or "keras.estimator" in text for text in texts)


@pytest.mark.parametrize("spelled", ["tf.train.AdamOptimizer(0.1)", "tf.compat.v1.train.AdamOptimizer(0.1)"])
@pytest.mark.parametrize("made", ["model.compile({}, 'mse')", "o = {}\n    model.compile(loss='mse', optimizer=o)"])
def test_a_keras_model_of_another_file_is_compiled_with_the_optimizer_of_keras(tmp_path, spelled, made):
    (tmp_path / "net.py").write_text(NET.replace('model.compile("adam", "mse")', made.format(spelled)))
    outcome = whole(put(tmp_path, {"program.py": BLOCKERS[next(iter(BLOCKERS))]["program.py"]}))
    [net] = [change.after for change in outcome.changes if Path(change.path).name == "net.py"]
    assert "keras.optimizers.Adam(0.1, epsilon=1e-08)" in net


@each("name")("TPUStrategy", "experimental.ParameterServerStrategy", "experimental.CentralStorageStrategy")
def test_a_strategy_that_the_object_would_reject_when_it_starts_skips_the_program(name, here):
    made = f"    strategy = tf.distribute.{name}()\n    config = tf.estimator.RunConfig(train_distribute=strategy)\n"
    trained = "    tf.estimator.Estimator(model_fn, model_dir, config).train(input_fn)\n"
    (here / "job.py").write_text(f"{HEAD}def main(model_dir):\n{made}{trained}")
    outcome = outcome_of("job.py")
    assert outcome.changes == []
    assert f"{name.rpartition('.')[2]} is not supported" in {finding.message for finding in outcome.findings}
