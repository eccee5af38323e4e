"""A ``model_fn`` for TPUs and its settings, where code hands a TPUEstimator around."""

from migrate.recovery.model_fn_job import TrainingJob
from migrate.recovery.model_fn_params import with_values


class TPUTrainingJob(TrainingJob):
    """A ``model_fn`` with its settings, which a ``TPUEstimator`` held off TPUs.

    Args:
      model_fn: takes features and any of labels, mode, params and config.
      model_dir: the directory of the checkpoints; by default config's, else a new one.
      config: a ``TPURunConfig``.
      params: a dict or an ``HParams`` for the model_fn.
      use_tpu: must be false.
      train_batch_size, eval_batch_size, predict_batch_size: an int, what params hold as
        "batch_size" in each mode; None for nothing.
      batch_axis, eval_on_tpu, export_to_tpu, export_to_cpu: for TPUs alone.
      warm_start_from: a checkpoint's path or a ``WarmStartSettings``, or None.

    Raises:
      ValueError: use_tpu is true.
    """

    def __init__(
        self,
        model_fn=None,
        model_dir=None,
        config=None,
        params=None,
        use_tpu=True,
        train_batch_size=None,
        eval_batch_size=None,
        predict_batch_size=None,
        batch_axis=None,
        eval_on_tpu=True,
        export_to_tpu=True,
        export_to_cpu=True,
        warm_start_from=None,
    ):
        if use_tpu:
            raise ValueError(
                "This program no longer runs on a TPU: use_tpu must be false."
            )
        super().__init__(model_fn, model_dir, config, params, warm_start_from)
        self._batch_sizes = {
            "train": train_batch_size,
            "eval": eval_batch_size,
            "infer": predict_batch_size,
        }

    def params_of(self, mode):
        """Returns the params of a mode: "train", "eval", "infer" or "export"."""
        size = self._batch_sizes.get(mode)
        sized = {} if size is None else {"batch_size": size}
        return with_values(self.params, use_tpu=False, **sized)
