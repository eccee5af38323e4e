"""A ``model_fn`` and its settings, where code hands an Estimator around."""

import copy
import tempfile

from migrate.recovery.run_config import RunConfig


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
