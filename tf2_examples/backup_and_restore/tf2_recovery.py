"""Checkpoint recovery for TensorFlow 2, written by estimator-migrate 0.1.0 (content c324a6028d5f).

Needs nothing but TensorFlow, 2.12 or later. Yours to read, keep and change;
`estimator-migrate renew` brings it up to date as long as nobody has changed it.
"""

import functools
import math
import os
import sys
import time

import numpy as np
import tensorflow as tf


class CheckpointRecovery(tf.keras.callbacks.Callback):
    """Saves while ``fit`` runs, and restores the newest checkpoint that can be read.

    Saves when training starts, every ``manager.checkpoint_interval`` steps or
    ``save_secs`` seconds, and when it ends; an exception ends it without a save.

    Args:
      manager: a ``tf.train.CheckpointManager`` of
        ``tf.train.Checkpoint(model=..., optimizer=...)``.
      save_secs: seconds between two saves; None to save by steps alone.
    """

    def __init__(self, manager, save_secs=None):
        super().__init__()
        self.manager = manager
        self.save_secs = save_secs
        self._saved_step = None

    @property
    def step(self):
        """The number of training steps that the model has seen, an int."""
        return int(self.manager.checkpoint.optimizer.iterations.numpy())

    def restore(self):
        """Restores the newest readable checkpoint and returns its step, 0 if none.

        Raises:
          ValueError: the checkpoint does not fit; the message names the variable.
          RuntimeError: there are checkpoints, but none of them can be read.
        """
        problem = None
        for path in self._newest_first():
            try:
                self._restore_all(path)
            except (tf.errors.OpError, IndexError) as error:  # IndexError: cut short
                tf.get_logger().warning("Cannot read %s (%s)", path, error)
                problem = error
            else:
                tf.get_logger().info("Restored %s at step %d", path, self.step)
                self._saved_step = self.step
                return self.step
        if problem is not None:  # Never train from scratch over what is there.
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
        by_step = every is not None and self._unsaved_steps >= every
        if by_step or (
            seconds is not None and time.monotonic() >= self._saved_time + seconds
        ):
            self._save()

    def on_epoch_end(self, epoch, logs=None):
        self._uncount_missing_batch(self._epoch_start + self._epoch_steps)

    def on_train_end(self, logs=None):
        self._save()

    def _uncount_missing_batch(self, trained):
        # Of a dataset of unknown cardinality Keras finds the end by a step more, which
        # trains nothing but is counted.
        if self.step == trained + 1:
            self.manager.checkpoint.optimizer.iterations.assign(trained)

    def _save(self):
        step = self.step
        if step != self._saved_step:
            # check_interval=True would skip the last save.
            self.manager.save(checkpoint_number=step, check_interval=False)
        self._saved_step, self._unsaved_steps = step, 0
        self._saved_time = time.monotonic()

    def _newest_first(self):
        if self.manager.checkpoints:
            return self.manager.checkpoints[::-1]
        # The file "checkpoint", which lists them, is lost.
        files = tf.io.gfile.glob(
            os.path.join(self.manager.directory, "*ckpt-[0-9]*.index")
        )
        paths = [file[: -len(".index")] for file in files]
        return sorted(paths, key=lambda path: int(path.split("-")[-1]), reverse=True)

    def _restore_all(self, path):
        names = tf.train.load_checkpoint(path).get_variable_to_dtype_map()
        is_of_objects = "_CHECKPOINTABLE_OBJECT_GRAPH" in names
        if not is_of_objects or "estimator_global_step" in {
            n.split("/")[0] for n in names
        }:
            directory = self.manager.directory
            raise ValueError(
                f"{path} was written by tf.estimator and has other names than this "
                "model. To go on from it, train in the directory that this makes: "
                f"estimator-migrate checkpoint {directory} NEW_DIRECTORY --for "
                f"{sys.argv[0]}"
            )
        self._make_slots()
        try:
            self.manager.checkpoint.restore(path).assert_consumed()
        except (AssertionError, ValueError) as error:
            raise ValueError(f"{path} does not fit this model: {error}") from error

    def _make_slots(self):
        # Keras 3 would make them in the first step: too late for the first save, and
        # for a restore, which would find no place for them.
        checkpoint = self.manager.checkpoint
        model, optimizer = checkpoint.model, checkpoint.optimizer
        if not model.built:
            return
        with model.distribute_strategy.scope():
            if hasattr(optimizer, "build"):
                optimizer.build(model.trainable_variables)
            else:  # tf.keras.optimizers.legacy; Keras calls this to load a model.
                optimizer._create_all_weights(model.trainable_variables)


