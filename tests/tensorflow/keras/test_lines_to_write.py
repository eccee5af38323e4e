"""What the lines rely on that FT201 tells where it rewrites nothing: a checkpoint restored before the first step."""

import contextlib

import numpy as np
import pytest
import tensorflow as tf

X = np.arange(32, dtype="float32").reshape(8, 4) / 32
KERAS_3 = hasattr(tf.keras, "ops")


def gan():
    tf.keras.utils.set_random_seed(1)
    critic = tf.keras.Sequential([tf.keras.layers.Input((4,)), tf.keras.layers.Dense(1)])
    critic.compile(tf.keras.optimizers.Adam(0.01), "mse")
    generator = tf.keras.Sequential([tf.keras.layers.Input((4,)), tf.keras.layers.Dense(4)])
    critic.trainable = False
    noise = tf.keras.layers.Input((4,))
    both = tf.keras.Model(noise, critic(generator(noise)))
    both.compile(tf.keras.optimizers.Adam(0.01), "mse")
    return critic, both


def loop(directory, stop=None, build=False):
    critic, both = gan()
    state = tf.train.Checkpoint(
        critic=critic, both=both, critic_optimizer=critic.optimizer, both_optimizer=both.optimizer, epoch=tf.Variable(0)
    )
    manager = tf.train.CheckpointManager(state, str(directory), max_to_keep=2)
    if build:
        critic.optimizer.build(critic.trainable_variables)
    manager.restore_or_initialize()
    for epoch in range(int(state.epoch.numpy()), 4):
        if epoch == stop:
            return None
        critic.train_on_batch(X, np.ones((8, 1)))
        both.train_on_batch(X, np.zeros((8, 1)))
        state.epoch.assign(epoch + 1)
        manager.save()
    return [np.asarray(one) for one in both.get_weights()]


@pytest.mark.filterwarnings("ignore")
def test_models_of_which_one_is_frozen_in_the_other_go_on_with_their_optimizers(tmp_path):
    expected = loop(tmp_path / "whole")
    loop(tmp_path / "stopped", stop=2)
    for one, other in zip(loop(tmp_path / "stopped"), expected, strict=True):
        np.testing.assert_array_equal(one, other)


def test_an_optimizer_that_is_built_for_a_frozen_model_refuses_its_variables(tmp_path):
    # Keras 3 does not train a model that is frozen after it is compiled.
    refused = contextlib.nullcontext() if KERAS_3 else pytest.raises(KeyError, match="cannot recognize variable")
    with refused:
        loop(tmp_path, build=True)


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.first, self.last = tf.keras.layers.Dense(3), tf.keras.layers.Dense(1)

    def call(self, inputs):
        return self.last(self.first(inputs))


def fit(directory, epochs, called):
    tf.keras.utils.set_random_seed(1)
    model = Net()
    if called:
        model(X)
    model.compile(tf.keras.optimizers.Adam(0.01), "mse")
    state = tf.train.Checkpoint(model=model, optimizer=model.optimizer, epoch=tf.Variable(0))
    manager = tf.train.CheckpointManager(state, str(directory), max_to_keep=2)
    manager.restore_or_initialize()
    save_epoch = tf.keras.callbacks.LambdaCallback(
        on_epoch_end=lambda epoch, logs: (state.epoch.assign(epoch + 1), manager.save())
    )
    begun = int(state.epoch.numpy())
    model.fit(X, X[:, :1], epochs=epochs, shuffle=False, verbose=0, initial_epoch=begun, callbacks=[save_epoch])
    return [np.asarray(one) for one in model.get_weights()]


@pytest.mark.parametrize("called", [False, True])
def test_a_model_of_a_class_of_its_own_has_to_be_called_before_on_keras_3_alone(tmp_path, called):
    expected = fit(tmp_path / "whole", 4, called)
    fit(tmp_path / "stopped", 2, called)
    resumed = fit(tmp_path / "stopped", 4, called)
    are_equal = all(
        one.shape == other.shape and (one == other).all() for one, other in zip(resumed, expected, strict=False)
    )
    assert are_equal is (called or not KERAS_3)
