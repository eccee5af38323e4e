"""TensorFlow's names under their many spellings, and which of them are recovery sites."""

import ast
from dataclasses import dataclass

from migrate.analysis.names import Names
from migrate.analysis.tensorflow_1_names import ONLY_IN_1, OTHER_IN_2, is_in

CUSTOM = {"Estimator", "EstimatorV2"}
TPU = {"tpu.TPUEstimator"}
CANNED = {
    "BaselineClassifier", "BaselineRegressor", "DNNClassifier", "DNNRegressor", "DNNLinearCombinedClassifier",
    "DNNLinearCombinedRegressor", "LinearClassifier", "LinearRegressor",
    "DNNEstimator", "DNNLinearCombinedEstimator", "LinearEstimator",
}  # fmt: skip
OTHER_CANNED = {
    "BaselineEstimator", "BoostedTreesClassifier", "BoostedTreesEstimator", "BoostedTreesRegressor",
    "SVM", "RNNClassifier", "RNNEstimator",
}  # fmt: skip
RUN_CONFIGS = {"estimator.RunConfig", "estimator.tpu.RunConfig"}
INPUT_FNS = {"estimator.inputs.numpy_input_fn", "estimator.inputs.pandas_input_fn"}
EXTENDERS = {"estimator.add_metrics"}
"""What takes an estimator and returns another one."""

HOOK_BASES = {"train.SessionRunHook", "estimator.SessionRunHook"}
SINGLE_SITES = {
    "keras.callbacks.BackupAndRestore", "keras.callbacks.ModelCheckpoint",
    "keras.callbacks.experimental.BackupAndRestore",
    "contrib.distribute.CollectiveAllReduceStrategy", "data.Options",
    "distribute.MultiWorkerMirroredStrategy", "distribute.experimental.MultiWorkerMirroredStrategy",
    "distribute.experimental.CollectiveCommunication", "distribute.experimental.CollectiveCommunication.AUTO",
    "distribute.experimental.CollectiveCommunication.NCCL", "distribute.experimental.CollectiveCommunication.RING",
    "train.Checkpoint", "train.CheckpointManager", "train.load_checkpoint",
}  # fmt: skip
"""Names that one of the rules for single sites looks at; a file without any of them is not judged by those rules."""

ESTIMATOR_HOOKS = {
    "CheckpointSaverListener", "FeedFnHook", "FinalOpsHook", "GlobalStepWaiterHook", "LoggingTensorHook",
    "NanLossDuringTrainingError", "NanTensorHook", "SecondOrStepTimer", "SessionRunArgs",
    "SessionRunContext", "SessionRunHook", "SessionRunValues", "StepCounterHook", "StopAtStepHook", "SummarySaverHook",
    "VocabInfo",
}  # fmt: skip
"""Names of ``tf.estimator`` that ``tf.compat.v1.train`` has too."""

ESTIMATOR_TPU = {
    "tpu.CrossShardOptimizer", "tpu.batch_parallel", "tpu.bfloat16_scope", "tpu.core", "tpu.cross_replica_sum",
    "tpu.initialize_system", "tpu.outside_compilation", "tpu.replicate", "tpu.rewrite", "tpu.shard",
    "tpu.shutdown_system",
}  # fmt: skip
"""Names of ``tf.contrib.tpu`` that ``tf.compat.v1`` has too."""

EAGER = (
    "app.", "flags.", "gfile.", "logging.", "io.", "data.", "feature_column.", "nn.", "keras.", "errors.", "version",
    "VERSION",
)  # fmt: skip
"""Beginnings of the names of ``tf.compat.v1`` that work the same in eager mode."""

