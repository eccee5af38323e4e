"""FT121 · feature_columns=[…]

The premade models read their features through feature columns, in the order of their names.

Instead: a DNN of plain ``numeric_column``s gets one ``tf.keras.Input`` a column, flattened and joined in the order of
their names, which is the Estimator's. Features that the model does not use are left out of a dataset whose keys are not
written out: Keras 3 would take one for another.

All other columns stay as they are, wherever they are made, and one generated Keras layer reads them: ``DenseColumns``,
or ``LinearColumns`` for the linear models. ``tf.feature_column`` is in TensorFlow 2.15 and in the newest. Keras's own
preprocessing layers give other numbers: ``StringLookup`` puts what it does not know first and not last, none of them
passes over missing values (``""`` and -1), and several values of one feature are averaged or added by none.

Fidelity: exact. ``make_parse_example_spec`` and everything else that uses the columns stays too.
Sequence columns block the program, and so do ``shared_embedding_columns`` and ``shared_embeddings``, which TensorFlow
makes in a graph alone: the object form (FT151) has one.

See: tf.feature_column, tf.keras.Input.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.program import Program
from migrate.rewrite.draft import Draft
from migrate.rules.rule import CANNED, Example, Verdict, exact, manual, rule

_ARGUMENTS = ("feature_columns", "linear_feature_columns", "dnn_feature_columns")
_OF_OTHERS = ("feature_column.sequence_", "feature_column.shared_embedding")
_ELSEWHERE = "Use --canned object, or write the network with tf.keras.layers."


@rule(
    "FT121",
    "exact",
    Example('[tf1.feature_column.numeric_column("x")]', 'inputs = {"x": tf.keras.Input((1,), name="x")}', "columns"),
    Example('[tf1.feature_column.numeric_column("x", shape=[2, 3])]', "tf.keras.layers.Flatten()", "columns"),
    Example('[tf1.feature_column.numeric_column("a/b")]', 'inputs = {"a/b": tf.keras.Input((1,))}', "columns"),
    Example("[tf1.feature_column.numeric_column(k) for k in args.keys]", "[DenseColumns(columns)]", "columns"),
    Example('[tf1.feature_column.numeric_column("x", normalizer_fn=abs)]', "[DenseColumns(columns)]", "columns"),
    Example("[tf.feature_column.embedding_column(x, 4)]", "example_batch(columns)", "columns"),
    Example("args.columns", "[DenseColumns(columns)]", "columns"),
    Example("tf1.feature_column.shared_embedding_columns([x, y], 4)", None, "columns"),
    Example("tf.feature_column.shared_embeddings([x, y], 4)", None, "columns"),
    Example("[tf.feature_column.sequence_numeric_column('x')]", None, "columns"),
    kinds=CANNED,
    needs=("model",),
)
def feature_columns(program: Program, draft: Draft) -> Iterator[Verdict]:
    given = [program.arguments[name] for name in _ARGUMENTS if name in program.arguments]
    if draft.columns:
        yield exact(given[0], "each numeric column becomes an input of the Keras model")
        return
    for tail, nodes in program.module.uses.items():
        if given and tail.startswith(_OF_OTHERS):
            yield manual(nodes[0], f"`{tail}` is no column that the generated layers read", _ELSEWHERE)
            return
    for columns in given:
        if isinstance(columns, ast.List | ast.Tuple) and not columns.elts:
            yield manual(columns, "the list of feature columns is empty here", "Give the columns.")
            return
        yield exact(columns, "the feature columns stay as they are, and a layer of the Keras model reads them")
