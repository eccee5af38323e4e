"""FT192 · import tensorflow as tf, in a file that speaks TensorFlow 1

A ``model_fn`` written for TensorFlow 1 uses ``tf.layers``, ``tf.train.AdamOptimizer``, ``x.shape[0].value`` and other
names that TensorFlow 2 keeps under ``tf.compat.v1``.

Instead: ``import tensorflow.compat.v1 as tf``, which keeps the meaning of every name in the file, and
``tf.disable_v2_tensorshape()`` where ``.value`` is read. ``disable_v2_behavior()`` and ``disable_eager_execution()``
go, because the loop around the ``model_fn`` runs eagerly; the ``model_fn`` itself builds its graph as before.

Fidelity: exact. Sessions beside the estimator, and names imported one by one from ``tensorflow``, leave the program.

See: tf.compat.v1.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.module import Module
from migrate.analysis.program import Program
from migrate.rewrite.draft import Draft, OtherFile
from migrate.rewrite.plan import Part, ReplaceStatement
from migrate.rules.rule import CUSTOM, Example, Verdict, exact, manual, rule

_SESSIONS = {
    "InteractiveSession", "Session", "global_variables_initializer", "placeholder", "train.MonitoredTrainingSession",
    "train.Supervisor",
}  # fmt: skip


@rule(
    "FT192",
    "exact",
    Example("tf.logging.info(x)", "import tensorflow.compat.v1 as tf\n", "head", kind="custom"),
    Example("tf.logging.info(x.shape[0].value)", "tf.disable_v2_tensorshape()", "head", kind="custom"),
    Example("tf1.disable_v2_behavior()", "training = ModelFnTraining(", "head", kind="custom"),
    Example("tf1.Session()", None, "head", kind="custom"),
    kinds=CUSTOM,
)
def tensorflow_1_import(program: Program, draft: Draft) -> Iterator[Verdict]:
    for file in draft.changed_files:
        yield from _of_file(program, file)


def _of_file(program: Program, file: Draft | OtherFile) -> Iterator[Verdict]:
    module = file.module
    for node, found in [*module.v1, *module.tf1_only]:
        if found.tail in _SESSIONS and _runs_beside(program, module, node):
            yield manual(
                node,
                f"`{found.qualified}` works on a session beside the estimator, and graph mode goes",
                "Move the code with the session to another program.",
                module,
            )
            return
    for call, found in module.modes:
        statement = module.names.parent(call)
        if isinstance(statement, ast.Expr):
            file.absorbed.append(statement)
            yield exact(call, f"{found.tail}() goes: the loop runs eagerly, the model_fn in its own graph", module)
    plain = _plain_import(module)
    # What has another name now does not need the import that it came by.
    remaining = [(node, found) for node, found in module.tf1_only if plain is not None or not _goes(file, node)]
    if not remaining:
        return
    if plain is None:
        node, found = remaining[0]
        yield manual(
            node,
            f"`{found.qualified}` exists in TensorFlow 1 alone, and is not reached by `import tensorflow as …`",
            "Run tf_upgrade_v2 on the file first, then migrate it again.",
            module,
        )
        return
    name = plain.names[0].asname
    lines = [f"import tensorflow.compat.v1 as {name}"]
    if any(isinstance(node, ast.Attribute) and node.attr == "value" for node in module.names.parents):
        lines += ["", f"{name}.disable_v2_tensorshape()"]
    file.edits.append(ReplaceStatement(module.span(plain), (Part("\n".join(lines)),)))
    yield exact(plain, f"`{name}` becomes tensorflow.compat.v1, which has all names of this file", module)


def _goes(file: Draft | OtherFile, node: ast.expr) -> bool:
    return node in file.renamed or (isinstance(file, Draft) and (node in file.constructors or file.goes(node)))


def _runs_beside(program: Program, module: Module, node: ast.expr) -> bool:
    """Whether a node stands in the code around the estimator, not in some function that it may call."""
    scope = module.names.scope_of(node)
    return isinstance(scope.node, ast.Module) or scope is program.scope


def _plain_import(module: Module) -> ast.Import | None:
    """The statement ``import tensorflow as NAME`` alone, if that is how the file has TensorFlow."""
    for bindings in module.names.top.bindings.values():
        statement = bindings[0].node
        is_plain = len(bindings) == 1 and bindings[0].imported == "tensorflow"
        if is_plain and isinstance(statement, ast.Import) and len(statement.names) == 1 and statement.names[0].asname:
            return statement
    return None
