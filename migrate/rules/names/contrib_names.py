"""FT138 · tf.contrib names that TensorFlow 2 has elsewhere

``tf.contrib`` exists in no TensorFlow 2. Some of its names moved into TensorFlow itself; others are small functions
that can be generated.

Instead: the entry of ``migrate/tensorflow/contrib.txt`` for the name: TensorFlow 2's name, below ``tf.compat.v1``, or a
generated function or class: layers with their regularizers and initializers, ``optimize_loss``, lookup tables,
conditional random fields, recurrent and fused cells, loss scaling, summaries, metrics, the projector, ``HParams``,
image transformations, the decoders and attention of ``seq2seq``. Other streaming metrics become those of
``tf.compat.v1.metrics``, with their arguments by name.

Other names of ``contrib.slim``, ``layers``, ``framework``, ``losses``, ``metrics`` and ``training`` are in ``tf_slim``.
A program that needs it gets all of its layers from there, because an ``arg_scope`` only affects functions of
``tf_slim``. Then the fidelity is noted: the program needs ``tf_slim==1.1.0``, and from TensorFlow 2.16 on ``tf_keras``
with ``TF_USE_LEGACY_KERAS=1``.

A name that contrib only exported again from TensorFlow (``contrib.rnn.LSTMCell``) gets TensorFlow's name.

Fidelity: exact: each name is the same object in TensorFlow 1.15.5, or was compared by running it there: outputs,
gradients, variables and summaries are equal to 5e-6 or to the last bit (``docs/contrib.md``).

Any other contrib name blocks the program, with advice, and so does an argument without a counterpart: noise or
multipliers of gradients, collections for variables. A name imported under ``try`` is replaced if the program has no
fallback for it; otherwise it stays and does not block.

See: https://github.com/tensorflow/tensorflow/tree/v1.15.5/tensorflow/contrib
"""

import ast
from collections.abc import Iterable, Iterator

from migrate.analysis.source.guards import is_in_colab
from migrate.analysis.source.module import Module
from migrate.analysis.source.symbols import Symbol
from migrate.findings.finding import Fidelity
from migrate.rules.names.contrib_rows import DATASETS, HELP, has_old_calls, write_row
from migrate.rules.rule import EstimatorFile, Verdict, example, file_rule, manual
from migrate.tensorflow.advice import advice
from migrate.tensorflow.contrib import Row, name_of, rows_around, rows_of, tf_slim_name
from migrate.tensorflow.slim import REQUIREMENT


