"""FT138 · tf.contrib names that TensorFlow 2 has elsewhere

``tf.contrib`` exists in no TensorFlow 2. Some of it was moved into TensorFlow itself, and ``contrib`` only named it
again; some small functions can be written down.

Instead: the name that TensorFlow 2 has, below ``tf.compat.v1``; the functions that it has nowhere are emitted
(``optimize_loss``, ``layer_norm``, ``fully_connected``, ``batch_norm``, ``l1_regularizer``, ``l2_regularizer``,
``variance_scaling_initializer``, ``xavier_initializer``, the
tables of ``lookup``, ``crf_log_likelihood``, ``crf_decode``, ``viterbi_decode``, ``LSTMBlockFusedCell``,
``TimeReversedFusedRNN``, ``model_variable``, the loss scaling of ``mixed_precision``, the scalars and histograms of
``summary``, ``f1_score``, ``streaming_covariance``, ``streaming_pearson_correlation``, ``HParams``). Other streaming
metrics become those of ``tf.compat.v1.metrics``, which take the labels first, so that their arguments get names.

What else ``contrib.slim``, ``contrib.layers``, ``contrib.framework``, ``contrib.losses``, ``contrib.metrics`` and
``contrib.training`` held lives on in the package ``tf_slim``, and its name is written. A program that needs ``tf_slim``
takes all of its layers from there, because an ``arg_scope`` gives arguments to its own functions alone. The newest
``tf_slim`` on PyPI (1.1.0) looks for ten names where TensorFlow 2.15 and 2.21 have them no more; an emitted module
puts them there, and does nothing where they are. Then the fidelity is noted: the program needs ``tf_slim==1.1.0``, and
from TensorFlow 2.16 on ``tf_keras`` with ``TF_USE_LEGACY_KERAS=1``.

Where contrib only showed again what TensorFlow itself has (``contrib.rnn.LSTMCell``), by a private path or not, that
name is written.

Fidelity: exact: in TensorFlow 1.15 each name is the very object, or has the same definition; ``optimize_loss`` gives
the same losses, summaries and variables to the last bit; ``fully_connected`` and ``batch_norm`` give the same losses
and variables to the last bit as contrib's own code, which lives on as ``tf_slim``. ``crf`` and the fused cells were
trained beside TensorFlow 1.15's: the same variables, slots and tags, losses equal to 3e-7, and to the last bit where
contrib's code ran on TensorFlow 2.15. A loss scale grows, shrinks and leaves out steps as TensorFlow 1.15's does, in
variables of the same names. ``summary`` writes the events that TensorFlow 1.15 wrote, with the same tags, steps and
values; where no step is given, it is that after the update. Metrics are those of TensorFlow 1.15 to the last bit, but
for covariances with weights (1e-8). ``HParams`` reads, casts and refuses as there.

A ``MirroredStrategy`` of contrib becomes TensorFlow 2's in a program in object form (FT151). Any other contrib name
leaves the program, and is named, and so does one of these with an argument that is not carried over: noise or
multipliers of gradients, collections for variables or outputs. A name that stands in ``try``, with an ``except`` for
its lack beside it, leaves no program.

See: https://github.com/tensorflow/tensorflow/tree/v1.15.5/tensorflow/contrib
"""

import ast
from collections.abc import Collection, Iterable, Iterator

from migrate.analysis.guards import is_guarded
from migrate.analysis.module import Module
from migrate.analysis.policy import FOR_TPUS
from migrate.analysis.program import Program
from migrate.analysis.symbols import Symbol
from migrate.edits.plan import ReplaceExpression
from migrate.finding import Fidelity
from migrate.rewrite.draft import Draft, OtherFile
from migrate.rules.rule import CUSTOM, Example, Verdict, exact, manual, rule
from migrate.tensorflow.advice import advice
from migrate.tensorflow.names import lacking, lines_of
from migrate.tensorflow.slim import REQUIREMENT, in_tf_slim

_DATA = (
    "CsvDataset", "Counter", "RandomDataset", "bucket_by_sequence_length", "choose_from_datasets",
    "copy_to_device", "dense_to_sparse_batch", "enumerate_dataset", "get_single_element", "group_by_reducer",
    "group_by_window", "ignore_errors", "make_batched_features_dataset", "make_csv_dataset", "map_and_batch",
    "parallel_interleave", "prefetch_to_device", "rejection_resample", "sample_from_datasets", "scan",
    "shuffle_and_repeat", "unbatch", "unique",
)  # fmt: skip
_STEP = ("assert_global_step", "create_global_step", "get_global_step", "get_or_create_global_step")
_NEST = ("assert_same_structure", "flatten", "map_structure", "pack_sequence_as")

