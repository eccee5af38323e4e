"""The recovery of a job that several workers train together."""

import os

import tensorflow as tf

from migrate.recovery.checkpoint_recovery import CheckpointRecovery


class WorkerRecovery(CheckpointRecovery):
    """Saves on all workers at once, and restores the chief's checkpoint on each.

    A save gathers values from every worker, so every worker has to take part. Only
    what the chief writes stays: each other one writes to ``workertemp_<task>_<index>``
    in the same directory and removes it.

    Args:
      manager: a ``tf.train.CheckpointManager`` of
        ``tf.train.Checkpoint(model=..., optimizer=...)`` with a
        ``checkpoint_interval``, in a directory that all workers share.
    """

    def __init__(self, manager):
        super().__init__(manager)
        self.strategy = strategy = manager.checkpoint.model.distribute_strategy
        self._temporary = None
        if not _is_chief(strategy):
            task = strategy.cluster_resolver
            name = f"workertemp_{task.task_type}_{task.task_id}"
            self._temporary = os.path.join(manager.directory, name)
            self._remove_temporary()  # A killed worker has left it behind.

    def restore(self):
        """Restores the newest readable checkpoint and returns its step, 0 if none.

        Raises:
          RuntimeError: the workers found checkpoints of different steps.
        """
        with self.strategy.scope():
            # Made by the first step, the slots would miss in the save before it.
            self._make_slots()
            step = super().restore()
        own = self.strategy.experimental_distribute_values_from_function(
            lambda context: tf.constant([step])
        )
        steps = self.strategy.gather(own, axis=0).numpy().tolist()
        if len(set(steps)) > 1:
            raise RuntimeError(
                f"The workers would resume at different steps, {steps}: "
                f"{self.manager.directory} has to be a directory that all of them see."
            )
        return step

    def _save(self):
        if self._temporary is None or self.step == self._saved_step:
            super()._save()
            return
        self.manager.checkpoint.save(os.path.join(self._temporary, "ckpt"))
        self._remove_temporary()
        self._saved_step, self._unsaved_steps = self.step, 0

    def _remove_temporary(self):
        if tf.io.gfile.exists(self._temporary):
            tf.io.gfile.rmtree(self._temporary)


def _is_chief(strategy):
    """Whether it is this worker's files that count; those of a single process do.

    The chief is the task of that name, or worker 0 in a ``TF_CONFIG`` without one.
    """
    resolver = strategy.cluster_resolver
    if resolver is None or resolver.task_type is None:
        return True
    if {"chief", "master"} & set(resolver.cluster_spec().jobs):
        return resolver.task_type in ("chief", "master")
    return resolver.task_type == "worker" and resolver.task_id == 0
