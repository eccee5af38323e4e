"""Single variables are read from the latest checkpoint, whichever wrote it."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from migrate.recovery.estimator.estimator import Estimator

from .linear import model_fn


def test_the_names_and_values_of_an_estimators_checkpoint(tmp_path):
    with tf.Graph().as_default(), tf1.Session() as session:
        variable = tf1.get_variable("scope/v.1", initializer=3.0)
        session.run(variable.initializer)
        tf1.train.Saver().save(session, str(tmp_path / "model.ckpt"), 7)
    estimator = Estimator(model_fn, tmp_path)
    assert estimator.get_variable_names() == ["scope/v.1"]
    assert estimator.get_variable_value("scope/v.1") == 3.0
