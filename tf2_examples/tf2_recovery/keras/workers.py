# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 631b87c977fb7338).
"""Trains a Keras model on several workers, and recovers it."""

import math
import os

import tensorflow as tf

from .step_recovery import CheckpointRecovery


def fit_on_workers(
    model,
    dataset,
    recovery=None,
    epochs=1,
    steps_per_epoch=None,
    callbacks=(),
    validation_data=None,
    validation_steps=None,
    verbose=1,
):
    """Trains a compiled model under its strategy, in place of ``Model.fit``.

    Keras 3 rejects ``fit`` under a ``MultiWorkerMirroredStrategy`` of several workers.
    Callbacks get metrics only at the end of an epoch.

    Args:
      model: a ``tf.keras.Model``, made and compiled in the scope of its strategy.
      dataset: a ``tf.data.Dataset`` of global batches; each worker takes its shard.
      recovery: a ``WorkerRecovery``, which restores the model; None to start at step 0.
      epochs: the total number of epochs, an int, including those before an interruption.
      steps_per_epoch: the steps in an epoch; None for one pass over ``dataset``.
      callbacks: more ``tf.keras.callbacks.Callback`` objects.
      validation_data: a ``tf.data.Dataset`` of global batches; None for none.
      validation_steps: as ``steps_per_epoch``, for ``validation_data``.
      verbose: as in ``Model.fit``, an int.

    Returns:
      The ``History`` that ``Model.fit`` returns.
    """
    strategy = model.distribute_strategy
    _build(model, dataset)
    done = 0 if recovery is None else recovery.restore()

    @tf.function
    def train(batches):
        strategy.run(model.train_step, args=(next(batches),))

    validate = _validation(model, validation_data, validation_steps)
    steps = math.ceil(steps_per_epoch or _length(dataset))
    batches = iter(strategy.experimental_distribute_dataset(dataset.repeat()))
    told = {"verbose": verbose, "epochs": epochs, "steps": steps}
    watching = [*callbacks, *([] if recovery is None else [recovery])]
    calls = tf.keras.callbacks.CallbackList(
        watching, add_history=True, add_progbar=verbose != 0, model=model, **told
    )
    model.stop_training = False
    logs = {}
    calls.on_train_begin()
    for epoch in range(done // steps, epochs):
        model.reset_metrics()
        calls.on_epoch_begin(epoch)
        first = max(0, done - epoch * steps)
        _train_batches(model, train, batches, calls, range(first, steps))
        logs = _metrics(model) | validate()
        calls.on_epoch_end(epoch, logs)
        if model.stop_training:
            break
    calls.on_train_end(logs)
    return model.history


def _build(model, dataset):
    """Makes the variables of a model, if it is not built."""
    if not model.built:
        zeros = tf.nest.map_structure(
            lambda spec: tf.zeros([1, *spec.shape[1:]], spec.dtype),
            dataset.element_spec[0],
        )
        with model.distribute_strategy.scope():
            model(zeros)


def _train_batches(model, train, batches, calls, numbers):
    """Trains a batch for each of ``numbers``, or until a callback ends the training."""
    for number in numbers:
        calls.on_train_batch_begin(number)
        train(batches)
        calls.on_train_batch_end(number)
        if model.stop_training:
            break


def _validation(model, dataset, steps):
    """Returns a function that validates a model and returns a dict of metrics."""
    if dataset is None:
        return dict
    strategy = model.distribute_strategy

    @tf.function
    def test(batches):
        strategy.run(model.test_step, args=(next(batches),))

    def validate():
        model.reset_metrics()
        held_out = iter(strategy.experimental_distribute_dataset(dataset))
        for _ in range(math.ceil(steps or _length(dataset))):
            test(held_out)
        return {f"val_{name}": value for name, value in _metrics(model).items()}

    return validate


def _metrics(model):
    return {name: float(value) for name, value in model.get_metrics_result().items()}


def _length(dataset):
    length = int(dataset.cardinality())
    if length < 0:
        raise ValueError("Say how many steps an epoch has: the dataset has no length.")
    return length


class WorkerRecovery(CheckpointRecovery):
    """Saves on all workers at once, and restores the chief's checkpoint on each.

    A save gathers values from every worker, so every worker must take part. Only the
    chief's files are kept: each other worker writes to ``workertemp_<task>_<index>`` in
    the same directory and removes that.

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
            self._remove_temporary()  # A killed worker may have left it.

    def restore(self):
        """Restores the newest readable checkpoint and returns its step, 0 if none.

        Raises:
          RuntimeError: the workers found checkpoints of different steps.
        """
        with self.strategy.scope():
            # The first step would make the slots, after the first save.
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
        self._hold_untracked()
        self.manager.checkpoint.save(os.path.join(self._temporary, "ckpt"))
        self._remove_temporary()
        self._saved_step, self._unsaved_steps = self.step, 0

    def _remove_temporary(self):
        if tf.io.gfile.exists(self._temporary):
            tf.io.gfile.rmtree(self._temporary)


def _is_chief(strategy):
    """Returns whether this process is the chief, whose files are kept.

    The chief is the task of that name, else worker 0; a single process is one, too.
    """
    resolver = strategy.cluster_resolver
    if resolver is None or resolver.task_type is None:
        return True
    if {"chief", "master"} & set(resolver.cluster_spec().jobs):
        return resolver.task_type in ("chief", "master")
    return resolver.task_type == "worker" and resolver.task_id == 0
