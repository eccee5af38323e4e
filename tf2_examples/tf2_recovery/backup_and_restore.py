# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 8ecc77157ca62680).
"""Keras trainings that go on where an interrupted one stopped.

While a program trains, its model, optimizer, epoch and callback state are kept beside
its own files; they are removed when the program ends. A start whose own code loads what
the interrupted training saved last goes on exactly where that training stopped. So does
a start by the same command over the same source that begins with the same weights. Any
other start is a new training, and the program's own code alone decides how it begins.
"""

import os
import sys

import tensorflow as tf

from .interrupted_training import Training, decode, encode, variables_of_callback

_MOST_FITS = 10
"""More calls of one ``fit`` in a process are not kept: a program that calls it so often
for the same work (reinforcement learning) goes on by its own code alone."""

_fits = {}  # How often this process has called each fit.


class _Callback(tf.keras.callbacks.Callback):
    _supports_tf_logs = True  # Keras 2 need not wait for the metrics of each batch.

    # A program may import tf_keras or keras beside the Keras that tf.keras is.
    def _implements_train_batch_hooks(self):
        return False

    def _implements_test_batch_hooks(self):
        return False

    def _implements_predict_batch_hooks(self):
        return False


class _Turn(_Callback):
    """Tells which callback acts next, at the begin and at the end of an epoch."""

    def __init__(self, backup, number):
        super().__init__()
        self._backup, self._number = backup, number

    def on_train_begin(self, logs=None):
        if self._number == 0:
            self._backup.find_interrupted(self.model)

    def on_epoch_end(self, epoch, logs=None):
        if self._number == 0:
            self._backup.end_epoch(epoch, logs)
        self._backup.turn = self._number