SUCCESSORS = {
    "training.checkpoints_iterator": "train.checkpoints_iterator",
    "layers.flatten": "layers.flatten",
    "lookup.HashTable": "lookup.StaticHashTable",
    "metrics.streaming_mean": "metrics.mean",
    "metrics.streaming_mean_tensor": "metrics.mean_tensor",
    "summary.all_summary_ops": "summary.all_v2_summary_ops",
    **{f"data.{name}": f"data.experimental.{name}" for name in _DATA},
    **{f"framework.{name}": f"train.{name}" for name in ("list_variables", "load_checkpoint", "load_variable")},
    **{f"framework.{name}": f"train.{name}" for name in _STEP},
    **{f"framework.nest.{name}": f"nest.{name}" for name in _NEST},
}
"""Names below ``tf.contrib``, and where ``tf.compat.v1`` has the same again; what is the very object needs no row."""

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
    "metrics.f1_score": "f1_score",
    "metrics.streaming_covariance": "streaming_covariance",
    "metrics.streaming_pearson_correlation": "streaming_pearson_correlation",
    "training.HParams": "HParams",
    "summary.always_record_summaries": "always_record_summaries",
    "summary.create_file_writer": "create_file_writer",
    "summary.histogram": "write_histogram",
    "summary.never_record_summaries": "never_record_summaries",
    "summary.record_summaries_every_n_global_steps": "record_summaries_every_n_global_steps",
    "summary.scalar": "write_scalar",
    "framework.model_variable": "model_variable",
    "layers.variance_scaling_initializer": "variance_scaling_initializer",
    "layers.python.layers.initializers": "Initializers",
    "layers.python.layers.utils.collect_named_outputs": "collect_named_outputs",
    "layers.python.layers.utils.get_variable_collections": "get_variable_collections",
    "mixed_precision.ExponentialUpdateLossScaleManager": "ExponentialUpdateLossScaleManager",
    "mixed_precision.FixedLossScaleManager": "FixedLossScaleManager",
    "mixed_precision.LossScaleOptimizer": "LossScaleOptimizer",
}
_RATES = (
    "accuracy", "false_negatives", "false_positives", "mean_absolute_error", "mean_squared_error", "precision",
    "recall", "root_mean_squared_error", "true_negatives", "true_positives",
)  # fmt: skip
_OPTIONS = ("metrics_collections", "updates_collections")
_METRIC = ("predictions", "labels", "weights", *_OPTIONS, "name")
STREAMING = {
    **{f"metrics.streaming_{name}": (name, _METRIC) for name in _RATES},
    "metrics.streaming_auc": (
        "auc",
        ("predictions", "labels", "weights", "num_thresholds", *_OPTIONS, "curve", "name"),
    ),
    **{
        f"metrics.streaming_{name}_at_thresholds": (
            f"{name}_at_thresholds",
            ("predictions", "labels", "thresholds", "weights", *_OPTIONS, "name"),
        )
        for name in ("precision", "recall")
    },
}
"""Streaming metrics: their names in ``tf.compat.v1.metrics``, and their parameters, which have another order there."""

_XAVIER = ("layers.xavier_initializer", "layers.xavier_initializer_conv2d")


