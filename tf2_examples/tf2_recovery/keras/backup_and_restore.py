# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 1c2a57e43826cc8c).
"""Resumes Keras trainings where an interrupted run stopped.

The state of a training is saved next to the program's files until the program ends. A
run of the same command and source resumes it if it loads what was saved last, or begins
with the same weights. Any other run is a new training.
"""

import contextlib
import functools
import inspect
import os
import sys
from numbers import Real

import tensorflow as tf

from .callback_states import changes_of, has_grown, names_of, numbers_of, states_of
from .interrupted_training import kept_training
from .saved_states import mark_of, pickled, plain_of


class _Callback(tf.keras.callbacks.Callback):
    _supports_tf_logs = True  # Keras 2 then does not fetch the metrics of each batch.

    def _implements_train_batch_hooks(self):  # Keras 2 calls it; Keras 3 has none.
        return False

    _implements_test_batch_hooks = _implements_train_batch_hooks
    _implements_predict_batch_hooks = _implements_train_batch_hooks


class _Turn(_Callback):
    """Notes, before each callback of the program, that this one acts next."""

    def __init__(self, backup, number):
        super().__init__()
        self._backup, self._number = backup, number

    def on_train_begin(self, logs=None):
        if self._number == 0:
            self._backup.find_interrupted(self.model)

    def on_epoch_end(self, epoch, logs=None):
        self._backup.begin_turn(self._number, epoch, logs)

    def on_train_end(self, logs=None):
        if self._number == 0:
            self._backup.pass_over_callbacks()


def _guarded(method):
    """Makes a method of BackupAndRestore end its training, and raise nothing."""

    @functools.wraps(method)
    def call(self, *args, **kwargs):
        try:
            if self._training is not None:
                method(self, *args, **kwargs)
        except Exception as error:
            tf.get_logger().warning("This training is not kept: %s.", error)
            self._training.remove()
            self._training = None

    return call


