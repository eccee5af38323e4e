"""FT191 · names that TensorFlow 1 alone has, and graph mode

Code written as ``import tensorflow as tf`` for TensorFlow 1 uses names that no TensorFlow 2 has, and
``tf.compat.v1.disable_v2_behavior()`` turns off what Keras and ``CheckpointManager`` need.

Instead: names that work eagerly as they did (``tf.logging.info``, ``tf.decode_csv``, ``tf.app.flags``, …) get their
``tf.compat.v1`` spelling. Names that the rewrite replaces go with it, and so does the call that sets the mode, where
nothing else in the file needs graphs. Otherwise the program is skipped: run TensorFlow's ``tf_upgrade_v2`` first, which
writes the ``tf.compat.v1`` names, then run the migration again.

Fidelity: exact.

See: tf.compat.v1, tf_upgrade_v2.
"""

import ast
from collections.abc import Iterable, Iterator

from migrate.analysis.program import Program
from migrate.analysis.symbols import EAGER
from migrate.edits.plan import ReplaceExpression
from migrate.rewrite.draft import Draft
from migrate.rules.rule import Example, Verdict, exact, manual, rule


@rule(
    "FT191",
    "exact",
    Example("tf1.disable_v2_behavior()", "model = tf.keras.Model(", "head"),
    Example("tf1.disable_v2_behavior(); print(tf1.placeholder)", None, "head"),
    Example("tf.enable_eager_execution()", "model = tf.keras.Model(", "head"),
    Example("print(tf.placeholder)", None, "head"),
    Example("tf.logging.set_verbosity(tf.logging.INFO)", "tf1.logging.set_verbosity(tf1.logging.INFO)", "head"),
    Example("print(tf.to_float(1)); k = tf.train.get_global_step()", None, "head"),
)
def tensorflow_1_code(program: Program, draft: Draft) -> Iterator[Verdict]:
    module = program.module
    modes = {call.func for call, _ in module.modes if isinstance(module.names.parent(call), ast.Expr)}
    remaining = [(node, found) for node, found in module.tf1_only if node not in modes and not draft.is_replaced(node)]
    for node, _ in remaining:
        if node in draft.renamed:
            draft.edits.append(ReplaceExpression(module.span(node), draft.renamed[node]))
            yield exact(node, f"becomes `{draft.renamed[node]}`, which works in eager code as it did")
    for node, found in [one for one in remaining if one[0] not in draft.renamed][:1]:
        yield manual(
            node,
            f"`{found.qualified}` exists in TensorFlow 1 alone, and is outside what is rewritten",
            "Run tf_upgrade_v2 on the file first, then migrate it again; or use --canned object."
            if program.kind == "canned"
            else "Run tf_upgrade_v2 on the file first, then migrate it again.",
        )
    graph_only = [
        (node, found)
        for node, found in module.v1
        if not found.tail.startswith(EAGER) and not draft.is_replaced(node) and not _is_mode(module.modes, node)
    ]
    for call, found in module.modes:
        statement = module.names.parent(call)
        if graph_only and found.tail.startswith("disable"):
            node, other = graph_only[0]
            yield manual(
                node,
                f"{found.tail}() puts the file in graph mode, which `{other.qualified}` may need and Keras cannot use",
                "Move the code that needs graphs to another program.",
            )
        elif isinstance(statement, ast.Expr):
            draft.delete(statement)
            yield exact(call, f"{found.tail}() is removed: TF2 code runs eagerly")


def _is_mode(modes: Iterable[tuple[ast.Call, object]], node: ast.expr) -> bool:
    return any(call.func is node for call, _ in modes)
