"""A session that saves is told of where it trains, and nowhere else."""

from pathlib import Path

import pytest

from tests.cases import each
from tests.codemod.trees import outcome_of

_SAVES = """\
import tensorflow as tf


class Model:
    def build(self):
        self.saver = tf.train.Saver()

    def save(self, sess):
        self.saver.save(sess, "/model/model.ckpt")
"""


def codes(directory, **files):
    """The files with a finding of this kind."""
    (directory / ".git").mkdir()
    for name, text in files.items():
        (directory / f"{name}.py").write_text(text)
    outcome = outcome_of(directory, select=("FT301",))
    return [(Path(finding.path).name, finding.code) for finding in outcome.findings]


@each("trains")("train_op = optimizer.minimize(loss)", "sess.run(self.train_step)", "optimizer.apply_gradients(pairs)")
def test_a_session_that_trains_in_the_file_that_saves_is_told_of(trains, tmp_path):
    assert codes(tmp_path, model=f"{_SAVES}\n    def train(self, sess):\n        {trains}\n") == [("model.py", "FT301")]


def test_a_session_whose_model_another_file_trains_is_told_of(tmp_path):
    trainer = (
        "from model import Model\n\n\ndef train(sess, model):\n    sess.run(model.train_op)\n    model.save(sess)\n"
    )
    assert codes(tmp_path, model=_SAVES, trainer=trainer) == [("model.py", "FT301")]


def test_an_exporter_a_converter_and_a_test_that_save_what_they_have_loaded_get_no_finding(tmp_path):
    exporter = "from model import Model\n\nmodel = Model()\nmodel.saver.restore(sess, path)\nmodel.save(sess)\n"
    assert codes(tmp_path, model=_SAVES, exporter=exporter) == []


_STEP = "global_step = tf.train.get_global_step()\n"


def test_a_session_that_counts_steps_is_told_of_where_a_file_that_it_imports_trains(tmp_path):
    network = "def train_op(loss, optimizer):\n    return optimizer.minimize(loss)\n"
    assert codes(tmp_path, model=f"import network\n{_SAVES}{_STEP}", network=network) == [("model.py", "FT301")]


def test_a_session_that_counts_steps_is_told_of_where_a_function_of_its_file_trains(tmp_path):
    assert codes(tmp_path, model=f"{_SAVES}{_STEP}\n\ndef train(sess):\n    sess.run(step)\n") == [
        ("model.py", "FT301")
    ]


@pytest.mark.parametrize("name", ["model", "model_test", "test_model", "export_model", "freeze"])
def test_a_file_that_only_restores_a_step_and_saves_gets_no_finding(name, tmp_path):
    network = (
        "def net(x):\n    return x\n" if name == "model" else "def net(optimizer):\n    return optimizer.minimize(1)\n"
    )
    assert codes(tmp_path, network=network, **{name: f"import network\n{_SAVES}{_STEP}"}) == []
