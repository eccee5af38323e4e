"""The settings of a training job by the arguments that ``tf.contrib.learn`` had for them."""

import tensorflow.compat.v1 as tf1

from ..estimator.run_config import RunConfig

UID_WHITELIST = [
    "tf_random_seed",
    "save_summary_steps",
    "save_checkpoints_steps",
    "save_checkpoints_secs",
    "session_config",
    "keep_checkpoint_max",
    "keep_checkpoint_every_n_hours",
    "log_step_count_steps",
]
"""What the ``uid`` of a ``tf.contrib.learn.RunConfig`` leaves out."""


class LearnRunConfig(RunConfig):
    """As ``RunConfig``, with the arguments of ``tf.contrib.learn.RunConfig``.

    Args:
      master, evaluation_master: addresses of servers, for code that reads them.
      num_cores, log_device_placement, gpu_memory_fraction: what ``tf_config`` says; the
        training follows ``session_config`` alone, as it did.
      save_checkpoints_secs: seconds between two checkpoints; 0 for 600, or for none
        where steps are given.
      the others: as there.

    Attributes:
      tf_config: a ``ConfigProto``, for code that reads it.
    """

    def __init__(
        self,
        master=None,
        num_cores=0,
        log_device_placement=False,
        gpu_memory_fraction=1,
        tf_random_seed=None,
        save_summary_steps=100,
        save_checkpoints_secs=0,
        save_checkpoints_steps=None,
        keep_checkpoint_max=5,
        keep_checkpoint_every_n_hours=10000,
        log_step_count_steps=100,
        protocol=None,
        evaluation_master="",
        model_dir=None,
        session_config=None,
        session_creation_timeout_secs=7200,
    ):
        if save_checkpoints_secs == 0:
            save_checkpoints_secs = 600 if save_checkpoints_steps is None else None
        super().__init__(
            model_dir=model_dir,
            tf_random_seed=tf_random_seed,
            save_summary_steps=save_summary_steps,
            save_checkpoints_steps=save_checkpoints_steps,
            save_checkpoints_secs=save_checkpoints_secs,
            session_config=session_config,
            keep_checkpoint_max=keep_checkpoint_max,
            keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours,
            log_step_count_steps=log_step_count_steps,
            protocol=protocol,
            session_creation_timeout_secs=session_creation_timeout_secs,
        )
        self.tf_config = tf1.ConfigProto(
            log_device_placement=log_device_placement,
            inter_op_parallelism_threads=num_cores,
            intra_op_parallelism_threads=num_cores,
            gpu_options=tf1.GPUOptions(
                per_process_gpu_memory_fraction=gpu_memory_fraction
            ),
        )
        self.master = self.master if master is None else master
        self.evaluation_master = evaluation_master or self.evaluation_master
