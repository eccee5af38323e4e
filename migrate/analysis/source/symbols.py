"""TensorFlow's names under their many spellings, and the kinds of Estimators among them."""

import ast
import re
from functools import cached_property

from migrate.analysis.source.names import Names
from migrate.files.run_cache import run_cache
from migrate.records import dataclass
from migrate.tensorflow.known_names import is_only_in, public_name
from migrate.tensorflow.meanings import has_two_meanings

CUSTOM = {"Estimator", "EstimatorV2"}
TPU = {"tpu.TPUEstimator"}
_CONTRIB_ONLY = {
    "factorization.GMM", "factorization.WALSMatrixFactorization", "gan.estimator.GANEstimator",
    "gan.estimator.StarGANEstimator", "gan.estimator.TPUGANEstimator", "kernel_methods.KernelLinearClassifier",
    "learn.BaseEstimator", "learn.DynamicRnnEstimator", "learn.KMeansClustering", "estimator.SavedModelEstimator",
    "tensor_forest.client.random_forest.CoreTensorForestEstimator",
    "tensor_forest.client.random_forest.MultiForestMultiHeadEstimator",
    "tensor_forest.client.random_forest.TensorForestEstimator", "tensor_forest.random_forest.CoreTensorForestEstimator",
    "tensor_forest.random_forest.MultiForestMultiHeadEstimator", "tensor_forest.random_forest.TensorForestEstimator",
    "timeseries.ARRegressor", "timeseries.StructuralEnsembleRegressor", "timeseries.TimeSeriesRegressor",
}  # fmt: skip
"""The estimators that only contrib of TensorFlow 1.15 had."""
PREMADE = {
    "DNNClassifier", "DNNRegressor",
    "BaselineClassifier", "BaselineEstimator", "BaselineRegressor", "DNNEstimator", "DNNLinearCombinedClassifier",
    "DNNLinearCombinedEstimator", "DNNLinearCombinedRegressor", "LinearClassifier", "LinearEstimator",
    "LinearRegressor", "BoostedTreesClassifier", "BoostedTreesEstimator", "BoostedTreesRegressor",
    "SVM", "RNNClassifier", "RNNEstimator", "experimental.KMeans", "experimental.RNNClassifier",
    "experimental.RNNEstimator", *_CONTRIB_ONLY,
}  # fmt: skip
RUN_CONFIGS = {"estimator.RunConfig", "estimator.tpu.RunConfig"}
INPUT_FNS = {"estimator.inputs.numpy_input_fn", "estimator.inputs.pandas_input_fn"}
SINGLE_SITES = {
    "keras.callbacks.BackupAndRestore", "keras.callbacks.ModelCheckpoint",
    "keras.callbacks.experimental.BackupAndRestore",
    "contrib.distribute.CollectiveAllReduceStrategy",
    "distribute.MultiWorkerMirroredStrategy", "distribute.experimental.MultiWorkerMirroredStrategy",
    "train.Checkpoint", "train.CheckpointManager", "train.load_checkpoint",
    "train.MonitoredTrainingSession", "train.Saver", "train.Supervisor",
}  # fmt: skip
"""The names that the rules for single sites examine; a file without any of them is not judged by those rules."""

# Packages outside tf.estimator that export its names.
_ALIASES = {"contrib.estimator.": "estimator.", "contrib.learn.": "estimator.", "keras.estimator.": "estimator."}
READER = "estimator.predictor.from_saved_model"
"""Loads an Estimator's export, often in a file that creates no Estimator."""
_CONTRIB_NAMES = {
    "contrib.factorization.KMeansClustering": "estimator.experimental.KMeans",
    "contrib.predictor.from_saved_model": READER,
    **{f"contrib.{name}": f"estimator.{name}" for name in _CONTRIB_ONLY},
}
"""Names of contrib by the names that they have in tf.estimator or keep there."""
_ROOTS = (
    ("tensorflow.compat.v2.compat.v1.", "v1"),  # ``import tensorflow.compat.v2 as tf``, then ``tf.compat.v1``
    ("tensorflow.compat.v1.compat.v1.", "v1"),
    ("tensorflow.compat.v1.compat.v2.", "v2"),
    ("tensorflow.compat.v1.", "v1"),
    ("tensorflow.compat.v2.", "v2"),
    ("tensorflow._api.v1.", "v1"),
    ("tensorflow_estimator.compat.v1.", "v1"),
    ("tensorflow_estimator._api.v1.", "v1"),
    ("tensorflow_estimator._api.v2.", "v2"),
    ("tensorflow_estimator.python.estimator.api._v1.", "v1"),
    ("tensorflow_estimator.python.estimator.api._v2.", "v2"),
    ("tensorflow_estimator.python.estimator.api.", "v1"),
    ("tensorflow_estimator.", "v1"),  # imported by itself it has compat.v1's names
    ("tensorflow_core.", "tf"),
    ("tensorflow.", "tf"),
)
_PRIVATE_NAMES = {
    "canned.head._binary_logistic_head_with_sigmoid_cross_entropy_loss": "binary_logistic_head",
    "canned.head._binary_logistic_or_multi_class_head": "binary_logistic_or_multi_class_head",
    "canned.head._multi_class_head_with_softmax_cross_entropy_loss": "softmax_cross_entropy_head",
    "canned.head._regression_head": "squared_error_head",
    "canned.head._regression_head_with_mean_squared_error_loss": "squared_error_head",
    "canned.optimizers.get_optimizer_instance": "get_optimizer_instance",
}
"""Private functions of the Estimator that model_fns call, with the names that this package gives them."""

ROOTS = ("keras", "tensorflow", "tf_keras")
"""The packages of the dotted names that are symbols."""

