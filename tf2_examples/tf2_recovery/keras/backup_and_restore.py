# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 9d8689c8eaf37c8c).
"""Resumes Keras trainings where an interrupted run stopped.

The state of a training is saved next to the program's files until the program ends.
A run resumes if its own code loads what the last one saved, or if it is started by the
same command with the same source. Any other run is a new training.
"""

import contextlib
import inspect
import os
import pickle
import sys

import numpy as np
import tensorflow as tf

from .interrupted_training import kept_training
from .saved_states import is_plain, read, variable_of


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
        if any(type(one).__name__ == cls.__name__ for one in inner):
            return callbacks
        program = os.path.splitext(os.path.basename(sys.argv[0]))[0]
        files = [getattr(one, "filepath", None) for one in inner]
        saved = next(filter(None, [*files, saved, program, "notebook"]))
        backup = cls(os.fspath(saved), inner, name)
        turns = [_Turn(backup, number) for number in range(len(callbacks) + 1)]
        return [one for pair in zip(turns, [*callbacks, backup]) for one in pair]

    @property
    def manager(self):
        """The ``tf.train.CheckpointManager`` of the last save; None before the first."""
        return None if self._training is None else self._training.manager

    def find_interrupted(self, model):
        """Decides whether this ``fit`` resumes an interrupted training."""
        self._training = None
        if _has_first_epoch(model):
            self._training = kept_training(self._saved, [model], name=self._name)
        else:
            tf.get_logger().warning("This Keras has no way to the first epoch.")
        if self._training is None:
            return
        self._training.on_save = self._save_before_file
        self._next, self._turn, self._is_saved = None, None, False
        for one in self._callbacks if self._training.is_resumed else []:
            if hasattr(one, "csv_file"):
                one.append = True  # Else a CSVLogger empties its file.

    def on_train_begin(self, logs=None):
        if self._training is None:
            return
        self._given = [dict(vars(one)) for one in self._callbacks]
        self._first_states = [*map(_state_of, self._callbacks, self._given)]
        rate, epochs = _rate(self.model), self.params["epochs"]
        self._training.restore()
        note = self._training.note
        if not self._training.is_resumed:
            note.update(rates=[rate], epochs=epochs, logs={}, turn=None)
            return
        for one, state in zip(self._callbacks, note["callbacks"]):
            _set_state(one, state)
        if rate is not None and rate not in note["rates"]:  # The program changed it.
            self.model.optimizer.learning_rate.assign(rate)
            note["rates"] = [rate]
        first, in_file = note["first"], note.get("in_file", note["first"])
        is_rest = epochs < note["epochs"] and not _named_epoch()
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
        self._training.was_over = is_over
        _set_first_epoch(self.model, epochs if is_over else note["epoch"])

    def _end_turns(self):
        """Calls on_epoch_end of the callbacks that a kill at an epoch's end left out."""
        note, turn = self._training.note, self._training.note["turn"]
        if turn is None:
            return
        epoch, logs = note["epoch"] - 1, dict(note["logs"][note["epoch"] - 1])
        self.model.stop_training = note["is_over"]
        for number, one in enumerate(self._callbacks[turn + 1 :], turn + 1):
            self.begin_turn(number, epoch, logs)
            try:
                one.on_epoch_end(epoch, logs)
            except ValueError as error:  # Keras 3: the metrics are not built yet.
                tf.get_logger().warning("Epoch %s: %s", epoch, error)
        self._is_saved = True
        self.on_epoch_end(epoch, logs)

    def on_epoch_begin(self, epoch, logs=None):
        if self._training is not None:
            _set_first_epoch(self.model, None)
            self._next = epoch
            self._training.held = ()  # A step would copy what is held.
            self._training.note.setdefault("first", epoch)

    def begin_turn(self, number, epoch, logs):
        """Notes that a callback acts next at the end of an epoch; keeps its logs."""
        if self._training is not None:
            self._next, self._turn = epoch + 1, number
            logs = {name: _number(value) for name, value in (logs or {}).items()}
            self._training.note["logs"][epoch] = logs

    def _save_before_file(self):
        note, rate = self._training.note, _rate(self.model)
        rates = note.get("rates", [rate])
        note["rates"] = [rates[0], rates[-1], rate]
        if self._next is None:
            self._training.save(False)
            return
        note["in_file"], self._is_saved = self._next, True
        self._save()
        if self._turn is None:  # Within an epoch.
            self._training.held = ()

    def _save(self, is_changed=None):
        states = map(_state_of, self._callbacks, self._given)
        changed = [
            {name: state[name] for name in state if state[name] != first.get(name)}
            for state, first in zip(states, self._first_states)
        ]
        note = self._training.note
        note.update(epoch=self._next, turn=self._turn, callbacks=changed)
        note["is_over"] = bool(self.model.stop_training)
        self._training.save(is_changed)

    def on_epoch_end(self, epoch, logs=None):
        training = self._training
        if training is None:
            return
        self._next, self._turn = epoch + 1, None
        self.model.stop_training |= epoch + 1 >= training.note["epochs"]
        is_last = self.model.stop_training
        if self._is_saved or training.is_due() or is_last:
            self._save(None if self._is_saved or is_last else True)
        self._is_saved = False

    def on_train_end(self, logs=None):
        training = self._training
        if training is None:
            return
        _set_first_epoch(self.model, None)
        if training.note["number"]:
            self.model.stop_training = True
            self._next, self._turn = training.note["epoch"], None
            self._save()
        self._next, training.is_ended = None, True
        history, logs = self.model.history, training.note["logs"]
        earlier = [one for one in logs if one < min(history.epoch, default=one + 1)]
        for at, epoch in enumerate(sorted(earlier)):
            for name, value in logs[epoch].items():
                history.history.setdefault(name, []).insert(at, value)
        history.epoch[:0] = sorted(earlier)


