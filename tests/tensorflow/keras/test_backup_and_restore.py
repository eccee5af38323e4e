"""Which start goes on with an interrupted training, and with what."""

import collections
import contextlib
import datetime
import enum
import gc
import io
import itertools
import os
import pathlib
import random
import subprocess
import sys
import threading
import time
import weakref
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
import tensorflow as tf

from migrate.recovery.keras import backup_and_restore, commands, interrupted_training, recovered_loop, saved_states
from migrate.recovery.keras.backup_and_restore import BackupAndRestore
from migrate.recovery.keras.commands import command_of_process, difference_of
from migrate.recovery.keras.recovered_loop import recovered
from migrate.recovery.keras.saved_states import directory_for, put_in_place
from tests.cases import each

keras = tf.keras
X = np.random.RandomState(0).rand(24, 3).astype("float32")
Y = X.sum(1, keepdims=True)
FILE = "w/cp.weights.h5"


class Interruption(Exception):
    """Ends a start as a kill would: nothing of the recovery is told of it."""


class Notes(collections.UserList):
    """What a test notes, of a class of another package: what these hold does not go on."""

    __module__ = "collections"


class InterruptAt(keras.callbacks.Callback):
    """Notes the epochs that begin, and interrupts one at its end, before other callbacks act."""

    def __init__(self, epoch=None):
        super().__init__()
        self.at, self.begun, self.rates = epoch, Notes(), Notes()

    def on_epoch_begin(self, epoch, logs=None):
        self.begun.append(epoch)
        self.rates.append(float(self.model.optimizer.learning_rate.numpy()))

    def on_epoch_end(self, epoch, logs=None):
        if epoch == self.at:
            raise Interruption


@pytest.fixture(autouse=True)
def start(tmp_path, monkeypatch):
    """Returns a function that begins a start, as a process of its own would."""
    monkeypatch.chdir(tmp_path)
    os.mkdir("w")
    for name in ("program_objects", "recovered_loop"):  # The other tests' modules are no part of it.
        place = f"migrate.recovery.keras.{name}.modules_of_program"
        monkeypatch.setattr(place, lambda: [sys.modules[__name__]])

    def begin(command="train.py"):
        for training in interrupted_training._trainings:
            training.wait()
        interrupted_training._trainings.clear()
        interrupted_training._begun.clear()
        keras.utils.set_random_seed(1)
        monkeypatch.setattr(
            interrupted_training, "command_of_process", lambda: {"run": [command], "files": {}, "variables": {}}
        )

    begin()
    yield begin
    begin()


def build(units=4, optimizer="adam"):
    model = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(units), keras.layers.Dense(1)])
    model.compile(optimizer, "mse")
    return model


def loaded():
    """A model with the weights that the program saved."""
    model = build()
    model.load_weights(FILE)
    return model


def fit(model, *callbacks, at=None, epochs=5, first=0, saved=None, **more):
    """Trains; returns the epochs that began, the History, and the callback that notes them."""
    interrupt, history = InterruptAt(at), None
    try:
        history = model.fit(
            X, Y, batch_size=8, shuffle=False, verbose=0, epochs=epochs, initial_epoch=first,
            callbacks=BackupAndRestore.beside([interrupt, *callbacks], saved=saved, **more),
        )  # fmt: skip
    except Interruption:
        assert at is not None
    return interrupt.begun, history, interrupt


def saver(path=FILE, **more):
    return keras.callbacks.ModelCheckpoint(path, "loss", save_weights_only=True, **more)


def leave():
    interrupted_training._leave(os.getpid())


def test_a_start_that_loads_what_was_saved_last_goes_on(start):
    fit(build(), saver(), at=3)
    start()
    begun, history, _ = fit(loaded(), saver())
    assert begun == [3, 4]
    assert history.epoch == [0, 1, 2, 3, 4]
    assert len(history.history["loss"]) == 5


def test_a_start_that_loads_what_keras_has_not_written_goes_on(start, monkeypatch):
    monkeypatch.setattr(interrupted_training.SavedTraining, "is_due", lambda training: True)  # Its epochs are short.

    def write(epoch, logs):
        np.savez("w/own.npz", *model.get_weights())

    def train(at=None):
        return fit(model, keras.callbacks.LambdaCallback(on_epoch_end=write), at=at, saved="w/own")[0]

    model = build()
    train(at=3)
    start()
    model = build()
    model.set_weights(list(np.load("w/own.npz").values()))
    assert train() == [3, 4]


def test_a_start_by_the_same_command_that_begins_with_the_same_weights_goes_on(start):
    fit(build(), saver(), at=3)
    start()
    assert fit(build(), saver())[0] == [3, 4]


@pytest.mark.parametrize("make", [build, lambda: loaded()])
def test_another_command_trains_as_the_program_alone_would(start, make, caplog):
    fit(build(), saver(), at=3)
    start("train.py --data new")
    model = make()
    assert fit(model, saver())[0] == [0, 1, 2, 3, 4]
    assert "epoch 3 of an interrupted training. This start is a new one: its arguments" in caplog.text
    assert int(model.optimizer.iterations.numpy()) == 15


def test_a_start_with_other_weights_is_a_new_training(start):
    fit(build(), saver(), at=3)
    start()
    other = build()
    other.set_weights([weight + 1 for weight in other.get_weights()])
    assert fit(other, saver())[0] == [0, 1, 2, 3, 4]


def test_an_older_file_that_the_program_loads_is_a_new_training(start):
    fit(build(), saver("w/cp-{epoch}.weights.h5"), at=3)
    start()
    model = build()
    model.load_weights("w/cp-2.weights.h5")
    assert fit(model, saver("w/cp-{epoch}.weights.h5"), first=2)[0] == [2, 3, 4]
    assert int(model.optimizer.iterations.numpy()) == 9


def test_a_subclassed_model_without_a_config_trains_without_a_warning(start, caplog):
    class Pair(keras.Model):
        def __init__(self, first, second):
            super().__init__()
            self.first, self.second = first, second

        def call(self, x):
            return self.second(self.first(x))

    model = Pair(keras.layers.Dense(4), keras.layers.Dense(1))
    model.compile("adam", "mse")
    assert fit(model)[0] == [0, 1, 2, 3, 4]
    assert "config" not in caplog.text


def test_a_start_killed_in_its_first_epoch_goes_on_with_the_model_of_its_first_file(start, monkeypatch):
    monkeypatch.setattr(interrupted_training.SavedTraining, "is_due", lambda training: True)
    model = build()
    model.save("w/first.keras")
    fit(model, at=1)
    start()
    assert fit(keras.models.load_model("w/first.keras"))[0] == [1, 2, 3, 4]


def test_a_start_whose_files_were_removed_is_a_new_training(start, caplog):
    fit(build(), saver(), at=3)
    os.remove(FILE)
    start()
    assert fit(build(), saver())[0] == [0, 1, 2, 3, 4]
    assert "This start is a new one: a saved file was removed or replaced." in caplog.text


def test_nothing_is_left_at_the_end_and_a_finished_job_trains_as_before(start):
    fit(build(), saver())
    leave()
    assert not os.path.exists(".recovery")
    start()
    assert fit(loaded(), saver())[0] == [0, 1, 2, 3, 4]