class BackupAndRestore(_Callback):
    """As Keras' callback of this name, but safe against a kill at any moment."""

    def __init__(self, saved, callbacks=(), name="fit"):
        super().__init__()
        self._saved, self._callbacks, self._name = saved, callbacks, name
        self._training = None

    @classmethod
    def beside(cls, callbacks, saved=None, name="fit"):
        """Returns the callbacks for ``fit``, with those that save and resume it.

        Args:
          callbacks: a list of callbacks, one callback, or None.
          saved: the path to which the program saves its model; used only without a
            ``ModelCheckpoint`` among the callbacks.
          name: keeps the calls of ``fit`` in a program apart, a str.
        """
        callbacks = getattr(callbacks, "callbacks", callbacks)  # Of a CallbackList.
        callbacks = tf.nest.flatten(callbacks) if callbacks else []
        inner = [getattr(one, "callback", one) for one in callbacks]  # Of a wrapper.
        pairs = zip(inner, callbacks)
        inner = [a if hasattr(a, "on_epoch_end") else b for a, b in pairs]
        if any(type(one).__name__ == cls.__name__ for one in inner):
            return callbacks
        program = os.path.splitext(os.path.basename(sys.argv[0]))[0]
        paths = [*(getattr(one, "filepath", None) for one in inner), saved, program]
        paths = [one for one in paths if one and isinstance(one, (str, os.PathLike))]
        backup = cls([*paths, "notebook"][0], inner, name)
        turns = [_Turn(backup, number) for number in range(len(callbacks) + 1)]
        return [one for pair in zip(turns, [*callbacks, backup]) for one in pair]

    @property
    def manager(self):
        """The ``tf.train.CheckpointManager`` of the last save; None before the first."""
        return None if self._training is None else self._training.manager

    def find_interrupted(self, model):
        """Decides whether this ``fit`` resumes an interrupted training."""
        self._training, self._data = None, _argument("x")
        if not (hasattr(model, "_training_state") or hasattr(model, "_initial_epoch")):
            tf.get_logger().warning("This Keras has no way to the first epoch.")
        elif self._is_one_pass():
            tf.get_logger().warning("Not kept: its epochs are parts of one pass.")
        else:
            loss = _name_of_loss(getattr(model, "loss", None))
            own = [self.params.get("steps"), loss]
            self._training = kept_training(self._saved, [model], (), self._name, own)
        if self._training is None:
            return
        self._training.on_save = self._save_before_file
        self._next = self._turn = None
        self._is_saved = self._is_stale = False
        self._has_stopped = self._is_broken_off = False
        note, kind = self._training.note, tf.keras.callbacks.CSVLogger
        logs = [one for one in self._callbacks if isinstance(one, kind)]
        # Those that the program does not append to: no other job's.
        self._own_logs = [one.filename for one in logs if not one.append]
        if self._training.is_resumed:
            self._own_logs = [*note["sizes"]]
            for one in logs:
                one.append = True  # Else it empties its file.
        is_cut = self._training.is_resumed and not note.get("is_ended")
        for name in self._own_logs:
            if is_cut and os.path.exists(name):
                size = (note["sizes"][name] or [0])[0]
                os.truncate(name, min(size, os.path.getsize(name)))

    def _is_one_pass(self):
        is_dataset = isinstance(self._data, tf.data.Dataset)
        if not is_dataset or not _argument("steps_per_epoch"):
            return False
        return self._data.cardinality() != tf.data.INFINITE_CARDINALITY

    @_guarded
    def on_train_begin(self, logs=None):
        self._holders = [*self._callbacks]
        if hasattr(self._data, "on_epoch_end"):  # A Sequence may count its epochs.
            self._holders.append(self._data)
        kept, models = self._training.variables, [self.model]
        states = [states_of(one, kept, models) for one in self._holders]
        self._states = dict(zip(names_of(self._holders), states))
        self._first = _argument("initial_epoch", 0)
        if self._training.is_resumed and self._is_offset():
            self._training.begin_anew("a callback of the program adds its own epochs")
        # Keras 2 saves no model that was not called.
        uncalled = getattr(self.model, "_saved_model_inputs_spec", 0) is None
        uncalled &= hasattr(self.model, "_training_state")
        note, epochs = self._training.note, self.params["epochs"]
        if self._training.is_resumed and uncalled and note["epoch"] >= epochs:
            self._training.begin_anew("a model that was not called cannot be saved")
        self._first_numbers, rate = numbers_of(self.model), _rate(self.model)
        note = self._training.note
        if not self._training.is_resumed:
            self._training.restore()
            note.update(rates=[rate], epochs=epochs, logs={}, turn=None)
            note["first_states"] = {n: one.checksums for n, one in self._states.items()}
            return
        for name, number in note["numbers"].items():
            setattr(self.model, name, number)
        earlier, offset = note["first_states"], [self._first - note["first"]]
        for name, own in self._states.items():
            old = earlier.get(name)  # None, or another state, if it is another one.
            if old is not None and (
                old == own.checksums or has_grown(old, own, offset)
            ):
                own.restore(note["callbacks"][name])
        self._training.restore()
        if rate is not None and rate not in note["rates"]:  # The program changed it.
            self.model.optimizer.learning_rate.assign(rate)
            note["rates"] = [rate]
        first, in_file = note["first"], note.get("in_file", note["first"])
        is_rest = epochs < note["epochs"] and not self._first
        done = (note["epoch"] - first, in_file - first)
        past = in_file if note["epochs"] - epochs == done[1] else note["epoch"]
        if not is_rest and epochs - note["epochs"] not in done:
            note["epochs"] = epochs  # Else the program counts from its saved model.
        self._end_turns()
        if is_rest:  # The program trains only the rest, and counts it from 0.
            logs = {epoch - past: note["logs"][epoch] for epoch in note["logs"]}
            note.update(epoch=note["epoch"] - past, epochs=epochs, logs=logs)
            note.update(first=0, in_file=0)
        is_over = note["is_over"] or note["epoch"] >= note["epochs"]
        self._training.pass_over(is_over)
        self.model.stop_training = is_over and note["is_over"]
        _set_first_epoch(self.model, epochs if is_over else note["epoch"])

    def _is_offset(self):
        """Returns whether a callback adds the epochs of a file to those of ``fit``."""
        note, first = self._training.note, self._training.note["first"]
        if self._first or self.params["epochs"] < note["epochs"]:
            return False  # The program counts them.
        done = [note["epoch"] - first, note.get("in_file", first) - first]
        earlier, own = note["first_states"], self._states.items()
        return any(has_grown(earlier.get(n, {}), one, done) for n, one in own)

    def _end_turns(self):
        """Calls on_epoch_end of the callbacks that a kill at an epoch's end left out."""
        note, turn = self._training.note, self._training.note["turn"]
        if turn is None:
            return
        epoch = note["epoch"] - 1
        logs = {**note["logs"].get(epoch, {})}
        self.model.stop_training = note["is_over"]
        for number, one in enumerate(self._callbacks[turn + 1 :], turn + 1):
            self.begin_turn(number, epoch, logs)
            try:
                one.on_epoch_end(epoch, logs)
            except Exception as error:  # It may need what it makes as an epoch begins.
                tf.get_logger().warning("Epoch %s: %s", epoch, error)
        self._is_saved = True
        self.on_epoch_end(epoch, logs)

    @_guarded
    def on_epoch_begin(self, epoch, logs=None):
        _set_first_epoch(self.model, None)
        self._next = epoch
        self._training.held = ()  # A step would copy what is held.
        self._training.note.setdefault("first", epoch)

    @_guarded
    def begin_turn(self, number, epoch, logs):
        """Notes that a callback acts next at the end of an epoch; keeps its logs."""
        if self._is_stale and number < len(self._callbacks):
            self._save(False)  # The state that the callback before left, with its file.
        self._next, self._turn, self._is_stale = epoch + 1, number, False
        if number == 0:  # No callback has stopped it, but a signal may have.
            self._is_broken_off = bool(self.model.stop_training)
        found = (logs or {}).items()
        logs = {n: float(x) if isinstance(x, Real) else plain_of(x) for n, x in found}
        logs = {name: one for name, one in logs.items() if pickled(one) is not None}
        self._training.note["logs"][epoch] = logs

    @_guarded
    def pass_over_callbacks(self):
        """Keeps callbacks from ending a training that is passed over once more."""
        callbacks = self._callbacks if self._training.was_over else ()
        self._ends = {one: vars(one).get("on_train_end") for one in callbacks}
        for one in self._ends:
            one.on_train_end = lambda logs=None: None

    @_guarded
    def _save_before_file(self):
        note, rate = self._training.note, _rate(self.model)
        rates = note.get("rates", [rate])
        note["rates"] = [rates[0], rates[-1], rate]
        if self._next is None:
            self._training.save(False)
            return
        note["in_file"], self._is_saved = self._next, True
        self._is_stale = self._turn is not None
        self._save()
        if self._turn is None:  # Within an epoch.
            self._training.held = ()

    def _save(self, is_changed=None, is_end=False):
        changed = {name: changes_of(one) for name, one in self._states.items()}
        note = self._training.note
        numbers = {*numbers_of(self.model).items()} - {*self._first_numbers.items()}
        note.update(epoch=self._next, turn=self._turn, callbacks=changed)
        note["numbers"] = dict(numbers)
        note["sizes"] = {name: mark_of(name) for name in self._own_logs}
        is_end = (is_end or bool(self.model.stop_training)) and not self._is_broken_off
        note["is_over"] = is_end and self._next < note["epochs"]
        note["trained"] = self._training.trained()  # A callback may unfreeze layers.
        self._training.save(is_changed)

    @_guarded
    def on_epoch_end(self, epoch, logs=None):
        training = self._training
        self._next, self._turn = epoch + 1, None
        is_last = self.model.stop_training or epoch + 1 >= training.note["epochs"]
        if is_last and not self.model.stop_training:
            self._has_stopped = epoch + 1 < self.params["epochs"]
            self.model.stop_training = self._has_stopped
        if self._is_saved or training.is_due() or is_last:
            self._save(None if self._is_saved or is_last else True)
        self._is_saved = False

    @_guarded
    def on_train_end(self, logs=None):
        training = self._training
        _set_first_epoch(self.model, None)
        if training.note["number"] and not training.was_over:
            self._next, self._turn = training.note["epoch"], None
            self._save(is_end=True)
        if self._has_stopped:  # No callback of the program did.
            self.model.stop_training = False
        for one, end in self._ends.items():
            del one.on_train_end
            vars(one).update({"on_train_end": end} if end else {})
        training.end()
        self._data = self._holders = self._states = None
        history, logs = self.model.history, training.note["logs"]
        earlier = sorted({one for one in logs if one >= self._first} - {*history.epoch})
        for name in {name for epoch in earlier for name in logs[epoch]}:
            values = [logs[epoch][name] for epoch in earlier if name in logs[epoch]]
            history.history[name] = values + history.history.get(name, [])
        history.epoch[:0] = earlier


