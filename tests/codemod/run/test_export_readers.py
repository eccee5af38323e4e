"""A file that only loads what an Estimator exported, by what contrib alone had, is a program of its own."""

from pathlib import Path

import pytest

from migrate.planning.rows import rows
from migrate.settings import Settings
from tests.codemod.trees import outcome_of

pytestmark = pytest.mark.usefixtures("here")
SERVE = """\
import sys

from tensorflow.contrib import predictor

predict = predictor.from_saved_model(sys.argv[1])
print(predict({"x": [[1.0]]}))
"""
TRAIN = """\
import tensorflow as tf

estimator = tf.estimator.Estimator(model_fn, "d")
estimator.train(input_fn, max_steps=3)
"""


def after(path):
    changes = outcome_of(".").changes
    return next((change.after for change in changes if change.path == path), "")


def test_it_is_rewritten_where_no_file_makes_an_estimator():
    Path("serve.py").write_text(SERVE)
    assert "from tf2_recovery.contrib.predictor import from_saved_model\n" in after("serve.py")
    assert "predict = from_saved_model(sys.argv[1])" in after("serve.py")


def test_it_is_rewritten_beside_the_program_that_exports():
    Path("serve.py").write_text(SERVE)
    Path("train.py").write_text(TRAIN)
    assert "from tf2_recovery.contrib.predictor import" in after("serve.py")
    assert "from tf2_recovery.estimator.estimator import" in after("train.py")


def test_the_plan_has_a_row_for_it_without_a_training_to_verify():
    Path("serve.py").write_text(SERVE)
    (row,) = rows(outcome_of("."), Settings())
    assert (row.status, row.kinds, row.forms) == ("ready", ("exports",), ("reader",))
    assert [(one.first, one.verify) for one in row.commands] == [("", "")]


def test_one_that_makes_do_where_contrib_lacks_it_stays():
    Path("serve.py").write_text(
        "import tensorflow as tf\n\ntry:\n    from tensorflow.contrib import predictor\nexcept ImportError:\n"
        "    predictor = None\nload = predictor.from_saved_model if predictor else tf.saved_model.load\n"
    )
    assert outcome_of(".").changes == []