def test_no_folder_that_the_program_lists_has_the_recovery_in_it(tmp_path, monkeypatch):
    fit(build(), saver(), at=2)
    assert os.listdir("w") == ["cp.weights.h5"]
    assert os.path.isdir(".recovery/w/cp/fit-0")
    directory = directory_for(tmp_path / "runs" / "one" / "cp.{epoch}.keras")
    assert directory == str(tmp_path / ".recovery" / "runs" / "one" / "cp")
    assert directory_for("logs/2026-11-30/cp.keras") != directory_for("logs/2026-12-01/cp.keras")
    assert directory_for("logs/2026-11-30_01-37-54/cp.keras") == directory_for("logs/20261201 020000/cp.keras")
    assert directory_for("logs/1/cp.keras") != directory_for("logs/2/cp.keras")
    monkeypatch.setenv("RECOVERY_DIRECTORY", "/mnt/states")
    assert directory_for("/dev/shm/run/cp.keras") == "/mnt/states/.recovery/dev/shm/run/cp"
    assert directory_for("gs://bucket/run/cp.keras") == "gs://bucket/.recovery/run/cp"
    monkeypatch.delenv("RECOVERY_DIRECTORY")
    os.mkdir("src")
    os.chdir("src")
    for path in ("../model.h5", "./../model.h5", "../a/../model.h5", str(tmp_path / "src" / ".." / "model.h5")):
        assert directory_for(path) == f"{tmp_path}/src/.recovery{tmp_path}/model"


def test_a_training_that_ended_before_its_model_was_saved_trains_no_epoch_again(start):
    first = build()
    fit(first, saved="w/model.keras")
    start()
    model = build()
    begun, history, _ = fit(model, saved="w/model.keras")
    assert begun == []
    assert history.epoch == [0, 1, 2, 3, 4]
    np.testing.assert_array_equal(model.get_weights()[0], first.get_weights()[0])


def test_a_finished_job_that_is_killed_behind_its_training_trains_again(start):
    for _ in range(3):
        assert fit(build() if not os.path.exists(FILE) else loaded(), saver())[0] == [0, 1, 2, 3, 4]
        start()


def test_stages_that_have_ended_are_passed_by_while_a_later_one_is_not(start):
    def train(at=None):
        model = loaded() if os.path.exists(FILE) else build()
        return fit(model, saver(), epochs=2)[0], fit(model, saver(), at=at, first=2, epochs=5, name="all")[0]

    train(at=Fraction(3))  # A number of the program would tell two calls of one place apart.
    start()
    assert train(at=Fraction(4)) == ([], [3, 4])
    start()
    assert train() == ([], [4])
    start()
    assert train() == ([0, 1], [2, 3, 4])


def test_a_file_that_was_replaced_before_the_training_saved_any_is_what_the_start_trains(start):
    build().save_weights(FILE)
    fit(loaded(), saved="w/out.keras", at=3)
    other = build()
    other.set_weights([weight + 50 for weight in other.get_weights()])
    other.save_weights(FILE)
    start()
    assert fit(loaded(), saved="w/out.keras")[0] == [0, 1, 2, 3, 4]


class Annealing(keras.callbacks.Callback):
    def __init__(self, weight):
        super().__init__()
        self.weight, self.seen = weight, []

    def on_epoch_end(self, epoch, logs=None):
        self.weight.assign(self.weight * 0.5)
        self.seen.append(epoch)


@pytest.mark.parametrize("is_last", [True, False])
def test_the_variables_and_lists_of_a_callback_go_on(start, is_last):
    def annealed(at=None):
        callback = Annealing(tf.Variable(1.0))
        others = [saver(), callback] if is_last else [callback, saver()]
        fit(build(), *others, at=at)
        return callback

    annealed(at=3)
    start()
    resumed = annealed()
    assert (float(resumed.weight.numpy()), resumed.seen) == (0.5**5, [0, 1, 2, 3, 4])


def test_a_variable_that_a_function_of_a_callback_uses_goes_on(start):
    def annealed(at=None):
        weight = tf.Variable(1.0)
        halve = keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: weight.assign(weight * 0.5))
        fit(build(), saver(), halve, at=at)
        return float(weight.numpy())

    annealed(at=3)
    start()
    assert annealed() == 0.5**5


@pytest.mark.parametrize("epochs", [5, 12])
def test_the_rate_that_a_callback_reduces_goes_on_being_reduced(start, epochs):
    def rates(at=None):
        reduce = keras.callbacks.ReduceLROnPlateau("loss", factor=0.5, patience=1, min_delta=10.0)
        return fit(build(), saver(), reduce, at=at, epochs=epochs)[2].rates

    undisturbed = rates()
    leave()
    start()
    rates(at=epochs - 2)
    start()
    assert rates() == undisturbed[epochs - 2 :]


def test_a_rate_that_the_program_has_changed_since_is_its_own(start):
    fit(build(optimizer=keras.optimizers.Adam(0.1)), saver(), at=3)
    start()
    model = build(optimizer=keras.optimizers.Adam(0.01))
    model.load_weights(FILE)
    assert fit(model, saver())[2].rates == [pytest.approx(0.01)] * 2


def test_a_total_that_counts_from_the_file_stays_the_interrupted_one(start):
    fit(build(), saver(), at=3, epochs=5)
    start()
    assert fit(loaded(), saver(), first=3, epochs=3 + 5)[0] == [3, 4]


def test_epochs_that_are_left_are_counted_down(start):
    fit(build(), saver(), at=3, epochs=6)
    start()
    assert fit(loaded(), saver(), epochs=6 - 3, at=2)[0] == [0, 1, 2]
    start()
    model = loaded()
    begun, history, _ = fit(model, saver(), epochs=6 - 5)
    assert begun == [0]
    assert (history.epoch, len(history.history["loss"])) == ([0], 1)  # A program may plot them.
    assert int(model.optimizer.iterations.numpy()) == 6 * 3


@pytest.mark.parametrize(("done", "trained"), [(2, [2, 3]), (4, [0, 1]), (3, [0, 1, 2])])
def test_epochs_are_left_of_the_file_or_of_all_that_were_trained(start, monkeypatch, done, trained):
    """A program may count them by its newest file or by its log; what is neither is trained in full."""
    monkeypatch.setattr(interrupted_training.SavedTraining, "is_due", lambda training: True)  # Its epochs are short.
    model = build()
    save = keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: epoch == 1 and model.save_weights(FILE))
    fit(model, save, at=4, epochs=6, saved=FILE)
    start()
    assert fit(loaded(), epochs=6 - done, saved=FILE)[0] == trained


def test_fewer_epochs_than_before_are_the_total_where_the_first_is_named(start):
    fit(build(), saver(), at=3, epochs=9)
    start("train.py --epochs 6")
    assert fit(loaded(), saver(), first=3, epochs=6)[0] == [3, 4, 5]


@pytest.mark.parametrize("is_loaded", [True, False])
def test_a_program_that_trains_other_layers_since_is_a_new_training(start, is_loaded):
    """Its optimizer would take no weights but those that it was built for."""
    model = build()
    model.layers[0].trainable = False
    model.compile("adam", "mse")  # Keras 2 freezes a layer when the model is compiled.
    fit(model, saver(), at=3)
    start()
    model = loaded() if is_loaded else build()
    assert fit(model, saver())[0] == [0, 1, 2, 3, 4]


def test_a_start_whose_layers_a_callback_has_unfrozen_since_is_a_new_training(start):
    def train(at=None):
        model = build()

        def unfreeze(epoch, logs):
            model.layers[0].trainable = epoch >= 1

        model.layers[0].trainable = False
        model.compile("adam", "mse")
        return fit(model, keras.callbacks.LambdaCallback(on_epoch_begin=unfreeze), saver(), at=at)[0]

    train(at=3)
    start()
    assert train() == [0, 1, 2, 3, 4]


def test_a_model_without_a_shape_takes_other_data_in_a_new_training(start):
    def train(columns, at=None):
        model, interrupt = keras.Sequential([keras.layers.Dense(1)]), InterruptAt(at)
        model.compile("adam", "mse")
        callbacks = BackupAndRestore.beside([interrupt], saved="w/model")
        model.fit(np.ones((8, columns)), Y[:8], verbose=0, epochs=3, callbacks=callbacks)
        return interrupt.begun

    with pytest.raises(Interruption):
        train(3, at=2)
    start("train.py --columns 4")
    assert train(4) == [0, 1, 2]


