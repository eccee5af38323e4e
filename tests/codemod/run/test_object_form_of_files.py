"""An estimator made in one file and trained in another: all of its files are migrated together, or none is."""

import ast
from pathlib import Path

import nbformat
import pytest

from migrate.pipeline.run import write
from tests.cases import each
from tests.codemod.changed import is_runtime_file, names
from tests.codemod.trees import outcome_of, put, whole

from .test_object_form import HEAD

MAKE = f"{HEAD}def make(folder):\n    return tf.estimator.Estimator(model_fn, model_dir=folder)\n"
FIT = """\
def fit(est, steps):
    est.train(lambda: None, max_steps=steps)
    print(est.evaluate(lambda: None))
"""
MAIN = f"""\
{HEAD}import fitting


def main():
    est = tf.estimator.Estimator(model_fn, model_dir="/tmp/m")
    {{use}}


main()
"""
USE_MADE = """\
import making

est = making.make("/tmp/m")
est.train(making.input_fn, max_steps=10)
"""
GIVEN = """\
def build(chosen, folder):
    return tf.estimator.Estimator(chosen, folder)
"""
BRINGS = """\
import building
import model

building.build(model.model_fn, "/tmp/m").train(model.input_fn, max_steps=3)
"""
FLOWS = {
    "returned to another file": {"making.py": MAKE, "main.py": USE_MADE},
    "returned through a package": {
        "pkg/__init__.py": "from .making import input_fn, make\n",
        "pkg/making.py": MAKE,
        "main.py": "import pkg\n\npkg.make(1).train(pkg.input_fn, max_steps=3)\n",
    },
    "all names are imported": {
        "making.py": MAKE,
        "main.py": "from making import *\n\nmake(1).train(input_fn, max_steps=3)\n",
    },
    "its maker is handed on": {"making.py": MAKE, "main.py": "import making\n\nprint(making.make)\n"},
    "the function is in no file of the tree": {"main.py": MAIN.format(use="fitting.fit(est)")},
    "another estimator that meets it is left": {
        "main.py": MAIN.format(use="fitting.fit(est, 10)"),
        "fitting.py": FIT,
        "other.py": MAIN.format(use="fitting.fit(est, 10); print(est)"),
    },
    "a model_fn brought together with its estimator by a file that names nothing": {
        "building.py": f"import tensorflow as tf\n\n\n{GIVEN}",
        "model.py": HEAD,
        "main.py": BRINGS,
    },
}


def texts(outcome):
    return {Path(change.path).name: change.after for change in outcome.changes if not is_runtime_file(change)}


@pytest.mark.parametrize("flow", FLOWS)
def test_a_program_is_migrated_whole_over_those_of_its_files_that_name_the_api_once_and_for_all(tmp_path, flow):
    outcome = whole(put(tmp_path, FLOWS[flow]))
    assert {*texts(outcome)} == {Path(name).name for name, text in FLOWS[flow].items() if "tf.estimator" in text}
    for text in texts(outcome).values():
        ast.parse(text)
        assert "tf.estimator" not in text
    assert write(outcome) == []
    again = outcome_of(tmp_path)
    assert (again.findings, again.changes) == ([], [])


def test_a_notebook_may_train_the_estimator_that_a_file_makes(tmp_path):
    put(tmp_path, {"making.py": MAKE})
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(USE_MADE)]), tmp_path / "job.ipynb")
    outcome = whole(tmp_path)
    assert {*names(outcome)} == {"making.py", "tf2_recovery"}


def test_a_file_that_names_the_program_s_classes_and_makes_none_is_migrated_with_it(tmp_path):
    main = "import tensorflow as tf\nimport making\n\nprint(tf.estimator.ModeKeys.TRAIN, making.make(1))\n"
    put(tmp_path, {"making.py": MAKE, "main.py": main})
    assert "print(ModeKeys.TRAIN, making.make(1))" in texts(outcome_of(tmp_path))["main.py"]
    assert outcome_of(tmp_path / "making.py").changes == []


def test_a_file_that_only_trains_need_not_be_given(tmp_path):
    put(tmp_path, FLOWS["returned to another file"])
    assert {*names(outcome_of(tmp_path / "making.py"))} == {"making.py", "tf2_recovery"}


