"""Keras trainings that go on where an interrupted one stopped.

While a program trains, its model, optimizer, epoch and callback state are kept beside
its own files; they are removed when the program ends. A start whose own code loads what
the interrupted training saved last goes on exactly where that training stopped. So does
a start by the same command over the same source that begins with the same weights. Any
other start is a new training, and the program's own code alone decides how it begins.
"""

import contextlib
import inspect
import os
import pickle
import sys

import numpy as np
import tensorflow as tf

from .interrupted_training import is_kept, kept_training
from .model_variables import variable_of
from .saved_states import is_plain, read


class _Callback(tf.keras.callbacks.Callback):
    _supports_tf_logs = True  # Keras 2 need not wait for the metrics of each batch.

    def _without_batch_hooks(self):
        return False

    # Keras 2 asks this; a program may use it where tf.keras is Keras 3.
    _implements_train_batch_hooks = _without_batch_hooks
    _implements_test_batch_hooks = _without_batch_hooks
    _implements_predict_batch_hooks = _without_batch_hooks


class _Turn(_Callback):
    """Tells which of the callbacks acts next."""

    def __init__(self, backup, number):
        super().__init__()
        self._backup, self._number = backup, number

    def on_train_begin(self, logs=None):
        if self._number == 0:
            self._backup.find_interrupted(self.model)

    def on_epoch_end(self, epoch, logs=None):
        if self._backup.manager is not None:
            self._backup.begin_turn(self._number, epoch, logs)