def test_the_generator_of_a_dropout_goes_on_on_keras_3(start):
    def train(at=None):
        layers = [keras.layers.Dense(4), keras.layers.Dropout(0.5, seed=1), keras.layers.Dense(1)]
        model = keras.Sequential([keras.layers.Input((3,)), *layers])
        model.compile("adam", "mse")
        fit(model, saver(), at=at)
        return model.get_weights()

    undisturbed = train()
    leave()
    os.remove(FILE)
    start()
    train(at=3)
    start()
    resumed = train()
    is_kept = hasattr(keras, "ops")  # Keras 2 draws from a generator that no checkpoint holds.
    assert all(np.array_equal(*pair) for pair in zip(resumed, undisturbed, strict=True)) == is_kept


def test_a_kill_between_the_file_and_the_end_of_the_epoch_leaves_no_callback_out(start):
    def train(*others, load=False):
        model, note = build(), Annealing(tf.Variable(1.0))
        if load:
            model.load_weights(FILE)
        stopping = keras.callbacks.EarlyStopping("loss", patience=9)
        callbacks = BackupAndRestore.beside([saver(), *others, stopping, note])
        model.fit(X, Y, shuffle=False, verbose=0, epochs=5, callbacks=callbacks)
        return note.seen

    with pytest.raises(Interruption):
        train(InterruptAt(2))
    start()
    assert train(InterruptAt(), load=True) == [0, 1, 2, 3, 4]


@each("name", "content")(
    *(("note-{}", content) for content in (b"", b"\0" * 64, b"7", None)),
    *(("ckpt-{}.index", content) for content in (b"", None)),
    *(("ckpt-{}.data-00000-of-00001", content) for content in (b"\0" * 64, None)),
)
def test_a_torn_or_lost_file_of_the_recovery_never_stops_a_job(start, name, content):
    fit(build(), saver(), at=3)
    newest = max(name[5:] for name in os.listdir(".recovery/w/cp/fit-0") if name.startswith("note-"))
    path = f".recovery/w/cp/fit-0/{name.format(newest)}"
    os.remove(path)
    if content is not None:
        with open(path, "wb") as file:
            file.write(content)
    open(".recovery/w/cp/fit-0/checkpoint", "w").close()
    start()
    assert fit(build(), saver())[0] in ([2, 3, 4], [0, 1, 2, 3, 4])


def test_a_file_of_a_model_that_shares_its_layers_is_known(start):
    def pair():
        template = build()
        trained = keras.Sequential([keras.layers.Input((3,)), template, keras.layers.Dense(1)])
        trained.compile("sgd", "mse")
        save = keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: template.save_weights(FILE))
        return template, trained, save

    _, trained, save = pair()
    fit(trained, save, at=3, saved=FILE)
    start()
    template, trained, save = pair()
    template.load_weights(FILE)
    assert fit(trained, save, saved=FILE)[0] == [3, 4]


def test_two_stages_of_a_model_are_told_apart(start):
    def train(at=None):
        model = build()
        first = fit(model, saver(), epochs=2, name="head")[0]
        return first, fit(model, saver(), first=2, at=at, name="all")[0]

    train(at=3)
    start()
    assert train() == ([], [3, 4])


def test_a_stage_that_is_passed_over_and_saves_its_model_leaves_the_later_one_its_place(start):
    def train(at=None):
        start()
        model = build()
        first = fit(model, saver(), epochs=2, name="head")[0]
        model.save_weights(FILE)
        return first, fit(model, saver(), first=2, at=at, name="all")[0]

    train(at=3)
    assert train(at=4) == ([], [3, 4])
    assert train() == ([], [4])


def test_a_kill_before_a_later_stage_has_put_its_file_in_place_begins_no_stage_anew(start, monkeypatch):
    def train(kill=False):
        model = build()
        if os.path.exists(FILE):
            model.load_weights(FILE)
        first = fit(model, saver(), epochs=2, name="head")[0]
        with monkeypatch.context() as patch:
            if kill:
                places, own = [], interrupted_training.put_in_place

                def put(parts, folder):
                    places.append(folder)
                    if len(places) == 2:
                        raise Interruption
                    return own(parts, folder)

                patch.setattr(interrupted_training, "put_in_place", put)
            return first, fit(model, saver(), at=9 if kill else None, epochs=5, first=2, name="all")[0]

    train(kill=True)
    assert any(name.startswith("part-") for name in os.listdir(".recovery/w/cp"))
    start()
    assert train() == ([], [4])


def test_a_program_with_another_optimizer_is_a_new_training(start):
    fit(build(optimizer=keras.optimizers.SGD(momentum=0.9)), saver(), at=3)
    start()
    model = build(optimizer=keras.optimizers.RMSprop())  # Its variables have the same shapes.
    model.load_weights(FILE)
    assert fit(model, saver())[0] == [0, 1, 2, 3, 4]


def test_a_training_that_a_later_one_follows_is_not_gone_back_to(start):
    """Such as a fit that ran out of memory, or that the user broke off."""

    def train(first, second):
        model = loaded() if os.path.exists(FILE) else build()
        given = [weight.copy() for weight in model.get_weights()]
        begun = fit(model, saver(), at=first)[0]
        is_kept = all(map(np.array_equal, given, model.get_weights())) if first == 0 else None
        return begun, fit(model, saver(), at=second)[0], is_kept

    train(first=1, second=2)
    start()
    assert train(first=1, second=None)[1] == [0, 1, 2, 3, 4]
    leave()
    assert not os.path.exists(".recovery")


def test_a_callback_that_the_recovery_cannot_read_stops_no_training(start):
    class Odd(keras.callbacks.Callback):
        callback = None

        def on_epoch_begin(self, epoch, logs=None):
            self.bar = [epoch] if epoch >= 0 else later

        def on_epoch_end(self, epoch, logs=None):
            logs["figures"] = [[1.0], [2.0, 3.0]]
            self.bar.append(epoch)

    def train(*others):
        callbacks = BackupAndRestore.beside([saver(), *others, Odd()])
        build().fit(X, Y, shuffle=False, verbose=0, epochs=5, callbacks=callbacks)
        return others[0].begun

    with pytest.raises(Interruption):
        train(InterruptAt(3))
    start()
    assert train(InterruptAt()) == [4]
    later = []


def test_a_callback_goes_on_as_it_was_behind_its_save(start):
    class KeepLast(keras.callbacks.Callback):
        def on_train_begin(self, logs=None):
            self.paths = []

        def on_epoch_end(self, epoch, logs=None):
            self.paths.append(f"w/{epoch}.weights.h5")
            self.model.save_weights(self.paths[-1])
            if len(self.paths) > 2:
                os.remove(self.paths.pop(0))

    def train(*others):
        model = build()
        callbacks = BackupAndRestore.beside([KeepLast(), *others], saved=FILE)
        return model.fit(X, Y, shuffle=False, verbose=0, epochs=5, callbacks=callbacks)

    with pytest.raises(Interruption):
        train(InterruptAt(3))
    start()
    train(InterruptAt())
    assert sorted(os.listdir("w")) == ["3.weights.h5", "4.weights.h5"]


def test_a_model_that_no_callback_has_stopped_is_not_said_to_be(start):
    model = build()
    fit(model, saver(), at=3)
    start()
    model = build()
    assert fit(model, saver())[0] == [3, 4]
    assert not model.stop_training


def test_a_training_that_is_passed_over_is_not_ended_again_by_its_callbacks(start, monkeypatch):
    class Curve(keras.callbacks.Callback):
        def on_epoch_begin(self, epoch, logs=None):
            self.figure = [lambda: epoch]  # No plain data: it begins anew.

        def on_train_end(self, logs=None):
            ended.append(self.figure[0]())
            assert len(ended) > 1, "its file cannot be written"

    def train():
        start()
        begun = InterruptAt()
        callbacks = BackupAndRestore.beside([begun, saver(), Curve()])
        try:
            build().fit(X, Y, verbose=0, epochs=5, callbacks=callbacks)
        except AssertionError:
            monkeypatch.setattr(sys, "last_type", AssertionError, raising=False)
        leave()
        monkeypatch.delattr(sys, "last_type", raising=False)
        return begun.begun

    ended = Notes()
    assert [train() for _ in range(3)] == [[0, 1, 2, 3, 4], [], [0, 1, 2, 3, 4]]
    assert ended == [4, 4]


