"""``fit`` goes on after the last epoch saved, with the weights and the optimizer that an uninterrupted one has."""

import os
from contextlib import suppress

import numpy as np
import pytest
import tensorflow as tf

from migrate.recovery.keras_epoch_recovery import EpochRecovery

X = np.random.RandomState(0).rand(32, 4).astype("float32")
Y = X.sum(1, keepdims=True)


class Subclassed(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.first, self.norm, self.last = layers()

    def call(self, inputs, training=False):
        return self.last(self.norm(self.first(inputs), training=training))


class InList(tf.keras.layers.Layer):
    def __init__(self, kept=list):
        super().__init__()
        self.parts = dict(zip("abc", layers(), strict=True)) if kept is dict else list(layers())

    def call(self, inputs, training=False):
        first, norm, last = self.parts.values() if isinstance(self.parts, dict) else self.parts
        return last(norm(first(inputs), training=training))


class OfPairs(tf.keras.Model):
    """Its ``call`` takes a dict, and flags."""

    def __init__(self):
        super().__init__()
        self.left, self.right = Subclassed(), tf.keras.layers.Dense(1)

    def call(self, inputs, training=False, mask=None):
        return self.left(inputs["a"], training=training) + self.right(inputs["b"])


class Gan(tf.keras.Model):
    """Trains two models by optimizers of their own, and has no ``call``."""

    def __init__(self):
        super().__init__()
        self.makes = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(4)])
        self.judges = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)])

    def compile(self, *arguments, **settings):
        super().compile(*arguments, **settings)
        self.one, self.other = tf.keras.optimizers.Adam(0.01), tf.keras.optimizers.SGD(0.01, momentum=0.9)

    def train_step(self, data):
        for model, optimizer in ((self.makes, self.one), (self.judges, self.other)):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((self.judges(self.makes(data[0])) - data[1]) ** 2)
            variables = model.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return {"loss": loss}


class Called(Gan):
    def call(self, inputs):
        return self.judges(self.makes(inputs))


def built(model):
    model(X[:1])
    return model


def layers():
    return tf.keras.layers.Dense(3), tf.keras.layers.BatchNormalization(), tf.keras.layers.Dense(1)


KERAS_3 = hasattr(tf.keras, "ops")
MODELS = {
    "built": lambda: tf.keras.Sequential([tf.keras.Input((4,)), *layers()]),
    "built by fit": lambda: tf.keras.Sequential(layers()),
    "subclassed": Subclassed,
    "layers in a list": lambda: tf.keras.Sequential([tf.keras.Input((4,)), InList()]),
    "layers in a dict, built by fit": lambda: tf.keras.Sequential([InList(dict)]),
    "two inputs": lambda: OfPairs(),
    "two models": lambda: Gan(),
    "two models, built": lambda: built(Called()),
}


class Stop(tf.keras.callbacks.Callback):
    def __init__(self, epoch):
        super().__init__()
        self.at = epoch

    def on_epoch_begin(self, epoch, logs=None):
        if epoch == self.at:
            raise RuntimeError("interrupted")


def fit(model_of, directory, stop_at=None, optimizer="adam", is_counted=True):
    tf.keras.utils.set_random_seed(1)
    model = model_of()
    model.compile(optimizer if isinstance(optimizer, str) else optimizer(), "mse")
    checkpoint = tf.train.Checkpoint(model=model, optimizer=model.optimizer, epoch=tf.Variable(0))
    recovery = EpochRecovery(tf.train.CheckpointManager(checkpoint, str(directory), max_to_keep=2))
    first = recovery.restore()
    batches = tf.data.Dataset.from_tensor_slices((X, Y)).batch(8)
    batches = batches if is_counted else batches.filter(lambda x, y: True)
    batches = batches.map(lambda x, y: ({"a": x, "b": 2 * x}, y)) if model_of is MODELS["two inputs"] else batches
    history = model.fit(batches, epochs=4, verbose=0, initial_epoch=first, callbacks=[recovery, Stop(stop_at)])
    return first, history.history.get("loss", []), model


