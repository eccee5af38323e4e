"""Where code works on a session or a graph beside an estimator, and so would run eagerly once graph mode goes."""

import ast
from collections.abc import Sequence

from migrate.analysis.module import Module
from migrate.analysis.program import Program
from migrate.analysis.symbols import symbol_of


def eager_functions(program: Program, modules: Sequence[Module]) -> set[ast.AST]:
    """The functions that the code around the estimator calls, or is called from; none that an estimator calls."""
    calls: dict[ast.AST | None, set[ast.AST]] = {}  # None for the code at the top of files
    for module in modules:
        for call in module.names.parents:
            if isinstance(call, ast.Call) and not _is_in_graph(module, call):
                around = _function_around(module, call)
                caller = None if isinstance(around, ast.Module) else around
                calls.setdefault(caller, set()).update(_called(program, module, call.func))
    parts = [(part.module, call.node) for part in (program, *program.elsewhere) for call in part.calls]
    around_calls = [_function_around(module, call) for module, call in [(program.module, program.site.node), *parts]]
    callers: set[ast.AST | None] = {one for one in around_calls if not isinstance(one, ast.Module)}
    size = -1
    while len(callers) > size:
        size = len(callers)
        callers |= {around for around, called in calls.items() if not callers.isdisjoint(called)}
    found, ahead = set[ast.AST](), [*callers, None]
    while ahead:
        function = ahead.pop()
        if function is None or function not in found:
            found |= {function} if function is not None else set()
            ahead += calls.get(function, ())
    return found


def _called(program: Program, module: Module, function: ast.expr) -> list[ast.AST]:
    """The functions that a call's function is seen to be, in any file of the tree."""
    if isinstance(function, ast.Name) and (own := module.names.definitions(function)):
        return list(own)
    dotted = module.names.qualified(function)
    if dotted is None or dotted.startswith("tensorflow"):
        return []
    owner, name = program.tree.owner(module, dotted)
    bindings = owner.names.top.bindings.get(name, []) if owner is not None else []
    return [one.node for one in bindings if isinstance(one.node, ast.FunctionDef)]


def runs_beside(module: Module, node: ast.expr, eager: set[ast.AST]) -> bool:
    """Whether a node stands in code that runs eagerly beside the estimator, and in no graph of its own."""
    function = _function_around(module, node)
    return (isinstance(function, ast.Module) or function in eager) and not _is_in_graph(module, node)


def _function_around(module: Module, node: ast.AST) -> ast.AST:
    functions = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.Module
    return next(around for around in module.names.ancestors(node) if isinstance(around, functions))


def _is_in_graph(module: Module, node: ast.AST) -> bool:
    """Whether a node works on a graph in eager mode too, because it builds what it runs, or is told on which graph.

    So it is under ``with tf.Graph().as_default()``, and under ``with tf.Session()`` where nothing from outside enters.
    """
    if isinstance(node, ast.expr) and isinstance(call := module.names.parent(node), ast.Call):
        graph = next((keyword.value for keyword in call.keywords if keyword.arg == "graph"), None)
        if call.func is node and graph is not None and _is_new_graph(module, graph):
            return True
    for around in module.names.ancestors(node):
        if isinstance(around, ast.FunctionDef | ast.AsyncFunctionDef):
            break
        if isinstance(around, ast.With) and any(_enters_graph(module, around, item) for item in around.items):
            return True
    return False


def _enters_graph(module: Module, statement: ast.With, item: ast.withitem) -> bool:
    """Whether a ``with`` enters a graph, in which all that its body runs is made."""
    if not isinstance(item.context_expr, ast.Call):
        return False
    entered = item.context_expr.func
    if isinstance(entered, ast.Attribute) and entered.attr == "as_default":
        return _is_new_graph(module, entered.value)
    session = symbol_of(module.names, entered)
    if session is None or session.tail != "Session":
        return False
    graph = next((keyword.value for keyword in item.context_expr.keywords if keyword.arg == "graph"), None)
    return _is_new_graph(module, graph) if graph is not None else _makes_all_itself(module, statement)


def _is_new_graph(module: Module, graph: ast.expr) -> bool:
    made = module.names.only_value(graph) if isinstance(graph, ast.Name) else graph
    found = symbol_of(module.names, made.func) if isinstance(made, ast.Call) else None
    return found is not None and found.tail == "Graph"


def _makes_all_itself(module: Module, statement: ast.With) -> bool:
    """Whether the body of a ``with`` in a function reads no variable but its own and the function's parameters."""
    if isinstance(_function_around(module, statement), ast.Module):
        return False
    known = ast.FunctionDef | ast.ClassDef | ast.arg | ast.Import | ast.ImportFrom
    inside = set(ast.walk(statement))
    for name in inside:
        found = module.names.scope_of(name).lookup(name.id) if isinstance(name, ast.Name) else None
        if found and not all(isinstance(one.node, known) or one.node in inside for one in found[1]):
            return False
    return True
