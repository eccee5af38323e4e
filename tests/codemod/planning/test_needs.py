"""What a program needs to start is said alike by the findings, the plan, the summary and the review page."""

import re

import nbformat
import pytest

from migrate.cli.main import main
from tests.cases import each
from tests.codemod.planning.test_plan import MODEL_FN, plan
from tests.codemod.trees import put

KERAS_2 = "tf_keras and TF_USE_LEGACY_KERAS=1 from TensorFlow 2.16 on"
IN_GRAPH = MODEL_FN.replace("tf.layers.dense(features, 1)", "tf.keras.layers.Dense(1)(features)")
PREMADE = """\
import tensorflow as tf

estimator = tf.estimator.DNNClassifier([8], [], "m", optimizer={})
estimator.train(lambda: None, max_steps=3)
"""
RESUMED = """\
import os
import tensorflow as tf

model, start = build(), 0
if args.resume:
    latest = tf.train.latest_checkpoint("/job")
    model.load_weights(latest)
    start = int(latest.split("-")[-1])
model.fit(x, y, initial_epoch=start, callbacks=[tf.keras.callbacks.ModelCheckpoint({}, save_weights_only=True)])
"""
MODEL = """\
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile("adam", "mse")
estimator = tf.keras.estimator.model_to_estimator(model, model_dir="m")
estimator.train(lambda: None, max_steps=3)
"""
NEEDY = {
    "layers of Keras in a model_fn": (IN_GRAPH, f"{KERAS_2}: keras.layers.Dense (train.py:6)"),
    "a legacy optimizer": (
        PREMADE.format("tf.keras.optimizers.legacy.Adagrad(0.1)"),
        f"{KERAS_2}: keras.optimizers.legacy.Adagrad (train.py:3)",
    ),
    "a legacy optimizer of a function": (
        PREMADE.format("lambda: tf.keras.optimizers.legacy.Adagrad(0.1)"),
        f"{KERAS_2}: keras.optimizers.legacy.Adagrad (train.py:3)",
    ),
    "a name that NumPy has removed": (
        f"import numpy as np\n{PREMADE.format('np.int(1) or np.NaN')}",
        "names that NumPy still has (ruff check --select NPY --fix): numpy.int (train.py:4)",
    ),
    "a name that NumPy has removed and brought back": (
        f"from numpy import bool as flag\n{PREMADE.format('flag(1)')}",
        "NumPy 1.23 or 2: numpy.bool (train.py:4)",
    ),
    "a summary of TensorFlow 2": (
        MODEL.replace("model.compile", "tf.summary.scalar('a', 1.0, step=0)\nmodel.compile"),
        "tensorboard from TensorFlow 2.21 on: summary.scalar (train.py:4)",
    ),
    "a callback that writes summaries": (
        MODEL + "model.fit(x, y, callbacks=[tf.keras.callbacks.TensorBoard('l')])\n",
        "tensorboard from TensorFlow 2.21 on: keras.callbacks.TensorBoard (train.py:7)",
    ),
    "a name that Keras 3 rejects": (
        RESUMED.format('os.path.join("/job", "ckpt-{epoch}")'),
        f"{KERAS_2}, or name the file ….weights.h5: ModelCheckpoint (train.py:9)",
    ),
}


@pytest.mark.parametrize(("text", "need"), NEEDY.values(), ids=NEEDY)
def test_what_keras_3_rejects_at_each_start_is_needed_and_verified_with(text, need, project, capsys):
    (project / "train.py").write_text(text)
    [row] = plan(capsys)["programs"]
    assert row["needs"] == [need]
    assert row["target"] == "TensorFlow 2.15 or later, with what it needs"
    commands = [command["verify"] for command in row["commands"] if command["verify"]]
    assert all(("--new-env TF_USE_LEGACY_KERAS=1" in command) == need.startswith(KERAS_2) for command in commands)
    main(["plan", "."])
    assert "TensorFlow 2.15 and later" not in capsys.readouterr().out