@pytest.mark.parametrize("model_of", MODELS.values(), ids=MODELS.keys())
def test_an_interrupted_fit_ends_where_an_undisturbed_one_ends(model_of, tmp_path):
    first, losses, model = fit(model_of, tmp_path / "undisturbed")
    assert (first, len(losses)) == (0, 4)
    with pytest.raises(RuntimeError):
        fit(model_of, tmp_path / "job", stop_at=2)
    first, after, again = fit(model_of, tmp_path / "job")
    assert (first, after) == (2, losses)
    assert int(getattr(again, "one", again.optimizer).iterations.numpy()) == 16
    for one, other in zip(model.get_weights(), again.get_weights(), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("name", ["whole.keras", "whole.h5"])
def test_keras_3_trains_a_whole_model_further_from_a_keras_file_alone(name, tmp_path):
    model = MODELS["built"]()
    model.compile("adam", tf.keras.losses.MeanSquaredError())
    model.fit(X, Y, verbose=0)
    model.save(str(tmp_path / name))
    loaded = tf.keras.models.load_model(str(tmp_path / name))
    if KERAS_3 and name.endswith(".h5"):
        with pytest.raises(ValueError, match="Unknown variable"):
            loaded.fit(X, Y, verbose=0)
    else:
        loaded.fit(X, Y, verbose=0)


@pytest.mark.parametrize("name", ["run[lr=1]", "job\\run"])
def test_a_directory_that_tensorflow_saves_to_and_does_not_read_is_refused_before_anything_is_trained(name, tmp_path):
    model = MODELS["built"]()
    directory = str(tmp_path / name)
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(model=model), directory, max_to_keep=2)
    manager.save()
    with pytest.raises(tf.errors.NotFoundError):
        manager.checkpoint.restore(manager.latest_checkpoint)
    with pytest.raises(ValueError, match="reads nothing from there"):
        EpochRecovery(manager)


def test_over_data_of_unknown_length_it_counts_the_steps_of_an_undisturbed_fit(tmp_path):
    _, losses, model = fit(MODELS["built"], tmp_path / "undisturbed", is_counted=False)
    for stop_at in (1, 3):
        with pytest.raises(RuntimeError):
            fit(MODELS["built"], tmp_path / "job", stop_at, is_counted=False)
    _, after, again = fit(MODELS["built"], tmp_path / "job", is_counted=False)
    assert after == losses
    assert int(again.optimizer.iterations.numpy()) == int(model.optimizer.iterations.numpy())


@pytest.mark.skipif(KERAS_3, reason="Keras 3 has no legacy optimizers")
@pytest.mark.parametrize("name", ["SGD", "Adam", "RMSprop", "Adagrad", "Ftrl"])
@pytest.mark.parametrize("model_of", ["built", "built by fit"])
def test_a_legacy_optimizer_goes_on_with_its_slots(name, model_of, tmp_path):
    def optimizer():
        momentum = {"momentum": 0.9} if name in ("SGD", "RMSprop") else {}
        return getattr(tf.keras.optimizers.legacy, name)(0.01, **momentum)

    _, losses, _ = fit(MODELS[model_of], tmp_path / "undisturbed", optimizer=optimizer)
    with pytest.raises(RuntimeError):
        fit(MODELS[model_of], tmp_path / "job", stop_at=2, optimizer=optimizer)
    first, after, again = fit(MODELS[model_of], tmp_path / "job", optimizer=optimizer)
    assert (first, after) == (2, losses)
    assert int(again.optimizer.iterations.numpy()) == 16


@pytest.mark.parametrize("model_of", ["built", "built by fit", "subclassed", "two inputs"])
def test_a_finished_job_that_is_started_again_trains_nothing_and_has_its_weights_and_history(model_of, tmp_path):
    _, losses, model = fit(MODELS[model_of], tmp_path)
    first, after, again = fit(MODELS[model_of], tmp_path)
    assert (first, after) == (4, losses)
    for one, other in zip(model.get_weights(), again.get_weights(), strict=True):
        np.testing.assert_array_equal(one, other)
    again.summary(print_fn=lambda *_, **__: None)  # which wants a model that is built


class Known(tf.keras.callbacks.History):
    """Knows the epochs of a file that an earlier program has written."""

    def on_train_begin(self, logs=None):
        self.epoch, self.history = [0, 1], {"loss": [9.0, 8.0]}


def test_epochs_that_a_callback_of_the_program_knows_stand_before_those_of_earlier_starts(tmp_path):
    for stop_at in (4, None):
        model, known = MODELS["built"](), Known()
        model.compile("sgd", "mse")
        checkpoint = tf.train.Checkpoint(model=model, optimizer=model.optimizer, epoch=tf.Variable(0))
        recovery = EpochRecovery(tf.train.CheckpointManager(checkpoint, str(tmp_path), max_to_keep=2))
        model.history = known
        try:
            callbacks = [known, recovery, Stop(stop_at)]
            model.fit(X, Y, epochs=6, verbose=0, initial_epoch=recovery.restore(2), callbacks=callbacks)
        except RuntimeError:
            assert stop_at
    assert model.history.epoch == list(range(6))
    assert model.history.history["loss"][:2] == [9.0, 8.0]
    assert len(model.history.history["loss"]) == 6


