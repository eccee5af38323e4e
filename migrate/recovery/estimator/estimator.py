"""Trains, evaluates, predicts with and exports an unchanged TF1 ``model_fn``.

The graph and the session are TensorFlow's own: ``tf.compat.v1.train`` runs hooks,
Scaffolds, summaries and listeners. This file adds what newer TensorFlow lacks: the
object that calls the model_fn. A ``tf.train.CheckpointManager`` keeps its checkpoints.
"""

import copy
import os
from typing import Any, NamedTuple

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from .checkpoint_list import check_name, latest_checkpoint
from .evaluation import (
    Progress,
    add_metric_initializers,
    metric_ops,
    plain_number,
    select_predictions,
    split_batch,
    write_metrics,
)
from .model_checkpoints import (
    ModelCheckpoints,
    saved_step,
    saver_of_objects,
    unnamed_directory,
)
from .model_fn_call import (
    call_model_fn,
    call_with_known,
    check_model_fn,
    check_steps,
    checked_list,
    features_and_labels,
)
from .optional_files import load_optional_file
from .run_config import RunConfig
from .training import InputHook, Training


class ModeKeys:
    """The modes that a ``model_fn`` is called in."""

    TRAIN = "train"
    EVAL = "eval"
    PREDICT = INFER = "infer"  # contrib.learn says INFER


class EstimatorSpec(NamedTuple):
    """What a ``model_fn`` returns, as ``tf.estimator.EstimatorSpec``.

    Mode "train" needs loss and train_op, "eval" the loss, "infer" predictions: a tensor
    or a dict. eval_metric_ops: a dict from name to (value, update) or a Keras metric.
    """

    mode: str
    predictions: Any = None
    loss: Any = None
    train_op: Any = None
    eval_metric_ops: Any = None
    export_outputs: Any = None
    training_chief_hooks: Any = ()
    training_hooks: Any = ()
    scaffold: Any = None
    evaluation_hooks: Any = ()
    prediction_hooks: Any = ()


