"""The callbacks of Keras that a recovery is about."""

import csv
import os
from os.path import exists

from .anything import Anything
from .layers import Variable
from .state import start


class Callback:
    """A callback."""

    model = None

    def __init__(self, *args, **kwargs):
        self.validation_data = None
        self.params = {}

    def set_params(self, params):
        self.params = params

    def set_model(self, model):
        self.model = model

    def on_train_batch_begin(self, batch, logs=None):
        self.on_batch_begin(batch, logs)

    def on_train_batch_end(self, batch, logs=None):
        self.on_batch_end(batch, logs)

    def _nothing(self, *args, **kwargs):
        pass

    on_epoch_begin = on_epoch_end = on_batch_begin = on_batch_end = on_train_begin = on_train_end = _nothing
    on_test_begin = on_test_end = on_predict_begin = on_predict_end = _nothing
    on_test_batch_begin = on_test_batch_end = _nothing


class History(Callback):
    """What ``fit`` returns."""

    class _Lists(dict):
        def __missing__(self, name):
            return [0.5]

    def __init__(self):
        super().__init__()
        self.epoch, self.history = [], self._Lists()

    def on_epoch_end(self, epoch, logs=None):
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history[name] = [*self.history.get(name, []), value]


class LambdaCallback(Callback):
    """A callback of functions."""

    def __init__(self, **functions):
        super().__init__()
        for name, function in functions.items():
            if function is not None:
                setattr(self, name, function)


class ModelCheckpoint(Callback):
    """Saves as TensorFlow 2.15's does."""

    def __init__(
        self,
        filepath,
        monitor="val_loss",
        verbose=0,
        save_best_only=False,
        save_weights_only=False,
        mode="auto",
        save_freq="epoch",
        options=None,
        initial_value_threshold=None,
        **kwargs,
    ):
        super().__init__()
        self.monitor, self.filepath, self.verbose, self.mode = monitor, os.fspath(filepath), verbose, mode
        self.save_best_only, self.save_weights_only = save_best_only, save_weights_only
        self.period, self.save_freq = int(kwargs.get("period") or 1), save_freq
        self.load_weights_on_restart = kwargs.get("load_weights_on_restart", False)
        self.is_falling = mode == "min" or (mode != "max" and "acc" not in str(monitor))
        self.best = initial_value_threshold
        if self.best is None:
            self.best = float("inf") if self.is_falling else -float("inf")
        self.epochs_since_last_save = self._batches = self._epoch = 0

    def monitor_op(self, value, best):
        return value < best if self.is_falling else value > best

    def on_train_begin(self, logs=None):
        if self.load_weights_on_restart and exists(self.filepath):
            self.model.load_weights(self.filepath)

    def on_epoch_begin(self, epoch, logs=None):
        self._epoch = epoch

    def on_train_batch_end(self, batch, logs=None):
        self._batches += 1
        if isinstance(self.save_freq, int) and self._batches >= self.save_freq:
            self._batches = 0
            self._save(self._epoch, logs)

    def on_epoch_end(self, epoch, logs=None):
        self.epochs_since_last_save += 1
        if self.save_freq == "epoch" and self.epochs_since_last_save >= self.period:
            self.epochs_since_last_save = 0
            self._save(epoch, logs)

    def _save(self, epoch, logs):
        logs = dict(logs or {})
        try:
            path = self.filepath.format(epoch=epoch + 1, batch=self._batches, **logs)
        except (KeyError, ValueError) as error:
            raise KeyError(f"Failed to format this callback filepath: {self.filepath!r}: {error}") from error
        if self.save_best_only:
            value = logs.get(self.monitor)
            if value is None or not self.monitor_op(value, self.best):
                return
            self.best = value
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        if self.save_weights_only:
            self.model.save_weights(path, overwrite=True)
        else:
            self.model.save(path, overwrite=True)


