"""Code outside the estimators that needs a graph or a session, and would run eagerly without graph mode."""

import ast
from collections.abc import Iterable, Sequence

from migrate.analysis.program.graph_mode import mode_place
from migrate.analysis.program.tree import Tree
from migrate.analysis.source.module import Module
from migrate.analysis.source.names import Names
from migrate.analysis.source.nodes import walk
from migrate.analysis.source.symbols import tail_called

_OF_ESTIMATORS = {"train", "evaluate", "predict", "export_saved_model", "export_savedmodel"}


class EagerCode:
    """The functions of some files that run eagerly, because the program calls them outside its estimators.

    Args:
      uses: the calls that create or use an estimator, with their files.
      imported: the files that are imported, so that the program does not run their ``__main__`` part.

    Attributes:
      own_graphs: the functions that create everything that their session runs, and so can have a graph of their own.
    """

    def __init__(
        self,
        tree: Tree,
        modules: Sequence[Module],
        uses: Iterable[tuple[Module, ast.AST]],
        imported: frozenset[str] = frozenset(),
    ) -> None:
        self._imported = imported
        calls: dict[ast.AST | None, set[ast.AST]] = {}  # None for the code at the top of files
        for module in modules:
            for call, around, called in _eager_calls(tree, module):
                if not self._never_runs(module, call):
                    caller = None if isinstance(around, ast.Module) else around
                    calls.setdefault(caller, set()).update(called)
        around_uses = [module.names.function_around(node) for module, node in uses]
        training: set[ast.AST] = {one for one in around_uses if not isinstance(one, ast.Module)}
        size = -1
        while len(training) > size:
            size = len(training)
            training |= {around for around, called in calls.items() if around and not training.isdisjoint(called)}
        outside = _reachable(calls, [*training, None], set()) - training
        own = [(module, one) for module in modules for one in module.names.nodes(ast.FunctionDef) if one in outside]
        self.own_graphs: set[ast.AST] = {one for module, one in own if _has_own_graph(module, one)}
        tests = (one for module in modules for one in _methods_of_tests(module))
        self._functions = _reachable(calls, [*training, None, *tests], self.own_graphs)

    def contains(self, module: Module, node: ast.expr) -> bool:
        """Whether a node runs eagerly outside the estimators, and in no graph of its own."""
        function = module.names.function_around(node)
        is_eager = isinstance(function, ast.Module) or function in self._functions
        return is_eager and not _is_in_graph(module, node) and not self._never_runs(module, node)

    def own_graph(self, module: Module, node: ast.expr) -> ast.FunctionDef | None:
        """Returns the function around a node if it can have a graph of its own; else None."""
        function = module.names.function_around(node)
        is_own = function in self.own_graphs and not _is_in_graph(module, node)
        return function if is_own and isinstance(function, ast.FunctionDef) else None

    def _never_runs(self, module: Module, node: ast.AST) -> bool:
        """Whether a node is under ``if __name__ == "__main__"`` in an imported file, so that it never runs."""
        if module.path not in self._imported:
            return False
        tests = (around.test for around in module.names.ancestors(node) if isinstance(around, ast.If))
        return any(isinstance(part, ast.Name) and part.id == "__name__" for test in tests for part in walk(test))


def uses_of_estimators(modules: Sequence[Module]) -> list[tuple[Module, ast.AST]]:
    """Returns the calls in some files that create an estimator, or seem to use one."""
    found: list[tuple[Module, ast.AST]] = []
    for module in modules:
        found += [(module, site.node) for site in module.sites if site.kind in ("estimator", "train_and_evaluate")]
        found += [(module, call) for call in module.names.nodes(ast.Call) if _takes_input_fn(call)]
    return found


def _takes_input_fn(call: ast.Call) -> bool:
    is_method = isinstance(call.func, ast.Attribute) and call.func.attr in _OF_ESTIMATORS
    named = {keyword.arg for keyword in call.keywords}
    return is_method and not named.isdisjoint({"input_fn", "serving_input_receiver_fn"})


def _reachable(
    calls: dict[ast.AST | None, set[ast.AST]], waiting: list[ast.AST | None], end: set[ast.AST]
) -> set[ast.AST]:
    """Returns the functions that some reach by calls, with these; functions in ``end`` are skipped."""
    found = set[ast.AST]()
    while waiting:
        function = waiting.pop()
        if function in end or function in found:
            continue
        found |= {function} if function is not None else set()
        waiting += calls.get(function, ())
    return found


