"""FT138 · tf.contrib names that TensorFlow 2 has elsewhere

``tf.contrib`` exists in no TensorFlow 2. Some of it was moved into TensorFlow itself, and ``contrib`` only named it
again; some small functions can be written down.

Instead: the name that TensorFlow 2 has, below ``tf.compat.v1``; the functions that it has nowhere are emitted
(``optimize_loss``, ``layer_norm``, ``fully_connected``, ``batch_norm``, ``l1_regularizer``, ``l2_regularizer``, the
tables of ``lookup``, ``crf_log_likelihood``, ``crf_decode``, ``viterbi_decode``, ``LSTMBlockFusedCell``,
``TimeReversedFusedRNN``, ``model_variable``, the loss scaling of ``mixed_precision``).

Fidelity: exact: in TensorFlow 1.15 each name is the very object, or has the same definition; ``optimize_loss`` gives
the same losses, summaries and variables to the last bit; ``fully_connected`` and ``batch_norm`` give the same losses
and variables to the last bit as contrib's own code, which lives on as ``tf_slim``. ``crf`` and the fused cells were
trained beside TensorFlow 1.15's: the same variables, slots and tags, losses equal to 3e-7, and to the last bit where
contrib's code ran on TensorFlow 2.15. A loss scale grows, shrinks and leaves out steps as TensorFlow 1.15's does, in
variables of the same names. Any other contrib name leaves the program, and is named, and so does one of these with an
argument that is not carried over: noise or multipliers of gradients, collections for variables or outputs.

See: https://github.com/tensorflow/tensorflow/tree/v1.15.5/tensorflow/contrib
"""

import ast
from collections.abc import Iterator

from migrate.analysis.policy import FOR_TPUS
from migrate.analysis.program import Program
from migrate.rewrite.draft import Draft, OtherFile
from migrate.rewrite.plan import ReplaceExpression
from migrate.rules.rule import CUSTOM, Example, Verdict, exact, manual, rule

_RNN = (
    "BasicLSTMCell", "BasicRNNCell", "DeviceWrapper", "DropoutWrapper", "GRUCell", "LSTMCell", "LSTMStateTuple",
    "MultiRNNCell", "RNNCell", "ResidualWrapper",
)  # fmt: skip
_DATA = (
    "AUTOTUNE", "CsvDataset", "Counter", "RandomDataset", "bucket_by_sequence_length", "choose_from_datasets",
    "copy_to_device", "dense_to_sparse_batch", "enumerate_dataset", "get_single_element", "group_by_reducer",
    "group_by_window", "ignore_errors", "make_batched_features_dataset", "make_csv_dataset", "map_and_batch",
    "parallel_interleave", "prefetch_to_device", "rejection_resample", "sample_from_datasets", "scan",
    "shuffle_and_repeat", "unbatch", "unique",
)  # fmt: skip
_STEP = ("assert_global_step", "create_global_step", "get_global_step", "get_or_create_global_step")
_NEST = ("assert_same_structure", "flatten", "map_structure", "pack_sequence_as")

SUCCESSORS = {
    "cluster_resolver.TPUClusterResolver": "distribute.cluster_resolver.TPUClusterResolver",
    "training.checkpoints_iterator": "train.checkpoints_iterator",
    "layers.flatten": "layers.flatten",
    "util.constant_value": "get_static_value",
    "util.make_tensor_proto": "make_tensor_proto",
    "util.make_ndarray": "make_ndarray",
    "lookup.KeyValueTensorInitializer": "lookup.KeyValueTensorInitializer",
    "rnn.static_rnn": "nn.static_rnn",
    **{f"rnn.{name}": f"nn.rnn_cell.{name}" for name in _RNN},
    **{f"data.{name}": f"data.experimental.{name}" for name in _DATA},
    **{f"framework.{name}": f"train.{name}" for name in ("list_variables", "load_checkpoint", "load_variable")},
    **{f"framework.{name}": f"train.{name}" for name in _STEP},
    **{f"framework.nest.{name}": f"nest.{name}" for name in _NEST},
}
"""Names below ``tf.contrib``, and where ``tf.compat.v1`` has them."""

