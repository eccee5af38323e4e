"""Input functions that return the tensors of a one-shot iterator, where they could return its dataset."""

import ast
from dataclasses import dataclass

from migrate.analysis.inputs import Inputs
from migrate.analysis.moves import why_not_movable
from migrate.analysis.names import Names
from migrate.analysis.symbols import symbol_of


@dataclass(frozen=True)
class Drawn:
    """One ``return`` of tensors that an iterator gives.

    Attributes:
      statement: the ``return``.
      dataset: what the iterator runs over.
      removed: what exists only to draw from it.
    """

    statement: ast.Return
    dataset: ast.expr
    removed: tuple[ast.stmt, ...]


def drawn(names: Names, input_fn: ast.expr, inputs: set[ast.expr]) -> list[Drawn]:
    """The returns of the function behind ``input_fn``; none where it does more with the tensors, or goes elsewhere.

    Args:
      names: the module's names.
      input_fn: what an estimator's method is given.
      inputs: everything that is given to the methods of estimators that are rewritten.
    """
    reader = Inputs(names)
    function, _ = reader.function(input_fn)
    while isinstance(function, ast.Lambda) and isinstance(function.body, ast.Call):
        function, _ = reader.function(function.body.func)
    if not isinstance(function, ast.FunctionDef) or function.decorator_list:
        return []
    if not _all_flow(names, function, inputs, set()):
        return []
    found = []
    for statement in names.returns(function):
        one = _drawn(names, statement)
        if one is None or not reader.is_dataset(one.dataset):
            return []
        found.append(one)
    return found


def _drawn(names: Names, statement: ast.Return) -> Drawn | None:
    value, removed = statement.value, list[ast.stmt]()
    parts = value.elts if isinstance(value, ast.Tuple) else [value]
    if not isinstance(value, ast.Call):
        variables = [part for part in parts if isinstance(part, ast.Name)]
        made = _assigned(names, variables) if len(variables) == len(parts) else None
        if made is None:
            return None
        removed.append(made)
        value = made.value
    iterator = _called_on(value, "get_next") if isinstance(value, ast.Call) else None
    if isinstance(iterator, ast.Name):
        made = _assigned(names, [iterator])
        if made is None:
            return None
        removed.append(made)
        iterator = made.value
    dataset = _iterated(names, iterator) if isinstance(iterator, ast.Call) else None
    if dataset is None:
        return None
    if not _follows(names, statement, removed) and why_not_movable(names, dataset, statement) is not None:
        return None
    return Drawn(statement, dataset, tuple(removed))


def _follows(names: Names, statement: ast.Return, removed: list[ast.stmt]) -> bool:
    """Whether nothing stands between the first of what is removed and the ``return``."""
    blocks = [block for _, block in ast.iter_fields(names.parent(statement)) if isinstance(block, list)]
    block = next(block for block in blocks if statement in block)
    at = block.index(statement)
    return set(block[at - len(removed) : at] if at >= len(removed) else []) == set(removed)


def _called_on(call: ast.Call, method: str) -> ast.expr | None:
    """What a method without arguments is called on; None for another call."""
    is_method = (
        isinstance(call.func, ast.Attribute) and call.func.attr == method and not call.args and not call.keywords
    )
    return call.func.value if is_method and isinstance(call.func, ast.Attribute) else None


def _iterated(names: Names, call: ast.Call) -> ast.expr | None:
    """What a one-shot iterator runs over."""
    found = symbol_of(names, call.func)
    if found is not None:
        is_made = found.tail == "data.make_one_shot_iterator" and len(call.args) == 1 and not call.keywords
        return call.args[0] if is_made else None
    return _called_on(call, "make_one_shot_iterator")


def _assigned(names: Names, variables: list[ast.Name]) -> ast.Assign | None:
    """The one statement that assigns all of some variables, in their order, if each is read here alone."""
    statements = set[ast.AST]()
    for variable in variables:
        bound = names.bound(variable)
        if len(bound) != 1 or names.reads_of(variable) != [variable]:
            return None
        node = bound[0].node
        statements.add(node if isinstance(node, ast.stmt) else names.statement_of(node))
    statement = statements.pop() if len(statements) == 1 else None
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    target = statement.targets[0]
    targets = target.elts if isinstance(target, ast.Tuple) else [target]
    same = [one.id for one in targets if isinstance(one, ast.Name)] == [one.id for one in variables]
    return statement if same and len(targets) == len(variables) else None


def _all_flow(names: Names, function: ast.FunctionDef, inputs: set[ast.expr], seen: set[ast.AST]) -> bool:
    """Whether whatever uses a function only makes inputs of it."""
    if function in seen:
        return True
    seen.add(function)
    uses = names.uses(function.name, names.scope_of(function))
    return bool(uses) and all(_flows(names, use, inputs, seen) for use in uses)


def _flows(names: Names, node: ast.expr, inputs: set[ast.expr], seen: set[ast.AST]) -> bool:
    if node in inputs:
        return True
    parent = names.parent(node)
    if isinstance(parent, ast.Call) and (parent.func is node or _is_partial(names, parent, node)):
        return _flows(names, parent, inputs, seen)
    if isinstance(parent, ast.Lambda):
        return _flows(names, parent, inputs, seen)
    if isinstance(parent, ast.Return):
        maker = names.scope_of(parent).node
        return isinstance(maker, ast.FunctionDef) and _all_flow(names, maker, inputs, seen)
    return all(_flows(names, use, inputs, seen) for use in _kept(names, parent)) if _kept(names, parent) else False


def _is_partial(names: Names, call: ast.Call, node: ast.expr) -> bool:
    return names.qualified(call.func) == "functools.partial" and call.args[:1] == [node]


def _kept(names: Names, statement: ast.AST) -> list[ast.Name]:
    """The uses of the variable that ``statement`` assigns."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return names.reads_of(targets[0]) if len(targets) == 1 else []
