"""The settings of a job for TPUs, where it runs on CPU or GPU."""

from typing import Any, NamedTuple

from .run_config import RunConfig


class InputPipelineConfig:
    """How TPUs were fed; nothing here reads it."""

    PER_SHARD_V1, PER_HOST_V1, PER_HOST_V2, BROADCAST, SLICED = 1, 2, 3, 4, 5


class TPUConfig(NamedTuple):
    """The settings of TPUs, as ``tf.estimator.tpu.TPUConfig``; nothing here uses them.

    Attributes:
      iterations_per_loop: steps in one call of a TPU.
      num_shards, num_cores_per_replica, per_host_input_for_training, tpu_job_name,
        initial_infeed_sleep_secs, input_partition_dims,
        eval_training_input_configuration, experimental_host_call_every_n_steps,
        experimental_allow_per_host_v2_parallel_get_next, experimental_feed_hook: of
        TPUs.
    """

    iterations_per_loop: int = 2
    num_shards: Any = None
    num_cores_per_replica: Any = None
    per_host_input_for_training: Any = True
    tpu_job_name: Any = None
    initial_infeed_sleep_secs: Any = None
    input_partition_dims: Any = None
    eval_training_input_configuration: Any = InputPipelineConfig.PER_HOST_V1
    experimental_host_call_every_n_steps: int = 1
    experimental_allow_per_host_v2_parallel_get_next: bool = False
    experimental_feed_hook: Any = None


class TPURunConfig(RunConfig):
    """The settings of a training job, as ``tf.estimator.tpu.RunConfig`` had them.

    Args:
      tpu_config: a ``TPUConfig``.
      evaluation_master, master, cluster: addresses of TPUs, for code that reads them.
      settings: of ``RunConfig``.
    """

    def __init__(
        self,
        tpu_config=None,
        evaluation_master=None,
        master=None,
        cluster=None,
        **settings,
    ):
        super().__init__(**settings)
        self.tpu_config, self.cluster = tpu_config or TPUConfig(), cluster
        if master is not None:
            self.master = master
        if evaluation_master is not None:
            self.evaluation_master = evaluation_master
        elif not self.evaluation_master and self.task_type != "evaluator":
            self.evaluation_master = self.master