# Keras has no public way to set the first epoch; these are those of its own callback:
# Keras 3 reads `model._initial_epoch`, Keras 2 calls a method of `model._training_state`.
# Neither begins before the program's initial_epoch, which may count its files.


class _FirstEpoch:
    def __init__(self, epoch):
        self._epoch = epoch

    def maybe_load_initial_counters_from_ckpt(self, steps, initial_epoch, mode=None):
        return max(self._epoch, initial_epoch), 0  # Earlier epochs may lack data.


def _has_first_epoch(model):
    return hasattr(model, "_training_state") or hasattr(model, "_initial_epoch")


def _set_first_epoch(model, epoch):
    if hasattr(model, "_training_state"):
        model._training_state = None if epoch is None else _FirstEpoch(epoch)
    else:
        model._initial_epoch = None if epoch is None else max(epoch, _named_epoch())


def _named_epoch():
    """Returns the ``initial_epoch`` of the running ``fit``; Keras 3 passes it nowhere."""
    frames = (one.frame.f_locals for one in inspect.stack(0) if one.function == "fit")
    named = (one["initial_epoch"] for one in frames if "initial_epoch" in one)
    return next(named, 0) or 0


def _rate(model):
    rate = getattr(model.optimizer, "learning_rate", None)
    return float(rate.numpy()) if hasattr(rate, "assign") else None


def _number(value):
    value = np.asarray(value)
    return float(value) if value.ndim == 0 and value.dtype.kind in "biuf" else None


_HOOKS = "on_epoch_begin", "on_epoch_end", "on_train_batch_end", "on_batch_end"


def _variables_of(callback):
    """Returns a dict of the variables that a callback has or its methods use."""
    found = dict(vars(callback))
    for hook in _HOOKS:
        with contextlib.suppress(TypeError):  # The hook is no Python function.
            used = inspect.getclosurevars(getattr(callback, hook))
            found.update({**used.globals, **used.nonlocals})
    for name, value in [*found.items()]:
        if isinstance(value, (list, tuple)):
            found.update({f"{name}.{place}": one for place, one in enumerate(value)})
    found = {name: variable_of(one) for name, one in found.items()}
    return {name: one for name, one in found.items() if isinstance(one, tf.Variable)}


def _state_of(callback, given):
    """Returns a dict of a callback's pickled data, without large data of ``given``."""
    state = {name: one.numpy() for name, one in _variables_of(callback).items()}
    for name, value in vars(callback).items():
        is_data = isinstance(value, tuple) or getattr(value, "nbytes", 0) > 2**20
        is_unchanged = is_data and value is given.get(name)
        if name == "monitor_op" and value is not None:  # A function, set by Keras.
            value = value.__name__
        if is_plain(value) and not is_unchanged and name != "params":
            state[name] = value
    return {name: pickle.dumps(value) for name, value in state.items()}


def _set_state(callback, state):
    variables = _variables_of(callback)
    for name, content in state.items():
        value = read(content)
        if name in variables:
            variables[name].assign(value)
        elif name == "monitor_op" and value is not None:
            setattr(callback, name, getattr(sys.modules["keras"].ops, value))
        else:
            setattr(callback, name, value)
