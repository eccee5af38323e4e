"""``plan`` lists the files that are part of no program and fail on TensorFlow 2."""

import json
from pathlib import Path

import pytest

from migrate.cli.main import main

TRAIN = """\
import tensorflow as tf
import model

estimator = tf.estimator.Estimator(model.model_fn, "/tmp/model")
estimator.train(lambda: None, max_steps=10)
"""
MODEL = """\
import tensorflow as tf


def model_fn(features, labels, mode):
    return tf.estimator.EstimatorSpec(mode, loss=tf.losses.log_loss(labels, features), train_op=tf.no_op())
"""
PREDICT = """\
import tensorflow as tf

print(tf.constant(1))
x = tf.placeholder(tf.float32)
session = tf.Session()
"""


def found(tree: Path, capfd: pytest.CaptureFixture[str], *options: str, **files: str) -> dict[str, dict[str, str]]:
    """The files that are listed, by their paths, beside one program."""
    for path in tree.glob("*.py"):
        path.unlink()
    for name, text in {"train": TRAIN, "model": MODEL, **files}.items():
        (tree / f"{name}.py").write_text(text)
    assert main(["plan", "--format", "json", *options, "."]) == 1
    return {one["path"]: one for one in json.loads(capfd.readouterr().out)["outside"]}


def test_a_file_is_listed_by_the_first_name_that_tensorflow_lacks(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (one,) = found(project, capfd, predict=PREDICT).values()
    assert one["place"] == "./predict.py:4:5"
    assert one["message"] == "`tensorflow.placeholder` does not exist in TensorFlow 2.15 and 2.21"
    assert one["next_step"] == "Import tensorflow.compat.v1 as tf, which has it as tf.placeholder."


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("from tensorflow.contrib import predictor\n", "tensorflow.contrib.predictor"),
        ("import tensorflow.contrib.slim as slim\n", "tensorflow.contrib.slim"),
        ("import tensorflow as tf\nclass H(tf.contrib.learn.Monitor): pass\n", "tensorflow.contrib.learn.Monitor"),
        (
            "from tensorflow.examples.tutorials.mnist import input_data\n",
            "tensorflow.examples.tutorials.mnist.input_data",
        ),
    ],
)
def test_imports_are_looked_at_too(project: Path, capfd: pytest.CaptureFixture[str], text: str, name: str) -> None:
    (one,) = found(project, capfd, other=text).values()
    assert one["message"].startswith(f"`{name}` does not exist")
    assert one["next_step"]
    assert "migrate again" not in one["next_step"]


@pytest.mark.parametrize(
    "text",
    [
        "import tensorflow as tf\nprint(tf.constant(1), tf.compat.v1.placeholder(tf.float32))\n",
        "import tensorflow.compat.v1 as tf\nprint(tf.placeholder(tf.float32))\n",
        "try:\n    from tensorflow.contrib import slim\nexcept ImportError:\n    slim = None\n",
        "# tensorflow\nprint(1)\n",
        "import tensorflow as tf\nprint(tf.\n",
    ],
)
def test_a_file_that_runs_or_is_an_error_of_its_own_is_not_listed(
    project: Path, capfd: pytest.CaptureFixture[str], text: str
) -> None:
    for path in project.glob("*.py"):
        path.unlink()
    (project / "other.py").write_text(text)
    main(["plan", "--format", "json", "."])
    assert json.loads(capfd.readouterr().out)["outside"] == []


def test_what_a_program_imports_is_part_of_it(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    unused = "import tensorflow as tf\n\n\ndef unused():\n    return tf.contrib.layers.gone()\n"
    model = f"import helper\n{MODEL}"
    assert found(project, capfd, model=model, helper=unused) == {}
    assert [*found(project, capfd, helper=unused)] == ["./helper.py"]


def test_what_is_excluded_is_not_listed(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert found(project, capfd, "--exclude", "predict.py", predict=PREDICT) == {}


def test_people_see_the_first_twenty(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    found(project, capfd, **{f"predict_{number}": PREDICT for number in range(22)})
    assert main(["plan", "."]) == 1
    printed = capfd.readouterr().out
    assert "Not part of a program, fails on TensorFlow 2:\n  ./predict_0.py:4:5: `tensorflow.placeholder`" in printed
    assert printed.count("next step: Import tensorflow.compat.v1") == 20
    assert "  and 2 more files; --format json has all\n" in printed
