# Part of tf2_recovery, written by estimator-migrate 0.1.0 (content f039afe68d170eb0).
"""A model_fn, its settings and its checkpoints, with the methods of an Estimator.

What ``tf.estimator`` had is here under the same names, by the modules of this package:

  estimator: Estimator
  keras_estimator: model_to_estimator
  run_config: RunConfig
  tpu_estimator: TPUEstimator, TPURunConfig, TPUConfig, InputPipelineConfig
  train_and_evaluate: train_and_evaluate, TrainSpec, EvalSpec
  exporters: Exporter, LatestExporter, FinalExporter, BestExporter
  model_fn_spec: EstimatorSpec, ModeKeys
  model_fn_tpu_spec: TPUEstimatorSpec
  model_fn_warm_start: WarmStartSettings; VocabInfo is tf.compat.v1.train.VocabInfo
  model_fn_serving: ServingInputReceiver, TensorServingInputReceiver,
    build_raw_serving_input_receiver_fn, build_parsing_serving_input_receiver_fn,
    PredictOutput, ClassificationOutput, RegressionOutput
  model_fn_supervised: build_raw_supervised_input_receiver_fn,
    build_supervised_input_receiver_fn_from_input_fn
  model_fn_arrays: numpy_input_fn, pandas_input_fn
  model_fn_add_metrics: add_metrics
  model_fn_early_stopping: make_early_stopping_hook, stop_if_higher_hook,
    stop_if_lower_hook, stop_if_no_increase_hook, stop_if_no_decrease_hook
  model_fn_saver_hook: CheckpointSaverHook, for one in a train's hooks
  premade: DNNClassifier, DNNRegressor, DNNEstimator, and so on, of tf.compat.v1.estimator;
    DNNClassifierV2, and so on, of tf.estimator; what follows the first arguments of the
    first three is given by name
  heads: BinaryClassHead, MultiClassHead, RegressionHead, PoissonRegressionHead,
    LogisticRegressionHead, get_optimizer_instance
  multi_heads: MultiLabelHead, MultiHead
  contrib_heads: contrib's binary_classification_head, multi_class_head, regression_head,
    and binary_logistic_or_multi_class_head and others, which model_fns took from private
    modules of tf.estimator
  learn_datasets: read_data_sets, load_mnist, load_dataset for MNIST
  distributed_training: distributed_training, to be there beside an Estimator whose
    RunConfig has a train_distribute
  beside_sessions: beside_sessions, to be there beside an Estimator in a program that
    runs sessions of its own
"""

import copy
import importlib
import importlib.util
import os
import tempfile

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from .model_fn_call import argument_names, call_model_fn
from .model_fn_checkpoints import saved_step
from .model_fn_dataset import dataset_from_input_fn
from .model_fn_evaluation import evaluate_model_fn
from .model_fn_export import export_modes
from .model_fn_manager import ModelFnCheckpointManager
from .model_fn_prediction import predict_with_model_fn
from .model_fn_training import ModelFnTraining
from .model_fn_variables import get_variable_names, get_variable_value
from .run_config import RunConfig
from .run_training import run_training
from .training_hooks import TrainingHooks
from .twin_classes import is_of_class