def test_a_training_that_has_ended_holds_neither_its_model_nor_its_data(start):
    def train():
        model, data = build(), X.copy()
        model.fit(data, Y, verbose=0, callbacks=BackupAndRestore.beside([saver()]))
        for _ in recovered(range(2), "w/loop", model):
            model.train_on_batch(X, Y)
        return weakref.ref(model), weakref.ref(data)

    held = train()
    keras.backend.clear_session()
    gc.collect()
    assert [one() for one in held] == [None, None]
    build().save_weights(FILE)  # Of a model that shares no weights with it.
    leave()


def test_a_start_that_fails_before_it_gets_on_is_not_repeated(start, monkeypatch):
    class Log(keras.callbacks.Callback):
        def on_epoch_begin(self, epoch, logs=None):
            self.file = open("w/log.txt", "a") if epoch == 0 else self.file  # noqa: SIM115

    fit(build(), saver(), Log(), at=3)
    start()
    with pytest.raises(AttributeError):
        fit(loaded(), saver(), Log())
    monkeypatch.setattr(sys, "last_type", AttributeError, raising=False)
    leave()
    start()
    assert fit(loaded(), saver(), Log())[0] == [0, 1, 2, 3, 4]


def test_a_program_that_has_caught_an_interruption_has_its_history_once(start):
    norm = keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: logs.update(norm=tf.constant(epoch)))
    fit(build(), norm, saver(), at=2)
    start()
    _, history, _ = fit(loaded(), norm, saver(), at=3)
    assert history is None
    leave()
    start()
    _, history, _ = fit(loaded(), norm, saver())
    assert (history.epoch, len(history.history["loss"]), [*history.history["norm"]]) == ([3, 4], 2, [3, 4])


def test_a_command_is_its_arguments_with_their_texts_and_its_source_or_a_notebook_s_cells(monkeypatch):
    def write(name, text):
        with open(name, "w") as file:
            file.write(text)

    os.makedirs("job/src")
    main, part = SimpleNamespace(__file__="job/train.py"), SimpleNamespace(__file__="job/src/part.py")
    monkeypatch.setattr(commands, "files_read", {})
    monkeypatch.setattr(commands, "files_written", {})
    monkeypatch.setitem(sys.modules, "__main__", main)
    monkeypatch.setitem(sys.modules, "part", part)
    monkeypatch.setattr(sys, "argv", ["train.py", "--config=a.txt", "w/last.h5", "out.csv"])
    for name in ("job/train.py", "job/src/part.py", "a.txt"):
        write(name, "1")
    write("job/settings.yaml", "1")
    read = "os.environ.get('RATE'), os.environ['HOSTNAME'], os.getenv('SLURM_ARRAY_TASK_ID')\n"
    write("job/train.py", read + "os.environ['RUN'] = new_name()\noption(envvar='TARGET')\n")
    write("job/groups.txt", "1")
    commands.files_written.clear()  # As of another process.
    open("job/groups.txt").close()  # A program reads its settings.
    noted = command_of_process()
    write("w/last.h5", "a model\0")  # A model that the training saves, and what it writes itself.
    write("out.csv", "1")
    write("job/src/other.py", "imported by the first start alone")
    del sys.modules["part"]
    assert not difference_of(noted, command_of_process())
    for name in ("job/train.py", "job/src/part.py", "job/settings.yaml", "job/groups.txt", "a.txt"):
        with open(name) as file:
            text = file.read()
        write(name, "2")
        assert not difference_of(noted, command_of_process())  # What it writes itself is no part of it.
        commands.files_written.clear()
        noted["written"].clear()
        assert difference_of(noted, command_of_process()) == f"{os.path.relpath(name, 'job')} has changed"
        write(name, text)
    with monkeypatch.context() as patch:
        patch.setenv("HOSTNAME", "other")
        patch.setenv("RUN", "other")  # The program sets it.
        assert not difference_of(noted, command_of_process())
        patch.setenv("RATE", "0.1")
        assert difference_of(noted, command_of_process()) == "the environment has another RATE"
        patch.delenv("RATE")
        patch.setenv("TARGET", "b")
        assert difference_of(noted, command_of_process()) == "the environment has another TARGET"
        patch.delenv("TARGET")
        patch.setenv("SLURM_ARRAY_TASK_ID", "2")
        assert difference_of(noted, command_of_process())
    with monkeypatch.context() as patch:
        patch.setattr(commands, "_questions", [])
        patch.setattr(sys, "stdin", io.StringIO("the user's answer"))
        assert command_of_process() is not None
        input()
        assert command_of_process() is None
    write("job/train.py", "1")
    monkeypatch.setattr(sys, "argv", ["train.py", "--config=a.txt"])
    assert difference_of(noted, command_of_process())
    del main.__file__
    assert command_of_process() is None
    main.In = ["", "import keras"]
    first = command_of_process()
    assert not difference_of(first, command_of_process())
    main.In = [*main.In, "model.fit(x)"]
    assert difference_of(first, command_of_process())


def test_another_loss_or_number_of_steps_is_a_new_training(start):
    for change in ({"loss": "mae"}, {"x": X[:16]}):
        start()
        fit(build(), saver(), at=2)
        start()
        model, begun = loaded(), InterruptAt()
        model.compile("adam", change.get("loss", "mse"))
        x = change.get("x", X)
        callbacks = BackupAndRestore.beside([begun, saver()])
        model.fit(x, Y[: len(x)], batch_size=8, verbose=0, epochs=5, callbacks=callbacks)
        assert begun.begun == [0, 1, 2, 3, 4]
        leave()


def test_a_loss_is_the_same_by_its_short_name_and_as_a_file_names_it(start):
    fit(build(), saver(), at=2)
    start()
    model = loaded()
    model.compile("adam", keras.losses.MeanSquaredError())
    assert fit(model, saver())[0] == [2, 3, 4]


def test_a_start_from_the_same_weights_with_other_settings_of_the_model_is_a_new_training(start):
    def train(rate=0.1, share=0.5, at=None):
        start()
        layers = [keras.layers.Input((3,)), keras.layers.Dense(4), keras.layers.Dropout(share), keras.layers.Dense(1)]
        model = keras.Sequential(layers)
        model.compile(keras.optimizers.Adam(rate), "mse")
        return fit(model, saver(), at=at)[0]

    for change in ({"rate": 0.2}, {"share": 0.1}):
        train(at=3)
        assert train(**change) == [0, 1, 2, 3, 4]
        leave()
    train(at=3)
    assert train() == [3, 4]


@pytest.mark.parametrize("is_counted", [False, True])
def test_a_later_call_of_a_service_is_a_new_training(start, is_counted):
    def train_at_night():
        begun = fit(loaded(), saver(), at=stops.pop())[0]
        nights.append("a night") if is_counted else None
        return begun

    stops, nights = Notes([None, None, Fraction(2), None]), []
    build().save_weights(FILE)
    train_at_night()
    train_at_night()
    nights.clear()
    start()
    assert train_at_night() == train_at_night() == [0, 1, 2, 3, 4]


def test_a_call_for_another_path_is_a_new_training_before_that_has_saved(start):
    def train_on(path, at=None):
        return fit(loaded(), saver(), at=at)[0]

    build().save_weights(FILE)
    for first, second in ((pathlib.Path("day1.csv"), pathlib.Path("day2.csv")), ([1, 2], [1, 3])):
        train_on(first)
        train_on(second, at=Fraction(0))
        start()
        assert train_on(second) == [0, 1, 2, 3, 4]
        leave()
        start()