EMITTED = {
    "crf.crf_decode": "crf_decode",
    "crf.crf_log_likelihood": "crf_log_likelihood",
    "crf.viterbi_decode": "viterbi_decode",
    "layers.batch_norm": "batch_norm",
    "layers.fully_connected": "fully_connected",
    "layers.l1_regularizer": "l1_regularizer",
    "layers.l2_regularizer": "l2_regularizer",
    "layers.layer_norm": "layer_norm",
    "layers.optimize_loss": "optimize_loss",
    "lookup.index_table_from_file": "index_table_from_file",
    "lookup.index_table_from_tensor": "index_table_from_tensor",
    "lookup.index_to_string_table_from_file": "index_to_string_table_from_file",
    "lookup.index_to_string_table_from_tensor": "index_to_string_table_from_tensor",
    "rnn.LSTMBlockFusedCell": "LSTMBlockFusedCell",
    "rnn.TimeReversedFusedRNN": "TimeReversedFusedRNN",
    "framework.model_variable": "model_variable",
    "framework.python.ops.variables.model_variable": "model_variable",
    "layers.python.layers.utils.collect_named_outputs": "collect_named_outputs",
    "layers.python.layers.utils.get_variable_collections": "get_variable_collections",
    "mixed_precision.ExponentialUpdateLossScaleManager": "ExponentialUpdateLossScaleManager",
    "mixed_precision.FixedLossScaleManager": "FixedLossScaleManager",
    "mixed_precision.LossScaleOptimizer": "LossScaleOptimizer",
}
_XAVIER = ("layers.xavier_initializer", "layers.xavier_initializer_conv2d")


@rule(
    "FT138",
    "exact",
    Example("print(tf.contrib.data.AUTOTUNE)", "print(tf.data.experimental.AUTOTUNE)", "head", kind="custom"),
    Example("w = tf.contrib.layers.l2_regularizer(0.1)", "w = l2_regularizer(0.1)", "head", kind="custom"),
    Example(
        "w = tf.contrib.layers.xavier_initializer(seed=1)",
        "w = tf.glorot_uniform_initializer(seed=1)",
        "head",
        kind="custom",
    ),
    Example("w = tf.contrib.layers.xavier_initializer(False)", None, "head", kind="custom"),
    Example("w = tf.contrib.layers.layer_norm(x, scope='s')", "w = layer_norm(x, scope='s')", "head", kind="custom"),
    Example("print(tf.contrib.layers.layer_norm(x, True))", None, "head", kind="custom"),
    Example(
        "op = tf.contrib.layers.optimize_loss(x, None, 0.1, 'Adam', clip_gradients=1.0)",
        "op = optimize_loss(x, None, 0.1, 'Adam', clip_gradients=1.0)",
        "head",
        kind="custom",
    ),
    Example("tf.contrib.layers.optimize_loss(x, None, 0.1, 'Adam', 0.5)", None, "head", kind="custom"),
    Example(
        "y = tf.contrib.layers.fully_connected(x, 3, scope='s')",
        "fully_connected(x, 3, scope='s')",
        "head",
        kind="custom",
    ),
    Example("tf.contrib.layers.fully_connected(x, 3, outputs_collections='c')", None, "head", kind="custom"),
    Example("print(tf.contrib.layers.fully_connected)", None, "head", kind="custom"),
    Example("y = tf.contrib.layers.batch_norm(x, 0.9)", "y = batch_norm(x, 0.9)", "head", kind="custom"),
    Example("tf.contrib.layers.batch_norm(x, fused=True)", None, "head", kind="custom"),
    Example("y = tf.contrib.layers.flatten(x)", "y = tf.layers.flatten(x)", "head", kind="custom"),
    Example("y = tf.contrib.layers.flatten(x, 'outputs')", None, "head", kind="custom"),
    Example("n, w = tf.contrib.crf.crf_log_likelihood(x, y, z)", "crf_log_likelihood(x, y, z)", "head", kind="custom"),
    Example("c = tf.contrib.rnn.LSTMBlockFusedCell(3)", "c = LSTMBlockFusedCell(3)", "head", kind="custom"),
    Example(
        "w = tf.contrib.lookup.index_to_string_table_from_file(x, default_value='?')",
        "w = index_to_string_table_from_file(x, default_value='?')",
        "head",
        kind="custom",
    ),
    Example("w = tf.contrib.lookup.index_to_string_table_from_file(x, delimiter=',')", None, "head", kind="custom"),
    Example("w = tf.contrib.framework.model_variable('w', [3])", "w = model_variable('w', [3])", "head", kind="custom"),
    Example("tf.contrib.framework.model_variable('w', [3], device='/cpu:0')", None, "head", kind="custom"),
    Example(
        "tf.contrib.layers.python.layers.utils.collect_named_outputs(None, 'y', 0)",
        "    collect_named_outputs(None, 'y', 0)",
        "head",
        kind="custom",
    ),
    Example(
        "m = tf.contrib.mixed_precision.FixedLossScaleManager(8.0)",
        "m = FixedLossScaleManager(8.0)",
        "head",
        kind="custom",
    ),
    Example("print(tf.contrib.layers.conv2d)", None, "head", kind="custom"),
    kinds=CUSTOM,
)
def contrib_names(program: Program, draft: Draft) -> Iterator[Verdict]:
    for file in draft.changed_files:
        yield from _of_file(draft, file)


