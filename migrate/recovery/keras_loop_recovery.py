"""Recovery of a loop over epochs that trains one Keras model or several by itself."""

import tensorflow as tf

from .keras_built import (
    build_by,
    has_variables,
    is_of_keras_3,
    is_restorable,
    keras_of,
    shapes_of,
)
from .keras_epoch_recovery import EpochRecovery

_TRIED = ("_DefaultDistributionStrategy", "OneDeviceStrategy", "MirroredStrategy")


class LoopRecovery(EpochRecovery):
    """Saves what a loop trains, and restores the newest checkpoint.

    Use ``for epoch in range(recovery.restore(first), epochs)``, and
    ``recovery.save(epoch + 1)`` where the loop saves; a loop that nothing counts has
    ``recovery.restore()`` before it, and ``recovery.save()``. ``save`` and
    ``save_weights`` of the models put a file in its place when it is whole, so that a
    kill leaves none that an older way to resume cannot load. Nothing is saved before the
    first step that a start trains: it would lack the slots, which that step restores.

    Under another strategy than the default one, ``OneDeviceStrategy`` and
    ``MirroredStrategy``, such as those of several workers and of TPUs, nothing is restored
    and nothing saved: the program goes on by its own code alone, and a warning says so.

    Args:
      manager: a ``tf.train.CheckpointManager`` of a ``tf.train.Checkpoint`` of the models
        and their optimizers, with ``epoch=tf.Variable(0)``.
    """

    _is_in_training = True

    def __init__(self, manager):
        super().__init__(manager)
        self._begun = self._steps

    @property
    def _steps(self):
        view = tf.train.TrackableView(self.manager.checkpoint)
        held = [one for one in view.descendants() if hasattr(one, "iterations")]
        # With the optimizers themselves: a loop may compile a model in each turn.
        return [(one, int(one.iterations.numpy())) for one in held]

    @property
    def step(self):
        """The number that the loop goes on at, an int."""
        return int(self.manager.checkpoint.epoch.numpy())

    @property
    def _models(self):
        view = tf.train.TrackableView(self.manager.checkpoint)
        return [
            one for one in view.descendants() if isinstance(one, keras_of(one).Model)
        ]

    def restore(self, epoch=0, named=None):
        """Restores the newest readable checkpoint and returns the number to go on at.

        Args:
          epoch: what to return where there is no checkpoint, an int.
          named: what the user has named to go on from, a file or an epoch, whose file is
            loaded already; None, "", 0 or False for none. Nothing is restored over it, but
            what was saved since the same was named; so of several, each in a line of its
            own, where an earlier start has named each of them. A file whose content has
            changed since, and not by this training, is another one.

        Raises:
          ValueError: a model is not built, which Keras 3 would not restore; the checkpoint
            does not fit; there is one, and this start trains under another strategy.
          RuntimeError: there are checkpoints, but none of them can be read.
        """
        if self._untried:
            return self._leave(int(epoch))
        self._begin(named)
        if self._is_begun:
            self._build_again()
            super(EpochRecovery, self).restore()
        if self._saved_step is None:
            self.manager.checkpoint.epoch.assign(int(epoch))
        self._begun = self._steps
        return self.step

    def _save_whole(self, model):
        if not self._untried:
            super()._save_whole(model)

    @property
    def _untried(self):
        kinds = [type(model.distribute_strategy).__name__ for model in self._models]
        names = {kind[:-2] if kind.endswith("V1") else kind for kind in kinds}
        return sorted(names - {*_TRIED})

    def _leave(self, epoch):
        where, name = self.manager.directory, ", ".join(self._untried)
        if self._newest_first():
            # What this start trains would be lost to the next one under another strategy.
            raise ValueError(
                f"{where} was not saved under {name}, under which nothing is recovered "
                "from there. To go on from the program's own files, move it away."
            )
        tf.get_logger().warning("Under %s nothing is saved in %s", name, where)
        return epoch

    def _build_again(self):
        models = self._models
        if not self._newest_first():
            return
        for model, shapes in zip(models, self._shapes(models)):
            build_by(model, shapes)
        if not all(map(is_restorable, models)):
            raise ValueError(
                "Build the models before the loop: call each with a batch of the data."
            )

    def _shapes(self, models):
        noted = self._read("shapes.json") or []
        return noted if len(noted) == len(models) else [None for _ in models]

    def _note_shapes(self):
        if self._is_built_late:
            models = self._models
            self._is_built_late = not all(map(has_variables, models))
            known = zip(models, self._shapes(models))
            self._write("shapes.json", [shapes_of(one) or old for one, old in known])

    def save(self, epoch=None):
        """Saves.

        Args:
          epoch: the number that the loop goes on at, an int; None for a loop that nothing
            counts.
        """
        if self._untried or (self._begun and self._begun == self._steps):
            return
        if self._unbuilt is not None and not self._is_consumed():
            tf.get_logger().warning("Not saved: a model has not been called yet")
            return
        if epoch is not None:
            self.manager.checkpoint.epoch.assign(int(epoch))
        self._save_as(None)
        self._note_files()  # The loop may have saved what it began from.

    @property
    def _held(self):
        held = tf.train.TrackableView.children(self.manager.checkpoint).items()
        return {name: one for name, one in held if hasattr(one, "layers")}

    def _is_consumed(self):
        """Whether the first calls of models of Keras 2 have given them all they had."""
        names = [name for name, _ in tf.train.list_variables(self._unbuilt)]
        late = [
            f"{name}/" for name, one in self._held.items() if not has_variables(one)
        ]
        if any(name.startswith(one) for name in names for one in late):
            return False
        self._assert_matched(self._unbuilt, self._status)
        self._unbuilt = None
        return True

    def _restore_all(self, path):
        # The slots of an optimizer are restored when its first step makes them.
        self._refuse_other_keras(path)
        is_late = not all(map(has_variables, self._models))
        try:
            if is_late:  # Of the models alone: an optimizer may make its first slots.
                models = tf.train.Checkpoint(**self._held)
                self._status = models.read(path).expect_partial()
                self._unbuilt = path
            status = self.manager.checkpoint.restore(path)
        except ValueError as error:
            raise self._misfit(path, error) from error
        self._assert_matched(path, status)

    def _assert_matched(self, path, status):
        try:
            status.assert_existing_objects_matched()
        except AssertionError as error:
            raise self._misfit(path, error) from error

    def _refuse_other_keras(self, path):
        """Raises where Keras 2 has saved for Keras 3, or the other way round.

        They number the slots of an optimizer otherwise, and take one for another: the
        model would have NaNs after some steps.
        """
        names = tf.train.load_checkpoint(path).get_variable_to_dtype_map()
        ends = {name.rpartition("/.ATTRIBUTES/")[0] for name in names}
        own = "/_iterations"
        optimizers = [end[: -len(own)] for end in ends if end.endswith(own)]
        trained = [one for one in optimizers if f"{one}/_variables/1" in ends]
        is_of_3 = any(map(is_of_keras_3, self._models))
        if any((f"{one}/_trainable_variables/0" in ends) != is_of_3 for one in trained):
            raise ValueError(
                f"{path} was saved by Keras {2 if is_of_3 else 3}: its optimizer's state "
                "is another one. Go on with that Keras: Keras 2 is on TensorFlow 2.15, and "
                "tf_keras on 2.16 and later."
            )