@file_rule(
    "FT138",
    "exact",
    example("print(tf.contrib.data.AUTOTUNE)", "print(tf.data.AUTOTUNE)"),
    example("w = tf.contrib.layers.l2_regularizer(0.1)", "w = l2_regularizer(0.1)"),
    example("w = tf.contrib.layers.xavier_initializer(seed=1)", "w = tf.glorot_uniform_initializer(seed=1)"),
    example("w = tf.contrib.layers.xavier_initializer(False)", "w = xavier_initializer(False)"),
    example(
        "from tensorflow.contrib.layers.python.layers import initializers; w = f(initializers)", "w = f(Initializers)"
    ),
    example("w = tf.contrib.layers.layer_norm(x, scope='s')", "w = layer_norm(x, scope='s')"),
    example("print(tf.contrib.layers.layer_norm(x, True))", "slim.layer_norm(x, True)"),
    example(
        "op = tf.contrib.layers.optimize_loss(x, None, 0.1, 'Adam', clip_gradients=1.0)",
        "op = optimize_loss(x, None, 0.1, 'Adam', clip_gradients=1.0)",
    ),
    example("tf.contrib.layers.optimize_loss(x, None, 0.1, 'Adam', 0.5)", "slim.optimize_loss(x, None, 0.1, 'Adam'"),
    example("y = tf.contrib.layers.fully_connected(x, 3, scope='s')", "fully_connected(x, 3, scope='s')"),
    example(
        "tf.contrib.layers.fully_connected(x, 3, outputs_collections='c')",
        "slim.fully_connected(x, 3, outputs_collections='c')",
    ),
    example("print(tf.contrib.layers.fully_connected)", "print(slim.fully_connected)"),
    example("y = tf.contrib.layers.batch_norm(x, 0.9)", "y = batch_norm(x, 0.9)"),
    example("tf.contrib.layers.batch_norm(x, fused=True)", "slim.batch_norm(x, fused=True)"),
    example("y = tf.contrib.layers.flatten(x)", "y = tf.layers.flatten(x)"),
    example("y = tf.contrib.layers.flatten(x, 'outputs')", "y = slim.flatten(x, 'outputs')"),
    example("n, w = tf.contrib.crf.crf_log_likelihood(x, y, z)", "crf_log_likelihood(x, y, z)"),
    example(
        "w = tf.contrib.lookup.index_to_string_table_from_file(x, default_value='?')",
        "w = index_to_string_table_from_file(x, default_value='?')",
    ),
    example(
        "w = tf.contrib.lookup.index_table_from_file(x, num_oov_buckets=1, default_value=-1)",
        "w = index_table_from_file(x, num_oov_buckets=1, default_value=-1)",
    ),
    example("w = tf.contrib.lookup.index_table_from_file(x, key_dtype=tf.int64)", None),
    example("w = tf.contrib.framework.model_variable('w', [3])", "w = model_variable('w', [3])"),
    example(
        "tf.contrib.framework.model_variable('w', [3], device='/cpu:0')",
        "slim.model_variable('w', [3], device='/cpu:0')",
    ),
    example(
        "tf.contrib.layers.python.layers.utils.collect_named_outputs(None, 'y', 0)",
        "    collect_named_outputs(None, 'y', 0)",
    ),
    example(
        "from tensorflow.contrib.distribute.python import cross_tower_ops as c; o = c.AllReduceCrossTowerOps('nccl')",
        "o = AllReduceCrossDeviceOps('nccl')",
    ),
    example(
        "m = tf.contrib.metrics.streaming_accuracy(x, y, weights=z)",
        "m = tf.metrics.accuracy(predictions=x, labels=y, weights=z)",
    ),
    example(
        "m = tf.contrib.metrics.streaming_accuracy(x, y, w := z)",
        "m = tf.metrics.accuracy(predictions=x, labels=y, weights=(w := z))",
    ),
    example("m = tf.contrib.metrics.streaming_accuracy(x, y, predictions=z)", None),
    example("tf.contrib.metrics.streaming_auc(*x)", "slim.metrics.streaming_auc(*x)"),
    example("p = tf.contrib.training.HParams(rate=0.1)", "p = HParams(rate=0.1)"),
    example("tf.contrib.summary.scalar('x', 1.0)", "write_scalar('x', 1.0)"),
    example("print(tf.contrib.layers.conv2d)", "print(slim.conv2d)"),
    example(
        "with tf.contrib.slim.arg_scope([tf.contrib.layers.batch_norm]): f(tf.contrib.layers.batch_norm(x))",
        "with slim.arg_scope([slim.batch_norm]): f(slim.batch_norm(x))",
    ),
    example("h = tf.contrib.training.SummaryAtEndHook('d')", "h = slim.train_eval.SummaryAtEndHook('d')"),
    example("t = tf.contrib.lookup.HashTable(x, -1)", "t = tf.lookup.StaticHashTable(x, -1)"),
    example("t = tf.contrib.lookup.HashTable(x, -1, shared_name='t')", None),
    example("print(tf.contrib.layers.scattered_embedding_column)", None),
    example("x = tf.contrib.keras.datasets.mnist.load_data()", "x = tf.keras.datasets.mnist"),
    example("x = tf.contrib.keras.optimizers.Adam()", None),
    example("x = tf.contrib.eager.list_devices()", "x = list_devices()"),
    example("x = tf.contrib.image.transform(x, t)", "x = transform(x, t)"),
    example("x = tf.contrib.seq2seq.tile_batch(x, 3)", "x = tile_batch(x, 3)"),
    example("t = tf.contrib.linalg.LinearOperatorTriL(x)", "t = tf.linalg.LinearOperatorLowerTriangular(x)"),
    example("d = tf.contrib.data.Dataset.range(3)", "d = tf.data.Dataset.range(3)"),
    example("d = tf.contrib.data.Dataset.range(3).map(f, num_threads=2)", None),
)
def contrib_names(file: EstimatorFile) -> Iterator[Verdict]:
    needs_slim = False
    # Other rules replace the names that contrib shares with tf.estimator.
    own = [one for one in file.module.tf1_only if one[1].is_contrib and not one[1].tail.startswith("estimator.")]
    if not own:
        return
    # An arg_scope may be in another file than its layers, and a dataset in another than its calls.
    with_slim, has_old_data = _names_slim(file.modules), any(map(has_old_calls, file.modules))
    for node, found in own:
        if node in file.renamed:
            continue
        verdict = _verdict(file, node, found, with_slim, has_old_data)
        if verdict.fidelity is Fidelity.MANUAL and is_in_colab(file.module.names, node):
            message = f"{verdict.message}; it stays, for only Colab runs this line"
            help = "Remove it before the program runs in Colab on TensorFlow 2."
            verdict = Verdict(node, Fidelity.NOTED, message, help, file.module, keeps_code=True)
        is_of_slim = verdict.fidelity is Fidelity.NOTED and REQUIREMENT in verdict.successor
        if is_of_slim and not needs_slim:  # said once a file
            verdict = verdict._replace(message=f"{verdict.message}, {_SLIM_NEEDS}", help=_SLIM_HELP)
        needs_slim |= is_of_slim
        yield verdict


