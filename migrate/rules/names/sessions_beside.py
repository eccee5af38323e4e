"""Sessions beside an estimator, for which a file stays in graph mode (FT192)."""

import ast
from collections.abc import Generator, Iterator

from migrate.analysis.program.graph_mode import SESSIONS, mode_place
from migrate.edits.plan import Decorate, ReplaceExpression
from migrate.rewrite.serving_specs import spec_of_feature
from migrate.rules.rule import ObjectFile, Verdict, exact, manual


def settle_sessions(file: ObjectFile) -> Generator[Verdict, None, ast.expr | Verdict | None]:
    """Gives what works on a session alone a graph, or a type and a shape.

    Returns:
      A name of a session's beside the estimator, for which the file stays in graph mode; why it cannot; None for none.
    """
    module, eager = file.module, file.eager
    beside: ast.expr | None = None
    for node, found in module.tf1_only:
        if found.is_private and node not in file.renamed:
            file.rename(node, f"{file.v1}.{found.tail}")
            yield exact(
                node, f"becomes `{file.renamed[node]}`: its private name means TensorFlow 2's class there", module
            )
    for node, found in [*module.v1, *module.tf1_only]:
        text = spec_of_feature(file, node) if found.tail == "placeholder" else None
        function = eager.own_graph(module, node) if eager is not None and found.tail in SESSIONS else None
        if text is not None:
            call = module.names.parent(node)
            assert isinstance(call, ast.Call)
            file.rename(call, text)
            yield exact(node, "this placeholder becomes a tf.TensorSpec in the serving signature", module)
        elif function is not None:
            edit = Decorate(module.span(function), file.piece("in_own_graph"))
            if edit not in file.edits:
                file.edits.append(edit)
                message = f"`{function.name}` builds its own graph: it is wrapped in a tf.Graph()"
                yield exact(node, message, module)
        elif found.tail in SESSIONS and eager is not None and eager.holds(module, node):
            beside = beside or node
            if mode_place(module) is None:
                used = f"`{found.qualified}` is used on a session beside the estimator"
                help = "Move the code with the session to another program."
                return manual(node, f"{used}, and the rewrite turns graph mode off", help, module)
    return beside


def graph_mode(
    file: ObjectFile, beside: ast.expr | None, place: ast.Call | ast.Import | ast.ImportFrom | None
) -> Iterator[Verdict]:
    """Leaves a file in graph mode for the sessions in it; elsewhere takes the calls away that turn it on."""
    module = file.module
    if beside is not None:
        message = "stays in graph mode with the session; the estimators beside it have sessions of their own"
        yield exact(beside, message, module)
    if isinstance(place, ast.Call):
        assert isinstance(place.func, ast.Attribute)
        text = f"{module.source.text(place.func.value)}.disable_eager_execution"
        file.edits.append(ReplaceExpression(module.span(place.func), text))
    for call, found in module.modes:
        statement = module.names.parent(call)
        if isinstance(statement, ast.Expr) and call is not place:
            file.delete(statement)
            message = f"{found.tail}() is removed: the loop runs eagerly, the model_fn in its own graph"
            yield exact(call, message, module)
