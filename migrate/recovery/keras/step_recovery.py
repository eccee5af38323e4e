"""Saves and restores a Keras model by steps while ``fit`` trains it."""

import os
import re
import time

import tensorflow as tf


class CheckpointRecovery(tf.keras.callbacks.Callback):
    """A callback that saves while ``fit`` runs; restores the newest readable checkpoint.

    Saves when training starts, every ``manager.checkpoint_interval`` steps or
    ``save_secs`` seconds, and when it ends, but not after an exception.

    Args:
      manager: a ``tf.train.CheckpointManager`` of
        ``tf.train.Checkpoint(model=..., optimizer=...)``.
      save_secs: seconds between two saves; None to save only by steps.

    Raises:
      ValueError: TensorFlow cannot read from a directory of this name.
    """

    def __init__(self, manager, save_secs=None):
        super().__init__()
        directory = str(manager.directory)
        if re.search(r"\[.*\]", directory) or "\\" in directory.replace(os.sep, "/"):
            # Else only the restore of a killed job would fail.
            raise ValueError(
                f"TensorFlow saves into {directory}, but reads nothing from there, for it "
                "takes the name for a pattern. Name a directory without [, ] and \\."
            )
        self.manager = manager
        self.save_secs = save_secs
        self._saved_step = None

    # tf_keras's CallbackList calls these methods, which a callback of Keras 3 lacks.
    def _implements_train_batch_hooks(self):
        return True

    def _implements_test_batch_hooks(self):
        return False

    def _implements_predict_batch_hooks(self):
        return False

    @property
    def step(self):
        """The number of training steps that the model has seen, an int."""
        return int(self.manager.checkpoint.optimizer.iterations.numpy())

    @property
    def _models(self):
        return [self.manager.checkpoint.model]

    def restore(self):
        """Restores the newest readable checkpoint and returns its step, 0 if none.

        Raises:
          ValueError: the checkpoint does not fit; the message names the variable.
          RuntimeError: there are checkpoints, but none of them can be read.
        """
        problem = None
        for path in self._newest_first():
            try:
                self._hold_untracked(path)
                self._restore_all(path)
            except (tf.errors.OpError, IndexError) as error:  # IndexError: truncated
                tf.get_logger().warning("Cannot read %s (%s)", path, error)
                problem = error
            else:
                tf.get_logger().info("Restored %s at step %d", path, self.step)
                self._saved_step = self.step
                return self.step
        if problem is not None:  # To train from scratch would overwrite checkpoints.
            directory = self.manager.directory
            raise RuntimeError(f"No checkpoint in {directory} is whole.") from problem
        return self.step

    def on_train_begin(self, logs=None):
        self._make_slots()
        self._save()

    def on_epoch_begin(self, epoch, logs=None):
        self._epoch_start, self._epoch_steps = self.step, 0

    def on_train_batch_end(self, batch, logs=None):
        self._epoch_steps = batch + 1
        self._unsaved_steps += 1
        every, seconds = self.manager.checkpoint_interval, self.save_secs
        is_due = every is not None and self._unsaved_steps >= every
        if seconds is not None:
            is_due |= time.monotonic() >= self._saved_time + seconds
        if is_due:
            self._save()

    def on_epoch_end(self, epoch, logs=None):
        # Keras finds an unknown end by one more step, which trains nothing but counts.
        trained = self._epoch_start + self._epoch_steps
        if self.step == trained + 1:
            self.manager.checkpoint.optimizer.iterations.assign(trained)

    def on_train_end(self, logs=None):
        self._save()

    def _save(self):
        step = self.step
        if step != self._saved_step:
            self._hold_untracked()
            # With check_interval=True the last save would be skipped.
            self.manager.save(checkpoint_number=step, check_interval=False)
        self._saved_step, self._unsaved_steps = step, 0
        self._saved_time = time.monotonic()

    def _newest_first(self):
        if self.manager.checkpoints:
            return self.manager.checkpoints[::-1]
        # The file "checkpoint", which lists them, is missing.
        pattern = os.path.join(self.manager.directory, "*ckpt-[0-9]*.index")
        files = tf.io.gfile.glob(pattern)
        paths = [file[: -len(".index")] for file in files]
        return sorted(paths, key=lambda path: int(path.split("-")[-1]), reverse=True)

    def _restore_all(self, path):
        if is_of_estimator(path):
            directory = self.manager.directory
            raise ValueError(
                f"{path} was written by tf.estimator and has other names than this "
                f"model. Let the old program end the job in {directory}, or train this "
                "one in a new directory."
            )
        self._make_slots()
        try:
            self.manager.checkpoint.restore(path).assert_consumed()
        except (AssertionError, ValueError) as error:
            raise ValueError(
                f"{path} does not fit this model: {error}\n{self.manager.directory} holds "
                "what another model has saved, or this one before it was changed. To train "
                "this one from its start, move that directory away or delete it; to keep "
                "both, let this one save at another path."
            ) from error

    def _hold_untracked(self, restored=None):
        # Checkpoints of older releases do not have them.
        names = [] if restored is None else tf.train.list_variables(restored)
        is_held = restored is None or any(n.startswith("untracked/") for n, _ in names)
        rest = untracked(self._models) if is_held else []
        if rest:
            self.manager.checkpoint.untracked = rest

    def _make_slots(self, optimizer=None):
        # Keras 3 makes slots in the first step: too late for a save or a restore.
        model = self.manager.checkpoint.model
        optimizer = optimizer or self.manager.checkpoint.optimizer
        if not model.built:
            return
        with model.distribute_strategy.scope():
            if hasattr(optimizer, "build"):
                optimizer.build(model.trainable_variables)
            else:  # tf.keras.optimizers.legacy; Keras calls this when it loads a model.
                optimizer._create_all_weights(model.trainable_variables)


def untracked(models):
    """Returns the weights of models that ``tf.train.Checkpoint`` does not find, a list.

    In Keras 3 these are the weights of layers in a list or a dict of a layer. The
    optimizer tracks the trainable ones, but not the averages of ``BatchNormalization``.

    Args:
      models: Keras models; those of Keras 2 have none.
    """
    models = [one for one in models if hasattr(one, "stateless_call")]  # of Keras 3
    known, waiting = {}, list(models)
    while waiting:
        one = waiting.pop()
        if id(one) not in known and not hasattr(one, "apply_gradients"):
            known[id(one)] = one
            waiting += tf.train.TrackableView.children(one).values()
    weights = {id(one): one for model in models for one in model.weights}
    return [one for key, one in weights.items() if key not in known]


def drop_empty_checkpoint_list(directory):
    """Removes a directory's file ``checkpoint`` if it lists no checkpoint.

    With an empty or binary file ``tf.train.CheckpointManager(..., directory)`` would
    raise a ValueError. Without the file, the recovery finds checkpoints by their names.

    Args:
      directory: of the manager; need not exist.
    """
    path = os.path.join(directory, "checkpoint")
    if not tf.io.gfile.exists(path):
        return
    try:
        state = tf.train.get_checkpoint_state(directory)
    except ValueError:
        state = None
    if not state:
        tf.get_logger().warning("%s names no checkpoint: removed", path)
        tf.io.gfile.remove(path)


def is_of_estimator(path):
    """Returns whether an Estimator or a ``Saver`` wrote a checkpoint."""
    names = tf.train.load_checkpoint(path).get_variable_to_dtype_map()
    is_of_objects = "_CHECKPOINTABLE_OBJECT_GRAPH" in names
    roots = {name.split("/")[0] for name in names}
    return not is_of_objects or "estimator_global_step" in roots
