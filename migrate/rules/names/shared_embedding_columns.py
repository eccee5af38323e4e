"""FT197 · shared_embedding_columns beside a model_fn

``tf.feature_column.shared_embedding_columns`` asks for a graph: where a program makes its columns before its
estimator, TensorFlow 2 stops with ``shared_embedding_columns are not supported when eager execution is enabled``.

Instead: a generated function that makes the same columns in a graph of its own. They belong to none.

Fidelity: exact.

See: tf.compat.v1.feature_column.shared_embedding_columns.
"""

from collections.abc import Iterator

from migrate.edits.plan import ReplaceExpression
from migrate.rules.rule import ObjectFile, Verdict, exact, file_rule, line


@file_rule(
    "FT197",
    "exact",
    line("c = tf1.feature_column.shared_embedding_columns([x], 4)", "c = tf1_shared_embedding_columns([x], 4)"),
)
def shared_embedding_columns(file: ObjectFile) -> Iterator[Verdict]:
    for node in file.module.uses.get("feature_column.shared_embedding_columns", ()):
        file.renamed[node] = file.piece("tf1_shared_embedding_columns")
        file.edits.append(ReplaceExpression(file.module.span(node), file.renamed[node]))
        yield exact(node, "becomes a function that makes the same columns in a graph of its own", file.module)
