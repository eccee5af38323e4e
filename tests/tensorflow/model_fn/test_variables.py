"""Single variables are read from the latest checkpoint, whichever wrote it."""

import pytest
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from migrate.recovery.model_fn_variables import get_variable_names, get_variable_value

from .linear import Job


@pytest.mark.parametrize("continue_input", [False, True])
def test_the_names_and_values_of_a_migrated_job(tmp_path, continue_input):
    job = Job(tmp_path, continue_input=continue_input)
    job.run(3)
    assert set(get_variable_names(str(tmp_path))) == {"global_step", "w", "w/Momentum"}
    momentum = job.train.variables["w/Momentum"].numpy().tolist()
    assert get_variable_value(str(tmp_path), "w/Momentum").tolist() == momentum


def test_the_names_and_values_of_an_estimators_checkpoint(tmp_path):
    with tf.Graph().as_default(), tf1.Session() as session:
        variable = tf1.get_variable("scope/v.1", initializer=3.0)
        session.run(variable.initializer)
        tf1.train.Saver().save(session, str(tmp_path / "model.ckpt"), 7)
    assert get_variable_names(str(tmp_path)) == ["scope/v.1"]
    assert get_variable_value(str(tmp_path), "scope/v.1") == 3.0