@rule(
    "FT138",
    "exact",
    Example("print(tf.contrib.data.AUTOTUNE)", "print(tf.data.AUTOTUNE)", "head", kind="custom"),
    Example("w = tf.contrib.layers.l2_regularizer(0.1)", "w = l2_regularizer(0.1)", "head", kind="custom"),
    Example(
        "w = tf.contrib.layers.xavier_initializer(seed=1)",
        "w = tf.glorot_uniform_initializer(seed=1)",
        "head",
        kind="custom",
    ),
    Example("w = tf.contrib.layers.xavier_initializer(False)", "w = xavier_initializer(False)", "head", kind="custom"),
    Example(
        "from tensorflow.contrib.layers.python.layers import initializers; w = f(initializers)",
        "w = f(Initializers)",
        "head",
        kind="custom",
    ),
    Example("w = tf.contrib.layers.layer_norm(x, scope='s')", "w = layer_norm(x, scope='s')", "head", kind="custom"),
    Example("print(tf.contrib.layers.layer_norm(x, True))", "slim.layer_norm(x, True)", "head", kind="custom"),
    Example(
        "op = tf.contrib.layers.optimize_loss(x, None, 0.1, 'Adam', clip_gradients=1.0)",
        "op = optimize_loss(x, None, 0.1, 'Adam', clip_gradients=1.0)",
        "head",
        kind="custom",
    ),
    Example(
        "tf.contrib.layers.optimize_loss(x, None, 0.1, 'Adam', 0.5)",
        "slim.optimize_loss(x, None, 0.1, 'Adam', 0.5)",
        "head",
        kind="custom",
    ),
    Example(
        "y = tf.contrib.layers.fully_connected(x, 3, scope='s')",
        "fully_connected(x, 3, scope='s')",
        "head",
        kind="custom",
    ),
    Example(
        "tf.contrib.layers.fully_connected(x, 3, outputs_collections='c')",
        "slim.fully_connected(x, 3, outputs_collections='c')",
        "head",
        kind="custom",
    ),
    Example("print(tf.contrib.layers.fully_connected)", "print(slim.fully_connected)", "head", kind="custom"),
    Example("y = tf.contrib.layers.batch_norm(x, 0.9)", "y = batch_norm(x, 0.9)", "head", kind="custom"),
    Example("tf.contrib.layers.batch_norm(x, fused=True)", "slim.batch_norm(x, fused=True)", "head", kind="custom"),
    Example("y = tf.contrib.layers.flatten(x)", "y = tf.layers.flatten(x)", "head", kind="custom"),
    Example("y = tf.contrib.layers.flatten(x, 'outputs')", "y = slim.flatten(x, 'outputs')", "head", kind="custom"),
    Example("n, w = tf.contrib.crf.crf_log_likelihood(x, y, z)", "crf_log_likelihood(x, y, z)", "head", kind="custom"),
    Example("c = tf.contrib.rnn.LSTMBlockFusedCell(3)", "c = LSTMBlockFusedCell(3)", "head", kind="custom"),
    Example(
        "w = tf.contrib.lookup.index_to_string_table_from_file(x, default_value='?')",
        "w = index_to_string_table_from_file(x, default_value='?')",
        "head",
        kind="custom",
    ),
    Example(
        "w = tf.contrib.lookup.index_table_from_file(x, num_oov_buckets=1, default_value=-1)",
        "w = index_table_from_file(x, num_oov_buckets=1, default_value=-1)",
        "head",
        kind="custom",
    ),
    Example("w = tf.contrib.lookup.index_to_string_table_from_file(x, delimiter=',')", None, "head", kind="custom"),
    Example("w = tf.contrib.framework.model_variable('w', [3])", "w = model_variable('w', [3])", "head", kind="custom"),
    Example(
        "tf.contrib.framework.model_variable('w', [3], device='/cpu:0')",
        "slim.model_variable('w', [3], device='/cpu:0')",
        "head",
        kind="custom",
    ),
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
    Example(
        "m = tf.contrib.metrics.streaming_accuracy(x, y, weights=z)",
        "m = tf.metrics.accuracy(predictions=x, labels=y, weights=z)",
        "head",
        kind="custom",
    ),
    Example("tf.contrib.metrics.streaming_auc(*x)", "slim.metrics.streaming_auc(*x)", "head", kind="custom"),
    Example("m = tf.contrib.metrics.streaming_mean(x)", "m = tf.metrics.mean(x)", "head", kind="custom"),
    Example("p = tf.contrib.training.HParams(rate=0.1)", "p = HParams(rate=0.1)", "head", kind="custom"),
    Example("p = tf.contrib.training.HParams(hparam_def=x)", None, "head", kind="custom"),
    Example("tf.contrib.summary.scalar('x', 1.0)", "write_scalar('x', 1.0)", "head", kind="custom"),
    Example("print(tf.contrib.layers.conv2d)", "print(slim.conv2d)", "head", kind="custom"),
    Example(
        "with tf.contrib.slim.arg_scope([tf.contrib.layers.batch_norm]): f(tf.contrib.layers.batch_norm(x))",
        "with slim.arg_scope([slim.batch_norm]): f(slim.batch_norm(x))",
        "head",
        kind="custom",
    ),
    Example(
        "h = tf.contrib.training.SummaryAtEndHook('d')",
        "h = slim.train_eval.SummaryAtEndHook('d')",
        "head",
        kind="custom",
    ),
    Example("t = tf.contrib.lookup.HashTable(x, -1)", "t = tf.lookup.StaticHashTable(x, -1)", "head", kind="custom"),
    Example("t = tf.contrib.lookup.HashTable(x, -1, shared_name='t')", None, "head", kind="custom"),
    Example("print(tf.contrib.layers.sparse_column_with_keys)", None, "head", kind="custom"),
    kinds=CUSTOM,
)
def contrib_names(program: Program, draft: Draft) -> Iterator[Verdict]:
    for file in draft.changed_files:
        gone = {node for node, found in file.module.tf1_only if found.tail.startswith((*FOR_TPUS, _STRATEGIES))}
        gone = {node for node in gone if file is draft and draft.goes(node)}
        with_slim = names_slim(other.module for other in draft.files)
        yield from contrib_names_of(file, gone, draft.settings.target, with_slim, gives_strategies=False)


