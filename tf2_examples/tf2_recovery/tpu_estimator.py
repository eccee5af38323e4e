# Part of tf2_recovery, written by estimator-migrate 0.1.0 (content 05fda063483afb43).
"""A model_fn for TPUs with its settings, which runs on CPU or GPU."""

from .estimator import Estimator
from .model_fn_params import with_values
from .tpu_run_config import TPURunConfig
from .twin_classes import is_of_class


class TPUEstimator(Estimator):
    """A ``tf.estimator.tpu.TPUEstimator`` that runs on CPU or GPU.

    Args:
      model_fn: takes features and any of labels, mode, params and config, and returns
        a ``TPUEstimatorSpec`` or an ``EstimatorSpec``. params hold the "batch_size" of
        the mode, and "use_tpu".
      model_dir: the directory of the checkpoints; by default config's, else a new one.
      config: a ``TPURunConfig``.
      params: a dict or an ``HParams``.
      use_tpu: whether to run on a TPU: then it raises where it would.
      train_batch_size, eval_batch_size, predict_batch_size: an int; None for nothing.
      batch_axis, export_to_tpu, export_to_cpu, options: for TPUs alone.
      eval_on_tpu: whether an evaluation would run on a TPU, too.
      warm_start_from: as for an ``Estimator``.

    Raises:
      ValueError: config is another one, or params hold what this puts among them.
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
        **options,
    ):
        if not is_of_class(config, TPURunConfig):
            raise ValueError("`config` must be provided with type `TPURunConfig`")
        reserved = [
            name for name in ("batch_size", "context") if name in (params or ())
        ]
        if reserved:
            raise ValueError(f"{reserved} are reserved keys but existed in params.")
        if use_tpu and train_batch_size is None:
            raise ValueError("`train_batch_size` cannot be `None`")
        super().__init__(model_fn, model_dir, config, params, warm_start_from)
        self._on_tpu = {
            "train": use_tpu,
            "eval": use_tpu and eval_on_tpu,
            "infer": use_tpu,
        }
        self._batch_sizes = {
            "train": train_batch_size,
            "eval": eval_batch_size,
            "infer": predict_batch_size,
        }
        self._is_exporting = False

    def _settings(self, mode):
        if self._on_tpu[mode]:
            raise RuntimeError(
                "use_tpu is true, and this program no longer runs on a TPU. Give "
                "use_tpu=False to run it on CPU or GPU. To stay on TPUs, write the "
                "training with tf.distribute.TPUStrategy, see "
                "https://www.tensorflow.org/guide/tpu."
            )
        return super()._settings(mode)

    def _params_of(self, mode):
        size = None if self._is_exporting else self._batch_sizes[mode]
        sized = {} if size is None else {"batch_size": size}
        return with_values(self._params, use_tpu=False, **sized)

    def _export(self, *arguments, **options):
        self._is_exporting = True
        try:
            return super()._export(*arguments, **options)
        finally:
            self._is_exporting = False
