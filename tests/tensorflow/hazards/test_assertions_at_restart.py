"""``assert_consumed`` on a restore fails beside an optimizer that is not built, and holds beside one that is."""

import contextlib

import pytest
import tensorflow as tf

from tests.cases import each

KERAS_3 = hasattr(tf.keras, "ops")
FAILS = pytest.raises(AssertionError, match="Unresolved object")
HOLDS = contextlib.nullcontext()


def made(optimizer=tf.keras.optimizers.Adam, is_built=False):
    model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
    optimizer = optimizer(0.1)
    if is_built:
        optimizer.build(model.trainable_variables)
    return model, optimizer, tf.train.Checkpoint(model=model, optimizer=optimizer)


def saved(path, optimizer=tf.keras.optimizers.Adam, method="save"):
    model, optimizer, checkpoint = made(optimizer)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(model(tf.ones((4, 2))) ** 2)
    trained = model.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, trained), trained, strict=True))
    return getattr(checkpoint, method)(str(path / "c"))


@each("optimizer", "is_built", "expected")(
    (tf.keras.optimizers.Adam, False, FAILS),
    (tf.keras.optimizers.Adam, True, HOLDS),
    (tf.keras.optimizers.SGD, False, HOLDS if KERAS_3 else FAILS),
    (tf.keras.optimizers.SGD, True, HOLDS),
)
def test_an_optimizer_is_built_before_its_checkpoint_is_asserted_to_be_consumed(
    tmp_path, optimizer, is_built, expected
):
    path = saved(tmp_path, optimizer)
    *_, checkpoint = made(optimizer, is_built)
    with expected:
        checkpoint.restore(path).assert_consumed()


@pytest.mark.parametrize("method", ["restore", "read"])
def test_what_exists_is_matched_beside_an_optimizer_that_is_not_built(tmp_path, method):
    path = saved(tmp_path)
    getattr(made()[2], method)(path).assert_existing_objects_matched()


@pytest.mark.parametrize(("method", "expected"), [("save", FAILS), ("write", HOLDS)])
def test_read_leaves_the_counter_that_save_writes(tmp_path, method, expected):
    path = saved(tmp_path, method=method)
    with expected:
        made(is_built=True)[2].read(path).assert_consumed()


def test_the_weights_of_a_model_that_was_trained_hold_an_optimizer_on_keras_2_and_say_nothing_on_keras_3(tmp_path):
    def compiled():
        model = made()[0]
        model.compile("adam", "mse")
        return model

    model, path = compiled(), str(tmp_path / ("c.weights.h5" if KERAS_3 else "c"))
    model.fit(tf.ones((4, 2)), tf.ones((4, 1)), verbose=0)
    model.save_weights(path)
    with pytest.raises(AttributeError) if KERAS_3 else FAILS:
        compiled().load_weights(path).assert_consumed()


def test_the_weights_of_a_model_that_has_no_optimizer_itself_hold_none(tmp_path):
    path = str(tmp_path / ("c.weights.h5" if KERAS_3 else "c"))
    made(is_built=True)[0].save_weights(path)
    status = made()[0].load_weights(path)
    assert (status is None) if KERAS_3 else status.assert_consumed()


def test_an_empty_path_stops_a_restore_so_that_no_guard_may_pass_over_it():
    with pytest.raises(tf.errors.NotFoundError):
        made()[2].restore("")
