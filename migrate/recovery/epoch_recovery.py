"""Keras ``fit`` that saves after each epoch, or within it, and goes on from there."""

import functools
import json
import os

import tensorflow as tf

from migrate.recovery.checkpoint_recovery import CheckpointRecovery


class EpochRecovery(CheckpointRecovery):
    """Saves after each epoch of ``fit``, and restores the newest checkpoint.

    Use ``model.fit(..., initial_epoch=recovery.restore(), callbacks=[recovery])``;
    ``epochs`` is then the total over all starts of the job. From ``restore`` until the
    training ends, ``model.save`` and ``model.save_weights`` put a file in its place when
    it is whole, so that a kill leaves none that an older way to resume cannot load. The
    history that ``fit`` returns holds the epochs of earlier starts too.

    With ``save_freq`` an epoch that was interrupted goes on with the batches that it lacks.
    Its data start again from the first batch. Where Keras cannot know how many batches an
    epoch has, before one has ended, it trains all of them again.

    Args:
      manager: a ``tf.train.CheckpointManager`` of ``tf.train.Checkpoint(model=...,
        optimizer=..., epoch=tf.Variable(0))``; with ``save_freq`` the checkpoint has a
        ``batch=tf.Variable(0)`` too.
      save_freq: batches between two saves within an epoch, an int, as ``ModelCheckpoint``
        has it; None or "epoch" for none.
    """

    _unbuilt = None  # The checkpoint of a model that is not built yet.
    _is_built_late = False  # Whether the first batch builds the model.
    _is_first_again = False  # Whether the process's first epoch is not the job's.
    _first = 0  # The epoch before which the history is that of earlier starts.

    _done = 0  # Batches of the epoch that earlier starts have trained.
    _counted = None  # Batches of an epoch whose length Keras does not know.
    _unsaved = 0  # Batches since the last save.
    _is_shortened = False  # Whether the epoch ends before its data do.

    def __init__(self, manager, save_freq=None):
        super().__init__(manager)
        self.save_freq = None if save_freq == "epoch" else save_freq
        self._logs = {}  # By epoch.

    def restore(self, epoch=0, in_loop=False):
        """Restores the newest readable checkpoint and returns its epoch.

        Args:
          epoch: what to return where there is no checkpoint, an int.
          in_loop: whether each ``fit`` trains one epoch and returns its history alone.
        """
        super().restore()
        if self._saved_step is None:
            self.manager.checkpoint.epoch.assign(int(epoch))
        epoch = int(self.manager.checkpoint.epoch.numpy())
        if tf.io.gfile.exists(self._file("history.json")):
            with tf.io.gfile.GFile(self._file("history.json")) as file:
                logs = {int(name): value for name, value in json.load(file).items()}
            self._logs = {name: logs[name] for name in sorted(logs) if name < epoch}
        self._first = 0 if in_loop else epoch
        if self.save_freq is not None:
            self._done = int(self.manager.checkpoint.batch.numpy())
            if tf.io.gfile.exists(self._file("batches.json")):
                with tf.io.gfile.GFile(self._file("batches.json")) as file:
                    self._counted = json.load(file)
        # Keras 2 looks for the end of the data in its first epoch alone, which a job
        # without interruptions counts once; Keras 3 does so in each epoch.
        self._is_first_again = epoch > 0 and not hasattr(tf.keras, "ops")
        model = self.manager.checkpoint.model
        self._is_built_late = not model.built and isinstance(model, tf.keras.Sequential)
        for name in ("save", "save_weights"):
            write = functools.partial(self._write_whole, getattr(model, name))
            object.__setattr__(model, name, write)  # Keras looks into what it is set.
        return epoch

    def on_train_begin(self, logs=None):
        model = self.manager.checkpoint.model
        is_restorable = model.built or isinstance(model, tf.keras.Sequential)
        if not is_restorable and hasattr(tf.keras, "ops"):  # Keras 3 restores it never.
            raise ValueError("Build the model before fit: model.build(input_shape).")
        is_done = int(self.manager.checkpoint.epoch.numpy()) >= self.params["epochs"]
        shape = self._file("input_shape.json")
        if self._is_built_late and is_done and tf.io.gfile.exists(shape):
            with tf.io.gfile.GFile(shape) as file:
                model.build(json.load(file))  # Keras 2 wants it, for no epoch too.
        if self._unbuilt is not None and model.built:
            super()._restore_all(self._unbuilt)
            self._unbuilt = None

    def on_train_batch_end(self, batch, logs=None):
        if self._is_first_again:
            self._trained = self.step
        if self._unbuilt is not None:  # It was restored while it was built.
            self._status.assert_consumed()
            self._unbuilt = None
        if self.save_freq is not None:
            self._save_within_epoch(batch + 1)

    def _save_within_epoch(self, trained):
        self._unsaved += trained - self._epoch_steps
        self._epoch_steps = trained
        done, all_batches = self._done + trained, self.params.get("steps")
        all_batches = all_batches or self._counted
        if all_batches is not None and done >= all_batches:  # The epoch's end saves.
            if self._done and not self.model.stop_training:
                self._is_shortened = self.model.stop_training = True
        elif self._unsaved >= self.save_freq:
            self.manager.checkpoint.batch.assign(done)
            self._save_next()

    def _end_of_data(self):
        if self._is_first_again:
            self._uncount_missing_batch(self._trained)
        self._is_first_again = False
        if self.save_freq is not None and self.params.get("steps") is None:
            self._counted = self._done + self._epoch_steps
            self._write("batches.json", self._counted)

    def _save_next(self):
        self._unsaved = 0
        self.manager.save(check_interval=False)

    def on_epoch_end(self, epoch, logs=None):
        if self._is_shortened:  # It has not come to the end of its data.
            self._is_shortened = self.model.stop_training = False
        else:
            self._end_of_data()
        self._done = 0
        self._logs[epoch] = dict(logs or {})
        self._write("history.json", self._logs)
        self.save(epoch + 1)

    def save(self, epoch):
        """Saves after an epoch.

        Args:
          epoch: the number of epochs that are done, an int.
        """
        self.manager.checkpoint.epoch.assign(epoch)
        if self.save_freq is None:
            self.manager.save(checkpoint_number=epoch, check_interval=False)
        else:  # Several in an epoch: none may be written over another.
            self.manager.checkpoint.batch.assign(0)
            self._save_next()
        if self._is_built_late:
            self._is_built_late = False
            shape = self.manager.checkpoint.model.input_shape
            self._write("input_shape.json", shape)

    def on_train_end(self, logs=None):
        for name in ("save", "save_weights"):  # The last epoch is saved.
            vars(self.manager.checkpoint.model).pop(name, None)
        history, whole = self.model.history, {}
        earlier = [epoch for epoch in self._logs if epoch < self._first]
        for epoch in earlier:
            for name, value in self._logs[epoch].items():
                whole.setdefault(name, []).append(value)
        for name, values in history.history.items():
            whole.setdefault(name, []).extend(values)
        history.history, history.epoch = whole, earlier + history.epoch
        self._first = 0

    def _file(self, name):
        return os.path.join(self.manager.directory, name)

    def _write(self, name, value):
        tf.io.gfile.makedirs(self.manager.directory)
        with tf.io.gfile.GFile(self._file(name + ".part"), "w") as file:
            json.dump(
                value, file, default=lambda one: tf.constant(one).numpy().tolist()
            )
        tf.io.gfile.rename(self._file(name + ".part"), self._file(name), overwrite=True)

    def _write_whole(self, write, filepath, *args, **kwargs):
        is_over = args[0] if args else kwargs.get("overwrite", True)
        is_file = str(filepath).endswith((".h5", ".hdf5", ".keras"))
        if not is_file or not is_over:
            write(filepath, *args, **kwargs)
            return
        directory, name = self.manager.directory, os.path.basename(str(filepath))
        tf.io.gfile.makedirs(directory)
        part = os.path.join(directory, name)
        write(part, *args, **kwargs)
        tf.io.gfile.rename(part, str(filepath), overwrite=True)

    def _restore_all(self, path):
        if self.manager.checkpoint.model.built:
            super()._restore_all(path)
        else:
            self._status = self.manager.checkpoint.restore(path)
            self._unbuilt = path