def test_a_torn_newest_checkpoint_costs_one_epoch(tmp_path):
    fit(MODELS["built"], tmp_path)
    for path in tmp_path.glob("ckpt-4.data*"):
        path.write_bytes(b"")
    assert fit(MODELS["built"], tmp_path)[0] == 3


@pytest.mark.parametrize(
    ("saved", "other"),
    [
        ("built", lambda: tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)])),
        ("built by fit", lambda: tf.keras.Sequential([*layers(), tf.keras.layers.Dense(1)])),
    ],
)
def test_a_start_says_what_to_do_where_another_models_checkpoint_lies(saved, other, tmp_path):
    fit(MODELS[saved], tmp_path)
    with pytest.raises(ValueError, match=rf"(?s)ckpt-4 does not fit this model: .*\n{tmp_path} holds .*move that"):
        fit(other, tmp_path)
    assert tf.train.latest_checkpoint(tmp_path).endswith("ckpt-4")  # nothing is saved over it


@pytest.mark.skipif(not KERAS_3, reason="Keras 2 restores a model while it builds it")
def test_keras_3_says_that_it_cannot_build_a_model_again(tmp_path):
    fit(Subclassed, tmp_path)
    (tmp_path / "shapes.json").unlink()
    with pytest.raises(ValueError, match="Build the model before fit"):
        fit(Subclassed, tmp_path)


class SaveAndStop(tf.keras.callbacks.Callback):
    """Saves after each epoch, and raises after the second save."""

    def __init__(self, path):
        super().__init__()
        self.path = path

    def on_epoch_end(self, epoch, logs=None):
        self.model.save_weights(self.path)
        if epoch == 1:
            self.path.with_name("last.weights.h5").hardlink_to(self.path)
            raise RuntimeError


def test_weights_in_tensorflows_format_that_a_start_saves_at_its_end_are_what_the_next_one_begins_with(tmp_path):
    file = str(tmp_path / "weights")
    for saved in (False, True):
        model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)])
        model.compile("adam", "mse")
        checkpoint = tf.train.Checkpoint(model=model, optimizer=model.optimizer, epoch=tf.Variable(0))
        recovery = EpochRecovery(tf.train.CheckpointManager(checkpoint, str(tmp_path / "recovery"), max_to_keep=2))
        assert recovery.restore(saved=file) == 0
        if not saved:
            model.fit(X, Y, epochs=2, verbose=0, callbacks=[recovery])
            tf.train.Checkpoint(model).write(file)
            os.utime(file + ".index", (2**31, 2**31))


class SaveEachBatch(tf.keras.callbacks.Callback):
    def __init__(self, path):
        super().__init__()
        self.path = path

    def on_train_batch_end(self, batch, logs=None):
        self.model.save_weights(self.path)


def test_a_named_file_that_the_training_saves_amid_its_epochs_is_no_other_one(tmp_path):
    file = str(tmp_path / ("w.weights.h5" if KERAS_3 else "w"))  # in TensorFlow's format, where there is one
    MODELS["built"]().save_weights(file)
    begun = []
    for stop_at in ((1, 2), (2, 1), None):
        model = MODELS["built"]()
        model.compile("adam", "mse")
        model.load_weights(file)
        checkpoint = tf.train.Checkpoint(model=model, optimizer=model.optimizer, epoch=tf.Variable(0))
        recovery = EpochRecovery(tf.train.CheckpointManager(checkpoint, str(tmp_path / "recovery"), max_to_keep=2))
        begun.append(recovery.restore(named=file))
        callbacks = [recovery, SaveEachBatch(file), StopWithin(stop_at, [])]
        with suppress(RuntimeError):
            model.fit(X, Y, epochs=3, batch_size=8, initial_epoch=begun[-1], verbose=0, callbacks=callbacks)
    assert begun == [0, 1, 2]


