# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content b8a38f0c3557b3d3).
"""Runs a ``TPUEstimator``'s model_fn on CPU or GPU."""

from typing import Any, NamedTuple

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from .changed_params import copy_with
from .estimator import Estimator, EstimatorSpec
from .optional_files import is_of_class
from .run_config import RunConfig


class InputPipelineConfig:
    """Constants of ``TPUConfig``, for programs that name them; ignored here."""

    PER_SHARD_V1, PER_HOST_V1, PER_HOST_V2, BROADCAST, SLICED = 1, 2, 3, 4, 5


class TPUConfig(NamedTuple):
    """The settings of ``tf.estimator.tpu.TPUConfig``; all are ignored here."""

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
      tpu_config: a ``TPUConfig``; None for its defaults.
      evaluation_master, master, cluster: addresses of TPUs; only the program reads them.
      settings: the arguments of ``RunConfig``.
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


class TPUEstimatorSpec(NamedTuple):
    """What a ``model_fn`` returns, as ``tf.estimator.tpu.TPUEstimatorSpec``.

    Attributes:
      eval_metrics: (function, a list or a dict of tensors as its arguments); the
        function returns the metrics.
      host_call: likewise; the operations that the function returns run in every step.
      scaffold_fn: a function that returns the ``tf.compat.v1.train.Scaffold``, or None.
    """

    mode: str
    predictions: Any = None
    loss: Any = None
    train_op: Any = None
    eval_metrics: Any = None
    export_outputs: Any = None
    scaffold_fn: Any = None
    host_call: Any = None
    training_hooks: Any = ()
    evaluation_hooks: Any = ()
    prediction_hooks: Any = ()

    def as_estimator_spec(self):
        """Returns the ``EstimatorSpec`` for CPU or GPU."""
        metrics = _call_pair(self.eval_metrics)
        hooks = (HostCallHook(_call_pair(self.host_call)),) if self.host_call else ()
        return EstimatorSpec(
            mode=self.mode,
            predictions=self.predictions,
            loss=self.loss,
            train_op=self.train_op,
            eval_metric_ops=metrics,
            export_outputs=self.export_outputs,
            scaffold=self.scaffold_fn() if self.scaffold_fn else None,
            training_hooks=(*(self.training_hooks or ()), *hooks),
            evaluation_hooks=(*(self.evaluation_hooks or ()), *hooks),
            prediction_hooks=(*(self.prediction_hooks or ()), *hooks),
        )


def _call_pair(pair):
    if not pair:
        return None
    function, tensors = pair
    return function(**tensors) if isinstance(tensors, dict) else function(*tensors)


class HostCallHook(tf1.train.SessionRunHook):
    """Runs the operations of a ``host_call`` in every step.

    Args:
      fetches: operations or tensors, in any structure; may write summaries by the
        ``tf.summary`` writers of the graph, which this hook opens and flushes.
    """

    def __init__(self, fetches):
        self._fetches = fetches

    def begin(self):
        # The operations that create writers; TensorFlow has no public list of them.
        self._make = tf1.get_collection("_SUMMARY_WRITER_V2")
        writers = [operation.inputs[0] for operation in self._make]
        self._flush = [tf.raw_ops.FlushSummaryWriter(writer=one) for one in writers]

    def after_create_session(self, session, coord):
        session.run(self._make)

    def before_run(self, run_context):
        return tf1.train.SessionRunArgs(self._fetches)

    def end(self, session):
        session.run(self._flush)


class TPUEstimator(Estimator):
    """A ``tf.estimator.tpu.TPUEstimator`` that runs on CPU or GPU.

    Args:
      model_fn: takes features and any of labels, mode, params and config, and returns
        a ``TPUEstimatorSpec`` or an ``EstimatorSpec``. params hold the "batch_size" of
        the mode, and "use_tpu".
      model_dir: as for an ``Estimator``.
      config: a ``TPURunConfig``.
      params: a dict or an ``HParams``.
      use_tpu: must be False to train or predict; True raises a RuntimeError there.
      train_batch_size, eval_batch_size, predict_batch_size: params["batch_size"] of the
        mode, an int; None for none.
      batch_axis, export_to_tpu, export_to_cpu, options: for TPUs only; ignored.
      eval_on_tpu: whether use_tpu also counts for an evaluation.
      warm_start_from, checkpoints: as for an ``Estimator``.

    Raises:
      ValueError: config is no ``TPURunConfig``, params has "batch_size" or "context", or
        use_tpu is True without train_batch_size.
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
        *,
        checkpoints=None,
        **options,
    ):
        if not is_of_class(config, TPURunConfig):
            raise ValueError("`config` must be provided with type `TPURunConfig`")
        reserved = [n for n in ("batch_size", "context") if n in (params or ())]
        if reserved:
            raise ValueError(f"{reserved} are reserved keys but existed in params.")
        if use_tpu and train_batch_size is None:
            raise ValueError("`train_batch_size` cannot be `None`")
        super().__init__(
            model_fn,
            model_dir,
            config,
            params,
            warm_start_from,
            checkpoints=checkpoints,
        )
        self._use_tpu, self._eval_on_tpu = use_tpu, eval_on_tpu
        sizes = train_batch_size, eval_batch_size, predict_batch_size
        self._batch_sizes = dict(zip(("train", "eval", "infer"), sizes))
        self._is_exporting = False

    def _check_can_run(self, mode):
        if self._use_tpu and (self._eval_on_tpu or mode != "eval"):
            raise RuntimeError(
                "use_tpu is true, and this program no longer runs on a TPU. Give "
                "use_tpu=False to run it on CPU or GPU. To stay on TPUs, write the "
                "training with tf.distribute.TPUStrategy, see "
                "https://www.tensorflow.org/guide/tpu."
            )

    def _params_of(self, mode):
        size = None if self._is_exporting else self._batch_sizes[mode]
        sizes = {} if size is None else {"batch_size": size}
        return copy_with(self._params, use_tpu=False, **sizes)

    def _export(self, *arguments, **options):
        self._is_exporting = True
        try:
            return super()._export(*arguments, **options)
        finally:
            self._is_exporting = False