def _names_slim(modules: Iterable[Module]) -> bool:
    """Whether a file uses a name that only tf_slim has: slim itself, an ``arg_scope``, or a layer."""
    found = (_contrib_name(one) for module in modules for _, one in module.tf1_only if one.is_contrib)
    return any(not any(rows_of(name)) and tf_slim_name(name) is not None for name in found)


def _verdict(file: EstimatorFile, node: ast.expr, symbol: Symbol, with_slim: bool, has_old_data: bool) -> Verdict:
    """Replaces a name by the first row of the table that fits, or returns why it is skipped."""
    name = _contrib_name(symbol)
    module, _, last = symbol.tail.rpartition(".")
    outside = [] if symbol.tail.startswith("contrib.") else [Row("tf", module, last, (symbol.tail,))]
    rows = [*rows_of(name), *outside, *rows_around(name)]  # contrib only exported an object outside again
    if with_slim and name.startswith(_WITH_ARG_SCOPE):
        rows.sort(key=lambda row: row.kind != "slim")
    refused = next((row for row in rows_of(name) if row.kind == "none"), None)
    for row in rows:
        if row == refused:
            break  # TensorFlow 2 has another object of that name
        if has_old_data and row.successor.startswith(DATASETS):
            message = f"`{symbol.qualified}` has methods or arguments here that TensorFlow 2's does not have"
            return manual(node, message, HELP, file.module)
        verdict = write_row(file, node, row)
        if verdict is not None:
            return verdict._replace(successor=row.description() or "TensorFlow 2's of that name")
    known = next((row for row in rows if row.description()), None)
    if known is None or refused is not None:
        return manual(node, f"`{symbol.qualified}` exists in no TensorFlow 2", advice(symbol.tail), file.module)
    message = f"`{symbol.qualified}` cannot be replaced automatically in this form"
    takes = ", ".join(one for one in known.arguments if one != "*" and not one.startswith("-"))
    with_what = f", which takes {takes}" if takes else ""
    return manual(node, message, f"Replace it by {known.description()}{with_what}, then migrate again.", file.module)


def _contrib_name(symbol: Symbol) -> str:
    """Returns the name below ``tf.contrib``, also of an object that TensorFlow 1 exports elsewhere too."""
    is_contrib = symbol.tail.startswith("contrib.")
    return symbol.tail.removeprefix("contrib.") if is_contrib else name_of(symbol.qualified)


_SLIM_NEEDS = f"which needs {REQUIREMENT}, and from TensorFlow 2.16 on tf_keras"
_SLIM_HELP = f"Add the lines `{REQUIREMENT}` and `tf_keras` to requirements.txt, and set TF_USE_LEGACY_KERAS=1."
_WITH_ARG_SCOPE = ("slim", "layers.")
"""The modules of functions whose arguments an ``arg_scope`` may set."""
