"""``python -m libcst.tool codemod`` runs the same rewrites."""

import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from migrate.cli.main import main
from tests.codemod import forks
from tests.codemod.programs import program

NOTED = program(train_input_fn='numpy_input_fn({"x": x}, y, shuffle=True)')
BUILDER = """\
import tensorflow as tf


def builder(scale):
    def model_fn(features, labels, mode):
        loss = tf.reduce_mean(tf.get_variable("w", []) * features) * scale
        train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

    return model_fn
"""
BUILT = """\
import tensorflow as tf
from model import builder

model_fn = builder(2.0)


def input_fn():
    return tf.data.Dataset.from_tensors([1.0]).repeat()


estimator = tf.estimator.Estimator(model_fn, "d")
estimator.train(input_fn, max_steps=3)
"""
LEFT = "import tensorflow as tf\n\nestimator = tf.estimator.BoostedTreesClassifier(**arguments)\nestimator.train(fn)\n"


TOOL = ("codemod", "--no-format", "-x", "migrate.codemods.estimator.EstimatorCommand")
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}


def libcst_tool(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return forks.run([*TOOL, *arguments], Path.cwd(), ENVIRONMENT, module="libcst.tool")


def test_it_finds_all_that_it_needs_by_itself(project: Path) -> None:
    done = subprocess.run([sys.executable, "-m", "libcst.tool", *TOOL, "train.py"], env=ENVIRONMENT, check=False)
    assert done.returncode == 0
    assert (project / "train.py").read_text() != program()


def by_migrate(source: bytes, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> bytes:
    """What ``python -m migrate - --write`` makes of a file."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(source)))
    main(["-", "--write"])
    return capfdbinary.readouterr().out


@pytest.mark.parametrize(
    "source",
    [
        program().encode(),
        program().replace("\n", "\r\n").encode(),
        ("# -*- coding: latin-1 -*-\n# modèle\n" + program()).encode("latin-1"),
    ],
    ids=["LF", "CRLF", "latin-1"],
)
def test_it_writes_what_migrate_writes(
    project: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes], source: bytes
) -> None:
    (project / "train.py").write_bytes(source)
    other = (project / "other.py").read_bytes()
    done = libcst_tool(".")
    assert done.returncode == 0, done.stderr
    assert (project / "train.py").read_bytes() == by_migrate(source, monkeypatch, capfdbinary) != source
    assert (project / "other.py").read_bytes() == other


def test_what_is_left_is_a_warning_with_its_place(project: Path) -> None:
    (project / "train.py").write_text(LEFT)
    done = libcst_tool("train.py")
    assert ": FT151 `tensorflow.estimator.BoostedTreesClassifier`" in done.stdout + done.stderr
    assert (project / "train.py").read_text() == LEFT


def test_a_program_of_several_files_is_left_with_a_warning(project: Path) -> None:
    (project / "model.py").write_text(BUILDER)
    (project / "train.py").write_text(BUILT)
    done = libcst_tool(".")
    assert "FT194 its program needs model.py" in done.stdout + done.stderr
    assert (project / "train.py").read_text() == BUILT
    assert (project / "model.py").read_text() == BUILDER


def test_what_behaves_differently_is_a_warning(project: Path) -> None:
    (project / "train.py").write_text(NOTED)
    done = libcst_tool("train.py")
    assert re.search(r"\d+:\d+: FT151 becomes numpy_input_fn", done.stdout + done.stderr)
    assert (project / "train.py").read_text() != NOTED


def test_it_takes_the_options_of_the_settings(project: Path) -> None:
    assert libcst_tool("train.py", "--input", "continue").returncode == 0
    assert 'Estimator.input = "continue"' in (project / "train.py").read_text()