class BackupAndRestore(_Callback):
    """Keras' callback of this name, safe against a kill at any moment.

    Args:
      saved: what the program saves its model as, a path.
      callbacks: the others of the same ``fit``, which act before this one.
      name: tells one ``fit`` of a program from another, a str.
    """

    def __init__(self, saved, callbacks=(), name="fit"):
        super().__init__()
        self._saved, self._callbacks, self._name = saved, callbacks, name
        self._training = None

    @classmethod
    def beside(cls, callbacks, saved=None, name="fit"):
        """Returns the callbacks for ``fit``, with one that keeps its training.

        Args:
          callbacks: a list of callbacks, one callback, or None.
          saved: what the program saves its model as, a path, where no
            ``ModelCheckpoint`` is among the callbacks.
          name: tells one ``fit`` of a program from another, a str.
        """
        callbacks = getattr(callbacks, "callbacks", callbacks)  # Of a CallbackList.
        callbacks = tf.nest.flatten(callbacks) if callbacks else []
        inner = [getattr(one, "callback", one) for one in callbacks]  # Of a wrapper.
        program = os.path.splitext(os.path.basename(sys.argv[0]))[0]
        files = [getattr(one, "filepath", None) for one in inner]
        saved = os.fspath(next(filter(None, [*files, saved, program, "notebook"])))
        is_theirs = any(type(one).__name__ == cls.__name__ for one in inner)
        if is_theirs or not is_kept(saved, name):
            return callbacks
        backup = cls(saved, inner, name)
        turns = [_Turn(backup, number) for number in range(len(callbacks) + 1)]
        return [one for pair in zip(turns, [*callbacks, backup]) for one in pair]

    @property
    def manager(self):
        """The ``tf.train.CheckpointManager`` that saves; None until ``fit`` begins."""
        return None if self._training is None else self._training.manager

    def find_interrupted(self, model):
        """Decides whether this ``fit`` goes on with an interrupted training."""
        self._training = None
        if _has_first_epoch(model):
            self._training = kept_training(self._saved, [model], name=self._name)
        else:
            tf.get_logger().warning("This Keras has no way to the first epoch.")
        if self._training is None:
            return
        self._training.on_save = self._save_before_file
        self._phase, self._is_saved, self._values = None, False, None
        for one in self._callbacks if self._training.is_resumed else []:
            if hasattr(one, "csv_file"):
                one.append = True  # A CSVLogger would empty its file.

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
        if rate is not None and rate not in note["rates"]:  # The program's own is new.
            self.model.optimizer.learning_rate.assign(rate)
            note["rates"] = [rate]
        done = {note["epoch"] - note["first"], note.get("in_file", 0) - note["first"]}
        if epochs - note["epochs"] not in done:  # Else it counts on from its file.
            note["epochs"] = epochs
        self._end_turns()
        is_over = note["is_over"] or note["epoch"] >= note["epochs"]
        _set_first_epoch(self.model, epochs if is_over else note["epoch"])

    def _end_turns(self):
        """Has the callbacks act that a kill at the end of an epoch left out."""
        note, turn = self._training.note, self._training.note["turn"]
        if turn is None:
            return
        epoch, logs = note["epoch"] - 1, dict(note["logs"][note["epoch"] - 1])
        self.model.stop_training, self._values = note["is_over"], None
        for number, one in enumerate(self._callbacks[turn + 1 :], turn + 1):
            self.begin_turn(number, epoch, logs)
            try:
                one.on_epoch_end(epoch, logs)
            except ValueError as error:  # Of Keras 3, whose metrics are not built yet.
                tf.get_logger().warning("Epoch %s: %s", epoch, error)
        self.on_epoch_end(epoch, logs)

    def on_epoch_begin(self, epoch, logs=None):
        if self._training is not None:
            _set_first_epoch(self.model, None)
            self._phase, self._epoch, self._is_saved = "epoch", epoch, False
            self._training.note.setdefault("first", epoch)

    def begin_turn(self, number, epoch, logs):
        """Notes which callback acts at the end of an epoch."""
        self._phase, self._epoch, self._turn = "end", epoch, number
        logs = {name: _number(value) for name, value in (logs or {}).items()}
        self._training.note["logs"][epoch] = logs

    def _save_before_file(self):
        note, is_end = self._training.note, self._phase == "end"
        note["rates"] = [*note.get("rates", []), _rate(self.model)][-9:]
        if self._phase is None:
            self._training.amend()
            return
        self._note(self._epoch + is_end, self._turn if is_end else None)
        note["in_file"] = note["epoch"]
        self._training.save()
        self._is_saved = True
        is_last = is_end and self._turn + 1 == len(self._callbacks)
        self._values = None if is_last else self._training.digests()

    def _note(self, epoch, turn=None):
        states = map(_state_of, self._callbacks, self._given)
        changed = [
            {name: state[name] for name in state if state[name] != first.get(name)}
            for state, first in zip(states, self._first_states)
        ]
        self._training.note.update(epoch=epoch, turn=turn, callbacks=changed)
        self._training.note["is_over"] = bool(self.model.stop_training)

    def on_epoch_end(self, epoch, logs=None):
        training = self._training
        if training is None:
            return
        self.model.stop_training |= epoch + 1 >= training.note["epochs"]
        if self._is_saved or training.is_due() or self.model.stop_training:
            self._note(epoch + 1)
            self._save_or_amend(self._is_saved)
        self._phase, self._epoch, self._is_saved = "epoch", epoch + 1, False

    def _save_or_amend(self, is_saved):
        is_compared = self._values or self.model.stop_training
        values = self._training.digests() if is_compared else None
        if is_saved and self._values in (None, values):
            self._training.amend()
        else:
            self._training.save()
        self._values = values

    def on_train_end(self, logs=None):
        training = self._training
        if training is None:
            return
        _set_first_epoch(self.model, None)
        if training.note["number"]:
            self.model.stop_training = True
            self._note(training.note["epoch"])
            self._save_or_amend(True)
        self._phase, training.is_ended = None, True
        history, logs = self.model.history, training.note["logs"]
        earlier = [one for one in logs if one < min(history.epoch, default=one + 1)]
        for at, epoch in enumerate(sorted(earlier)):
            for name, value in logs[epoch].items():
                history.history.setdefault(name, []).insert(at, value)
        history.epoch[:0] = sorted(earlier)