class Estimator:
    """A model_fn with its settings and its directory, as ``tf.estimator.Estimator``.

    Args:
      model_fn: takes features and any of labels, mode, params and config, and returns
        an ``EstimatorSpec``.
      model_dir: the directory of the checkpoints; by default config's, else a new one.
      config: a ``RunConfig``; None for its defaults.
      params: a dict for the model_fn and the input_fns.
      warm_start_from: a checkpoint's path or a ``WarmStartSettings``, to begin with
        where model_dir has no checkpoint.

    Raises:
      ValueError: the model_fn takes other arguments, or model_dir and that of config
        differ.

    Attributes:
      input: of this class, which a program may set: where a resumed ``train`` begins in
        its data, "restart" at the first batch or "continue" where the job stood.
    """

    input = "restart"
    train_under = None  # ``distributed_training``, where that is written too

    def __init__(
        self, model_fn, model_dir=None, config=None, params=None, warm_start_from=None
    ):
        if model_fn is None:
            raise ValueError("model_fn must be provided to Estimator.")
        _check_model_fn(model_fn, params)
        self._config = _config_of(config, model_dir)
        self._model_dir = self._config.model_dir
        self._model_fn = model_fn
        self._params = copy.deepcopy(params or {})
        self._warm_start_from = warm_start_from
        tf1.logging.info("Using config: %s", vars(self._config))
        if self._config.train_distribute is not None and not self.train_under:
            raise ValueError("The helpers for a train_distribute are not written here.")

    @property
    def model_dir(self):
        """The directory of the checkpoints."""
        return self._model_dir

    @property
    def config(self):
        """The ``RunConfig``; a copy."""
        return copy.copy(self._config)

    @property
    def params(self):
        """The params of the model_fn; a copy."""
        return copy.deepcopy(self._params)

    @property
    def model_fn(self):
        """The model_fn with its params: takes features, labels, mode and config."""

        def model_fn(features, labels, mode, config):
            return self._call_model_fn(features, labels, mode, config)

        return model_fn

    def train(
        self, input_fn, hooks=None, steps=None, max_steps=None, saving_listeners=None
    ):
        """Trains from the latest checkpoint, and saves as the config says.

        Args:
          input_fn: returns a ``tf.data.Dataset`` of features or (features, labels), or
            the tensors of a batch; may take mode, params and config.
          hooks: ``tf.compat.v1.train.SessionRunHook`` objects.
          steps: how many more steps to take; or
          max_steps: the global step to end at; None for the end of the data.
          saving_listeners: ``tf.compat.v1.train.CheckpointSaverListener`` objects.

        Returns:
          The estimator.

        Raises:
          ValueError: steps and max_steps are both given, or not positive.
        """
        check_steps(steps=steps, max_steps=max_steps)
        hooks = _checked(hooks, tf1.train.SessionRunHook, "Hooks must be")
        listeners = _checked(
            saving_listeners, tf1.train.CheckpointSaverListener, "Listeners must be"
        )
        path, config = self.latest_checkpoint(), self.config
        if max_steps is not None and path and saved_step(path) >= max_steps:
            tf1.logging.info("Skipping training since max_steps has already saved.")
            return self
        training = self._training(input_fn, config)
        run_training(
            training,
            self._manager(training),
            steps=steps,
            max_steps=max_steps,
            save_secs=config.save_checkpoints_secs,
            log_every=config.log_step_count_steps,
            hooks=TrainingHooks(training, hooks),
            saving_listeners=listeners,
            resume_input=continue_input(training) if self.input == "continue" else None,
        )
        return self

    def evaluate(
        self, input_fn, steps=None, hooks=None, checkpoint_path=None, name=None
    ):
        """Evaluates a checkpoint, and writes the metrics to ``eval_dir(name)``.

        Args:
          input_fn: as for ``train``.
          steps: how many batches; None for all.
          hooks: ``tf.compat.v1.train.SessionRunHook`` objects.
          checkpoint_path: None for the latest.
          name: tells apart evaluations on several datasets.

        Returns:
          A dict with the model_fn's metrics, the mean "loss", and the "global_step".
        """
        check_steps(steps=steps)
        return evaluate_model_fn(
            self.model_fn,
            input_fn,
            self._model_dir,
            steps=steps,
            hooks=_checked(hooks, tf1.train.SessionRunHook, "Hooks must be"),
            checkpoint_path=checkpoint_path,
            name=name,
            **self._settings("eval"),
        )

    def predict(
        self,
        input_fn,
        predict_keys=None,
        hooks=None,
        checkpoint_path=None,
        yield_single_examples=True,
    ):
        """Yields predictions of a checkpoint; see ``predict_with_model_fn``."""
        return predict_with_model_fn(
            self.model_fn,
            input_fn,
            self._model_dir,
            predict_keys=predict_keys,
            hooks=_checked(hooks, tf1.train.SessionRunHook, "Hooks must be"),
            checkpoint_path=checkpoint_path,
            yield_single_examples=yield_single_examples,
            **self._settings("infer"),
        )

    def export_saved_model(
        self,
        export_dir_base,
        serving_input_receiver_fn,
        assets_extra=None,
        as_text=False,
        checkpoint_path=None,
        experimental_mode="infer",
    ):
        """Writes a SavedModel for serving; see ``export_modes``."""
        if not serving_input_receiver_fn:
            raise ValueError("An input_receiver_fn must be defined.")
        return self._export(
            export_dir_base,
            {experimental_mode: serving_input_receiver_fn},
            assets_extra=assets_extra,
            as_text=as_text,
            checkpoint_path=checkpoint_path,
        )

    def export_savedmodel(
        self,
        export_dir_base,
        serving_input_receiver_fn,
        assets_extra=None,
        as_text=False,
        checkpoint_path=None,
        strip_default_attrs=False,
    ):
        """Writes a SavedModel; the older name of ``export_saved_model``."""
        if not serving_input_receiver_fn:
            raise ValueError("An input_receiver_fn must be defined.")
        return self._export(
            export_dir_base,
            {"infer": serving_input_receiver_fn},
            assets_extra=assets_extra,
            as_text=as_text,
            checkpoint_path=checkpoint_path,
            strip_default_attrs=strip_default_attrs,
        )

    def experimental_export_all_saved_models(
        self,
        export_dir_base,
        input_receiver_fn_map,
        assets_extra=None,
        as_text=False,
        checkpoint_path=None,
    ):
        """Writes a SavedModel with a graph for each mode of input_receiver_fn_map."""
        return self._export(
            export_dir_base,
            input_receiver_fn_map,
            assets_extra=assets_extra,
            as_text=as_text,
            checkpoint_path=checkpoint_path,
        )

    def latest_checkpoint(self):
        """Returns the path of the latest checkpoint, or None."""
        return tf.train.latest_checkpoint(self._model_dir)

    def get_variable_names(self):
        """Returns the names of the variables in the latest checkpoint."""
        self._check_trained()
        return get_variable_names(self._model_dir)

    def get_variable_value(self, name):
        """Returns the value of a variable in the latest checkpoint, a numpy array."""
        self._check_trained()
        return get_variable_value(self._model_dir, name)

    def eval_dir(self, name=None):
        """Returns the directory that the metrics of an evaluation are written to."""
        return os.path.join(self._model_dir, f"eval_{name}" if name else "eval")

    def _check_trained(self):
        if self.latest_checkpoint() is None:
            raise ValueError(
                f"Could not find trained model in model_dir: {self._model_dir}."
            )

    def _training(self, input_fn, config):
        """Returns the training that a ``train`` runs."""
        tf1.set_random_seed(config.tf_random_seed)
        options = {
            **self._settings("train"),
            "summary_dir": self._model_dir,
            "save_summary_steps": config.save_summary_steps,
        }
        if config.train_distribute is not None:
            return self.train_under(input_fn, options)
        dataset = dataset_from_input_fn(
            input_fn, options["params"], config, seed=options["seed"]
        )
        return ModelFnTraining(self.model_fn, dataset, **options)

    def _manager(self, training):
        """Returns the manager with the settings of the config."""
        config = self._config
        interval = config.save_checkpoints_steps or (config.save_checkpoints_secs and 1)
        return ModelFnCheckpointManager(
            training,
            self._model_dir,
            max_to_keep=config.keep_checkpoint_max or None,
            keep_checkpoint_every_n_hours=config.keep_checkpoint_every_n_hours,
            checkpoint_interval=interval or None,
        )

    def _export(self, export_dir_base, input_receiver_fn_map, **options):
        return export_modes(
            self.model_fn,
            export_dir_base,
            input_receiver_fn_map,
            self._model_dir,
            config=self.config,
            **options,
        )

    def _settings(self, mode):
        """Returns what training, evaluation and prediction have in common."""
        config = self.config
        params = self._params_of(mode)
        return {
            "params": params,
            "config": config,
            "seed": config.tf_random_seed,
            "warm_start_from": self._warm_start_from,
        }

    def _params_of(self, mode):
        """Returns the params of a mode, which are the same for all."""
        return self.params

    def _call_model_fn(self, features, labels, mode, config):
        tf1.logging.info("Calling model_fn.")
        params = self._params_of(mode)
        spec = call_model_fn(self._model_fn, features, labels, mode, params, config)
        tf1.logging.info("Done calling model_fn.")
        return spec


