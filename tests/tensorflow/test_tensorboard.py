"""Summaries of TensorFlow 2 need the package tensorboard, which TensorFlow 2.21 does not bring along."""

from importlib.util import find_spec

import pytest
import tensorflow as tf

from migrate.analysis.program.needs import SUMMARIES

VALUES = {
    "audio": (tf.zeros((1, 2, 1)), 8),
    "histogram": ([1.0],),
    "image": ([[[[0.5]]]],),
    "scalar": (1.0,),
    "text": ("a",),
}


@pytest.mark.parametrize("name", SUMMARIES)
def test_a_summary_is_written_where_tensorboard_is_installed(name, tmp_path):
    with tf.summary.create_file_writer(str(tmp_path)).as_default(step=0):
        write = getattr(tf.summary, name)
        if find_spec("tensorboard") is not None:
            assert write("summary", *VALUES[name])
            return
        with pytest.raises(Exception, match="TensorBoard is not installed"):
            write("summary", *VALUES[name])


def test_the_callback_of_keras_writes_such_summaries(tmp_path):
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile(loss="mse")
    training = {"x": tf.ones((1, 1)), "y": tf.ones((1, 1)), "callbacks": [tf.keras.callbacks.TensorBoard(tmp_path)]}
    if find_spec("tensorboard") is not None:
        model.fit(**training)
        assert list(tmp_path.rglob("events*"))
        return
    with pytest.raises(Exception, match="TensorBoard is not installed"):
        model.fit(**training)