@functools.cache
def event_writer(directory):
    """Returns the ``tf.compat.v1.summary.FileWriter`` of a directory, one a process."""
    # It asks for a graph. That of tf.summary asks for the package tensorboard, which
    # TensorFlow 2.21 does not install.
    with tf.Graph().as_default():
        return tf.compat.v1.summary.FileWriter(
            directory,
            # The file's name has the second only: a start within it would empty the file.
            filename_suffix=f".{time.time_ns()}",
        )


class EvaluationLog(tf.keras.callbacks.Callback):
    """Writes the metrics that ``evaluate`` gives, at the step of the training.

    Args:
      model_dir: a path; TensorBoard finds the metrics in its ``eval`` or ``eval_NAME``.
      name: tells apart evaluations on several datasets; None or a string.
    """

    def __init__(self, model_dir, name=None):
        super().__init__()
        self.directory = os.path.join(model_dir, f"eval_{name}" if name else "eval")

    def on_test_end(self, logs=None):
        summary = tf.compat.v1.Summary()
        for tag, value in logs.items():
            if np.ndim(value) == 0:
                summary.value.add(tag=tag, simple_value=value)
        writer = event_writer(self.directory)
        writer.add_summary(summary, int(self.model.optimizer.iterations.numpy()))
        writer.flush()


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
    """Trains a compiled model under its strategy, as ``Model.fit`` would.

    Keras 3 refuses ``fit`` where ``MultiWorkerMirroredStrategy`` has several workers.
    Callbacks get the metrics at the end of an epoch only.

    Args:
      model: a ``tf.keras.Model``, made and compiled in the scope of its strategy.
      dataset: a ``tf.data.Dataset`` of global batches; each worker takes its shard.
      recovery: a ``WorkerRecovery``, which tells the step to resume at.
      epochs: the total number of epochs, an int, with those before an interruption.
      steps_per_epoch: the steps in an epoch; None for a whole pass over ``dataset``.
      callbacks: more ``tf.keras.callbacks.Callback`` objects.
      validation_data: a ``tf.data.Dataset`` of global batches; None for none.
      validation_steps: as ``steps_per_epoch``, for ``validation_data``.
      verbose: as in ``Model.fit``, an int.

    Returns:
      The ``History`` that ``Model.fit`` returns.
    """
    strategy = model.distribute_strategy
    if not model.built:
        with strategy.scope():
            model(_zeros(dataset.element_spec[0]))
    done = 0 if recovery is None else recovery.restore()

    @tf.function
    def train(batches):
        strategy.run(model.train_step, args=(next(batches),))

    @tf.function
    def test(batches):
        strategy.run(model.test_step, args=(next(batches),))

    steps = math.ceil(steps_per_epoch or _length(dataset))
    batches = iter(strategy.experimental_distribute_dataset(dataset.repeat()))
    calls = tf.keras.callbacks.CallbackList(
        [*callbacks, *([] if recovery is None else [recovery])],
        add_history=True,
        add_progbar=verbose != 0,
        model=model,
        verbose=verbose,
        epochs=epochs,
        steps=steps,
    )
    model.stop_training = False
    logs = {}
    calls.on_train_begin()
    for epoch in range(done // steps, epochs):
        model.reset_metrics()
        calls.on_epoch_begin(epoch)
        for batch in range(max(0, done - epoch * steps), steps):
            calls.on_train_batch_begin(batch)
            train(batches)
            calls.on_train_batch_end(batch)
            if model.stop_training:
                break
        logs = _metrics(model)
        if validation_data is not None:
            model.reset_metrics()
            held_out = iter(strategy.experimental_distribute_dataset(validation_data))
            for _ in range(math.ceil(validation_steps or _length(validation_data))):
                test(held_out)
            logs |= {f"val_{name}": value for name, value in _metrics(model).items()}
        calls.on_epoch_end(epoch, logs)
        if model.stop_training:
            break
    calls.on_train_end(logs)
    return model.history


def _metrics(model):
    return {name: float(value) for name, value in model.get_metrics_result().items()}


def _length(dataset):
    length = int(dataset.cardinality())
    if length < 0:
        raise ValueError("Say how many steps an epoch has: the dataset has no length.")
    return length


def _zeros(features):
    return tf.nest.map_structure(
        lambda spec: tf.zeros([1, *spec.shape[1:]], spec.dtype), features
    )


def has_checkpoint(directory):
    """Returns whether a directory holds what a job can go on from.

    Args:
      directory: where a ``tf.train.CheckpointManager`` or ``BackupAndRestore`` saves,
        a str; it need not exist.
    """
    saved = ("*ckpt-[0-9]*.index", "*/*ckpt-[0-9]*.index", "*.weights.h5")
    paths = [os.path.join(directory, pattern) for pattern in saved]
    return any(tf.io.gfile.glob(path) for path in paths)


def predict_outputs(recovery, dataset):
    """Yields what an Estimator made from a Keras model predicts for each example.

    Args: as for ``predict_classes``.

    Yields:
      A dict of NumPy arrays by the names of the layers that give the outputs.
    """
    model = _restored(recovery)
    layers = [output._keras_history[0].name for output in model.outputs]
    for batch in dataset:
        outputs = model.predict_on_batch(_features(batch))
        for values in zip(*(outputs if len(layers) > 1 else [outputs])):
            yield dict(zip(layers, values))


def _restored(recovery):
    if isinstance(recovery, tf.keras.Model):
        return recovery
    recovery.restore()
    return recovery.manager.checkpoint.model


def _features(batch):
    return batch[0] if isinstance(batch, tuple) else batch


class TrainingLog(tf.keras.callbacks.Callback):
    """Writes the loss and the speed while ``fit`` runs, and stops at a NaN loss.

    Args:
      directory: where TensorBoard finds the summaries, a path.
      summary_steps: steps between two summaries of the loss; None for none.
      log_steps: steps between two lines in the log; None for none.
      tags: the summaries: a dict from a metric of ``fit`` to its name in TensorBoard.

    Raises:
      ArithmeticError: out of ``fit``, when the loss is not a number.
    """

    def __init__(self, directory, summary_steps=None, log_steps=None, tags=None):
        super().__init__()
        self.summary_steps = summary_steps
        self.log_steps = log_steps
        self.directory = directory
        self.tags = tags or {"loss": "loss"}

    def on_train_begin(self, logs=None):
        self._step = int(self.model.optimizer.iterations.numpy())
        self._first = self._logged = self._step
        self._logged_time = time.monotonic()

    def on_train_batch_begin(self, batch, logs=None):
        step = self._step + 1
        if self._due(step, self.summary_steps) or self._due(step, self.log_steps):
            # Keras gives the mean since the last reset: of the next step alone, then.
            self.model.reset_metrics()

    def on_train_batch_end(self, batch, logs=None):
        self._step = step = self._step + 1
        if math.isnan(logs["loss"]):
            raise ArithmeticError(f"The loss is not a number at step {step}.")
        if self._due(step, self.summary_steps):
            self._write({tag: logs[metric] for metric, tag in self.tags.items()})
        if self._due(step, self.log_steps):
            tf.get_logger().info("loss = %g, step = %d", logs["loss"], step)
            seconds = time.monotonic() - self._logged_time
            if step > self._first + 1:  # the first step includes tracing
                self._write({"global_step/sec": (step - self._logged) / seconds})
            self._logged, self._logged_time = step, time.monotonic()

    def on_train_end(self, logs=None):
        event_writer(self.directory).flush()

    def _write(self, values):
        summary = tf.compat.v1.Summary()
        for tag, value in values.items():
            summary.value.add(tag=tag, simple_value=value)
        event_writer(self.directory).add_summary(summary, self._step)

    def _due(self, step, every):
        return bool(every) and (step - self._first - 1) % every == 0


def refuse_old_job(model_dir):
    """Does nothing, unless ``tf.estimator`` saved a job in ``model_dir``.

    Raises:
      ValueError: it did, and ``BackupAndRestore`` cannot go on from its checkpoints.
    """
    path = tf.train.latest_checkpoint(model_dir)
    if path is None or "global_step" not in dict(tf.train.list_variables(path)):
        return
    raise ValueError(
        f"{path} was written by tf.estimator, and BackupAndRestore cannot go on from "
        "it. To begin anew, train in a new directory. To go on, migrate the old "
        "program with --recovery checkpoint-manager, and train in the directory that "
        f"this makes: estimator-migrate checkpoint {model_dir} NEW_DIRECTORY --for "
        f"{sys.argv[0]}"
    )


class StopAtStep(tf.keras.callbacks.Callback):
    """Ends ``fit`` when the optimizer has made ``last_step`` steps.

    Args:
      last_step: the step to stop at, an int, counted from the first step of the job.
    """

    def __init__(self, last_step):
        super().__init__()
        self.last_step = last_step

    def on_train_batch_end(self, batch, logs=None):
        if int(self.model.optimizer.iterations.numpy()) >= self.last_step:
            self.model.stop_training = True


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
