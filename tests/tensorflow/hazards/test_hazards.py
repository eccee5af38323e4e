"""Each hazard's broken code fails to recover here, and its mended code recovers."""

import contextlib
import os
import shutil

import numpy as np
import pytest
import tensorflow as tf

from migrate.recovery.estimator.estimator import Estimator, EstimatorSpec
from tests.cases import each

KERAS_3 = hasattr(tf.keras, "ops")
X = np.arange(40, dtype=np.float32).reshape(20, 2) / 40
Y = X.sum(1, keepdims=True)


def made(*first):
    model = tf.keras.Sequential([*(first or [tf.keras.Input((2,))]), tf.keras.layers.Dense(1)])
    model.compile(optimizer="sgd", loss="mse")
    return model


class Interrupt(tf.keras.callbacks.Callback):
    """Raises at the end of a batch or of an epoch, counted from 0 since the start."""

    def __init__(self, batch=None, epoch=None):
        super().__init__()
        self.batch, self.epoch, self.batches = batch, epoch, 0

    def on_train_batch_end(self, batch, logs=None):
        self.batches += 1
        if self.batch is not None and self.batches == self.batch:
            raise RuntimeError("interrupted")

    def on_epoch_end(self, epoch, logs=None):
        if epoch == self.epoch:
            raise RuntimeError("interrupted")


class Epochs(tf.keras.callbacks.Callback):
    def on_train_begin(self, logs=None):
        self.begun = []

    def on_epoch_begin(self, epoch, logs=None):
        self.begun.append(epoch)


def interrupted(model, *callbacks, epochs=3):
    with pytest.raises(RuntimeError, match="interrupted"):
        model.fit(X, Y, batch_size=2, epochs=epochs, shuffle=False, verbose=0, callbacks=list(callbacks))


def resumed(model, *callbacks, epochs=3):
    seen = Epochs()
    model.fit(X, Y, batch_size=2, epochs=epochs, shuffle=False, verbose=0, callbacks=[*callbacks, seen])
    return seen.begun


def backup(directory, **arguments):
    return tf.keras.callbacks.BackupAndRestore(str(directory), **arguments)


def test_load_checkpoint_restores_nothing_and_restore_does(tmp_path):
    saved, fresh = tf.Variable(7.0), tf.Variable(0.0)
    path = tf.train.Checkpoint(value=saved).save(str(tmp_path / "c"))
    tf.train.load_checkpoint(path)
    assert fresh.numpy() == 0
    tf.train.Checkpoint(value=fresh).restore(path).assert_existing_objects_matched()
    assert fresh.numpy() == 7


def test_a_dropped_status_hides_what_is_missing_and_the_assertion_names_it(tmp_path):
    path = tf.train.Checkpoint(old_name=tf.Variable(7.0)).save(str(tmp_path / "c"))
    fresh = tf.Variable(0.0)
    checkpoint = tf.train.Checkpoint(new_name=fresh)
    checkpoint.restore(path).expect_partial()
    assert fresh.numpy() == 0
    with pytest.raises(AssertionError):
        checkpoint.restore(path).assert_existing_objects_matched()


def test_slots_made_after_a_restore_are_restored_and_another_optimizer_is_seen_once_it_is_built(tmp_path):
    def made(optimizer):
        weight = tf.Variable([1.0, 2.0])
        return weight, optimizer, tf.train.Checkpoint(weight=weight, optimizer=optimizer)

    def step(weight, optimizer):
        optimizer.apply_gradients([(weight * 2, weight)])
        return weight.numpy()

    weight, optimizer, checkpoint = made(tf.keras.optimizers.Adam(0.1))
    step(weight, optimizer)
    path = checkpoint.save(str(tmp_path / "c"))
    after = step(weight, optimizer)
    again, unbuilt, checkpoint = made(tf.keras.optimizers.Adam(0.1))
    checkpoint.restore(path).assert_existing_objects_matched()
    np.testing.assert_array_equal(step(again, unbuilt), after)
    *_, checkpoint = made(tf.keras.optimizers.Adagrad(0.1))
    checkpoint.restore(path).assert_existing_objects_matched()
    for same, other in ((True, tf.keras.optimizers.Adam(0.1)), (False, tf.keras.optimizers.Adagrad(0.1))):
        weight, built, checkpoint = made(other)
        built.build([weight])
        with contextlib.nullcontext() if same else pytest.raises(AssertionError):
            checkpoint.restore(path).assert_consumed()


