"""A ``model_fn`` for TPUs and its settings, where code hands a TPUEstimator around."""

from migrate.recovery.model_fn_job import RunConfig, TrainingJob
from migrate.recovery.model_fn_params import with_values


class InputPipelineConfig:
    """How TPUs were fed; nothing here reads it."""

    PER_SHARD_V1, PER_HOST_V1, PER_HOST_V2, BROADCAST, SLICED = 1, 2, 3, 4, 5


class TPUConfig:
    """The settings of TPUs, for code that reads them: a job on CPU or GPU has no use.

    Args:
      iterations_per_loop: steps in one call of a TPU.
      num_shards, num_cores_per_replica, per_host_input_for_training, tpu_job_name,
        initial_infeed_sleep_secs, input_partition_dims: of TPUs.
      others: the rest, by the names that ``tf.estimator.tpu.TPUConfig`` had.
    """

    def __init__(
        self,
        iterations_per_loop=2,
        num_shards=None,
        num_cores_per_replica=None,
        per_host_input_for_training=True,
        tpu_job_name=None,
        initial_infeed_sleep_secs=None,
        input_partition_dims=None,
        **others
    ):
        self.iterations_per_loop = iterations_per_loop
        self.num_shards = num_shards
        self.num_cores_per_replica = num_cores_per_replica
        self.per_host_input_for_training = per_host_input_for_training
        self.tpu_job_name = tpu_job_name
        self.initial_infeed_sleep_secs = initial_infeed_sleep_secs
        self.input_partition_dims = input_partition_dims
        vars(self).update(others)


class TPURunConfig(RunConfig):
    """The settings of a training job, as ``tf.estimator.tpu.RunConfig`` had them.

    Args:
      tpu_config, evaluation_master, master, cluster: kept for code that reads them.
      settings: of ``RunConfig``.
    """

    def __init__(
        self,
        tpu_config=None,
        evaluation_master=None,
        master=None,
        cluster=None,
        **settings
    ):
        super().__init__(**settings)
        self.tpu_config = tpu_config or TPUConfig()
        self.evaluation_master = evaluation_master
        self.master, self.cluster = master, cluster


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