class BackupAndRestore(_Callback):
    """Keras' callback of this name, safe against a kill at any moment.

    Use ``model.fit(..., callbacks=BackupAndRestore.beside(callbacks))``.

    Args:
      saved: what the program saves its model as, a path.
      callbacks: the other callbacks of the ``fit``, which act before this one.
      name: tells one ``fit`` of a program from another, a str.

    Attributes:
      manager: the ``tf.train.CheckpointManager`` that saves; None until ``fit`` begins.
    """

    def __init__(self, saved, callbacks=(), name="fit"):
        super().__init__()
        self._saved, self._callbacks, self._name = saved, list(callbacks), name
        self._training = None
        self.turn = 0  # Which callback acts, at the end of an epoch.

    @classmethod
    def beside(cls, callbacks, saved=None, name="fit"):
        """Returns the callbacks for a ``fit``, with one that keeps its training.

        Args:
          callbacks: a list of callbacks, one callback, or None.
          saved: what the program saves its model as where no ``ModelCheckpoint`` is
            among the callbacks, a path.
          name: tells one ``fit`` of a program from another, a str.
        """
        callbacks = getattr(callbacks, "callbacks", callbacks)  # Of a CallbackList.
        callbacks = tf.nest.flatten(callbacks) if callbacks else []
        _fits[name] = _fits.get(name, 0) + 1
        reason = _reason_to_keep_nothing(callbacks, name)
        if reason is not None:
            tf.get_logger().warning("No recovery is kept of this training: %s.", reason)
            return callbacks
        inner = [getattr(one, "callback", one) for one in callbacks]  # Of a wrapper.
        paths = [getattr(one, "filepath", None) for one in inner]
        program = os.path.basename(sys.argv[0]) or "notebook"
        saved = next(filter(None, [*paths, saved]), os.path.splitext(program)[0])
        backup = cls(saved, inner, name)
        turns = [_Turn(backup, number) for number in range(len(callbacks) + 1)]
        pairs = [one for pair in zip(turns, callbacks) for one in pair]
        return [*pairs, turns[-1], backup]

    @property
    def manager(self):
        return None if self._training is None else self._training.manager

    def find_interrupted(self, model):
        """Decides whether this ``fit`` goes on with an interrupted one."""
        if not _has_first_epoch(model):
            tf.get_logger().warning(
                "No recovery is kept: Keras %s lets no callback set the first epoch.",
                getattr(tf.keras, "__version__", ""),
            )
            self._training = None
            return
        self._training = Training(self._saved, [model], name=self._name)
        self._training.on_save = self._keep_before_file
        for one in self._callbacks if self._training.is_resumed else []:
            if hasattr(one, "append") and hasattr(one, "csv_file"):
                one.append = True  # A CSVLogger would begin its file anew.

    def on_train_begin(self, logs=None):
        training, self._phase, self._total = self._training, None, self.params["epochs"]
        if training is None:
            return
        self._first_states = [_state(one) for one in self._callbacks]
        rate, given = _rate(self.model), training.is_resumed
        training.restore()
        note = training.note
        if not training.is_resumed:
            note.update(rates=[rate], total=self._total, logs={}, turn=None)
            if given:  # What was kept cannot be read.
                tf.get_logger().warning("This start is a new training.")
            return
        for one, state in zip(self._callbacks, note["callbacks"]):
            _set_state(one, state)
        if rate is not None and rate not in note["rates"]:  # The program's own is new.
            self.model.optimizer.learning_rate.assign(rate)
            note["rates"] = [rate]
        done = {note["epoch"], note.get("epoch_in_file", note["epoch"])}
        if self._total - note["total"] in {one - note["first"] for one in done}:
            self._total = note["total"]  # Its total counts from where it begins.
        note["total"] = self._total
        self._act_again()
        over = note["is_over"] or note["epoch"] >= self._total
        _set_first_epoch(self.model, self.params["epochs"] if over else note["epoch"])

    def _act_again(self):
        """Has callbacks act that a kill kept from it at the end of an epoch."""
        note, turn = self._training.note, self._training.note["turn"]
        if turn is None or turn + 1 >= len(self._callbacks):
            return
        epoch = note["epoch"] - 1
        logs = dict(note["logs"][epoch])
        self._phase, self._epoch, self._logs = "end", epoch, logs
        self._is_saved, self.model.stop_training = False, note["is_over"]
        for number in range(turn + 1, len(self._callbacks)):
            self.turn = number
            self._callbacks[number].on_epoch_end(epoch, logs)
        self.on_epoch_end(epoch, logs)

    def on_epoch_begin(self, epoch, logs=None):
        if self._training is None:
            return
        _set_first_epoch(self.model, None)
        self._phase, self._epoch, self._is_saved = "epoch", epoch, False
        self._training.note.setdefault("first", epoch)

    def end_epoch(self, epoch, logs):
        """Notes that an epoch is trained; its callbacks act next."""
        self._phase, self._is_saved = "end", False
        self._logs = {name: _number(value) for name, value in (logs or {}).items()}

    def _keep_before_file(self):
        """Keeps the training before a file of the program's own is put in its place."""
        note = self._training.note
        if self._phase == "epoch":
            self._note(self._epoch, None)
        elif self._phase == "end":
            self._note(self._epoch + 1, self.turn, bool(self.model.stop_training))
        note["rates"] = [*note["rates"], _rate(self.model)][-8:]
        if self._phase is None:
            self._training.amend()
            return
        note["epoch_in_file"] = note["epoch"]
        self._training.save()
        self._is_saved = self._phase == "end"
        is_last = self.turn + 1 >= len(self._callbacks)
        self._values = None if is_last else self._training.digests()

    def _note(self, epoch, turn, is_over=False):
        note = self._training.note
        if turn is not None or self._phase == "end":
            note["logs"][self._epoch] = self._logs
        states = [_state(one) for one in self._callbacks]
        pairs = zip(states, self._first_states)
        note["callbacks"] = [
            {
                k: v
                for k, v in now.items()
                if k not in was or encode(v) != encode(was[k])
            }
            for now, was in pairs
        ]
        note.update(epoch=epoch, turn=turn, is_over=is_over)

    def on_epoch_end(self, epoch, logs=None):
        training = self._training
        if training is None:
            return
        if epoch + 1 >= self._total:
            self.model.stop_training = True
        self._note(epoch + 1, None, bool(self.model.stop_training))
        if not self._is_saved:
            training.save(is_due=training.is_due() or self.model.stop_training)
        elif self._values is None or self._values == training.digests():
            training.amend()
        else:  # A callback behind the one that saved has changed the model.
            training.save()
        self._phase = None

    def on_train_end(self, logs=None):
        training = self._training
        if training is None:
            return
        _set_first_epoch(self.model, None)
        self._phase, note = None, training.note
        if "epoch" in note:
            self._note(max(note["epoch"], self.params["epochs"]), None, True)
            training.save()
        training.is_ended = True
        history, logs = self.model.history, note["logs"]
        earlier = [one for one in sorted(logs) if one < min(history.epoch, default=1e9)]
        for at, epoch in enumerate(earlier):
            for name, value in logs[epoch].items():
                history.history.setdefault(name, []).insert(at, value)
        history.epoch[:0] = earlier


