"""A compiled Keras model with the methods of an Estimator."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from ..estimator.dataset import dataset_from_input_fn
from ..estimator.estimator import Estimator
from ..estimator.evaluation import write_metrics
from ..estimator.model_fn_call import check_steps
from .estimator_checkpoint import restore_from_estimator
from .export import export_outputs
from .logs import TrainingLog
from .predictions import predict_outputs
from .step_recovery import (
    CheckpointRecovery,
    drop_empty_checkpoint_list,
    is_of_estimator,
)
from .whole_models import load_compiled_model


def model_to_estimator(
    keras_model=None,
    keras_model_path=None,
    custom_objects=None,
    model_dir=None,
    config=None,
    checkpoint_format=None,
):
    """Returns a ``KerasEstimator``, as ``tf.keras.estimator.model_to_estimator`` did.

    Args:
      keras_model: a compiled ``tf.keras.Model``; or
      keras_model_path: the path of a saved one.
      custom_objects: a dict from names to the model's classes and functions, or None.
      model_dir, config: as for an ``Estimator``.
      checkpoint_format: ignored: checkpoints are object-based.

    Raises:
      ValueError: the model is not compiled, or both or neither are given.
    """
    if (keras_model is None) == (keras_model_path is None):
        raise ValueError("Give one of keras_model and keras_model_path.")
    if keras_model is None:
        keras_model = load_compiled_model(keras_model_path, custom_objects)
    return KerasEstimator(keras_model, model_dir, config)


class KerasEstimator(Estimator):
    """An ``Estimator`` that trains a Keras model by ``fit``.

    Training begins at step 0 with the weights that the model has now, and keeps the newest
    five checkpoints. In the model_dir of TensorFlow's ``model_to_estimator`` it resumes
    with the weights, slots and step of the newest checkpoint. Unlike there, the trained
    weights are in ``keras_model`` itself. The hooks of a training find the global step
    alone in their graph; those of evaluations and predictions are rejected.

    Args:
      keras_model: a compiled ``tf.keras.Model``.
      model_dir, config: as for an ``Estimator``; of the config, only the intervals
        between saves, summaries and lines of the log are used.

    Raises:
      ValueError: the model is not compiled, or the config has a train_distribute.
    """

    def __init__(self, keras_model, model_dir=None, config=None):
        if getattr(keras_model, "optimizer", None) is None:
            raise ValueError("The given keras model has not been compiled yet.")
        super().__init__(lambda features: None, model_dir, config)
        if self._config.train_distribute is not None:
            raise ValueError("Make and compile the model in the strategy's scope.")
        self._model, self._has_trained = keras_model, False
        self._first_weights = keras_model.get_weights() if keras_model.built else None

    def train(
        self, input_fn, hooks=None, steps=None, max_steps=None, saving_listeners=None
    ):
        """Trains from the latest checkpoint; see ``Estimator.train``."""
        check_steps(steps=steps, max_steps=max_steps)
        calls_of_hooks = [_StepHooks(hooks)] if hooks else []
        config, listeners = self._config, list(saving_listeners or ())
        recovery = _Recovery(self._manager(), config.save_checkpoints_secs, listeners)
        step = self._begun(recovery)
        last = max_steps if steps is None else step + steps
        if last is not None and step >= last:
            tf1.logging.info("Skipping training since max_steps has already saved.")
            return self
        dataset = dataset_from_input_fn(input_fn, self.params, config)
        if self.input == "continue":
            dataset = dataset.skip(step)
        # Keras 2 trains on no endless dataset whose steps are not counted.
        dataset = dataset.take(tf.int64.max if last is None else last - step)
        summaries, lines = config.save_summary_steps, config.log_step_count_steps
        # In the Estimator's graph Keras had used the tag "loss".
        log = TrainingLog(self._model_dir, summaries, lines, tags={"loss": "loss_1"})
        for listener in listeners:
            listener.begin()
        self._has_trained = True
        self._model.fit(dataset, verbose=0, callbacks=[log, recovery, *calls_of_hooks])
        for listener in listeners:
            listener.end(None, recovery.step)
        return self

    def evaluate(
        self, input_fn, steps=None, hooks=None, checkpoint_path=None, name=None
    ):
        """Evaluates a checkpoint; see ``Estimator.evaluate``."""
        check_steps(steps=steps)
        _check_no_hooks(hooks)
        step = self._restored(checkpoint_path)
        data = dataset_from_input_fn(input_fn, self.params, self._config, mode="eval")
        data = data if steps is None else data.take(steps)
        metrics = self._model.evaluate(data, verbose=0, return_dict=True)
        metrics = {**metrics, "global_step": step}
        with tf.Graph().as_default():  # FileWriter needs a graph
            path = checkpoint_path or self.latest_checkpoint()
            write_metrics(self.eval_dir(name), metrics, path)
        return metrics

    def predict(
        self,
        input_fn,
        predict_keys=None,
        hooks=None,
        checkpoint_path=None,
        yield_single_examples=True,
    ):
        """Yields a dict from the name of each output's layer to an example's array."""
        _check_no_hooks(hooks)
        if not yield_single_examples:
            raise ValueError("A Keras model's predictions come one by one.")
        self._restored(checkpoint_path)
        data = dataset_from_input_fn(input_fn, self.params, self._config, mode="infer")
        for found in predict_outputs(self._model, data):
            yield {key: found[key] for key in predict_keys or found}

    def _export(
        self,
        export_dir_base,
        serving_input_receiver_fn,
        assets_extra=None,
        as_text=False,
        checkpoint_path=None,
        experimental_mode="infer",
        strip_default_attrs=False,
    ):
        if experimental_mode != "infer" or as_text:
            raise ValueError("Export with experimental_mode='infer' and as_text=False.")
        if checkpoint_path is None:
            self._check_trained()
        self._restored(checkpoint_path)
        return export_outputs(
            self._model, export_dir_base, serving_input_receiver_fn, assets_extra
        )

    def _restored(self, path):
        """Restores a checkpoint, the latest for None; returns its step."""
        recovery = _Recovery(self._manager())
        if path is None:
            return recovery.restore() if self._has_trained else self._begun(recovery)
        recovery._restore_all(path)
        return recovery.step

    def _begun(self, recovery):
        """Restores the latest checkpoint, or else the first weights; returns the step."""
        optimizer = self._model.optimizer
        if not recovery.has_checkpoints():
            if self._first_weights is not None:
                self._model.set_weights(self._first_weights)
            if int(optimizer.iterations.numpy()):  # the program has called fit before
                recovery.reset_optimizer()
        return recovery.restore()

    def _manager(self):
        """Returns the ``tf.train.CheckpointManager`` with the settings of the config."""
        config, optimizer = self._config, self._model.optimizer
        drop_empty_checkpoint_list(self._model_dir)
        return tf.train.CheckpointManager(
            tf.train.Checkpoint(model=self._model, optimizer=optimizer),
            self._model_dir,
            max_to_keep=5,  # the Estimator of a Keras model ignored the config here
            step_counter=optimizer.iterations,
            checkpoint_interval=config.save_checkpoints_steps,
        )


class _StepHooks(tf.keras.callbacks.Callback):
    """Calls session hooks after each step, in a graph that holds the global step alone.

    Args:
      hooks: a list of ``SessionRunHook``.

    Raises:
      ValueError: one of them saves the session.
    """

    def __init__(self, hooks):
        super().__init__()
        if any(isinstance(hook, tf1.train.CheckpointSaverHook) for hook in hooks):
            raise ValueError("A hook cannot save a Keras model: it is in no session.")
        self._hooks = hooks

    def on_train_begin(self, logs=None):
        first = int(self.model.optimizer.iterations.numpy())
        with tf.Graph().as_default():
            self._step = tf1.train.get_or_create_global_step()
            self._next_step = self._step.assign_add(1)
            scaffold = tf1.train.Scaffold(
                init_fn=lambda _, session: self._step.load(first, session)
            )
            creator = tf1.train.ChiefSessionCreator(scaffold)
            self._session = tf1.train.MonitoredSession(creator, self._hooks)

    def on_train_batch_end(self, batch, logs=None):
        self._session.run_step_fn(self._run_hooks)
        if self._session.should_stop():
            self.model.stop_training = True

    def _run_hooks(self, step_context):
        step_context.session.run(self._next_step)
        step_context.run_with_hooks(self._step)

    def on_train_end(self, logs=None):
        self._session.close()


class _Recovery(CheckpointRecovery):
    """A ``CheckpointRecovery`` that calls listeners at its saves.

    It also restores checkpoints of TensorFlow's ``model_to_estimator``.
    """

    def __init__(self, manager, save_secs=None, listeners=()):
        super().__init__(manager, save_secs)
        self._listeners = listeners

    def has_checkpoints(self):
        """Returns whether there is a checkpoint to restore."""
        return bool(self._newest_first())

    def reset_optimizer(self):
        """Resets the optimizer to its state before the first step."""
        self._make_slots()
        checkpoint = self.manager.checkpoint
        used = checkpoint.optimizer
        with checkpoint.model.distribute_strategy.scope():
            fresh = type(used).from_config(used.get_config())
        self._make_slots(fresh)
        for old, new in zip(_state(used), _state(fresh)):
            old.assign(new)

    def _restore_all(self, path):
        if not is_of_estimator(path):
            super()._restore_all(path)
            return
        self._make_slots()
        one = self.manager.checkpoint
        try:
            restore_from_estimator(one.model, one.optimizer, path)
        except ValueError as error:
            raise ValueError(
                f"{path} was written by tf.estimator and does not fit this model: {error} "
                f"Let the old program end the job in {self.manager.directory}, or train "
                "this one in a new directory."
            ) from error

    def _save(self):
        step, is_new = self.step, self.step != self._saved_step
        for listener in self._listeners if is_new else ():
            listener.before_save(None, step)
        super()._save()
        stops = [
            listener.after_save(None, step)
            for listener in (self._listeners if is_new else ())
        ]
        if any(stops):
            self.model.stop_training = True


def _state(optimizer):
    """Returns the variables of an optimizer, a list."""
    variables = optimizer.variables
    return variables() if callable(variables) else variables


def _check_no_hooks(hooks):
    if hooks:
        raise ValueError(f"Hooks need a session, which Keras has not: {hooks}.")