def _eager_calls(tree: Tree, module: Module) -> list[tuple[ast.Call, ast.AST, list[ast.AST]]]:
    """Returns the calls of a file outside graphs, each with the function around it and the functions that it calls."""
    question = "eager calls", module.tree
    if question not in tree.answers:
        calls = (call for call in module.names.nodes(ast.Call) if not _is_in_graph(module, call))
        found = [(call, module.names.function_around(call), _functions_called(tree, module, call)) for call in calls]
        tree.answers[question] = [one for one in found if one[2]]
    return tree.answers[question]  # type: ignore[no-any-return]


def _functions_called(tree: Tree, module: Module, call: ast.Call) -> list[ast.AST]:
    """Returns the functions that a call calls, in any file; for ``app.run`` its ``main``."""
    function, dotted = call.func, module.names.qualified(call.func)
    is_run = dotted is not None and dotted.endswith(".run")
    if is_run and (dotted == "absl.app.run" or tail_called(module.names, call) == "app.run"):
        given = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg == "main")]
        if not given:
            return _defined_at_top(module, "main")
        function, dotted = given[0], module.names.qualified(given[0])
    if isinstance(function, ast.Name) and (own := module.names.definitions(function)):
        return list(own)
    if dotted is None or dotted.startswith("tensorflow"):
        return []
    owner, name = tree.owner(module, dotted)
    return _defined_at_top(owner, name) if owner is not None else []


def _methods_of_tests(module: Module) -> list[ast.AST]:
    """Returns the methods of subclasses of ``tf.test.TestCase``, which the test runner calls."""
    if mode_place(module) is None:
        return []
    around = map(module.names.parent, module.uses.get("test.TestCase", ()))
    cases = [one for one in around if isinstance(one, ast.ClassDef)]
    return [
        method for case in cases for method in case.body if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def _defined_at_top(module: Module, name: str) -> list[ast.AST]:
    bindings = module.names.top.bindings.get(name, [])
    return [one.node for one in bindings if isinstance(one.node, ast.FunctionDef)]


def _has_own_graph(module: Module, function: ast.FunctionDef) -> bool:
    """Whether a function creates sessions for its own use only, so that it can run in a graph of its own."""
    names = module.names
    is_known = any(tail.endswith("Session") for tail in module.uses)
    if function.decorator_list or function in names.generators or not is_known:
        return False
    sessions = [call for call in names.calls_in(function) if tail_called(names, call) == "Session"]
    return bool(sessions) and all(_stays_inside(names, session) for session in sessions)


def _stays_inside(names: Names, session: ast.Call) -> bool:
    """Whether a session stays in its function: in a local variable that is not returned or stored, or in none."""
    parent = names.parent(session)
    if isinstance(parent, ast.withitem):
        target = parent.optional_vars
    elif isinstance(parent, ast.Assign) and len(parent.targets) == 1:
        target = parent.targets[0]
    else:
        return False
    if target is None:
        return True
    found = names.scope_of(target).lookup(target.id) if isinstance(target, ast.Name) else None
    if not isinstance(target, ast.Name) or found is None or not isinstance(found[0].node, ast.FunctionDef):
        return False
    return all(_is_local_use(names, use) for use in names.uses(target.id, found[0]))


def _is_local_use(names: Names, use: ast.Name) -> bool:
    parent = names.parent(use)
    is_given = isinstance(parent, ast.Call | ast.keyword | ast.withitem)
    return is_given or (isinstance(parent, ast.Attribute) and isinstance(parent.ctx, ast.Load))


def _is_in_graph(module: Module, node: ast.AST) -> bool:
    """Whether a node uses a graph even in eager mode.

    That is so with ``tf.Graph().as_default()``, and with a ``tf.Session()`` if the body reads nothing from outside.
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
    """Whether a ``with`` enters a graph in which its body creates everything that it runs."""
    if not isinstance(item.context_expr, ast.Call):
        return False
    entered = item.context_expr.func
    if isinstance(entered, ast.Attribute) and entered.attr == "as_default":
        return _is_new_graph(module, entered.value)
    if tail_called(module.names, item.context_expr) != "Session":
        return False
    graph = next((keyword.value for keyword in item.context_expr.keywords if keyword.arg == "graph"), None)
    return _is_new_graph(module, graph) if graph is not None else _makes_all_itself(module, statement)


def _is_new_graph(module: Module, graph: ast.expr) -> bool:
    return tail_called(module.names, module.names.value(graph)) == "Graph"


def _makes_all_itself(module: Module, statement: ast.With) -> bool:
    """Whether the body of a ``with`` in a function reads only its own variables and parameters."""
    if isinstance(module.names.function_around(statement), ast.Module):
        return False
    known = ast.FunctionDef | ast.ClassDef | ast.arg | ast.Import | ast.ImportFrom
    inside = set(walk(statement))
    for name in inside:
        if not all(isinstance(one.node, known) or one.node in inside for one in module.names.bindings(name)):
            return False
    return True