def test_the_assertion_needs_a_path_so_that_it_stands_behind_one():
    with pytest.raises(AssertionError):
        tf.train.Checkpoint(value=tf.Variable(0.0)).restore(None).assert_existing_objects_matched()


def started(directory, restores=True, removes=False):
    """The step at which a loop of its own begins, which saves three later."""
    if removes:
        shutil.rmtree(directory, ignore_errors=True)
    step = tf.Variable(0)
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(step=step), str(directory), max_to_keep=1)
    if restores:
        manager.restore_or_initialize()
    first = int(step.numpy())
    step.assign_add(3)
    manager.save()
    return first


@pytest.mark.parametrize("broken", [{"restores": False}, {"removes": True}])
def test_a_loop_that_never_restores_or_removes_its_checkpoints_begins_anew(tmp_path, broken):
    assert [started(tmp_path, **broken), started(tmp_path, **broken), started(tmp_path)] == [0, 0, 3]


def test_a_job_that_removes_its_model_dir_at_each_start_begins_anew(tmp_path):
    def start(removes):
        if removes:
            shutil.rmtree(tmp_path, ignore_errors=True)
        begun = []

        class Begun(tf.compat.v1.train.SessionRunHook):
            def after_create_session(self, session, coord):
                begun.append(session.run(tf.compat.v1.train.get_global_step()))

        def model_fn(features, labels, mode):
            loss = tf.compat.v1.get_variable("w", []) * features
            step = tf.compat.v1.train.get_global_step()
            return EstimatorSpec(mode, loss=loss, train_op=tf.compat.v1.assign_add(step, 1))

        numbers = tf.data.Dataset.from_tensors
        Estimator(model_fn, str(tmp_path)).train(lambda: numbers(1.0).repeat(), [Begun()], steps=3)
        return begun[0]

    assert [start(True), start(True), start(False)] == [0, 0, 3]


def test_a_backup_every_n_steps_repeats_steps_on_keras_3_and_one_an_epoch_does_not(tmp_path):
    def steps(name, batch, **arguments):
        interrupted(made(), backup(tmp_path / name, **arguments), Interrupt(batch=batch), epochs=2)
        model = made()
        resumed(model, backup(tmp_path / name, **arguments), epochs=2)
        return int(model.optimizer.iterations.numpy())

    assert steps("every", 16, save_freq=5) == (25 if KERAS_3 else 20)
    assert steps("epoch", 16) == 20


@pytest.mark.parametrize("swallows", [True, False])
def test_a_restore_whose_failure_is_passed_over_begins_anew_and_deletes_what_was_there(tmp_path, swallows):
    def manager(size):
        checkpoint = tf.train.Checkpoint(weight=tf.Variable(tf.zeros(size)), step=tf.Variable(0))
        return tf.train.CheckpointManager(checkpoint, str(tmp_path), max_to_keep=1)

    old = manager(2)
    old.checkpoint.step.assign(90)
    kept = old.save()
    new = manager(3)  # its model has changed
    if swallows:
        with contextlib.suppress(Exception):
            new.checkpoint.restore(new.latest_checkpoint).assert_existing_objects_matched()
        new.save()
    else:
        with pytest.raises(ValueError, match="hape"):
            new.checkpoint.restore(new.latest_checkpoint).assert_existing_objects_matched()
    assert os.path.exists(f"{kept}.index") != swallows


def test_the_experimental_name_is_the_stable_class_or_gone():
    if KERAS_3:
        assert not hasattr(tf.keras.callbacks, "experimental")
    else:
        old = tf.keras.callbacks.experimental.BackupAndRestore
        assert issubclass(old, tf.keras.callbacks.BackupAndRestore)