class EarlyStopping(Callback):
    """Stops where a metric no longer gets better."""

    def __init__(self, monitor="val_loss", min_delta=0, patience=0, *args, **kwargs):
        super().__init__()
        self.monitor, self.patience, self.wait, self.stopped_epoch = monitor, patience, 0, 0
        self.best, self.baseline = None, kwargs.get("baseline")


class ReduceLROnPlateau(EarlyStopping):
    """Lowers a rate."""


class CSVLogger(Callback):
    """A line for each epoch."""

    def __init__(self, filename, separator=",", append=False):
        super().__init__()
        self.filename, self.separator, self.append, self.writer = os.fspath(filename), separator, append, None

    def on_train_begin(self, logs=None):
        is_new = not (self.append and exists(self.filename) and os.path.getsize(self.filename))
        self.file = open(self.filename, "a" if self.append else "w", newline="")  # noqa: SIM115
        self.is_new = is_new

    def on_epoch_end(self, epoch, logs=None):
        if self.writer is None:
            self.writer = csv.DictWriter(self.file, ["epoch", *sorted(logs)], delimiter=self.separator)
            if self.is_new:
                self.writer.writeheader()
        self.writer.writerow({"epoch": epoch, **{key: logs.get(key, "NA") for key in self.writer.fieldnames[1:]}})
        self.file.flush()

    def on_train_end(self, logs=None):
        self.file.close()
        self.writer = None


class LearningRateScheduler(Callback):
    """Asks for the rate of an epoch."""

    def __init__(self, schedule, verbose=0):
        super().__init__()
        self.schedule = schedule

    def on_epoch_begin(self, epoch, logs=None):
        try:
            self.schedule(epoch, 0.001)
        except TypeError:
            self.schedule(epoch)


class BackupAndRestore(Callback):
    """Saves after each epoch and goes on from there."""

    def __init__(self, backup_dir, save_freq="epoch", delete_checkpoint=True, **kwargs):
        super().__init__()
        self.backup_dir, self.is_deleted = os.fspath(backup_dir), delete_checkpoint

    def on_train_begin(self, logs=None):
        from .checkpoints import Checkpoint, CheckpointManager

        self.epoch = Variable(-1)
        tracked = Checkpoint(model=self.model, optimizer=self.model.optimizer, epoch=self.epoch)
        self.manager = CheckpointManager(tracked, os.path.join(self.backup_dir, "chief"), max_to_keep=1)
        if self.manager.latest_checkpoint:
            tracked.restore(self.manager.latest_checkpoint)
            self.model._epoch_restored = int(self.epoch) + 1

    def on_epoch_end(self, epoch, logs=None):
        self.epoch.assign(epoch)
        self.manager.save()

    def on_train_end(self, logs=None):
        if self.is_deleted:
            for path in self.manager.checkpoints:
                self.manager.remove(path)


class CallbackList(Callback):
    """Callbacks that a loop of the program's own asks."""

    def __init__(self, callbacks=None, add_history=False, add_progbar=False, model=None, **params):
        super().__init__()
        self.callbacks = list(callbacks or [])
        self.history = History()
        if model is not None:
            self.set_model(model)

    def append(self, one):
        self.callbacks.append(one)

    def __iter__(self):
        return iter(self.callbacks)

    def set_model(self, model):
        self.model = model
        for one in self.callbacks:
            one.set_model(model)

    def set_params(self, params):
        for one in self.callbacks:
            one.set_params(params)


def _to_each(name):
    def method(self, *args):
        for one in self.callbacks:
            getattr(one, name)(*args)

    return method


for _each in [name for name in vars(Callback) if name.startswith("on_")]:
    setattr(CallbackList, _each, _to_each(_each))


def other_callback(name):
    """The class of callbacks that has a name, which do nothing here."""
    return type(name, (Callback,), {"log_dir": "logs", "__getattr__": _unknown})


def _unknown(self, name):
    if name.startswith("_") or name in ("filepath", "best", "callback", "save_best_only", "monitor", "callbacks"):
        raise AttributeError(name)
    return Anything(name)


__all__ = ["Callback", "History", "start"]