def continue_input(training):
    """Has a training go on in its data where the job stood.

    The place is an iterator in the checkpoint. Data that Python makes cannot be saved so,
    and are drawn again up to the step, as the data of several replicas are.

    Args:
      training: a ``ModelFnTraining``.

    Returns:
      The ``resume_input`` of ``run_training``.
    """
    draws = len(getattr(training, "_devices", [None]))
    batches = iter(training.dataset)
    try:
        with tempfile.TemporaryDirectory() as folder:
            saved = tf.train.Checkpoint(batches=batches)
            saved.write(os.path.join(folder, "batches"))
    except tf.errors.FailedPreconditionError:
        draws_again = True
    else:
        draws_again = draws > 1 or not training.is_chief
    if draws_again:
        return lambda step: training.dataset.skip(step * draws)
    training.checkpoint.batches = batches
    return None


def _config_of(config, model_dir):
    """Returns the config with the directory that the two settle."""
    config = RunConfig() if config is None else config
    if not is_of_class(config, RunConfig):
        raise ValueError(f"config must be an instance of RunConfig, not {config!r}.")
    if model_dir is not None:
        model_dir = os.fspath(model_dir)
        if config.model_dir not in (None, model_dir):
            raise ValueError(
                "`model_dir` are set both in constructor and `RunConfig`, but with "
                f"different values. In constructor: '{model_dir}', in `RunConfig`: "
                f"'{config.model_dir}'."
            )
    elif config.model_dir is None:
        model_dir = tempfile.mkdtemp()
        tf1.logging.warning("Using temporary folder as model directory: %s", model_dir)
    return config.replace(model_dir=model_dir or config.model_dir)