def contrib_names_of(
    file: Draft | OtherFile, gone: Collection[ast.expr], target: str, with_slim: bool, gives_strategies: bool
) -> Iterator[Verdict]:
    """Replaces the names of contrib in one file.

    Args:
      file: the file.
      gone: names of contrib in code that is replaced or removed.
      target: the TensorFlow that the output runs on, as in the settings.
      with_slim: whether the program needs tf_slim, so that its layers may stand in an ``arg_scope``.
      gives_strategies: whether a strategy may be given to a ``RunConfig`` that stays.
    """
    for node, found in file.module.tf1_only:
        if not found.is_contrib or found.tail.startswith("estimator."):
            continue  # what contrib shares with tf.estimator has rules of its own
        if node in gone or node in file.renamed or is_guarded(file.module.names, node):
            continue
        name = found.tail.removeprefix("contrib.")
        if name in STREAMING and (streaming := _streaming(file, node, *STREAMING[name])) is not None:
            yield streaming
            continue
        mirrored = _mirrored(file, node) if name == "distribute.MirroredStrategy" and gives_strategies else None
        if mirrored is not None:
            yield mirrored
            continue
        path = in_tf_slim(name)
        if path is not None and with_slim and name.startswith(_SCOPED):
            yield _of_slim(file, node, path)
            continue
        text = _public(target, file, found) or _successor(file, node, name)
        if text is None and path is not None:
            yield _of_slim(file, node, path)
            continue
        if text is None:
            has_other = name in SUCCESSORS or name in EMITTED
            lacks = "cannot be replaced automatically in this form" if has_other else "exists in no TensorFlow 2"
            message = f"`{found.qualified}` {lacks}"
            yield manual(node, message, advice(f"contrib.{name}"), file.module)
            continue
        file.renamed[node] = text
        file.edits.append(ReplaceExpression(file.module.span(node), text))
        yield exact(node, f"becomes {text}", file.module)


def names_slim(modules: Iterable[Module]) -> bool:
    """Whether some file names what only tf_slim has: slim itself, an ``arg_scope``, a layer that is not emitted."""
    found = (one.tail.removeprefix("contrib.") for module in modules for _, one in module.tf1_only if one.is_contrib)
    known = {*SUCCESSORS, *EMITTED, *STREAMING, *_XAVIER}
    return any(name not in known and in_tf_slim(name) is not None for name in found)


def _of_slim(file: Draft | OtherFile, node: ast.expr, path: str) -> Verdict:
    """Writes the name that tf_slim has for one of contrib."""
    text = ".".join(part for part in (file.piece("slim"), path) if part)
    file.renamed[node] = text
    file.edits.append(ReplaceExpression(file.module.span(node), text))
    message = f"becomes {text}, which needs {REQUIREMENT}, and from TensorFlow 2.16 on tf_keras"
    help = f"Add {REQUIREMENT} and tf_keras to your requirements, and set TF_USE_LEGACY_KERAS=1."
    return Verdict(node, Fidelity.NOTED, message, help, file.module)


def _public(target: str, file: Draft | OtherFile, found: Symbol) -> str | None:
    """The name outside contrib of an object that contrib only showed again, if TensorFlow 2 still has it."""
    is_there = not lacking(f"tensorflow.compat.v1.{found.tail}", lines_of(target))
    return f"{file.v1}.{found.tail}" if is_there and not found.tail.startswith("contrib.") else None


