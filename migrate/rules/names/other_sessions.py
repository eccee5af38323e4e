"""Sessions of a file in addition to its estimators, for which the file stays in graph mode (FT192)."""

import ast
from collections.abc import Generator, Iterator

from migrate.analysis.program.graph_mode import GRAPH_NAMES, mode_place, test_sessions
from migrate.analysis.source.arguments import Unbindable, bind, is_none
from migrate.analysis.source.names import Names
from migrate.analysis.source.symbols import tail_called
from migrate.edits.plan import Decorate, ReplaceExpression
from migrate.rewrite.changed_file import ChangedFile
from migrate.rules.rule import EstimatorFile, Verdict, exact, manual


def separate_sessions(file: EstimatorFile) -> Generator[Verdict, None, ast.expr | Verdict | None]:
    """Wraps functions with a session of their own in a graph, and makes placeholders of features specs.

    Returns:
      A use of another session, for which the file must stay in graph mode; a verdict if it cannot; None for neither.
    """
    module, eager = file.module, file.eager
    other_session: ast.expr | None = None
    for node, found in module.tf1_only:
        if found.is_private and node not in file.renamed:
            file.rename(node, f"{file.v1}.{found.tail}")
            yield exact(
                node, f"becomes `{file.renamed[node]}`: its private name means TensorFlow 2's class there", module
            )
    for node, found in [*module.v1_uses, *module.tf1_only]:
        text = spec_of_feature(file, node) if found.tail == "placeholder" else None
        function = eager.own_graph(module, node) if eager is not None and found.tail in GRAPH_NAMES else None
        if text is not None:
            call = module.names.parent(node)
            assert isinstance(call, ast.Call)
            file.rename(call, text)
            yield exact(node, "this placeholder becomes a tf.TensorSpec in the serving signature", module)
        elif function is not None:
            edit = Decorate(module.span(function), file.runtime_name("in_own_graph"))
            if edit not in file.edits:
                file.edits.append(edit)
                message = f"`{function.name}` builds its own graph: it is wrapped in a tf.Graph()"
                yield exact(node, message, module)
        elif found.tail in GRAPH_NAMES and eager is not None and eager.contains(module, node):
            other_session = other_session or node
            if mode_place(module) is None:
                used = f"`{found.qualified}` works on a graph beside the estimator"
                help = "Move the code that builds the graph to another program."
                return manual(node, f"{used}, and the rewrite turns graph mode off", help, module)
    tests = (node for node in test_sessions(module) if eager is not None and eager.contains(module, node))
    return other_session or next(tests, None)


def graph_mode(
    file: EstimatorFile, other_session: ast.expr | None, place: ast.Call | ast.Import | ast.ImportFrom | None
) -> Iterator[Verdict]:
    """Keeps a file in graph mode where ``other_session`` needs it, and removes other calls that turn it on."""
    module = file.module
    if other_session is not None:
        name = ast.unparse(other_session)
        message = f"the file stays in graph mode, as `{name}` needs; the estimators have sessions of their own"
        yield exact(other_session, message, module)
    if isinstance(place, ast.Call):
        assert isinstance(place.func, ast.Attribute)
        text = f"{module.source.text(place.func.value)}.disable_eager_execution"
        file.edits.append(ReplaceExpression(module.span(place.func), text))
    for call, found in module.mode_calls:
        statement = module.names.parent(call)
        if isinstance(statement, ast.Expr) and call is not place:
            file.delete(statement)
            message = f"{found.tail}() is removed: the loop runs eagerly, the model_fn in its own graph"
            yield exact(call, message, module)


def spec_of_feature(file: ChangedFile, node: ast.expr) -> str | None:
    """Returns a ``TensorSpec`` for a placeholder in a dict that only ``build_raw_serving_input_receiver_fn`` uses."""
    names, call = file.module.names, file.module.names.parent(node)
    if not isinstance(call, ast.Call) or call.func is not node:
        return None
    fed = _only_use(names, call)
    display = names.parent(fed) if fed is not None else None
    if not isinstance(display, ast.Dict):
        return None
    consumer, uses = names.parent(display), list[ast.expr]([display])
    if isinstance(consumer, ast.Assign) and len(consumer.targets) == 1 and isinstance(consumer.targets[0], ast.Name):
        variable = consumer.targets[0]
        uses = [*names.reads_of(variable)] if len(names.bindings(variable)) == 1 else []
    if not uses or not all(_is_features_argument(names, use) for use in uses):
        return None
    try:
        given = bind(call, ("dtype", "shape", "name"))
    except Unbindable:
        return None
    if not given.keys() <= {"dtype", "shape", "name"} or is_none(given.get("shape")) or "dtype" not in given:
        return None
    text = file.module.source.text
    written = [f"{name}={text(given[name], file.renamed)}" for name in ("shape", "dtype", "name") if name in given]
    return f"{file.vocabulary.v1_or_tf}.TensorSpec({', '.join(written)})"


def _only_use(names: Names, value: ast.expr) -> ast.expr | None:
    """Returns the only use of a value, also through a variable; None where there are several or none."""
    statement = names.parent(value)
    if not isinstance(statement, ast.Assign):
        return value
    target = statement.targets[0] if len(statement.targets) == 1 else None
    uses = names.reads_of(target)
    return uses[0] if len(names.bindings(target)) == len(uses) == 1 else None


def _is_features_argument(names: Names, use: ast.expr) -> bool:
    """Whether an expression is the features argument of ``build_raw_serving_input_receiver_fn``."""
    parent = names.parent(use)
    call = names.parent(parent) if isinstance(parent, ast.keyword) and parent.arg == "features" else parent
    is_first = isinstance(call, ast.Call) and use not in call.args[1:]
    return is_first and tail_called(names, call) == "estimator.export.build_raw_serving_input_receiver_fn"
