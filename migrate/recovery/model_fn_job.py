"""A ``model_fn`` and its settings, where code hands an Estimator around."""

import copy
import tempfile

import tensorflow as tf

from migrate.recovery.model_fn_never_saving import NeverSaving

_UNSET = object()


class RunConfig:
    """The settings of a training job, as ``tf.estimator.RunConfig`` had them.

    Args:
      model_dir: the directory of the checkpoints.
      tf_random_seed: the graph's seed; None for none.
      save_summary_steps: steps between two summaries.
      save_checkpoints_steps: steps between two checkpoints; not with secs. None or 0
        for no checkpoints.
      save_checkpoints_secs: seconds between two checkpoints; 600 if neither is given.
        None or 0 for no checkpoints.
      session_config, device_fn, protocol: kept for code that reads them.
      keep_checkpoint_max: how many checkpoints to keep; 0 or None for all.
      keep_checkpoint_every_n_hours: the hours between checkpoints kept for good.
      log_step_count_steps: steps between two lines of the log.
      others: what else ``tf.estimator.RunConfig`` took: strategies are refused.

    Raises:
      ValueError: steps and seconds are both given, or a strategy is given.
    """

    def __init__(
        self,
        model_dir=None,
        tf_random_seed=None,
        save_summary_steps=100,
        save_checkpoints_steps=_UNSET,
        save_checkpoints_secs=_UNSET,
        session_config=None,
        keep_checkpoint_max=5,
        keep_checkpoint_every_n_hours=10000,
        log_step_count_steps=100,
        train_distribute=None,
        device_fn=None,
        protocol=None,
        **others,
    ):
        steps, secs = save_checkpoints_steps, save_checkpoints_secs
        if steps is _UNSET:
            steps, secs = None, 600 if secs is _UNSET else secs
        secs = None if secs is _UNSET else secs
        if steps is not None and secs is not None:
            raise ValueError("Give one of save_checkpoints_steps and _secs.")
        distribute = ("eval_distribute", "experimental_distribute")
        if train_distribute or any(others.get(name) for name in distribute):
            raise ValueError("A distribution strategy is not carried over.")
        self.model_dir = model_dir
        self.tf_random_seed = tf_random_seed
        self.save_summary_steps = save_summary_steps
        self.save_checkpoints_steps = steps
        self.save_checkpoints_secs = secs
        self.session_config = session_config
        self.keep_checkpoint_max = keep_checkpoint_max
        self.keep_checkpoint_every_n_hours = keep_checkpoint_every_n_hours
        self.log_step_count_steps = log_step_count_steps
        self.device_fn = device_fn
        self.protocol = protocol

    def replace(self, **changes):
        """Returns a copy with other settings; one save interval clears the other."""
        settings = dict(vars(self))
        if changes.get("save_checkpoints_steps") is not None:
            settings["save_checkpoints_secs"] = None
        elif changes.get("save_checkpoints_secs") is not None:
            settings["save_checkpoints_steps"] = None
        return type(self)(**{**settings, **changes})

    def saving(self, manager, needed=False):
        """Returns what saves as these settings say.

        Args:
          manager: a ``tf.train.CheckpointManager``.
          needed: whether something waits for the checkpoints, as an evaluation does.

        Returns:
          The manager; without steps and seconds, one that restores but never saves.

        Raises:
          ValueError: checkpoints are needed, and none are to be saved.
        """
        if self.save_checkpoints_steps or self.save_checkpoints_secs:
            return manager
        if needed:
            raise ValueError(
                "Evaluations and listeners wait for checkpoints: set "
                "save_checkpoints_steps or save_checkpoints_secs."
            )
        tf.get_logger().warning("No checkpoints: the RunConfig has no save interval.")
        return NeverSaving(manager)


class TrainingJob:
    """A ``model_fn`` with its settings, which ``tf.estimator.Estimator`` held.

    Args:
      model_fn: takes features and any of labels, mode, params and config.
      model_dir: the directory of the checkpoints; by default config's, else a new one.
      config: a ``RunConfig``; None for its defaults.
      params: a dict for the model_fn.
      warm_start_from: a checkpoint's path or a ``WarmStartSettings``, or None.

    Raises:
      ValueError: model_dir and that of config are both given, and differ.
    """

    def __init__(
        self, model_fn, model_dir=None, config=None, params=None, warm_start_from=None
    ):
        config = config or RunConfig()
        if model_dir and config.model_dir not in (None, model_dir):
            raise ValueError(f"Two directories: {model_dir} and {config.model_dir}.")
        self.model_fn = model_fn
        self.model_dir = model_dir or config.model_dir or tempfile.mkdtemp()
        if config.model_dir != self.model_dir:
            config = config.replace(model_dir=self.model_dir)
        self.config = config
        self.params = copy.deepcopy(params or {})
        self.warm_start_from = warm_start_from

    def params_of(self, mode):
        """Returns the params of a mode, which are the same for all."""
        return self.params