_KERAS_ROOTS = {"keras.": "keras", "tf_keras.": "tf_keras"}

_NESTED_API = re.compile(r"^tensorflow\.(?:compat\.v[12]\.)+(compat\.v[12]\.)")
"""Each API contains the others: after ``import tensorflow.compat.v2 as tf``, ``tf.compat.v1`` is TensorFlow 1's."""

_TF1_ONLY_MODULES = ("estimator.inputs.",)


@dataclass(frozen=True)
class Symbol:
    """One TensorFlow name.

    Attributes:
      qualified: the dotted name after import resolution, ``tensorflow.compat.v1.estimator.RunConfig``.
      api: ``v1``, ``v2``, or ``tf`` for plain ``tensorflow``, which is either; ``keras`` or ``tf_keras`` for the
        packages of these names.
      tail: the public name within the API, also for one of contrib or a private module: ``estimator.RunConfig``.
    """

    qualified: str
    api: str
    tail: str

    @property
    def is_contrib_learn(self) -> bool:
        """Whether this is in ``tf.contrib.learn``, whose classes have the Estimator's names but other arguments."""
        return self._tail_as_spelled.startswith("contrib.learn.")

    @property
    def is_contrib(self) -> bool:
        """Whether this is spelled as a name of ``tf.contrib``, even below ``compat.v1``, which has no contrib."""
        return self._tail_as_spelled.startswith("contrib.")

    @property
    def _tail_as_spelled(self) -> str:
        return self.qualified.removeprefix("tensorflow.").removeprefix("compat.v1.")

    @property
    def has_other_name(self) -> bool:
        """Whether every TensorFlow has this object of ``tf.estimator`` under another name too."""
        return self.other_name is not None

    @property
    def is_mode(self) -> bool:
        """Whether this is a mode such as ``ModeKeys.TRAIN``, which has the same value outside the Estimator."""
        return self.tail.startswith("estimator.ModeKeys.")

    @cached_property
    def other_name(self) -> str | None:
        """The name of this object outside ``tf.estimator``, such as ``train.SessionRunHook``; None for none."""
        found = public_name(f"tensorflow.{self.tail}")
        return None if found is None or found.tail.startswith(("contrib.", "estimator.")) else found.tail

    @cached_property
    def is_tf1_only(self) -> bool:
        """Whether only TensorFlow 1 has this name of contrib or plain ``tensorflow``."""
        is_there = is_only_in(1, self.tail) or self.tail.startswith(_TF1_ONLY_MODULES)
        return self.is_contrib or (self.api == "tf" and is_there)

    @property
    def is_private(self) -> bool:
        """Whether it is spelled as a private name, ``tensorflow.python.…``."""
        return self.qualified.startswith("tensorflow.python.")

    @cached_property
    def is_ambiguous(self) -> bool:
        """Whether this name of plain ``tensorflow`` has different meanings in TensorFlow 1 and 2."""
        return self.api == "tf" and has_two_meanings(self.tail)

    @cached_property
    def is_tf2_only(self) -> bool:
        """Whether only TensorFlow 2 has this name of plain ``tensorflow``."""
        return self.api == "tf" and is_only_in(2, self.tail)


@run_cache
def symbol(qualified: str | None) -> Symbol | None:
    """Returns the TensorFlow symbol with a dotted name, or None for any other name."""
    if qualified is None:
        return None
    qualified = _NESTED_API.sub(r"tensorflow.\1", qualified)
    for root, api in _KERAS_ROOTS.items():
        if qualified.startswith(root):
            tail = qualified.removeprefix(root)
            return Symbol(qualified, api, tail if tail.startswith("estimator.") else f"keras.{tail}")
    for root, api in _ROOTS:
        if qualified.startswith(root):
            tail = qualified.removeprefix(root)
            is_private = tail.startswith(("python.", "core."))
            public = public_name(qualified) if is_private or tail.startswith("contrib.") else None
            if public is not None:
                # A private module has the v1 class under the plain name, and DNNClassifierV2.
                is_v1 = public.api == "v1" or (public.api == "both" and public.tail.startswith("estimator."))
                api, tail = ("v1" if is_v1 else "v2") if is_private else api, public.tail
                if is_private and tail.startswith("data.") and has_two_meanings(tail):
                    api = "tf"  # the private name is also TensorFlow 2's class when that behavior is on
            inside = _PRIVATE_NAMES.get(tail.removeprefix("python.estimator.")) if is_private else None
            if inside is not None:
                return Symbol(qualified, "v1", f"estimator.{inside}")
            if tail in _CONTRIB_NAMES:
                return Symbol(qualified, api, _CONTRIB_NAMES[tail])
            for old, new in _ALIASES.items():
                if tail.startswith(old):
                    return Symbol(qualified, api, new + tail.removeprefix(old))
            return Symbol(qualified, api, tail)
    return None


def symbol_of(names: Names, expression: ast.expr) -> Symbol | None:
    """Returns the TensorFlow symbol that an expression names, or None."""
    return symbol(names.qualified(expression))


def tail_called(names: Names, node: ast.AST | None) -> str:
    """Returns the ``tail`` of the TensorFlow function that a call calls; "" for any other call or node."""
    found = symbol_of(names, node.func) if isinstance(node, ast.Call) else None
    return found.tail if found is not None else ""


def estimator_kind(found: Symbol) -> str | None:
    """Returns ``premade``, ``custom``, ``tpu`` or ``keras`` for an Estimator's constructor, else None."""
    if not found.tail.startswith("estimator."):
        return None
    name = found.tail.removeprefix("estimator.")
    if name in PREMADE:
        return "premade"
    if name in CUSTOM:
        return "custom"
    if name in TPU:
        return "tpu"
    return "keras" if name == "model_to_estimator" else None