LOADED = """\
import importlib
import sys

import tensorflow as tf

{imported}
train = tf.estimator.TrainSpec(None, max_steps=20)
tf.estimator.train_and_evaluate({model}.build(sys.argv[2]), train, tf.estimator.EvalSpec(None))
"""
MADE = """\
import tensorflow as tf


def model_fn(features, labels, mode):
    return tf.estimator.EstimatorSpec(mode, loss=tf.reduce_sum(labels), train_op=tf.no_op())


def build(directory):
    return tf.estimator.Estimator(model_fn, directory)
"""


@each("imported", "model")(
    ("model = importlib.import_module(sys.argv[1])", "model"), ("import another_name.model as model", "model")
)
@pytest.mark.parametrize("blocked", [False, True])
def test_a_file_that_trains_what_it_is_not_seen_to_import_changes_with_the_files_beside_it(
    tmp_path, imported, model, blocked
):
    made = MADE.replace("tf.reduce_sum(labels)", "tf.contrib.crf.no_such(labels)") if blocked else MADE
    put(tmp_path, {"main.py": LOADED.format(imported=imported, model=model), "model.py": made})
    outcome = outcome_of(tmp_path)
    assert {*names(outcome)} == (set() if blocked else {"main.py", "model.py", "tf2_recovery"})
    assert all(finding.rewritten is not blocked for finding in outcome.findings)


OF_A_PACKAGE = """\
import tensorflow as tf
from chips.estimators import ChipEstimator
from net import layers

est = ChipEstimator(layers.trains, "/tmp/c")
tf.estimator.train_and_evaluate(est, tf.estimator.TrainSpec(layers.trains), tf.estimator.EvalSpec(layers.trains))
"""


@pytest.mark.parametrize(("beside", "is_tied"), [("model", False), ("estimators", True)])
def test_what_trains_an_estimator_of_a_package_that_is_missing_holds_no_file_beside_it_back(tmp_path, beside, is_tied):
    net = "import tensorflow as tf\nlayers = tf.contrib.crf.no_such(tf.estimator.ModeKeys.EVAL)\n"
    job = f"{MADE}\n\nbuild('/tmp/m').train(None, max_steps=3)\n"
    put(tmp_path, {f"{beside}.py": job, "main.py": OF_A_PACKAGE, "net.py": net})
    assert (f"{beside}.py" in names(outcome_of(tmp_path))) is not is_tied


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("blocked", [False, True])
def test_what_a_script_above_hands_to_a_maker_changes_with_it_without_a_repository(tmp_path, blocked, jobs):
    model = MADE.partition("\n\ndef build")[0].replace("reduce_sum", "contrib.crf.no_such" if blocked else "reduce_sum")
    main = "from model.model_fn import model_fn\nfrom runtime.setup import build\n\nbuild(model_fn, 0).train(None)\n"
    setup = f"import tensorflow as tf\n\n\n{GIVEN}"
    put(tmp_path, {"model/model_fn.py": model, "runtime/setup.py": setup, "main.py": main})
    outcome = outcome_of(tmp_path, jobs=jobs)
    assert {"model_fn.py", "setup.py"}.isdisjoint(names(outcome)) is blocked
    assert len({finding.rewritten for finding in outcome.findings}) == 1


def test_a_given_file_of_a_librarys_program_is_not_said_to_be_missing(tmp_path):
    job = "import adanet\nimport net\n\nadanet.Estimator(head=net.head()).train(None, max_steps=3)\n"
    net = "import tensorflow as tf\n\n\ndef head():\n    return tf.estimator.BinaryClassHead()\n"
    outcome = outcome_of(put(tmp_path, {"job.py": job, "net.py": net}))
    assert not any("not among" in finding.message for finding in outcome.findings)
    assert not outcome.changes


def test_a_librarys_own_files_in_the_tree_change_with_the_programs_that_use_them(tmp_path):
    head = "import tensorflow as tf\n\n\ndef spec(mode, loss):\n"
    head += "    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=tf.no_op())\n"
    job = MADE.replace("tf.estimator.EstimatorSpec(mode, loss=tf.reduce_sum(labels), train_op=tf.no_op())", "{spec}")
    job = "from tensorflow_ranking import head\n" + job.format(spec="head.spec(mode, tf.reduce_sum(labels))")
    library = {"tensorflow_ranking/__init__.py": "", "tensorflow_ranking/head.py": head}
    put(tmp_path / "own", {**library, "job.py": f"{job}\n\nbuild('/tmp/m').train(None, max_steps=3)\n"})
    put(tmp_path / "other", {"job.py": f"{job}\n\nbuild('/tmp/m').train(None, max_steps=3)\n"})
    assert {"head.py", "job.py"} <= {*names(outcome_of(tmp_path / "own"))}
    assert not outcome_of(tmp_path / "other").changes