@each("is_tracked", "begins_at_it", "advances", "trained")(
    (False, True, True, 5), (True, False, True, 5), (True, True, False, 5), (True, True, True, 3)
)
def test_a_resumed_loop_trains_too_much_unless_it_begins_at_an_epoch_that_its_saves_hold(
    tmp_path, is_tracked, begins_at_it, advances, trained
):
    def start(stop=None):
        optimizer, epoch, weight = tf.keras.optimizers.SGD(0.1), tf.Variable(0), tf.Variable(1.0)
        optimizer.build([weight])
        tracked = {"weight": weight, "optimizer": optimizer} | ({"epoch": epoch} if is_tracked else {})
        manager = tf.train.CheckpointManager(tf.train.Checkpoint(**tracked), str(tmp_path), max_to_keep=1)
        manager.restore_or_initialize()
        for number in range(int(epoch) if begins_at_it else 0, 3):
            if number == stop:
                break
            optimizer.apply_gradients([(tf.constant(1.0), weight)])
            epoch.assign_add(1 if advances else 0)
            manager.save()
        return int(optimizer.iterations.numpy())

    assert start(stop=2) == 2
    assert start() == trained


def test_a_model_that_is_saved_in_a_directory_raises_on_keras_3_and_in_a_file_or_as_an_export_does_not(tmp_path):
    model = made()
    model.fit(X, Y, verbose=0)
    expected = pytest.raises(ValueError, match="extension") if KERAS_3 else contextlib.nullcontext()
    with expected:
        model.save(str(tmp_path / "keras-model"))
    model.save(str(tmp_path / "model.keras"))
    loaded = tf.keras.models.load_model(str(tmp_path / "model.keras"))
    np.testing.assert_array_equal(loaded.predict(X, verbose=0), model.predict(X, verbose=0))
    model.export(str(tmp_path / "export"))
    export = tf.saved_model.load(str(tmp_path / "export"))
    np.testing.assert_allclose(export.serve(tf.constant(X)), model.predict(X, verbose=0), rtol=1e-6)


class Blocks(tf.keras.Model):
    def __init__(self, hold):
        super().__init__()
        made = {"dense": tf.keras.layers.Dense(3), "normal": tf.keras.layers.BatchNormalization()}
        self.blocks, self.out = hold(made), tf.keras.layers.Dense(1)
        self.held = tuple(made.values()) if hold is beside else ()

    def call(self, x, training=None):
        dense, normal = self.blocks.values() if isinstance(self.blocks, dict) else self.blocks
        return self.out(normal(dense(x), training=training))


def as_list(made):
    return [*made.values()]


def as_tuple(made):
    return tuple(made.values())


def beside(made):
    return made


def trained_and_restored(path, hold, with_optimizer, is_called):
    """What a model predicts when it is saved, and what another predicts that is restored."""

    def made():
        model, optimizer = Blocks(hold), tf.keras.optimizers.Adam(0.1)
        return model, optimizer, {"model": model, **({"optimizer": optimizer} if with_optimizer else {})}

    model, optimizer, tracked = made()
    for _ in range(3):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(X, training=True) - Y) ** 2)
        trained = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, trained), trained, strict=True))
    path = tf.train.Checkpoint(**tracked).save(str(path / "c"))
    again, _, tracked = made()
    if is_called:
        again(X)
    tf.train.Checkpoint(**tracked).restore(path).assert_existing_objects_matched()
    return model(X).numpy(), again(X).numpy()


@pytest.mark.parametrize("with_optimizer", [False, True])
@each("hold", "is_called", "is_whole")(
    *((as_list, True, not KERAS_3), (dict, True, not KERAS_3)),
    *((as_tuple, True, True), (beside, True, True), (as_tuple, False, not KERAS_3)),
)
def test_layers_in_a_list_and_a_model_without_weights_are_restored_by_keras_2_alone_and_in_a_tuple_and_called_by_both(
    tmp_path, hold, is_called, is_whole, with_optimizer
):
    saved, restored = trained_and_restored(tmp_path, hold, with_optimizer, is_called)
    assert np.allclose(saved, restored, atol=1e-5) is is_whole