def _check_model_fn(model_fn, params):
    names = argument_names(model_fn)
    if "features" not in names:
        raise ValueError(f"model_fn ({model_fn}) must include features argument.")
    if params is not None and "params" not in names:
        raise ValueError(
            f"model_fn ({model_fn}) does not include params argument, but params "
            f"({params}) is passed to Estimator."
        )
    unknown = names - {"features", "labels", "mode", "params", "config", "self"}
    if unknown:
        raise ValueError(
            f"model_fn ({model_fn}) has following not expected args: {sorted(unknown)}"
        )


def check_steps(**given):
    """Raises a ValueError unless at most one number of steps is given, above 0."""
    if len([number for number in given.values() if number is not None]) > 1:
        raise ValueError("Can not provide both steps and max_steps.")
    for name, number in given.items():
        if number is not None and number <= 0:
            raise ValueError(f"Must specify {name} > 0, given: {number}")


def _checked(objects, kind, told):
    objects = list(objects or ())
    for one in objects:
        if not isinstance(one, kind):
            raise TypeError(f"{told} a {kind.__name__}, given: {one}")
    return objects


for _part in ("beside_sessions", "distributed_training"):  # which some programs have
    if importlib.util.find_spec(f"{__package__}.{_part}") is not None:
        importlib.import_module(f"{__package__}.{_part}")