def test_a_script_that_imports_nothing_holds_no_program_beside_it_back(tmp_path):
    alone = "import tensorflow as tf\n\nconfig = tf.estimator.RunConfig(tf.contrib.crf.no_such('/tmp/m'))\n"
    jobs = {f"job_{number}.py": f"{MADE}\n\nbuild('/tmp/m').train(None, max_steps=3)\n" for number in range(3)}
    assert {*names(outcome_of(put(tmp_path, {"alone.py": alone, **jobs})))} == {*jobs, "tf2_recovery"}


LAYERS = "import tensorflow as tf\n\n\ndef trains(mode=tf.estimator.ModeKeys.EVAL):\n    return mode == 'train'\n"
OF_LAYERS = {
    "layers.py": LAYERS,
    "job.py": MADE + "\n\nimport layers\n\nbuild('/tmp/m').train(None, hooks=[layers.trains()], max_steps=3)\n",
}


def test_a_left_program_does_not_hold_back_another_that_shares_nothing_but_the_modes_with_it(tmp_path):
    left = MADE.replace("tf.reduce_sum(labels)", "tf.contrib.crf.no_such(layers.trains())") + "\n\nimport layers\n"
    put(tmp_path, {**OF_LAYERS, "left.py": left})
    assert {*names(outcome_of(tmp_path))} == {"layers.py", "job.py", "tf2_recovery"}
    assert {*names(outcome_of(tmp_path / "job.py", tmp_path / "layers.py"))} == {"layers.py", "job.py", "tf2_recovery"}


def test_a_file_that_holds_nothing_but_modes_is_changed_once_for_all_programs_that_import_it(tmp_path):
    outcome = whole(put(tmp_path, {**OF_LAYERS, "again.py": OF_LAYERS["job.py"]}))
    assert texts(outcome)["layers.py"].count("ModeKeys.EVAL") == 1


def test_a_given_file_that_imports_what_changes_is_seen_although_it_makes_nothing(tmp_path):
    receiver = "def receiver():\n    return tf.estimator.export.ServingInputReceiver({}, {})\n"
    check = "import serving\n\nprint(tf.estimator.ModeKeys.EVAL, serving.receiver())\n"
    job = MADE + "\n\nimport serving\n\nbuild('/tmp/m').export_saved_model('/tmp/e', serving.receiver)\n"
    files = {"serving.py": f"import tensorflow as tf\n\n\n{receiver}", "check.py": f"import tensorflow as tf\n{check}"}
    outcome = outcome_of(put(tmp_path, {**files, "job.py": job}))
    assert {*names(outcome)} == {"serving.py", "job.py", "check.py", "tf2_recovery"}, outcome.findings


CALLS = [
    'importlib.import_module("models." + sys.argv[1])',
    "__import__(sys.argv[1])",
    'import_module("models.net")',
    'importlib.util.spec_from_file_location("model", sys.argv[1])',
]


@pytest.mark.parametrize("loading", [None, "def chosen():\n    return {}\n"])
@pytest.mark.parametrize("call", CALLS)
def test_the_models_that_a_file_or_what_it_imports_imports_by_a_call_change_with_it(tmp_path, call, loading):
    called = "import importlib\nimport sys\nfrom importlib import import_module\n\n"
    own = f"{called}chosen = {call}\n" if loading is None else "from loading import *\n"
    main = f"import tensorflow as tf\n\n{own}"
    main += 'tf.estimator.Estimator(chosen.model_fn, "/tmp/m").train(chosen.input_fn, max_steps=3)\n'
    net = "import layers\n" + HEAD.replace("labels)", "layers.dense(labels))")
    layers = "import tensorflow as tf\n\n\ndef dense(x):\n    return tf.layers.dense(x, 1)\n"
    helper = "print(1)\n" if loading is None else called + loading.format(call)
    put(tmp_path, {"main.py": main, "models/net.py": net, "layers.py": layers, "loading.py": helper})
    after = texts(outcome_of(tmp_path))
    assert {*after} == {"main.py", "net.py", "layers.py"}
    assert "tf.estimator" not in after["net.py"]