class Estimator:
    """Trains and runs a model_fn in a directory, as ``tf.estimator.Estimator`` does.

    Args:
      model_fn: takes features and any of labels, mode, params and config, and returns
        an ``EstimatorSpec``.
      model_dir: the directory of the checkpoints; None for config's, or else a
        temporary one.
      config: a ``RunConfig``; None for its defaults.
      params: a dict, passed to the model_fn and the input_fns; None for an empty one.
      warm_start_from: the path of a checkpoint or a ``WarmStartSettings``; gives the
        first values of the variables where model_dir has no checkpoint.
      checkpoints: a ``ModelCheckpoints``; replaces model_dir and config's settings of
        checkpoints.

    Raises:
      ValueError: the model_fn takes unknown arguments, or model_dir contradicts config.
    """

    input = "restart"
    """Where a resumed job's data begins: at its start, or with "continue" at its step."""

    save_on_sigterm = False
    """Whether the process finishes its step and saves before a SIGTERM ends it."""

    def __init__(
        self,
        model_fn,
        model_dir=None,
        config=None,
        params=None,
        warm_start_from=None,
        *,
        checkpoints=None,
    ):
        check_model_fn(model_fn, params)
        self._config = _config_of(config, model_dir, checkpoints)
        self._model_dir = self._config.model_dir
        check_name(self._model_dir)
        self._model_fn, self._checkpoints = model_fn, checkpoints
        self._params = copy.deepcopy(params or {})
        self._warm_start_from = warm_start_from
        tf1.logging.info("Using config: %s", vars(self._config))

    @property
    def model_dir(self):
        """The directory of the checkpoints."""
        return self._model_dir

    @property
    def config(self):
        """A copy of the ``RunConfig``."""
        return copy.copy(self._config)

    @property
    def params(self):
        """A copy of the params."""
        return copy.deepcopy(self._params)

    @property
    def model_fn(self):
        """A function of features, labels, mode and config that calls the model_fn."""
        return self._call_model_fn

    @property
    def checkpoints(self):
        """The ``ModelCheckpoints`` of model_dir, a ``tf.train.CheckpointManager``."""
        config = self._config
        return self._checkpoints or ModelCheckpoints(
            self._model_dir,
            config.keep_checkpoint_max,
            config.save_checkpoints_steps,
            config.save_checkpoints_secs,
            config.keep_checkpoint_every_n_hours,
        )

    def train(
        self, input_fn, hooks=None, steps=None, max_steps=None, saving_listeners=None
    ):
        """Trains from the latest checkpoint, and saves as config or checkpoints say.

        Args:
          input_fn: returns a ``tf.data.Dataset`` of features or (features, labels), or
            the tensors of a batch; may take mode, params and config.
          hooks, saving_listeners: lists of ``tf.compat.v1.train`` objects, or None.
          steps: how many more steps to take, an int; or
          max_steps: the global step to end at. With neither, trains to the data's end.

        Returns:
          The estimator itself.
        """
        check_steps(steps=steps, max_steps=max_steps)
        hooks = checked_list(hooks, tf1.train.SessionRunHook)
        listeners = checked_list(saving_listeners, tf1.train.CheckpointSaverListener)
        self._check_can_run("train")
        path = self.latest_checkpoint()
        if max_steps is not None and path and saved_step(path) >= max_steps:
            tf1.logging.info("Skipping training since max_steps has already saved.")
            return self
        training = self._new_training(path, (steps, max_steps))
        training.join()
        loss = training.run(input_fn, hooks, listeners)
        tf1.logging.info("Loss for final step: %s.", loss)
        return self

    def evaluate(
        self, input_fn, steps=None, hooks=None, checkpoint_path=None, name=None
    ):
        """Evaluates a checkpoint, and writes the metrics to ``eval_dir(name)``.

        Args:
          input_fn, hooks: as for ``train``.
          steps: how many batches, on each replica of eval_distribute; None for all.
          checkpoint_path: what to evaluate; None for the latest checkpoint.
          name: a str that keeps evaluations on several datasets apart, or None.

        Returns:
          A dict with the model_fn's metrics, the mean "loss", and the "global_step".
        """
        check_steps(steps=steps)
        hooks = checked_list(hooks, tf1.train.SessionRunHook)
        self._check_can_run("eval")
        if steps is not None and self._config.eval_distribute is not None:
            # An Estimator draws one batch for each replica in a step.
            steps *= self._config.eval_distribute.num_replicas_in_sync
        path = checkpoint_path or self.latest_checkpoint()
        with self._graph():
            features, labels, input_hooks = self._input(input_fn, "eval")
            spec = self._spec(features, labels, "eval", path)
            update, values = metric_ops(spec)
            final = tf1.train.FinalOpsHook(values)
            hooks = [*input_hooks, *hooks, *(spec.evaluation_hooks or ()), final]
            spec = spec._replace(scaffold=add_metric_initializers(spec.scaffold))
            progress = Progress(steps)
            with self._restored_session(spec, path, hooks) as session:
                while not session.should_stop() and not progress.is_over:
                    session.run(update)
                    progress.count_batch()
            progress.end()
            write_metrics(self.eval_dir(name), final.final_ops_values, path)
        found = final.final_ops_values
        return {key: plain_number(value) for key, value in found.items()}

    def predict(
        self,
        input_fn,
        predict_keys=None,
        hooks=None,
        checkpoint_path=None,
        yield_single_examples=True,
    ):
        """Yields the predictions of a checkpoint for each example, or for each batch.

        Args:
          input_fn, hooks: as for ``train``; labels of the input are ignored.
          predict_keys: the keys of the predictions to compute, a list; None for all.
          checkpoint_path: None for the latest; with none at all, variables are new.
          yield_single_examples: whether to split the batches into examples.
        """
        hooks = checked_list(hooks, tf1.train.SessionRunHook)
        self._check_can_run("infer")
        path = checkpoint_path or self.latest_checkpoint()
        with self._graph():
            features, _, input_hooks = self._input(input_fn, "infer")
            spec = self._spec(features, None, "infer", path)
            wanted = select_predictions(spec.predictions, predict_keys)
            hooks = [*input_hooks, *hooks, *(spec.prediction_hooks or ())]
            session = self._restored_session(spec, path, hooks)
        with session:  # outside the graph: between two yields the caller runs eagerly
            while not session.should_stop():
                batch = session.run(wanted)
                yield from (split_batch(batch) if yield_single_examples else [batch])

    def export_saved_model(self, *arguments, **options):
        """Writes a SavedModel; for arguments see ``export_saved_model`` in export.py."""
        return self._export(*arguments, **options)

    def export_savedmodel(self, *arguments, strip_default_attrs=False, **options):
        """Writes a SavedModel: TensorFlow 1's name of ``export_saved_model``."""
        if len(arguments) > 5:
            *arguments, strip_default_attrs = arguments
        return self._export(
            *arguments, strip_default_attrs=strip_default_attrs, **options
        )

    def _export(self, *arguments, **options):
        export = load_optional_file("estimator.export")
        return export.export_saved_model(self, *arguments, **options)

    def latest_checkpoint(self):
        """Returns the path of the latest checkpoint that can be read, or None."""
        return latest_checkpoint(self._model_dir)

    def get_variable_names(self):
        """Returns the names of the variables in the latest checkpoint."""
        reader = tf1.train.NewCheckpointReader(self._check_trained())
        kinds = reader.get_variable_to_dtype_map()  # a variant is an iterator's state
        return sorted(name for name, kind in kinds.items() if kind != tf.variant)

    def get_variable_value(self, name):
        """Returns the value of a variable in the latest checkpoint, a numpy array."""
        reader = tf1.train.NewCheckpointReader(self._check_trained())
        return plain_number(reader.get_tensor(name.removesuffix(":0")))

    def eval_dir(self, name=None):
        """Returns the directory that ``evaluate`` writes the metrics of a name to."""
        return os.path.join(self._model_dir, f"eval_{name}" if name else "eval")

    def _check_trained(self):
        path = self.latest_checkpoint()
        if path is None:
            raise ValueError(
                f"Could not find trained model in model_dir: {self._model_dir}."
            )
        return path

    def _check_can_run(self, mode):
        """Raises an error where a subclass cannot run in a mode; does nothing here."""

    def _new_training(self, path=None, ends=(None, None)):
        """Returns a ``Training`` for this process, or a ``ClusterTraining``."""
        config, kind = self._config, Training
        if config.task_type == "evaluator":
            raise ValueError("An evaluator does not train: call train_and_evaluate.")
        if config.num_other_tasks or config.train_distribute is not None:
            kind = load_optional_file("cluster.cluster").ClusterTraining
        return kind(self, path, ends)

    def _graph(self):
        """Returns the context of a new graph that has the seed and the global step."""
        graph = tf.Graph()
        with graph.as_default():
            tf1.set_random_seed(self._config.tf_random_seed)
            tf1.train.create_global_step()
        return graph.as_default()

    def _input(self, input_fn, mode):
        """Returns features, labels, and the hooks that initialize the input."""
        if mode == "train" and self.input == "continue":
            found = load_optional_file("estimator.continued_input").continued_input(
                self, lambda: self._call_input_fn(input_fn, mode)
            )
            return (*features_and_labels(found[0], mode), found[1])
        batch, hooks = self._call_input_fn(input_fn, mode), []
        if isinstance(batch, tf.data.Dataset):
            hooks = [InputHook(tf1.data.make_initializable_iterator(batch))]
            batch = hooks[0].iterator.get_next()
        return (*features_and_labels(batch, mode), hooks)

    def _call_input_fn(self, input_fn, mode, input_context=None):
        known = {"params": self._params_of(mode), "config": self.config}
        strategy = self._config.eval_distribute
        if mode == "eval" and strategy is not None:
            replicas = strategy.num_replicas_in_sync
            input_context = tf.distribute.InputContext(num_replicas_in_sync=replicas)
        if input_context is not None:
            known["input_context"] = input_context
        with tf.device("/cpu:0"):
            return call_with_known(input_fn, mode=mode, **known)

    def _spec(self, features, labels, mode, path):
        """Returns the EstimatorSpec; path is the checkpoint to restore, or None."""
        spec = self._call_model_fn(features, labels, mode, self.config)
        self._warm_start(path)
        return spec

    def _warm_start(self, path):
        """Initializes variables from warm_start_from, unless path is to be restored."""
        if self._warm_start_from and not path:
            given = self._warm_start_from
            tf1.logging.info("Warm-starting with WarmStartSettings: %s", given)
            tf1.train.warm_start(*([given] if isinstance(given, str) else given))

    def _call_model_fn(self, features, labels, mode, config):
        tf1.logging.info("Calling model_fn.")
        params = self._params_of(mode)
        spec = call_model_fn(self._model_fn, features, labels, mode, params, config)
        tf1.logging.info("Done calling model_fn.")
        return spec

    def _params_of(self, mode):
        """Returns a copy of the params; a subclass may give each mode its own."""
        return self.params

    def _session_config(self):
        """Returns the ``ConfigProto`` of sessions, by default an Estimator's."""
        if self._config.session_config is not None:
            return self._config.session_config
        config = tf1.ConfigProto(allow_soft_placement=True)
        rewrite = config.graph_options.rewrite_options
        rewrite.meta_optimizer_iterations = rewrite.ONE
        return config

    def _restored_session(self, spec, path, hooks):
        """Returns a session to evaluate or predict; path is the checkpoint, or None."""
        scaffold = spec.scaffold or tf1.train.Scaffold(saver=saver_of_objects(path))
        creator = tf1.train.ChiefSessionCreator(
            scaffold, config=self._session_config(), checkpoint_filename_with_path=path
        )
        return tf1.train.MonitoredSession(creator, hooks)


def _config_of(config, model_dir, checkpoints):
    """Returns a RunConfig whose model_dir and save settings the other arguments set."""
    config = RunConfig() if config is None else config
    if not hasattr(config, "save_checkpoints_steps"):
        raise ValueError(f"config must be an instance of RunConfig, not {config!r}.")
    model_dir = None if model_dir is None else os.fspath(model_dir)
    if checkpoints is not None:
        if model_dir not in (None, checkpoints.directory):
            raise ValueError(
                f"model_dir is {model_dir}, that of checkpoints {checkpoints.directory}."
            )
        model_dir = checkpoints.directory
        config = config.replace(**{**checkpoints.settings(), "model_dir": None})
    if model_dir is None:
        model_dir = config.model_dir or unnamed_directory()
    elif config.model_dir not in (None, model_dir):
        raise ValueError(
            "`model_dir` are set both in constructor and `RunConfig`, but with "
            f"different values. In constructor: '{model_dir}', in `RunConfig`: "
            f"'{config.model_dir}'."
        )
    return config.replace(model_dir=model_dir)