def test_a_removed_file_begins_a_new_training_where_keras_has_not_written_it(start, monkeypatch):
    monkeypatch.setattr(interrupted_training.SavedTraining, "is_due", lambda training: True)  # Its epochs are short.
    model = build()
    write = keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: np.savez("w/own.npz", *model.get_weights()))
    fit(model, write, at=3, saved="w/own.npz")
    os.remove("w/own.npz")
    start()
    assert fit(build(), saved="w/own.npz")[0] == [0, 1, 2, 3, 4]


def test_a_program_that_removes_its_older_files_goes_on(start):
    def remove(epoch, logs):
        for one in range(epoch):
            with contextlib.suppress(OSError):
                os.remove(f"w/{one + 1}.weights.h5")

    fit(build(), saver("w/{epoch}.weights.h5"), keras.callbacks.LambdaCallback(on_epoch_end=remove), at=3)
    start()
    assert fit(build(), saver("w/{epoch}.weights.h5"))[0] == [3, 4]


def test_a_program_whose_callback_counts_on_from_its_newest_file_is_left_to_it(start):
    class Saver(keras.callbacks.Callback):
        def __init__(self, offset):
            super().__init__()
            self.offset = offset

        def on_epoch_end(self, epoch, logs=None):
            self.model.save_weights(f"w/{self.offset + epoch + 1}.weights.h5")

    def train(offset=0, at=None):
        start()
        model = build()
        if offset:
            model.load_weights(f"w/{offset}.weights.h5")
        return fit(model, Saver(offset), at=at, saved="w/1.weights.h5")[0]

    train(at=3)
    assert train(offset=3) == [0, 1, 2, 3, 4]
    assert os.path.exists("w/8.weights.h5")


def test_a_callback_that_is_told_the_first_epoch_goes_on_where_it_was(start):
    class EverySecond(keras.callbacks.Callback):
        def __init__(self, first):
            super().__init__()
            self.epoch = first

        def on_epoch_end(self, epoch, logs=None):
            self.epoch += 1
            if self.epoch % 2 == 0:
                self.model.save_weights(f"w/{self.epoch}.weights.h5")

    def train(first=0, at=None):
        start()
        model = build()
        if first:
            model.load_weights(f"w/{first}.weights.h5")
        return fit(model, EverySecond(first), at=at, epochs=6, first=first, saved="w/1.weights.h5")[0]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(interrupted_training.SavedTraining, "is_due", lambda training: True)  # Its epochs are short.
        train(at=3)
        assert train(first=2) == [3, 4, 5]
    assert sorted(os.listdir("w")) == ["2.weights.h5", "4.weights.h5", "6.weights.h5"]


def test_a_file_that_the_program_changes_behind_its_save_is_its_own(start):
    def note(epoch, logs):
        with open(FILE, "ab") as file:
            file.write(b"labels")

    fit(build(), saver(), keras.callbacks.LambdaCallback(on_epoch_end=note), at=3)
    start()
    assert fit(build(), saver())[0] == [3, 4]


def test_a_service_that_answers_in_threads_resumes_a_call_with_the_same_values(start):
    def train(data, at=None):
        start()
        begun = []
        thread = threading.Thread(target=lambda: begun.append(fit(build(), saver(), at=at, epochs=data)[0]))
        thread.start()
        thread.join()
        return begun[0]

    train(5, at=Fraction(3))
    assert train(6) == [0, 1, 2, 3, 4, 5]
    train(5, at=Fraction(3))
    assert train(5) == [3, 4]


def test_a_loop_that_carries_a_time_goes_on(start):
    def train(at=9):
        start()
        model, turns, now = build(), Notes(), time.time()
        for turn, then in recovered(range(6), "w", model, carried=lambda: (now,)):  # noqa: B023
            turns.append(turn)
            assert time.time() - then < 60
            model.train_on_batch(X, Y)
            model.save_weights(FILE)
            now = time.time()
            if turn == at:
                break
        return turns

    train(at=3)
    assert train() == [3, 4, 5]


def test_a_log_keeps_the_rows_of_another_job(start):
    def train(name, at=None):
        start(name)
        return fit(build(), saver(f"w/{name}.weights.h5"), keras.callbacks.CSVLogger("log.csv", append=True), at=at)[0]

    train("a", at=2)
    train("b")
    leave()
    assert train("a") == [2, 3, 4]
    with open("log.csv") as file:
        assert "".join(line[0] for line in file) == "e01" + "01234" + "234"


@pytest.mark.parametrize("is_appended", [True, False])
def test_a_log_keeps_the_rows_of_earlier_jobs_and_stages(start, is_appended):
    def train(at=None):
        start()
        log = keras.callbacks.CSVLogger("log.csv", append=is_appended)
        fit(build(), log, saver("w/first.weights.h5"), epochs=2, name="first")
        fit(build(), saver(), log, at=at, name="second")

    def rows():
        with open("log.csv") as file:
            return "".join(line.split(",")[0][:1] for line in file)

    train()
    leave()
    train(at=3)
    with open("log.csv", "a") as file:
        file.write("3,a row of an epoch that was not kept\n4,another\n")
    train()
    assert rows() == ("e0101234" + "01012" + "34" + "34" if is_appended else "e01234")


@pytest.mark.parametrize("change", ["removed", "restored"])
def test_a_file_that_the_user_has_removed_or_restored_begins_a_new_training(start, change):
    build().save_weights(FILE)
    os.rename(FILE, "old.h5")
    os.utime("old.h5", (1, 1))
    fit(build(), saver(), saver("w/{epoch}.weights.h5"), at=3)
    os.remove(FILE)
    if change == "restored":
        os.rename("old.h5", FILE)
    start()
    assert fit(build(), saver(), saver("w/{epoch}.weights.h5"))[0] == [0, 1, 2, 3, 4]


def test_a_training_of_a_process_that_still_runs_is_not_taken_over(start, monkeypatch):
    with subprocess.Popen(["sleep", "600"]) as other:
        with monkeypatch.context() as patch:
            patch.setattr(interrupted_training.os, "getpid", lambda: other.pid)
            fit(build(), saver(), at=3)
        start()
        assert fit(loaded(), saved=FILE)[0] == [0, 1, 2, 3, 4]
        other.kill()
    start()
    assert fit(loaded(), saver())[0] == [3, 4]


class Collector(keras.callbacks.Callback):
    """Keeps what an epoch leaves to the next one in attributes, in globals and in its model."""

    def __init__(self):
        super().__init__()
        self.values, self.until = collections.defaultdict(list), None

    def on_epoch_end(self, epoch, logs=None):
        global _lowest
        self.until = self.until or time.time()
        self.values["loss"].append(epoch)
        _seen.append(epoch)
        _lowest = min(_lowest, -epoch)
        self.model.beta = getattr(self.model, "beta", 0) + 1


_seen, _lowest = [], 9


class Unfit(keras.callbacks.Callback):
    """Counts epochs beside something that no recovery can keep."""

    noted = Notes()

    def __init__(self, kind):
        super().__init__()
        self.kind, self.count, self.times = kind, 0, []
        self.average = keras.models.clone_model(build()) if kind == "a model" else None
        self.large, self.labels = np.arange(2**23, dtype="float32"), np.arange(2**19, dtype="uint8")

    def on_epoch_end(self, epoch, logs=None):
        self.count += 1
        if self.kind == "objects":
            self.times.append(datetime.datetime.now())
        elif self.kind == "large data":
            self.large[:], self.labels[:] = self.large[::-1].copy(), self.labels[::-1].copy()
        elif self.kind == "a model":
            self.average.set_weights([one + 1 for one in self.average.get_weights()])
        bias = self.average.get_weights()[-1] if self.average else [self.count]
        Unfit.noted.append((self.count, int(self.labels[0]), bias[0]))