def start_further(file, stop_at=None, by="saved", **saver):
    """One start of a job that trains a file further, which it saves while it trains and at its end: its first epoch."""
    model = MODELS["built"]()
    model.compile("adam", "mse")
    if file.exists():
        model.load_weights(file)
    checkpoint = tf.train.Checkpoint(model=model, optimizer=model.optimizer, epoch=tf.Variable(0))
    recovery = EpochRecovery(tf.train.CheckpointManager(checkpoint, str(file.parent / "recovery"), max_to_keep=2))
    begun = recovery.restore(**{by: str(file)})
    saver = tf.keras.callbacks.ModelCheckpoint(str(file), save_weights_only=True, **saver)
    callbacks = [recovery, saver, StopWithin(stop_at, [])]
    try:
        model.fit(X, Y, epochs=4, batch_size=8, initial_epoch=begun, verbose=0, callbacks=callbacks)
    except RuntimeError:
        return begun
    model.save_weights(str(file))
    return begun


@pytest.mark.parametrize("by", ["saved", "named"])
@pytest.mark.parametrize("saver", [{}, {"save_best_only": True, "monitor": "loss", "mode": "max"}])
def test_a_start_goes_on_over_the_file_that_its_own_training_saves_and_not_over_that_of_another(tmp_path, saver, by):
    file = tmp_path / "m.weights.h5"
    begun = [start_further(file, at, by, **saver) for at in ((1, 2), (2, 0), (3, 3), None)]
    assert begun == [0, 1, 2, 3]
    assert [start_further(file, at, by, **saver) for at in ((2, 1), (3, 1))] == [0, 2]  # of the file of the end
    other = MODELS["built"]()
    other.save_weights(str(file))
    assert [start_further(file, at, by, **saver) for at in ((1, 1), None, None)] == [0, 1, 0]


def test_a_save_before_the_first_checkpoint_of_the_next_training_is_none_of_the_last(tmp_path):
    file = tmp_path / "m.weights.h5"
    begun = [start_further(file, at, save_freq=2) for at in (None, (0, 3), (1, 3), None)]
    assert begun == [0, 0, 0, 1]


@pytest.mark.parametrize("is_restored", [True, False])  # a flag may decide
def test_a_file_takes_the_place_of_the_one_before_when_it_is_whole(tmp_path, is_restored):
    path = tmp_path / "w.weights.h5"
    model = MODELS["built"]()
    model.compile("sgd", "mse")
    checkpoint = tf.train.Checkpoint(model=model, optimizer=model.optimizer, epoch=tf.Variable(0))
    recovery = EpochRecovery(tf.train.CheckpointManager(checkpoint, str(tmp_path / "recovery"), max_to_keep=2))
    first = recovery.restore() if is_restored else 0
    with pytest.raises(RuntimeError):
        model.fit(X, Y, epochs=3, initial_epoch=first, callbacks=[recovery, SaveAndStop(path)], verbose=0)
    before = (tmp_path / "last.weights.h5").read_bytes()
    model.save_weights(path)  # a new file, so that the one before keeps every byte
    assert (tmp_path / "last.weights.h5").read_bytes() == before
    assert not path.samefile(tmp_path / "last.weights.h5")
    again = MODELS["built"]()
    again.load_weights(path)
    np.testing.assert_array_equal(model.get_weights()[0], again.get_weights()[0])
    model.fit(X, Y, epochs=3, initial_epoch=2, callbacks=[recovery], verbose=0)
    assert not {"save", "save_weights"} & set(vars(model))


class StopWithin(tf.keras.callbacks.Callback):
    """Interrupts a job before a batch, and notes the batches that it trains of each epoch."""

    def __init__(self, at, trained):
        super().__init__()
        self.at, self.trained = at, trained

    def on_epoch_begin(self, epoch, logs=None):
        self.epoch = epoch
        self.trained.append([epoch, 0])

    def on_train_batch_begin(self, batch, logs=None):
        if (self.epoch, batch) == self.at:
            raise RuntimeError("interrupted")

    def on_train_batch_end(self, batch, logs=None):
        self.trained[-1][1] += 1


def fit_within(directory, stop_at, trained, save_freq=2, is_counted=True, **given):
    tf.keras.utils.set_random_seed(1)
    model = MODELS["built"]()
    model.compile("adam", "mse")
    checkpoint = tf.train.Checkpoint(model=model, optimizer=model.optimizer, epoch=tf.Variable(0), batch=tf.Variable(0))
    manager = tf.train.CheckpointManager(checkpoint, str(directory), max_to_keep=2)
    recovery = EpochRecovery(manager, save_freq=save_freq)
    batches = tf.data.Dataset.from_tensor_slices((X, Y)).batch(8)
    batches = batches if is_counted else batches.filter(lambda x, y: True)
    first = recovery.restore()
    steps = int(model.optimizer.iterations.numpy())
    callbacks = [recovery, *given.pop("callbacks", []), StopWithin(stop_at, trained)]
    model.fit(batches, epochs=4, verbose=0, initial_epoch=first, callbacks=callbacks, **given)
    return first, steps, int(model.optimizer.iterations.numpy())


