"""Recovery of a Keras model epoch by epoch."""

import functools
import hashlib
import json
import os

import tensorflow as tf

from .keras_built import (
    build_by,
    input_shape_of,
    is_of_keras_3,
    is_restorable,
    shapes_of,
)
from .keras_step_recovery import CheckpointRecovery


class EpochRecovery(CheckpointRecovery):
    """Saves after each epoch of ``fit``, and restores the newest checkpoint.

    Use ``model.fit(..., initial_epoch=recovery.restore(), callbacks=[recovery])``;
    ``epochs`` is then the total over all starts of the job. Until the training ends,
    ``model.save`` and ``model.save_weights`` put a file in its place when
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
      savers: callbacks, of which each ``ModelCheckpoint`` that keeps the best model goes on
        from the best value that it had; None for none.
      is_last: whether no other ``fit`` trains the model further after this one, a bool.
        Before another one this has ended for good when it ends, also by a callback such
        as ``EarlyStopping``, and a later start trains nothing here.
    """

    _files = ()  # Those that it began from, or saves to begin from.
    _noted = None  # What is noted of their contents.
    _is_begun = True  # Whether the newest checkpoint is of this training.
    _is_in_training = False
    _unbuilt = None  # The checkpoint of a model that is not built yet.
    _is_first_again = False  # Whether the process's first epoch is not the job's.
    _first = 0  # The epoch before which the history is that of earlier starts.

    _done = 0  # Batches of the epoch that earlier starts have trained.
    _counted = None  # Batches of an epoch whose length Keras does not know.
    _unsaved = 0  # Batches since the last save.
    _is_shortened = False  # Whether the epoch ends before its data do.

    def __init__(self, manager, save_freq=None, savers=(), is_last=True):
        super().__init__(manager)
        self._is_last = is_last
        inner = [getattr(one, "callback", one) for one in savers or []]  # Of a wrapper.
        kept = [one for one in inner if getattr(one, "save_best_only", False)]
        self._savers, self._best = [one for one in kept if hasattr(one, "best")], None
        self.save_freq = None if save_freq == "epoch" else save_freq
        self._logs = {}  # By epoch.
        self._is_built_late = not all(model.built for model in self._models)
        for model in self._models:  # Also where a flag restores nothing.
            self._save_whole(model)

    def restore(self, epoch=0, in_loop=False, named=None, saved=None, after=None):
        """Restores the newest readable checkpoint and returns its epoch.

        Args:
          epoch: what to return where there is no checkpoint, an int.
          in_loop: whether each ``fit`` trains one epoch and returns its history alone.
          named: the file that the user has named to go on from, which is loaded already;
            None or "" for none. Nothing is restored over it, but what was saved since the
            same file was named; so of several, each in a line of its own, where an earlier
            start has named each of them. A file whose content has changed since, and not
            by this training, is another one.
          saved: the file that the program loads at each start, and saves while it trains
            or when that has ended; None for none. Where it holds what was saved after the
            end, or what no training of this recovery has saved, nothing is restored over
            it: this is the next training.
          after: the recovery of the training before this one, of the same model; None for
            none. What was saved before that trained last is not restored.
        """
        before = after._newest_first()[:1] if after is not None else []
        is_next = any(self._is_newer(path + ".index") for path in before)
        # A training of several saves what another one of them begins with.
        self._begin(named, saved, self._is_last and after is None, is_next)
        if self._is_begun:
            self._build_again()
            super().restore()
        if self._saved_step is None:
            self.manager.checkpoint.epoch.assign(int(epoch))
        epoch = int(self.manager.checkpoint.epoch.numpy())
        if not self._is_last and self._saved_step is not None:
            epoch = max(epoch, self._read("ended.json") or 0)
        logs = {} if self._saved_step is None else self._read("history.json") or {}
        logs = {int(name): value for name, value in logs.items()}
        self._logs = {name: logs[name] for name in sorted(logs) if name < epoch}
        best = [] if self._saved_step is None else self._read("best.json") or []
        for saver, value in zip(self._savers, best):
            saver.best = value
        self._first = 0 if in_loop else epoch
        if self.save_freq is not None:
            self._done = int(self.manager.checkpoint.batch.numpy())
            self._counted = self._read("batches.json")
        # Keras 2 looks for the end of the data in its first epoch alone, which a job
        # without interruptions counts once; Keras 3 does so in each epoch.
        model = self.manager.checkpoint.model
        self._is_first_again = epoch > 0 and not is_of_keras_3(model)
        self._save_whole(model)
        return epoch

    def _begin(self, named, saved=None, is_by_content=True, is_next=False):
        known, named = self._read("files.json") or {}, str(named or "").splitlines()
        files = [*named, *([str(saved)] if saved is not None else [])]
        marks = {file: self._mark(file) for file in files if is_by_content}
        is_next |= not set(named) <= set(known)
        for file, mark in marks.items():
            is_next |= mark not in [None, *known.get(file, [])]
        self._is_begun = not is_next
        # What fewer files begin with stays known by all that were named.
        self._files = {*files} if is_next else {*files, *known}

    def _build_again(self):
        model = self.manager.checkpoint.model
        if not self._newest_first():
            return
        build_by(model, self._read("shapes.json"))
        if not is_restorable(model):
            raise ValueError("Build the model before fit: model.build(input_shape).")

    def _save_whole(self, model):
        for name in {"save", "save_weights"} - vars(model).keys():
            write = functools.partial(self._write_whole, getattr(model, name))
            object.__setattr__(model, name, write)  # Keras looks into what it is set.

    def _is_newer(self, file):
        saved = [path + ".index" for path in self._newest_first()[:1]]
        if not all(map(tf.io.gfile.exists, [*saved, file])) or not saved:
            return False
        file, saved = (tf.io.gfile.stat(path).mtime_nsec for path in [file, *saved])
        return file > saved

    def _mark(self, file):
        # Weights in TensorFlow's format and a SavedModel are several files.
        for path in (file, f"{file}.index", f"{file}/variables/variables.index"):
            if tf.io.gfile.exists(path) and not tf.io.gfile.isdir(path):
                digest = hashlib.sha256()
                with tf.io.gfile.GFile(path, "rb") as content:
                    for part in iter(lambda: content.read(2**20), b""):
                        digest.update(part)
                return digest.hexdigest()
        return None

    def _note_files(self):
        self._note({file: [self._mark(file)] for file in sorted(self._files)})

    def _note(self, marks):
        if marks and marks != self._noted:
            self._write("files.json", marks)
            self._noted = marks

    def on_train_begin(self, logs=None):
        self._is_in_training = True
        model = self.manager.checkpoint.model
        is_done = int(self.manager.checkpoint.epoch.numpy()) >= self.params["epochs"]
        shape = self._read("input_shape.json")
        if not model.built and is_done and shape is not None:
            model.build(shape)  # Keras 2 wants it, for no epoch too.
        if self._unbuilt is not None and self._is_restored_at_once:
            super()._restore_all(self._unbuilt)
            self._unbuilt = None

    def on_epoch_begin(self, epoch, logs=None):
        super().on_epoch_begin(epoch, logs)
        self._keep_best()
        if self._is_begun:  # Also what was saved by other ways than the model's own.
            self._note_files()

    def _keep_best(self):  # They come after this callback at the end of an epoch.
        best = [saver.best for saver in self._savers]
        if best and best != self._best:
            self._write("best.json", best)
            self._best = best

    def on_train_batch_end(self, batch, logs=None):
        if self._is_first_again:
            self._trained = self.step
        if self._unbuilt is not None:  # It was restored while it was built.
            try:
                self._status.assert_consumed()
            except AssertionError as error:
                raise self._misfit(self._unbuilt, error) from error
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
            self._save_as(None)

    def _end_of_data(self):
        if self._is_first_again:
            self._uncount_missing_batch(self._trained)
        self._is_first_again = False
        if self.save_freq is not None and self.params.get("steps") is None:
            self._counted = self._done + self._epoch_steps
            self._write("batches.json", self._counted)

    def _save_as(self, number):
        self._unsaved = 0
        self._note_shapes()
        if tf.io.gfile.exists(self._file("ended.json")):  # It trains again.
            tf.io.gfile.remove(self._file("ended.json"))
        self._hold_untracked()
        self.manager.save(checkpoint_number=number, check_interval=False)
        if not self._is_begun or self._noted is None:
            self._note_files()  # The next start that names them goes on from here.
        self._is_begun = True

    def on_epoch_end(self, epoch, logs=None):
        if self._is_shortened:  # It has not come to the end of its data.
            self._is_shortened = self.model.stop_training = False
            if self.params.get("steps") is None and is_of_keras_3(self.model):
                # Keras 3 counts the end of the data as a step, in each epoch.
                self.manager.checkpoint.optimizer.iterations.assign(self.step + 1)
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
            self._save_as(epoch)
        else:  # Several in an epoch: none may be written over another.
            self.manager.checkpoint.batch.assign(0)
            self._save_as(None)

    def _note_shapes(self):
        model = self.manager.checkpoint.model
        if self._is_built_late and model.built:
            self._is_built_late = False
            if is_of_keras_3(model):
                self._write("shapes.json", shapes_of(model))
            else:
                self._write("input_shape.json", input_shape_of(model))

    def on_train_end(self, logs=None):
        self._is_in_training = False
        self._keep_best()
        if not self._is_last:
            self._write("ended.json", self.params["epochs"])
        if not self._files:
            for name in ("save", "save_weights"):  # The last epoch is saved.
                vars(self.manager.checkpoint.model).pop(name, None)
        self._add_earlier(self.model.history)

    def _add_earlier(self, history):
        earlier = [epoch for epoch in self._logs if epoch < self._first]
        # A callback of the program's own may know some epochs already.
        earlier = [epoch for epoch in earlier if epoch not in history.epoch]
        before = sum(epoch < min(earlier, default=0) for epoch in history.epoch)
        for name in dict.fromkeys(
            name for epoch in earlier for name in self._logs[epoch]
        ):
            values = history.history.setdefault(name, [])
            known = [
                logs[name] for logs in map(self._logs.get, earlier) if name in logs
            ]
            values[before:before] = known
        history.epoch[before:before] = earlier
        self._first = 0

    def _file(self, name):
        return os.path.join(self.manager.directory, name)

    def _read(self, name):
        if not tf.io.gfile.exists(self._file(name)):
            return None
        with tf.io.gfile.GFile(self._file(name)) as file:
            return json.load(file)

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
        known = [one for one in self._files if _is_same(one, filepath)]
        if known and not self._is_in_training:  # The next training begins with it.
            self._note({**(self._noted or {}), known[0]: []})
        is_noted = known and self._is_in_training and self._is_begun
        if not is_file or not is_over:
            write(filepath, *args, **kwargs)
            if is_noted:
                self._note_files()
            return
        directory, name = self.manager.directory, os.path.basename(str(filepath))
        tf.io.gfile.makedirs(directory)
        part = os.path.join(directory, name)
        write(part, *args, **kwargs)
        if is_noted:
            marks = [self._mark(known[0]), self._mark(part)]
            self._note({**(self._noted or {}), known[0]: marks})
        tf.io.gfile.rename(part, str(filepath), overwrite=True)

    @property
    def _is_restored_at_once(self):
        # The slots of optimizers that a train_step has of its own are made by its first
        # step, and restored then.
        checkpoint = self.manager.checkpoint
        known = tf.train.TrackableView(checkpoint.optimizer).descendants()
        own = [
            one
            for one in tf.train.TrackableView(checkpoint).descendants()
            if hasattr(one, "apply_gradients")
            and all(one is not each for each in known)
        ]
        return checkpoint.model.built and not own

    def _restore_all(self, path):
        if self._is_restored_at_once:
            super()._restore_all(path)
        else:
            self._status = self.manager.checkpoint.restore(path)
            self._unbuilt = path


def _is_same(file, other):
    return os.path.normpath(file) == os.path.normpath(str(other))