@pytest.mark.parametrize("kind", ["nothing", "a model", "objects", "large data"])
def test_a_callback_goes_on_with_its_whole_state_or_with_none(start, kind):
    fit(build(), saver(), Unfit(kind), at=3)
    start()
    fit(loaded(), saver(), Unfit(kind))
    goes_on = kind in ("nothing", "a model")
    assert [(count, bias) for count, _, bias in Unfit.noted[-2:]] == ([(4, 4), (5, 5)] if goes_on else [(1, 1), (2, 2)])
    assert kind != "large data" or Unfit.noted[-2][1] == 255  # Labels in the order of what was not kept.


def test_an_array_that_a_callback_makes_longer_goes_on(start):
    def train(at=None):
        losses = keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: grow(losses))
        losses.found = np.array([])
        fit(loaded() if at is None else build(), saver(), losses, at=at)
        return losses.found

    def grow(callback):
        callback.found = np.append(callback.found, len(callback.found))

    train(at=3)
    start()
    assert [*train()] == [0, 1, 2, 3, 4]


def test_a_training_that_a_signal_has_stopped_goes_on(start):
    def train(stop_at=None):
        def stop(batch, logs=None):
            model.stop_training = model.stop_training or len(model.history.epoch) == stop_at

        model, first = loaded() if os.path.exists(FILE) else build(), saver(save_best_only=True, mode="min")
        return fit(model, first, keras.callbacks.LambdaCallback(on_train_batch_end=stop))[0]

    assert train(stop_at=2) == [0, 1, 2]
    start()
    assert train() == [3, 4]


def test_a_start_with_another_schedule_of_the_rate_is_a_new_training(start):
    def train(steps, at=None):
        rate = keras.optimizers.schedules.CosineDecay(0.1, steps)
        model = build(optimizer=keras.optimizers.Adam(rate))
        _ = os.path.exists(FILE) and model.load_weights(FILE)
        fit(model, saver(), at=at)
        return int(model.optimizer.iterations.numpy())

    steps = train(40, at=3)
    start()
    assert train(10) > steps  # All five epochs.


def test_what_a_callback_changes_outside_of_itself_goes_on(start):
    def notes():
        global _lowest
        _seen.clear()
        _lowest, count = 9, 0

        def on_epoch_end(epoch, logs):
            nonlocal count
            count += 1
            counts.append(count)

        return Collector(), keras.callbacks.LambdaCallback(on_epoch_end=on_epoch_end)

    counts = []
    model = build()
    model.beta = 0
    first, other = notes()
    fit(model, first, other, keras.callbacks.CSVLogger("log.csv"), saver(), at=3)
    earlier = first
    start()
    model, counts = loaded(), []
    model.beta = 0
    first, other = notes()
    fit(model, other, keras.callbacks.CSVLogger("log.csv"), first, saver())
    assert (first.values["loss"], _seen, _lowest, model.beta) == ([*range(5)], [*range(5)], -4, 5)
    assert first.until > earlier.until  # The time between the two starts does not count.
    assert counts[-1] == 5
    with open("log.csv") as file:
        assert [line.split(",")[0] for line in file] == ["epoch", "0", "1", "2", "3", "4"]


Place = collections.namedtuple("Place", "x side")
Side = enum.Enum("Side", "LEFT RIGHT")


class Agent:
    """What the turns of a loop of the program change."""

    START = np.zeros(2)

    def __init__(self):
        self.epsilon, self.target, self.error = 1.0, build(), keras.metrics.Mean()
        self.memory = SimpleNamespace(rows=collections.deque(maxlen=3), scores={}, ring=np.zeros((4, 2)))
        self.parts, self.levels = [Agent.Part(), Agent.Part()], {(0, 1): Agent.Part()}
        self.place, self.large, self.rate = Agent.START, np.zeros(2**23), tf.Variable(1.0)
        self.log, self.choose = collections.defaultdict(list), random.choice
        self.best, self.saver = [], keras.callbacks.ModelCheckpoint(FILE)

    class Part:
        uses = 0

        def __init__(self):
            self.count = 0

    def learn(self, turn):
        global _turns
        _turns += 1
        self.epsilon *= 0.5
        self.best[:], self.saver.best = [Place(turn, Side.LEFT)], self.choose([turn])
        self.rate.assign(self.rate * 0.5)
        self.log["turn"].append(tf.constant(turn))
        self.place, self.last = Agent.START + turn, turn
        self.memory.rows.append((turn, np.full(2, turn)))
        self.memory.scores[turn], self.memory.ring[turn % 4] = [turn], turn
        for part in (self.parts[1], self.levels[0, 1]):
            part.count += 1
        Agent.Part.uses += 1
        self.target.set_weights([one + 1 for one in self.target.get_weights()])
        self.error.update_state(turn)

    def state(self):
        bias, counts = self.target.get_weights()[-1], [self.parts[1].count, self.levels[0, 1].count, Agent.Part.uses]
        own = self.epsilon, self.rate.numpy(), self.log, self.last, self.place, Agent.START, vars(self.memory)
        own += self.best, self.saver.best
        return str([_turns, bias, counts, own, self.error.result()])


_turns = 0


def train_agent(start, at=9, change=None):
    global _turns
    start()
    _turns, Agent.Part.uses, agent, model, seen = 0, 0, Agent(), build(), Notes()
    for turn in recovered(range(6), "w", model):
        seen.append(turn)
        if turn == at:
            break
        model.train_on_batch(X, Y)
        agent.learn(turn)
        if change is not None:
            change(agent)
        model.save_weights(FILE)
    return seen, agent


def test_a_loop_goes_on_with_what_its_turns_change_in_the_objects_of_the_program(start):
    _, undisturbed = train_agent(start)
    expected = undisturbed.state()
    leave()
    train_agent(start, at=3)
    train_agent(start, at=4)
    seen, agent = train_agent(start)
    assert (seen, agent.state()) == ([4, 5], expected)


def test_a_loop_over_other_data_is_a_new_training_but_not_one_that_lists_its_files(start):
    def train(data, at=9):
        start()
        model, seen, files = build(), Notes(), os.listdir("w")
        for turn in recovered(range(6), "w", model):
            seen.append(turn)
            if turn == at:
                break
            model.train_on_batch(X, Y)
            model.save_weights(FILE)
        return seen if len(files) < 2 else None

    assert (train(X, at=3), train(X, at=4)) == ([0, 1, 2, 3], [3, 4])
    assert train(X[::-1].copy()) == [*range(6)]


CHANGES = {
    "agent.parts.0": lambda agent: agent.parts.__setitem__(0, Agent.Part()),
    "agent.parts.2": lambda agent: agent.parts.append(Agent.Part()),
    "agent.parts.1": lambda agent: agent.parts.pop(),
    "agent.large": lambda agent: agent.large.fill(1),
    "agent.target": lambda agent: setattr(agent, "target", build()),
    "agent.memory": lambda agent: setattr(agent, "memory", object()),
    "agent.epsilon": lambda agent: delattr(agent, "epsilon"),
}


@pytest.mark.parametrize("place", CHANGES)
def test_a_loop_that_changes_more_than_plain_data_is_kept_no_longer(start, caplog, place):
    with contextlib.suppress(AttributeError, IndexError):
        train_agent(start, at=3, change=CHANGES[place])
    assert f"no longer kept: {place}" in caplog.text
    assert not os.path.exists(".recovery/w/loop")
    assert train_agent(start)[0] == [*range(6)]


def test_a_loop_that_carries_an_object_goes_on_by_its_own_code(start, monkeypatch):
    monkeypatch.setattr(interrupted_training.SavedTraining, "is_due", lambda training: True)

    def turns(at=None):
        start()
        found = Notes()
        for turn, _ in recovered(range(6), "w", build(), carried=lambda: (object(),)):
            found.append(turn)
            if turn == at:
                return found
        return found

    turns(at=3)
    assert turns() == [*range(6)]


