"""On Keras 3 a model without weights gets some of its weights alone from a restore."""

import numpy as np
import pytest
import tensorflow as tf

KERAS_3 = hasattr(tf.keras, "ops")
X = np.arange(8, dtype=np.float32).reshape(4, 2)
Y = X.sum(1, keepdims=True)


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.one, self.two = tf.keras.layers.Dense(3), tf.keras.layers.Dense(1)

    def call(self, x):
        return self.two(self.one(x))


def added():
    model = tf.keras.Sequential()
    model.add(tf.keras.layers.Dense(3))
    model.add(tf.keras.layers.Dense(1))
    return model


@pytest.mark.parametrize("tracked", [lambda some: {"a": some[0], "b": some[1]}, lambda some: {"models": some}])
@pytest.mark.parametrize(("made", "is_called"), [(Net, False), (Net, True), (added, False)])
def test_each_of_several_models_needs_its_weights_before_a_restore_on_keras_3(tmp_path, tracked, made, is_called):
    saved, again = [made(), made()], [made(), made()]
    expected = [model(X) for model in saved]
    path = tf.train.Checkpoint(**tracked(saved)).save(str(tmp_path / "c"))
    if is_called:
        for model in again:
            model.compile("sgd")
            model(X)
    tf.train.Checkpoint(**tracked(again)).restore(path).expect_partial()
    is_whole = [np.allclose(model(X), one) for model, one in zip(again, expected, strict=True)]
    assert is_whole == [made is added or is_called or not KERAS_3] * 2


class Own(Net):
    def __init__(self):
        super().__init__()
        self.checkpoint = tf.train.Checkpoint(model=self)


@pytest.mark.parametrize("is_called", [False, True])
def test_a_model_that_holds_the_checkpoint_of_itself_needs_its_weights_before_a_restore_on_keras_3(tmp_path, is_called):
    saved, again = Own(), Own()
    expected = saved(X)
    path = saved.checkpoint.save(str(tmp_path / "c"))
    if is_called:
        again(X)
    again.checkpoint.restore(path).expect_partial()
    assert np.allclose(again(X), expected) is (is_called or not KERAS_3)