def _reason_to_keep_nothing(callbacks, name):
    if not tf.executing_eagerly():
        return "it runs without eager execution"
    if "horovod" in sys.modules:
        return "Horovod trains it"
    if any(type(one).__name__ == "BackupAndRestore" for one in callbacks):
        return "it has a BackupAndRestore"
    if _fits[name] > _MOST_FITS:
        return f"this program calls fit more than {_MOST_FITS} times"
    return None


# What Keras has for its own callback of this name, and no other way to the first epoch:
# Keras 3 reads `model._initial_epoch`, Keras 2 asks `model._training_state`.


class _FirstEpoch:
    def __init__(self, epoch):
        self._epoch = epoch

    def maybe_load_initial_counters_from_ckpt(self, steps, initial_epoch, mode=None):
        # Keras 2 has data for the epochs alone that are left from `initial_epoch`.
        return max(self._epoch, initial_epoch), 0


def _has_first_epoch(model):
    return hasattr(model, "_initial_epoch") or hasattr(model, "_training_state")


def _set_first_epoch(model, epoch):
    if hasattr(model, "_training_state"):
        model._training_state = None if epoch is None else _FirstEpoch(epoch)
    else:
        model._initial_epoch = epoch


def _rate(model):
    rate = getattr(model.optimizer, "learning_rate", None)
    return float(rate.numpy()) if hasattr(rate, "assign") else None


def _number(value):
    return float(value) if hasattr(value, "dtype") and value.shape == () else value


def _state(callback):
    """Returns the plain data of a callback, with the values of its variables, a dict."""
    state = {}
    for name, value in vars(callback).items():
        # Keras 3 negates `min_delta` when it first looks at the metric.
        if name not in ("params", "min_delta") and decode(encode(value)) is not None:
            state[name] = value
    for name, one in variables_of_callback(callback).items():
        state[name] = one.numpy()
    return state


def _set_state(callback, state):
    variables = variables_of_callback(callback)
    for name, value in state.items():
        if name in variables:
            variables[name].assign(value)
        else:
            setattr(callback, name, value)


def recovered(turns, directory, *models, optimizers=()):
    """Yields the turns of a loop that trains, but for those that are done already.

    Use ``for epoch in recovered(range(first, epochs), directory, model):``.

    Args:
      turns: the numbers of the epochs, a range.
      directory: what the program saves its models as, or a path beside it.
      models: those that the loop trains.
      optimizers: those that no model holds.
    """
    if not tf.executing_eagerly() or not isinstance(turns, range):
        tf.get_logger().warning(
            "No recovery is kept of a loop in a graph or over no range."
        )
        yield from turns
        return
    training = Training(str(directory), models, optimizers, name="loop")
    training.on_save = lambda: _note_saved(training)
    training.restore()
    note = training.note
    if training.is_resumed:
        turns = range(note["epoch"], turns.stop, turns.step)
    else:
        note["epoch"] = turns.start
    try:
        for turn in turns:
            training.is_file_saved = False
            yield turn
            note["epoch"] = turn + turns.step
            training.save(is_due=training.is_file_saved or training.is_due())
        training.save()
    finally:
        training.is_ended = True


def _note_saved(training):
    training.is_file_saved = True
    training.amend()