@pytest.mark.parametrize("imported", ["from nets.model import *", "from nets import model\nmodel_fn = model.model_fn"])
def test_a_model_beside_the_estimator_is_its_package_s_by_whatever_name(tmp_path, imported):
    main = f"import tensorflow as tf\n{imported}\n\n"
    main += 'tf.estimator.Estimator(model_fn, "/tmp/m").train(lambda: None, max_steps=3)\n'
    put(tmp_path, {"main.py": main, "model.py": HEAD, "unused.py": HEAD})
    assert {*names(outcome_of(tmp_path))} == {"main.py", "model.py", "tf2_recovery"}


def test_the_layers_that_a_file_hands_to_an_estimator_beside_its_model_fn_change_with_it(tmp_path):
    brings = BRINGS.replace("model.model_fn", "lambda *given: model.model_fn(*given, layers.dense)")
    files = {
        "building.py": f"import tensorflow as tf\n\n\n{GIVEN}",
        "model.py": HEAD.replace("mode)", "mode, dense)").replace("labels)", "dense(labels))"),
        "layers.py": "import tensorflow as tf\n\n\ndef dense(x):\n    return tf.layers.dense(x, 1)\n",
        "main.py": f"import layers\n{brings}",
    }
    put(tmp_path, files)
    after = texts(outcome_of(tmp_path))
    assert {*after} == {"building.py", "model.py", "layers.py"}
    assert after["layers.py"] == files["layers.py"].replace("import tensorflow as", "import tensorflow.compat.v1 as")


def test_a_model_that_a_decorator_of_the_estimator_s_file_takes_changes_with_what_it_imports(tmp_path):
    names_nothing = "import tensorflow as tf\n\n\n"
    decorated = "from building import as_model_fn\nfrom layers import dense\n"
    decorated += "@as_model_fn\ndef model(labels):\n    return dense(tf.to_float(labels))\n"
    taking = (
        "def as_model_fn(model):\n    return lambda labels, mode: tf.estimator.EstimatorSpec(mode, model(labels))\n"
    )
    files = {
        "building.py": f"import tensorflow as tf\n\n\n{taking}\n\n{GIVEN}",
        "net.py": names_nothing + decorated,
        "layers.py": f"{names_nothing}def dense(x):\n    return tf.layers.dense(x, 1)\n",
        "main.py": "import importlib\nimport building\nbuilding.build(importlib.import_module('net').model)\n",
    }
    put(tmp_path, files)
    after = texts(outcome_of(tmp_path))
    assert {*after} == {"building.py", "net.py", "layers.py"}
    for name in ("net.py", "layers.py"):
        assert after[name] == files[name].replace("import tensorflow as", "import tensorflow.compat.v1 as")


def test_what_a_file_that_names_nothing_hands_to_an_estimator_leaves_it_where_it_cannot_be_migrated(tmp_path):
    left = HEAD.replace("tf.reduce_sum(labels)", "tf.contrib.crf.no_such(labels)")
    put(tmp_path, {"building.py": f"import tensorflow as tf\n\n\n{GIVEN}", "model.py": left, "main.py": BRINGS})
    outcome = outcome_of(tmp_path)
    assert not outcome.changes
    assert {Path(finding.path).name for finding in outcome.findings} == {"building.py", "model.py"}


@pytest.mark.parametrize(("asked", "is_migrated"), [("num_threads=2", False), ("num_parallel_calls=2", True)])
def test_a_dataset_of_contrib_is_left_where_another_file_asks_it_for_what_only_it_had(tmp_path, asked, is_migrated):
    used = "import tensorflow as tf\nimport making\n\n\ndef input_fn():\n    return {}\n\n\n{}"
    mapped = f"making.numbers().map(lambda x: tf.to_float(x), {asked})"
    made = "import tensorflow as tf\n\n\ndef numbers():\n    return tf.contrib.data.Dataset.range(3)\n"
    main = HEAD + used.format(
        mapped, 'for one in [tf.estimator.Estimator(model_fn, "/tmp/m")]:\n    one.train(input_fn)\n'
    )
    after = texts(outcome_of(put(tmp_path, {"main.py": main, "making.py": made})))
    assert ("making.py" in after) == is_migrated
    assert ("main.py" in after) == is_migrated