# What Keras has for its own callback of this name, and no other way to the first epoch:
# Keras 3 reads `model._initial_epoch`, Keras 2 calls a method of `model._training_state`.
# Neither begins before the epoch that the program names: it may count its files.


class _FirstEpoch:
    def __init__(self, epoch):
        self._epoch = epoch

    def maybe_load_initial_counters_from_ckpt(self, steps, initial_epoch, mode=None):
        return max(self._epoch, initial_epoch), 0  # It has no data for earlier epochs.


def _has_first_epoch(model):
    return hasattr(model, "_training_state") or hasattr(model, "_initial_epoch")


def _set_first_epoch(model, epoch):
    if hasattr(model, "_training_state"):
        model._training_state = None if epoch is None else _FirstEpoch(epoch)
    else:
        model._initial_epoch = None if epoch is None else max(epoch, _named_epoch())


def _named_epoch():
    """Returns the ``initial_epoch`` of the ``fit`` that runs, which Keras 3 tells no callback."""
    frame = sys._getframe()
    while frame is not None:
        if frame.f_code.co_name == "fit" and "initial_epoch" in frame.f_locals:
            return frame.f_locals["initial_epoch"] or 0
        frame = frame.f_back
    return 0


def _rate(model):
    rate = getattr(model.optimizer, "learning_rate", None)
    return float(rate.numpy()) if hasattr(rate, "assign") else None


def _number(value):
    value = np.asarray(value)
    return float(value) if value.ndim == 0 and value.dtype.kind in "biuf" else None


_HOOKS = "on_epoch_begin", "on_epoch_end", "on_train_batch_end", "on_batch_end"


def _variables_of(callback):
    """Returns the variables that a callback has or its functions use, by name."""
    found = dict(vars(callback))
    for hook in _HOOKS:
        with contextlib.suppress(TypeError):  # Of no Python function.
            used = inspect.getclosurevars(getattr(callback, hook))
            found.update({**used.globals, **used.nonlocals})
    for name, value in [*found.items()]:
        if isinstance(value, (list, tuple)):
            found.update({f"{name}.{place}": one for place, one in enumerate(value)})
    found = {name: variable_of(one) for name, one in found.items()}
    return {name: one for name, one in found.items() if isinstance(one, tf.Variable)}


def _state_of(callback, given):
    """Returns the data of a callback and the values of its variables, as bytes.

    Args:
      given: the attributes that it began the training with, a dict.
    """
    state = {name: one.numpy() for name, one in _variables_of(callback).items()}
    for name, value in vars(callback).items():
        is_data = isinstance(value, tuple) or getattr(value, "nbytes", 0) > 2**20
        is_unchanged = is_data and value is given.get(name)
        if name == "monitor_op" and value is not None:  # Set at the first epoch's end.
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


def recovered(turns, directory, *models, optimizers=()):
    """Yields the turns of a loop that trains, but for those that are done already.

    Use ``for epoch in recovered(range(first, epochs), directory, model):``.

    Args:
      turns: the numbers of the epochs, a range.
      directory: what the program saves its models as, or where it saves them, a path.
      models: those that the loop trains.
      optimizers: those that no model holds.
    """
    saved, training = os.fspath(directory), None
    if is_kept(saved, saved):
        training = kept_training(saved, models, optimizers, name="loop")
    if training is None:
        yield from turns
        return
    training.restore()
    note, step = training.note, getattr(turns, "step", 1)
    if training.is_resumed:
        turns = range(note["epoch"], turns.stop, step)
    else:  # A kill in the first turn may leave files that it has saved.
        note["epoch"] = turns.start
        training.save()
    files = []
    training.on_save = lambda: (files.append(note["file"]), training.amend())
    try:
        for turn in turns:
            yield turn
            if files or training.is_due() or turn + step not in turns:
                note["epoch"] = turn + step
                training.save()
                files.clear()
    finally:
        training.is_ended = True