def _of_file(draft: Draft, file: Draft | OtherFile) -> Iterator[Verdict]:
    for node, found in file.module.tf1_only:
        if not found.qualified.startswith("tensorflow.contrib.") or found.tail.startswith("estimator."):
            continue  # what contrib shares with tf.estimator has rules of its own
        if file is draft and found.tail.startswith(FOR_TPUS) and draft.goes(node):
            continue
        name = found.tail.removeprefix("contrib.")
        text = _successor(file, node, name)
        if text is None:
            message = f"`{found.qualified}` exists in no TensorFlow 2"
            yield manual(node, message, "Replace it by hand, then migrate again.", file.module)
            continue
        file.renamed[node] = text
        file.edits.append(ReplaceExpression(file.module.span(node), text))
        yield exact(node, f"becomes {text}", file.module)


def _successor(file: Draft | OtherFile, node: ast.expr, name: str) -> str | None:
    """What stands for a name of contrib, or None."""
    call = file.module.names.parent(node)
    if name in _KNOWN and not (isinstance(call, ast.Call) and call.func is node and _is_known(name, call)):
        return None
    if name in SUCCESSORS:
        return f"{file.v1}.{SUCCESSORS[name]}"
    if name in EMITTED:
        return file.piece(EMITTED[name])
    if name in _XAVIER and isinstance(call, ast.Call) and call.func is node:
        # Its first parameters say which distribution; without them it is that of Glorot and Bengio.
        is_plain = not call.args and all(keyword.arg in ("seed", "dtype") for keyword in call.keywords)
        return f"{file.v1}.glorot_uniform_initializer" if is_plain else None
    return None


_VARIABLE = {"name", "shape", "dtype", "initializer", "regularizer", "trainable", "collections"}
_TABLE = {"num_oov_buckets", "default_value", "name"}
# The arguments that an emitted function takes, of those that contrib's took.
_KNOWN = {
    "lookup.index_table_from_file": {"vocabulary_file", "vocab_size", *_TABLE},
    "lookup.index_table_from_tensor": {"mapping", *_TABLE},
    "lookup.index_to_string_table_from_file": {"vocabulary_file", "vocab_size", "default_value", "name"},
    "layers.flatten": {"inputs"},
    "layers.batch_norm": {
        "inputs", "decay", "center", "scale", "epsilon", "activation_fn", "updates_collections", "is_training",
        "reuse", "trainable", "scope",
    },
    "layers.fully_connected": {
        "inputs", "num_outputs", "activation_fn", "normalizer_fn", "normalizer_params", "weights_initializer",
        "weights_regularizer", "biases_initializer", "biases_regularizer", "reuse", "trainable", "scope",
    },
    "layers.layer_norm": {
        "inputs", "center", "scale", "activation_fn", "reuse", "trainable", "begin_norm_axis", "begin_params_axis",
        "scope",
    },
    "framework.model_variable": _VARIABLE,
    "framework.python.ops.variables.model_variable": _VARIABLE,
    "layers.optimize_loss": {
        "loss", "global_step", "learning_rate", "optimizer", "clip_gradients", "learning_rate_decay_fn", "update_ops",
        "variables", "name", "summaries", "colocate_gradients_with_ops", "increment_global_step",
    },
}  # fmt: skip
_POSITIONAL = {
    "framework.model_variable": 7,
    "framework.python.ops.variables.model_variable": 7,
    "layers.batch_norm": 6,
    "layers.fully_connected": 10,
    "layers.optimize_loss": 4,
    "lookup.index_to_string_table_from_file": 4,
}
"""How many arguments may be given by position, where it is more than one: those before the first that is left out."""


def _is_known(name: str, call: ast.Call) -> bool:
    """Whether the emitted function takes the arguments of a call as contrib's did."""
    given = {keyword.arg for keyword in call.keywords}
    # Where a table has buckets, contrib also put words there that had the default value.
    is_placed = len(call.args) <= _POSITIONAL.get(name, 1) and not any(isinstance(a, ast.Starred) for a in call.args)
    return is_placed and given <= _KNOWN[name] and not {"num_oov_buckets", "default_value"} <= given