@pytest.mark.parametrize("path", ["w/", "w/.best"])
def test_a_checkpoint_of_a_hidden_name_is_written(start, path):
    if keras.Model.__module__.startswith("keras.src.models"):
        path += ".weights.h5"  # the one name that Keras 3 takes
    fit(build(), saver(path))
    os.mkdir("plain")
    build().save_weights(f"plain/{path[2:]}")
    assert sorted(os.listdir("w")) == sorted(os.listdir("plain"))


def test_the_other_files_of_a_folder_stay_when_a_model_is_saved_to_it():
    tf.saved_model.save(tf.Module(), "w")
    os.mkdir("w/logs")
    for name in ("w/labels.txt", "w/logs/events"):
        open(name, "w").close()
    os.symlink("logs", "w/latest")
    old = {*os.listdir("w")}
    tf.saved_model.save(build(), "part/w")
    size = os.path.getsize("part/w/saved_model.pb")
    os.chmod("w/saved_model.pb", 0o664)
    assert put_in_place("part", "")
    assert os.stat("w/saved_model.pb").st_mode & 0o777 == 0o664
    assert ({*os.listdir("w")}, os.listdir("w/latest")) == (old, ["events"])
    assert os.path.getsize("w/saved_model.pb") == size


@pytest.mark.parametrize("kind", ["fit", "loop"])
@pytest.mark.parametrize("is_in_file", [True, False])
def test_a_program_that_fails_behind_its_training_repeats_only_what_is_in_no_file(start, monkeypatch, kind, is_in_file):
    def train():
        start()
        model, begun = build(), Notes()
        if kind == "fit":
            begun += fit(model, *([saver()] if is_in_file else []), saved=FILE)[0]
        for turn in recovered(range(5), FILE, model) if kind == "loop" else []:
            begun.append(turn)
            model.fit(X, Y, verbose=0)
            if is_in_file:
                model.save_weights(FILE)
        leave()
        return begun

    monkeypatch.setattr(interrupted_training.SavedTraining, "is_due", lambda training: True)  # Its turns are short.
    monkeypatch.setattr(sys, "last_type", KeyError, raising=False)
    assert train() == [0, 1, 2, 3, 4]
    assert train() == ([0, 1, 2, 3, 4] if is_in_file else [] if kind == "fit" else [4])
    assert train() == [0, 1, 2, 3, 4]


def test_a_training_that_diverges_is_continued_where_it_had_not(start, monkeypatch):
    monkeypatch.setattr(interrupted_training.SavedTraining, "is_due", lambda training: True)

    def diverge(epoch, logs):
        if epoch == 3:
            model.set_weights([weight * np.nan for weight in model.get_weights()])

    model = build()
    fit(model, keras.callbacks.LambdaCallback(on_epoch_begin=diverge), saved=FILE, at=4, epochs=6)
    start()
    model = build()
    assert fit(model, saved=FILE, epochs=6)[0] == [3, 4, 5]
    assert np.isfinite(model.get_weights()[0]).all()


def test_a_program_that_fails_between_its_stages_keeps_the_later_one(start, monkeypatch):
    def train(at=None, fails=False):
        model = build()
        fit(model, saver(), epochs=2, name="head")
        if fails:
            return leave()
        return fit(model, saver(), at=at, first=2, name="all")[0]

    monkeypatch.setattr(sys, "last_type", KeyError, raising=False)
    train(at=3)
    start()
    train(fails=True)
    start()
    assert train() == [3, 4]


def test_a_file_that_a_kill_has_left_aside_is_put_in_its_place(start, monkeypatch):
    def kill(part, folder):
        raise Interruption

    with monkeypatch.context() as patch:
        patch.setattr(interrupted_training, "put_in_place", kill)
        fit(build(), saver(), at=9)
    assert not os.path.exists(FILE)
    start()
    assert fit(build(), saver(), at=1)[0] == [1]
    assert os.path.exists(FILE)


def test_a_fit_that_is_called_very_often_goes_on_by_its_own_code_alone(start):
    model = build()
    for _ in range(interrupted_training._MOST_OF_A_NAME + 2):
        fit(model, saved="w/agent", epochs=1)
        model.save_weights(FILE)
    assert not os.path.exists(".recovery/w")
    start()
    assert fit(loaded(), saved="w/agent", epochs=1)[0] == [0]


def test_a_training_is_not_kept_where_the_disk_has_no_room_for_it(monkeypatch):
    free = [10**6]
    monkeypatch.setattr(saved_states.shutil, "disk_usage", lambda path: SimpleNamespace(free=free[-1]))
    kept = []

    def look(epoch, logs):
        kept.append(os.path.exists(".recovery/w/cp"))
        free.append(100 if epoch == 2 else free[-1])

    fit(build(), keras.callbacks.LambdaCallback(on_epoch_begin=look), saver())
    assert kept == [False, True, True, False, False]
    assert loaded()


def test_a_note_that_cannot_be_written_costs_the_training_nothing(monkeypatch):
    monkeypatch.setattr(interrupted_training.time, "time_ns", lambda: 0)

    def block(epoch, logs):
        for number in range(1, 9):
            os.makedirs(f".recovery/w/cp/fit-0/note-{number}.new", exist_ok=True)

    fit(build(), keras.callbacks.LambdaCallback(on_epoch_end=block), saver(), Annealing(tf.Variable(1.0)))
    assert os.path.exists(FILE)


def test_weights_are_hashed_when_fit_begins_and_ends_and_once_for_each_file(monkeypatch):
    hashed, digest = [], interrupted_training.digest_of
    monkeypatch.setattr(interrupted_training, "digest_of", lambda one: hashed.append(one) or digest(one))
    model = build()
    fit(model, saver(), epochs=3)
    assert len(hashed) == len(model.weights) * (1 + 3 + 1)


def test_what_a_kill_has_left_of_a_save_stops_no_later_save(start):
    fit(build(), saver(), at=2)
    os.makedirs(".recovery/w/cp/fit-0/ckpt-1_temp/part-0")
    start()
    assert fit(loaded(), saver(), at=3)[0] == [2, 3]
    assert not os.path.exists(".recovery/w/cp/fit-0/ckpt-1_temp")
    start()
    assert fit(loaded(), saver())[0] == [3, 4]


def test_a_start_beside_another_over_the_same_source_costs_it_no_file(monkeypatch):
    model, wait = build(), interrupted_training.SavedTraining.wait

    def wait_and_start(training):
        wait(training)
        with monkeypatch.context() as patch:
            patch.setattr(interrupted_training, "_trainings", [])
            interrupted_training.SavedTraining("w/cp", [build()]).restore()
        assert not any(name.startswith("part-") for name in os.listdir(".recovery/w/cp"))

    fit(model, saved="w/cp", epochs=1)
    with monkeypatch.context() as patch:
        patch.setattr(interrupted_training.SavedTraining, "wait", wait_and_start)
        model.save_weights(FILE)
    assert os.listdir("w") == ["cp.weights.h5"]


def test_a_training_of_several_workers_is_left_to_its_own_code(monkeypatch):
    class Cluster:
        def cluster_spec(self):
            return tf.train.ClusterSpec({"worker": ["a:1", "b:1"]})

    model = build()
    monkeypatch.setattr(type(model.distribute_strategy), "cluster_resolver", Cluster(), raising=False)
    assert fit(model, saver())[0] == [0, 1, 2, 3, 4]
    assert not os.path.exists(".recovery")


def test_a_list_with_the_callback_of_keras_stays_as_it_is():
    theirs = keras.callbacks.BackupAndRestore("backup")
    assert BackupAndRestore.beside([theirs]) == [theirs]


@pytest.mark.parametrize("path", ["w[1]/cp.keras", "w*/cp.keras"])
def test_a_place_that_tensorflow_cannot_read_from_keeps_nothing(path):
    assert fit(build(), saved=path)[0] == [0, 1, 2, 3, 4]
    assert not os.path.exists(".recovery")