@pytest.mark.parametrize("given", [{}, {"validation_data": (X, Y)}], ids=["", "validated"])
def test_an_epoch_that_was_interrupted_goes_on_with_the_batches_that_it_lacks(tmp_path, given):
    trained = []
    with pytest.raises(RuntimeError, match="interrupted"):
        fit_within(tmp_path, (2, 3), trained, **given)
    assert trained == [[0, 4], [1, 4], [2, 3]]
    trained.clear()
    with pytest.raises(RuntimeError, match="interrupted"):
        fit_within(tmp_path, (3, 3), trained, **given)
    assert trained == [[2, 2], [3, 3]]  # the third batch was not saved
    trained.clear()
    assert fit_within(tmp_path, None, trained, **given) == (3, 14, 16)
    assert trained == [[3, 2]]


def test_data_of_unknown_length_are_counted_by_the_first_epoch(tmp_path):
    trained = []
    undisturbed = fit_within(tmp_path / "undisturbed", None, [], is_counted=False)
    with pytest.raises(RuntimeError, match="interrupted"):
        fit_within(tmp_path / "job", (2, 3), trained, is_counted=False)
    trained.clear()
    first, _, steps = fit_within(tmp_path / "job", None, trained, is_counted=False)
    assert (first, steps) == (2, undisturbed[2])
    assert trained == [[2, 2], [3, 4]]


def test_more_batches_than_an_epoch_between_two_saves_cost_an_epoch_at_most(tmp_path):
    trained = []
    with pytest.raises(RuntimeError, match="interrupted"):
        fit_within(tmp_path, (2, 3), trained, save_freq=100)
    assert fit_within(tmp_path, None, trained, save_freq=100) == (2, 8, 16)


def test_a_callback_that_ends_the_training_ends_it_in_an_epoch_that_was_interrupted_too(tmp_path):
    trained, stop = [], tf.keras.callbacks.LambdaCallback()
    stop.on_epoch_end = lambda epoch, logs=None: setattr(stop.model, "stop_training", True)
    with pytest.raises(RuntimeError, match="interrupted"):
        fit_within(tmp_path, (1, 3), trained)
    trained.clear()
    assert fit_within(tmp_path, None, trained, callbacks=[stop])[2] == 8
    assert trained == [[1, 2]]


def test_epoch_as_the_save_freq_saves_after_each_epoch_alone(tmp_path):
    fit_within(tmp_path, None, [], save_freq="epoch")
    assert sorted(path.name for path in tmp_path.glob("*.index")) == ["ckpt-3.index", "ckpt-4.index"]


class Wrapped(tf.keras.callbacks.Callback):
    def __init__(self, callback):
        super().__init__()
        self.callback = callback
        self.on_epoch_end = callback.on_epoch_end

    def set_model(self, model):
        self.callback.set_model(model)


@pytest.mark.parametrize("keeps", ["none", "itself", "all callbacks"])
def test_a_model_checkpoint_forgets_its_best_value_at_a_resume_unless_the_recovery_keeps_it(tmp_path, keeps):
    def start(shift, stop_at=None):
        tf.keras.utils.set_random_seed(1)
        model = MODELS["built"]()
        model.compile(tf.keras.optimizers.SGD(0.01), "mse")
        saver = tf.keras.callbacks.ModelCheckpoint(str(tmp_path / "best.keras"), "loss", save_best_only=True)
        checkpoint = tf.train.Checkpoint(model=model, optimizer=model.optimizer, epoch=tf.Variable(0))
        manager = tf.train.CheckpointManager(checkpoint, str(tmp_path / "recovery"), max_to_keep=2)
        callbacks = [tf.keras.callbacks.EarlyStopping("loss"), Wrapped(saver)] if keeps == "all callbacks" else [saver]
        recovery = EpochRecovery(manager, savers=None if keeps == "none" else callbacks)
        first = recovery.restore()
        model.fit(
            X, Y + shift, epochs=4, verbose=0, initial_epoch=first, callbacks=[recovery, *callbacks, Stop(stop_at)]
        )
        return saver.best

    with pytest.raises(RuntimeError, match="interrupted"):
        start(0, stop_at=3)
    best = (tmp_path / "best.keras").read_bytes()
    assert start(100) > 100 if keeps == "none" else start(100) < 100  # the fourth epoch is worse by far
    assert ((tmp_path / "best.keras").read_bytes() == best) == (keeps != "none")