# Where contrib and private modules keep what tf.estimator exports.
_MOVED = {
    "contrib.tpu.python.tpu.tpu_config.": "estimator.tpu.",
    "contrib.tpu.python.tpu.tpu_estimator.": "estimator.tpu.",
    "contrib.tpu.python.tpu.tpu_optimizer.": "estimator.tpu.",
    "contrib.tpu.": "estimator.tpu.",
    "contrib.estimator.": "estimator.",
    "keras.estimator.": "estimator.",
    "contrib.learn.": "estimator.",
    "python.estimator.run_config.": "estimator.",
    "python.estimator.estimator.": "estimator.",
    "python.estimator.training.": "estimator.",
    "python.estimator.canned.dnn.": "estimator.",
    "python.estimator.inputs.numpy_io.": "estimator.inputs.",
    "python.estimator.inputs.pandas_io.": "estimator.inputs.",
    "python.estimator.inputs.inputs.": "estimator.inputs.",
    "python.training.session_run_hook.": "train.",
    "python.keras.": "keras.",
}
_ROOTS = (
    ("tensorflow.compat.v1.", "v1"),
    ("tensorflow.compat.v2.", "v2"),
    ("tensorflow._api.v1.", "v1"),
    ("tensorflow_estimator.compat.v1.", "v1"),
    ("tensorflow_estimator.", "v1"),  # imported by itself it has compat.v1's names
    ("tensorflow_core.", "tf"),
    ("tensorflow.", "tf"),
)
_KERAS_ROOTS = {"keras.": "keras", "tf_keras.": "tf_keras"}

_TF1_ONLY_MODULES = ("app.", "contrib.", "estimator.inputs.", "flags.", "gfile.", "layers.", "logging.")


@dataclass(frozen=True)
class Symbol:
    """One TensorFlow name.

    Attributes:
      qualified: as the file spells it after import resolution, ``tensorflow.compat.v1.estimator.RunConfig``.
      api: ``v1``, ``v2``, or ``tf`` for plain ``tensorflow``, which is either; ``keras`` or ``tf_keras`` for Keras
        imported by itself.
      tail: the name within the API, wherever contrib or a private module keeps it: ``estimator.RunConfig``.
    """

    qualified: str
    api: str
    tail: str

    @property
    def is_contrib_learn(self) -> bool:
        """Whether this is ``tf.contrib.learn``, whose classes have the Estimator's names and other arguments."""
        return self.qualified.startswith("tensorflow.contrib.learn.")

    @property
    def has_other_name(self) -> bool:
        """Whether this name of ``tf.estimator`` is also that of an object outside it, which every TensorFlow has."""
        return self.tail.removeprefix("estimator.") in ESTIMATOR_HOOKS | ESTIMATOR_TPU

    @property
    def is_tf1_only(self) -> bool:
        """Whether this name under plain ``tensorflow`` exists in TensorFlow 1 alone."""
        return self.api == "tf" and (
            is_in(ONLY_IN_1, self.tail)
            or self.tail.startswith(_TF1_ONLY_MODULES)
            or self.qualified.startswith("tensorflow.contrib.")
        )

    @property
    def is_other_in_2(self) -> bool:
        """Whether this name under plain ``tensorflow`` means another thing in TensorFlow 2 than in TensorFlow 1."""
        return self.api == "tf" and is_in(OTHER_IN_2, self.tail)


def symbol(qualified: str | None) -> Symbol | None:
    """The TensorFlow symbol behind a dotted name, or None for anything else."""
    if qualified is None:
        return None
    for root, api in _KERAS_ROOTS.items():
        if qualified.startswith(root):
            return Symbol(qualified, api, f"keras.{qualified.removeprefix(root)}")
    for root, api in _ROOTS:
        if qualified.startswith(root):
            tail = qualified.removeprefix(root)
            for old, new in _MOVED.items():
                if tail.startswith(old):
                    # A private module holds the v1 class under the plain name, DNNClassifierV2 beside it.
                    is_v1 = old.startswith("python.") and new != "keras."
                    return Symbol(qualified, "v1" if is_v1 else api, new + tail.removeprefix(old))
            return Symbol(qualified, api, tail)
    return None


def symbol_of(names: Names, expression: ast.expr) -> Symbol | None:
    """The TensorFlow symbol that an expression stands for, or None."""
    return symbol(names.qualified(expression))


def estimator_kind(found: Symbol) -> str | None:
    """``canned``, ``custom``, ``tpu``, ``other-canned`` or ``keras`` for an Estimator's constructor, else None."""
    if not found.tail.startswith("estimator."):
        return None
    name = found.tail.removeprefix("estimator.")
    if name in CANNED:
        return "canned"
    if name in CUSTOM:
        return "custom"
    if name in TPU:
        return "tpu"
    if name in OTHER_CANNED:
        return "other-canned"
    return "keras" if name == "model_to_estimator" else None
