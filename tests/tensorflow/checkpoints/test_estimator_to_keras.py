"""An Estimator's checkpoint becomes one that the Keras program resumes from, whole or not at all."""

import re

import pytest
import tensorflow as tf

from migrate.checkpoints.estimator_to_keras import estimator_to_keras
from migrate.recovery.checkpoint_recovery import CheckpointRecovery
from tests.tensorflow.checkpoints.job import batches, build

ADAM = "v1-three-AdamOptimizer"


def recover(model, model_dir, keep=None):
    manager = tf.train.CheckpointManager(
        tf.train.Checkpoint(model=model, optimizer=model.optimizer),
        str(model_dir),
        max_to_keep=keep,
        step_counter=model.optimizer.iterations,
        checkpoint_interval=4,
    )
    return CheckpointRecovery(manager)


def refused(estimators, tmp_path, message, name=ADAM, **settings):
    with pytest.raises(ValueError, match=message):
        estimator_to_keras(str(estimators / name), build(name, **settings), str(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_the_latest_checkpoint_of_a_directory_is_carried(estimators, tmp_path):
    path = estimator_to_keras(str(estimators / ADAM), build(ADAM), str(tmp_path))
    assert path == str(tmp_path / "ckpt-30")
    assert recover(build(ADAM), tmp_path).restore() == 30


def test_one_step_can_be_chosen(estimators, tmp_path):
    estimator_to_keras(str(estimators / ADAM / "model.ckpt-15"), build(ADAM), str(tmp_path))
    assert recover(build(ADAM), tmp_path).restore() == 15


def test_the_job_goes_on_in_the_old_directory_and_keeps_what_is_there(estimators, tmp_path):
    for file in (estimators / ADAM).glob("model.ckpt-30.*"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "checkpoint").write_text('model_checkpoint_path: "model.ckpt-30"\n')
    estimator_to_keras(str(tmp_path), build(ADAM), str(tmp_path))
    model = build(ADAM)
    recovery = recover(model, tmp_path)
    assert recovery.restore() == 30
    model.fit(batches(estimators, ADAM).take(2), verbose=0, callbacks=[recovery])
    steps = {int(re.search(r"-(\d+)", file.stem)[1]) for file in tmp_path.glob("ckpt-*.index")}
    assert steps == {30, 32}
    assert (tmp_path / "model.ckpt-30.index").exists()


def test_a_variable_that_is_not_there_is_named(estimators, tmp_path):
    refused(estimators, tmp_path, r"It lacks dnn/hiddenlayer_2/bias", units=(8, 5, 4))


def test_a_variable_without_a_place_is_named(estimators, tmp_path):
    refused(estimators, tmp_path, r"The model has no place for dnn/hiddenlayer_1/bias", units=(8,))


def test_another_shape_is_named(estimators, tmp_path):
    refused(estimators, tmp_path, r"Other shapes: dnn/hiddenlayer_1/bias \[5\] for \[6\]", units=(8, 6))


def test_slots_of_another_optimizer_are_named(estimators, tmp_path):
    optimizer = tf.keras.optimizers.SGD(0.01)
    refused(estimators, tmp_path, r"no place for dnn/hiddenlayer_0/bias/t_0/Adam,", optimizer=optimizer)


def test_an_optimizer_whose_slots_are_not_known_is_refused(estimators, tmp_path):
    refused(estimators, tmp_path, "The slots of Nadam are not known", optimizer=tf.keras.optimizers.Nadam())


def test_momentum_under_a_changing_learning_rate_is_refused(estimators, tmp_path):
    schedule = tf.keras.optimizers.schedules.ExponentialDecay(0.01, 10, 0.5)
    optimizer = tf.keras.optimizers.SGD(schedule, momentum=0.9)
    refused(estimators, tmp_path, "the algorithms differ", name="v1-three-MomentumOptimizer", optimizer=optimizer)


def test_a_setting_that_the_old_job_saved_must_be_the_same(estimators, tmp_path):
    optimizer = tf.keras.optimizers.SGD(0.01, momentum=0.5)
    refused(estimators, tmp_path, r"momentum is 0.9 .* 0.5", name="v2-three-SGD_momentum", optimizer=optimizer)


def test_a_learning_rate_that_the_old_job_saved_is_carried(estimators, tmp_path):
    model = build("v2-three-SGD", optimizer=tf.keras.optimizers.SGD(0.5))
    estimator_to_keras(str(estimators / "v2-three-SGD"), model, str(tmp_path))
    assert float(model.optimizer.learning_rate.numpy()) == pytest.approx(0.01)


def test_layers_that_no_canned_dnn_has_are_refused(estimators, tmp_path):
    inputs = {"x": tf.keras.Input((6,), name="x")}
    net = tf.keras.layers.LayerNormalization(name="extra")(inputs["x"])
    model = tf.keras.Model(inputs, tf.keras.layers.Dense(3)(net))
    model.compile(optimizer=tf.keras.optimizers.Adam(0.01), loss="mse")
    with pytest.raises(ValueError, match="The layer extra has weights"):
        estimator_to_keras(str(estimators / ADAM), model, str(tmp_path))
