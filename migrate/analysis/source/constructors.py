"""The arguments of ``RunConfig`` and of the estimators' constructors, in the order of their signatures."""

RUN_CONFIG_PARAMETERS = (
    "model_dir", "tf_random_seed", "save_summary_steps", "save_checkpoints_steps", "save_checkpoints_secs",
    "session_config", "keep_checkpoint_max", "keep_checkpoint_every_n_hours", "log_step_count_steps",
    "train_distribute", "device_fn", "protocol", "eval_distribute", "experimental_distribute",
    "experimental_max_worker_delay_secs", "session_creation_timeout_secs", "checkpoint_save_graph_def",
)  # fmt: skip

CUSTOM_PARAMETERS = ("model_fn", "model_dir", "config", "params", "warm_start_from")
KERAS_PARAMETERS = (
    "keras_model", "keras_model_path", "custom_objects", "model_dir", "config", "checkpoint_format",
    "metric_names_map", "export_outputs",
)  # fmt: skip
TPU_PARAMETERS = (
    "model_fn", "model_dir", "config", "params", "use_tpu", "train_batch_size", "eval_batch_size", "predict_batch_size",
    "batch_axis", "eval_on_tpu", "export_to_tpu", "export_to_cpu", "warm_start_from", "embedding_config_spec",
    "export_saved_model_api_version",
)  # fmt: skip

_CLASSES = ("n_classes", "weight_column", "label_vocabulary")
_VALUES = ("label_dimension", "weight_column")
_DNN = ("hidden_units", "feature_columns", "model_dir")
_DNN_TAIL = (
    "optimizer", "activation_fn", "dropout", "input_layer_partitioner", "config", "warm_start_from", "loss_reduction",
    "batch_norm",
)  # fmt: skip
_LINEAR = ("feature_columns", "model_dir")
_LINEAR_TAIL = ("optimizer", "config", "partitioner", "warm_start_from", "loss_reduction", "sparse_combiner")
_COMBINED_PARAMETERS = (
    "model_dir", "linear_feature_columns", "linear_optimizer", "dnn_feature_columns", "dnn_optimizer",
    "dnn_hidden_units", "dnn_activation_fn", "dnn_dropout",
)  # fmt: skip
_COMBINED_TAIL = (
    "input_layer_partitioner", "config", "warm_start_from", "loss_reduction", "batch_norm", "linear_sparse_combiner",
)  # fmt: skip
_BASELINE_TAIL = ("optimizer", "config", "loss_reduction")

_V1 = {
    "DNNClassifier": (*_DNN, *_CLASSES, *_DNN_TAIL),
    "DNNRegressor": (*_DNN, *_VALUES, *_DNN_TAIL),
    "LinearClassifier": (*_LINEAR, *_CLASSES, *_LINEAR_TAIL),
    "LinearRegressor": (*_LINEAR, *_VALUES, *_LINEAR_TAIL),
    "DNNLinearCombinedClassifier": (*_COMBINED_PARAMETERS, *_CLASSES, *_COMBINED_TAIL),
    "DNNLinearCombinedRegressor": (*_COMBINED_PARAMETERS, *_VALUES, *_COMBINED_TAIL),
    "BaselineClassifier": ("model_dir", *_CLASSES, *_BASELINE_TAIL),
    "BaselineRegressor": ("model_dir", *_VALUES, *_BASELINE_TAIL),
}
_WITH_HEAD = {
    "DNNEstimator": (
        "head", *_DNN, "optimizer", "activation_fn", "dropout", "config", "warm_start_from", "batch_norm",
    ),
    "LinearEstimator": ("head", *_LINEAR, "optimizer", "config", "sparse_combiner", "warm_start_from"),
    "DNNLinearCombinedEstimator": ("head", *_COMBINED_PARAMETERS, "config", "batch_norm", "linear_sparse_combiner"),
}  # fmt: skip
_PARTITIONERS = ("input_layer_partitioner", "partitioner")


def parameters(name: str, *, is_v1: bool) -> tuple[str, ...]:
    """Returns the parameters of a premade estimator's constructor; () where they are unknown.

    Args:
      is_v1: whether to return those of TensorFlow 1, which have a partitioner.
    """
    if name in _WITH_HEAD:
        return () if is_v1 else _WITH_HEAD[name]  # TensorFlow 1's take heads that only contrib made
    return tuple(one for one in _V1.get(name, ()) if is_v1 or one not in _PARTITIONERS)