@each(
    "text",
    ids=[
        *("a model of Keras", "TensorFlow 1's summaries", "an optimizer's name"),
        *("names of NumPy", "a name that ends so", "a name that is not seen"),
    ],
)(
    MODEL,
    MODEL + "tf.summary.scalar('a', tf.placeholder(tf.float32))\ntf.compat.v1.summary.scalar('b', 1.0)\n",
    PREMADE.format("'Adagrad'"),
    f"import numpy as np  # not np.int\n{PREMADE.format('np.int32(1)')}",
    RESUMED.format('"/job/w-{epoch}.weights.h5"'),
    RESUMED.format("path"),
)
def test_a_program_that_starts_on_keras_3_needs_nothing(text, project, capsys):
    (project / "train.py").write_text(text)
    [row] = plan(capsys)["programs"]
    assert (row["needs"], row["target"]) == ([], "TensorFlow 2.15 and later")


def test_a_file_that_stays_as_it_is_counts(project, capsys):
    (project / "net.py").write_text(
        "import tensorflow as tf\n\n\ndef rate():\n    return tf.keras.optimizers.legacy.SGD()\n"
    )
    (project / "train.py").write_text("import net\n" + PREMADE.format("net.rate"))
    [row] = plan(capsys)["programs"]
    assert row["needs"] == [f"{KERAS_2}: keras.optimizers.legacy.SGD (net.py:5)"]


def test_a_file_without_tensorflow_counts_and_each_need_is_named_once(project, capsys):
    (project / "data.py").write_text("import numpy as np\n\nNOTHING = np.NaN, np.Inf, np.zeros(1, np.bool)\n")
    (project / "train.py").write_text("import data\n" + PREMADE.format("tf.keras.optimizers.legacy.SGD()"))
    assert plan(capsys)["programs"][0]["needs"] == [
        "names that NumPy still has (ruff check --select NPY --fix): numpy.NaN (data.py:3)",
        "NumPy 1.23 or 2: numpy.bool (data.py:3)",
        f"{KERAS_2}: keras.optimizers.legacy.SGD (train.py:4)",
    ]


def test_the_finding_the_summary_of_a_write_and_the_review_page_say_the_same(project, capsys):
    (project / "train.py").write_text(IN_GRAPH)
    need = f"{KERAS_2}: keras.layers.Dense (train.py:6)"
    main(["check", "train.py"])
    assert f"needs {need}" in capsys.readouterr().out
    main(["--format", "html", "--output", "review.html", "train.py"])
    assert f"needs {need}" in (project / "review.html").read_text()
    capsys.readouterr()
    main(["write", "train.py"])
    assert f"train.py needs {need}" in re.sub(r"\s+", " ", capsys.readouterr().err)


def test_what_needs_something_is_not_called_ready(project, capsys):
    put(project, {"train.py": IN_GRAPH, "other.py": MODEL})
    main(["plan", "."])
    printed = capsys.readouterr().out
    for row in printed.split("\n\n"):
        assert not (row.startswith("ready") and "needs:" in row)
    assert "needs   train.py: model_fn" in printed
    assert "2 programs (1 ready, 1 with needs)" in printed
    assert [row["status"] for row in plan(capsys)["programs"]] == ["ready", "needs"]


def test_a_program_that_stands_in_the_baseline_with_needs_is_whole(project, capsys):
    (project / "train.py").write_text(IN_GRAPH + "\nestimator._train_model(3)\n")
    main(["plan", ".", "--format", "json", "--output", "plan.json"])
    (project / "train.py").write_text(IN_GRAPH)
    assert plan(capsys, ".", "--baseline", "plan.json")["comparison"]["unblocked"] == ["train.py"]


def test_a_notebook_is_read_for_needs_too_and_the_cell_is_named(project, capsys):
    (project / "train.py").unlink()
    head, body = IN_GRAPH.partition("def input_fn")[0], "def input_fn" + IN_GRAPH.partition("def input_fn")[2]
    cells = [nbformat.v4.new_code_cell(text) for text in ("print(1)\n", head, body)]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), project / "job.ipynb")
    [row] = plan(capsys)["programs"]
    assert row["status"] == "needs"
    line = head.splitlines().index(next(one for one in head.splitlines() if "Dense" in one)) + 1
    assert row["needs"] == [f"{KERAS_2}: keras.layers.Dense (job.ipynb:cell 2:{line})"]
    main(["check", "job.ipynb"])
    assert f"keras.layers.Dense (job.ipynb:cell 2:{line})" in capsys.readouterr().out