def test_a_keras_without_a_way_to_the_first_epoch_trains_all_the_same(monkeypatch):
    monkeypatch.setattr(backup_and_restore, "hasattr", lambda *_: False, raising=False)
    assert fit(build(), saver())[0] == [0, 1, 2, 3, 4]
    assert not os.path.exists(".recovery")


def test_the_manager_is_a_checkpoint_manager():
    backup = BackupAndRestore("w/model")
    build().fit(X, Y, verbose=0, callbacks=[*BackupAndRestore.beside([])][-1:])
    assert backup.manager is None
    callbacks = BackupAndRestore.beside([], saved="w/model")
    build().fit(X, Y, verbose=0, callbacks=callbacks)
    assert isinstance(callbacks[-1].manager, tf.train.CheckpointManager)


def test_a_loop_goes_on_at_its_turn_whatever_its_range_begins_with(start):
    def train(first, at=None):
        models, seen = [build(), build(3)], Notes()
        for number, model in enumerate(models):
            if os.path.exists(f"w/{number}.weights.h5"):
                model.load_weights(f"w/{number}.weights.h5")
        for epoch in recovered(range(first, 6), "w/models", *models):
            seen.append(epoch)
            for number, model in enumerate(models):
                model.train_on_batch(X, Y)
                if epoch == at and number == 1:
                    return seen, models  # Its generator lives on: as a kill.
            for number, model in enumerate(models):
                model.save_weights(f"w/{number}.weights.h5")
        return seen, [weight for model in models for weight in model.get_weights()]

    _, undisturbed = train(0)
    leave()
    for number in range(2):
        os.remove(f"w/{number}.weights.h5")
    start()
    assert train(0, at=3)[0] == [0, 1, 2, 3]
    start()
    seen, weights = train(3)
    assert seen == [3, 4, 5]
    for one, other in zip(weights, undisturbed, strict=True):
        np.testing.assert_array_equal(one, other)


def test_saves_of_short_turns_take_a_tenth_of_the_time(monkeypatch):
    now, saves, own = [0.0], Notes(), interrupted_training.SavedTraining._save_variables

    def pass_a_second(*training):
        now[0] += 1
        saves.extend(training)
        return [own(one) for one in training]

    clock = SimpleNamespace(monotonic=lambda: now[0], time=time.time, time_ns=time.time_ns)
    monkeypatch.setattr(interrupted_training, "time", clock)
    monkeypatch.setattr(recovered_loop, "time", clock)
    monkeypatch.setattr(interrupted_training.SavedTraining, "_save_variables", pass_a_second)
    model = build()
    for _ in recovered(range(40), "w/model", model):
        model.train_on_batch(X, Y)
        pass_a_second()
    assert len(saves) == 5  # one above the loop, and one in nine turns


@pytest.mark.parametrize("turns", [lambda done: range(6 - done), lambda done: itertools.count()])
def test_a_loop_goes_on_that_counts_what_is_left_or_has_no_end(start, turns):
    def train(done, at=None):
        model, seen = loaded() if done else build(), Notes()
        for epoch in recovered(turns(done), "w/model", model):
            seen.append(epoch)
            model.train_on_batch(X, Y)
            if epoch == at:
                break  # Its generator lives on: as a kill.
            model.save_weights(FILE)
            if epoch == 5:
                break
        return seen, model

    assert train(0, at=2)[0] == [0, 1, 2]
    start()
    assert train(2, at=4)[0] == [2, 3, 4]
    start()
    assert train(4)[0] == [4, 5]


def test_a_loop_that_counts_from_its_files_goes_on_behind_the_newest_one(start):
    def train(first=0, killed_in=None, last=9.0):
        start()
        model, turns, best = build(), Notes(), last
        if first:
            model.load_weights(f"w/{first}.weights.h5")
        loop = recovered(range(first, 5), "w", model, carried=lambda: (best,))
        for turn, best in loop:
            turns.append(turn)
            model.train_on_batch(X, Y)
            best -= 1
            if turn == killed_in == 3:
                break
            model.save_weights(f"w/{turn + 1}.weights.h5")
            if turn == killed_in:
                break
        return turns, best, model.get_weights()

    _, _, undisturbed = train()
    leave()
    train(killed_in=2)  # Behind its file, and before the turn's end.
    assert train(first=3, killed_in=3)[0] == [3]
    turns, best, weights = train(first=3)
    assert (turns, best) == ([3, 4], 7)  # Of its own turns, as the program would have it.
    for one, other in zip(weights, undisturbed, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_loop_that_counts_from_its_files_gets_no_large_state_of_an_earlier_turn(start):
    def train(first=0):
        start()
        model, rows = build(), []
        if first:
            model.load_weights(f"w/{first}.weights.h5")
        began = model.get_weights()
        for turn in recovered(range(first, 5), "w", model):
            if turn == 3:  # The first start is killed here.
                break
            model.train_on_batch(X, Y)
            rows.append("x" * 40_000)  # From turn 1 on, the state is saved between turns alone.
            model.save_weights(f"w/{turn + 1}.weights.h5")
        return all(map(np.array_equal, began, model.get_weights()))

    assert [train(), train(first=3)] == [False, True]


def test_a_loop_that_saves_within_a_turn_begins_it_again_from_the_newest_file(start):
    def train(killed_in=None):
        start()
        model, steps = loaded() if os.path.exists(FILE) else build(), Notes()
        for turn in recovered(range(3), "w", model):
            for step in range(4):
                steps.append((turn, int(model.optimizer.iterations)))
                model.train_on_batch(X, Y)
                if (turn, step) == killed_in:
                    return steps
                model.save_weights(FILE)
        return steps

    train(killed_in=(1, 2))
    assert train() == [(1, 6), (1, 7), (1, 8), (1, 9), (2, 10), (2, 11), (2, 12), (2, 13)]


def test_a_while_loop_goes_on_at_its_turn_and_asks_its_test_once_a_turn(start):
    def train(killed_in=None):
        start()
        model, step, tests = loaded() if os.path.exists(FILE) else build(), 0, Notes()
        loop = recovered(lambda: tests.append(step) or step < 5, "w", model, carried=lambda: (step,))
        for _, step in loop:
            model.train_on_batch(X, Y)
            if step == killed_in:
                return tests
            step += 1
            model.save_weights(FILE)
        return tests, step, model.get_weights()

    tests, _, undisturbed = train()
    assert tests == [0, 1, 2, 3, 4, 5]
    leave()
    os.remove(FILE)
    train(killed_in=3)
    tests, step, weights = train()
    assert (tests, step) == ([0, 4, 5], 5)  # As in the program alone, also before the first turn.
    for one, other in zip(weights, undisturbed, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_while_loop_whose_test_fails_by_the_program_s_own_file_keeps_the_newer_weights(start):
    def train(is_killed=False):
        model, step = build(), int(os.path.exists(FILE)) * 5
        _ = step and model.load_weights(FILE)
        for _, step in recovered(lambda: step < 5, "w", model, carried=lambda: (step,)):  # noqa: B020, B023
            model.train_on_batch(X, Y)
            step += 1
            model.save_weights(FILE)
            if is_killed and step == 5:
                break
        return model.get_weights()

    weights = train(is_killed=True)
    start()
    np.testing.assert_array_equal(train()[0], weights[0])


def test_a_loop_killed_in_its_first_turn_behind_its_save_trains_that_turn_once(start):
    def train(is_killed=False):
        model = build()
        if os.path.exists(FILE):
            model.load_weights(FILE)
        for _ in recovered(range(2), "w/model", model):
            model.train_on_batch(X, Y)
            model.save_weights(FILE)
            if is_killed:
                break
        return model.get_weights()

    undisturbed = train()
    leave()
    os.remove(FILE)
    start()
    train(is_killed=True)
    start()
    for one, other in zip(train(), undisturbed, strict=True):
        np.testing.assert_array_equal(one, other)