# Keras has no public way to set the first epoch; these are those of its own callback:
# Keras 3 reads `model._initial_epoch`, Keras 2 calls a method of `model._training_state`.
# Neither begins before the program's initial_epoch, which may count its files.


class _FirstEpoch:
    def __init__(self, epoch):
        self._epoch = epoch

    def maybe_load_initial_counters_from_ckpt(self, steps, initial_epoch, mode=None):
        return max(self._epoch, initial_epoch), 0  # Earlier epochs may lack data.


def _set_first_epoch(model, epoch):
    if hasattr(model, "_training_state"):
        model._training_state = None if epoch is None else _FirstEpoch(epoch)
    else:
        if epoch is not None:
            epoch = max(epoch, _argument("initial_epoch", 0))
        model._initial_epoch = epoch


def _argument(name, default=None):
    """Returns an argument of the running ``fit``, which Keras 3 passes nowhere."""
    frames = (one.frame.f_locals for one in inspect.stack(0) if one.function == "fit")
    found = next((one[name] for one in frames if name in one), None)
    return default if found is None else found


def _name_of_loss(loss):
    with contextlib.suppress(Exception):  # A list, or the program's own.
        loss = tf.keras.losses.get(loss)
    loss = str(getattr(loss, "__name__", type(loss).__name__))
    return loss.replace("_", "").lower()  # A file may have "mse" as a class.


def _rate(model):
    rate = getattr(model.optimizer, "learning_rate", None)
    return float(rate.numpy()) if hasattr(rate, "assign") else None