def _successor(file: Draft | OtherFile, node: ast.expr, name: str) -> str | None:
    """What stands for a name of contrib, or None."""
    call = file.module.names.parent(node)
    if name in _KNOWN and not (isinstance(call, ast.Call) and call.func is node and _is_known(name, call)):
        return None
    given = {keyword.arg for keyword in call.keywords} if isinstance(call, ast.Call) and call.func is node else set()
    if name.endswith(".HParams") and not given.isdisjoint({"hparam_def", "model_structure"}):
        return None
    if name in SUCCESSORS:
        return f"{file.v1}.{SUCCESSORS[name]}"
    if name in EMITTED:
        return file.piece(EMITTED[name])
    if name in _XAVIER:
        # Its first parameter says which distribution; without it, it is that of Glorot and Bengio.
        is_plain = isinstance(call, ast.Call) and call.func is node and not call.args and given <= {"seed", "dtype"}
        return f"{file.v1}.glorot_uniform_initializer" if is_plain else file.piece("xavier_initializer")
    return None


def _streaming(file: Draft | OtherFile, node: ast.expr, name: str, parameters: tuple[str, ...]) -> Verdict | None:
    """Writes the metric that stands for a streaming one, with a name for each argument; None where it cannot."""
    call = file.module.names.parent(node)
    if not isinstance(call, ast.Call) or call.func is not node or any(isinstance(a, ast.Starred) for a in call.args):
        return None
    text = f"{file.v1}.metrics.{name}"
    if not call.args:
        file.renamed[node] = text
        file.edits.append(ReplaceExpression(file.module.span(node), text))
        return exact(node, f"becomes {text}", file.module)
    inside = {part for argument in call.args + call.keywords for part in ast.walk(argument)}
    changing = [part for part, _ in [*file.module.tf1_only, *file.module.estimator] if part in inside]
    if changing or len(call.args) > len(parameters) or any(keyword.arg is None for keyword in call.keywords):
        return None
    source = file.module.source.text
    given = [*zip(parameters, call.args, strict=False), *((k.arg, k.value) for k in call.keywords)]
    whole = f"{text}({', '.join(f'{name}={source(value, file.renamed)}' for name, value in given)})"
    file.renamed[call] = whole
    file.edits.append(ReplaceExpression(file.module.span(call), whole))
    return exact(node, f"becomes {text}, whose arguments stand in another order", file.module)


def _mirrored(file: Draft | OtherFile, node: ast.expr) -> Verdict | None:
    """Writes TensorFlow 2's strategy for contrib's, by its number of GPUs or its devices; None where it cannot."""
    call = file.module.names.parent(node)
    if not isinstance(call, ast.Call) or call.func is not node or call.args or len(call.keywords) > 1:
        return None
    given = {keyword.arg: file.module.source.text(keyword.value, file.renamed) for keyword in call.keywords}
    if not given.keys() <= {"devices", "num_gpus"}:
        return None
    number = given.pop("num_gpus", None)
    devices = given.pop("devices", "") if number is None else f'[f"/gpu:{{gpu}}" for gpu in range({number})]'
    text = f"{file.v1}.distribute.MirroredStrategy({devices})"
    file.renamed[call] = text
    file.edits.append(ReplaceExpression(file.module.span(call), text))
    return Verdict(node, Fidelity.NOTED, "becomes TensorFlow 2's, which reduces on one device", module=file.module)


_STRATEGIES = "contrib.distribute."
_SCOPED = ("slim", "layers.")
"""Where the functions are that an ``arg_scope`` may give arguments."""
_VARIABLE = {"name", "shape", "dtype", "initializer", "regularizer", "trainable", "collections"}
_TABLE = {"num_oov_buckets", "default_value", "name"}
# The arguments that an emitted function takes, of those that contrib's took.
_KNOWN = {
    "lookup.HashTable": {"initializer", "default_value", "name"},
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
    "layers.optimize_loss": {
        "loss", "global_step", "learning_rate", "optimizer", "clip_gradients", "learning_rate_decay_fn", "update_ops",
        "variables", "name", "summaries", "colocate_gradients_with_ops", "increment_global_step",
    },
}  # fmt: skip
_POSITIONAL = {
    "framework.model_variable": 7,
    "layers.batch_norm": 6,
    "lookup.HashTable": 2,
    "layers.fully_connected": 10,
    "layers.optimize_loss": 4,
    "lookup.index_to_string_table_from_file": 4,
}
"""How many arguments may be given by position, where it is more than one: those before the first that is left out."""


def _is_known(name: str, call: ast.Call) -> bool:
    """Whether the emitted function takes the arguments of a call as contrib's did."""
    given = {keyword.arg for keyword in call.keywords}
    is_placed = len(call.args) <= _POSITIONAL.get(name, 1) and not any(isinstance(a, ast.Starred) for a in call.args)
    return is_placed and given <= _KNOWN[name]
