"""Recovery by hand around ``fit``: weights or a model loaded before it from where its ``ModelCheckpoint`` writes."""

import ast
from collections.abc import Iterator

from migrate.analysis.arguments import literal
from migrate.analysis.checkpoints import key
from migrate.analysis.module import Module
from migrate.analysis.names import Names
from migrate.analysis.paths import only_call, only_given
from migrate.analysis.resume.dissolve import dissolve
from migrate.analysis.resume.resumption import LoadingFunction, Resume
from migrate.analysis.searches import is_own_file, name_of
from migrate.analysis.trainings import Fit, Saver, fits, is_on_workers, is_training

_LOADS = {"load_weights", "load_model"}


def resumptions(module: Module) -> Iterator[Resume]:
    """Every resumption by hand of a module, whether it can be rewritten or not."""
    names = module.names
    all_fits = list(fits(module))
    loads = [
        node
        for node in names.nodes(ast.Call)
        if isinstance(node.func, ast.Attribute | ast.Name) and name_of(node.func) in _LOADS
    ]
    known = set[ast.Call]()
    for fit in all_fits:
        by_itself = next((saver for saver in fit.savers if _loads_itself(module, saver)), None)
        if by_itself is not None and by_itself.call not in known:
            known.add(by_itself.call)
            alone = Resume(fit, by_itself, by_itself.call, None)
            dissolve(module, alone)
            yield alone
            continue
        found = [_resume(module, fit, load) for load in sorted(loads, key=lambda call: call.lineno)]
        own = [resume for resume in found if resume is not None and resume.load not in known]
        known |= {resume.load for resume in own}
        shared = [other for other in all_fits if other is not fit and _same_model(names, other, fit)]
        for resume in own:
            if shared and not resume.problem:
                resume.problem = "the model is trained by more than one call of fit"
            if any(other.guard is not resume.guard for other in own) and not resume.problem:
                resume.problem = "weights are loaded before it in more than one place"
        yield from own


def _loads_itself(module: Module, saver: Saver) -> bool:
    """Whether a callback is asked to load what it saved, as TensorFlow 2.0 could."""
    asked = saver.arguments.get("load_weights_on_restart")
    return asked is not None and literal(asked) is not False and not is_on_workers(module)


def _same_model(names: Names, one: Fit, other: Fit) -> bool:
    return key(names, one.receiver) == key(names, other.receiver)


def _resume(module: Module, fit: Fit, load: ast.Call) -> Resume | None:
    """What ``load`` resumes before ``fit``; None where it is something else: a selection, weights from elsewhere."""
    names = module.names
    if not load.args:
        return None
    function = None if names.scope_of(load) is names.scope_of(fit.call) else _loads_for(names, fit, load)
    if function is None and (names.scope_of(load) is not names.scope_of(fit.call) or not _into_model(names, fit, load)):
        return None
    loading = load if function is None else function.call
    saver = next((saver for saver in fit.savers if is_own_file(module, load.args[0], saver.path)), None)
    guard = _guard(names, loading, fit.statement) if loading.lineno < fit.call.lineno else None
    if saver is None or guard is None:
        return None
    if function is not None and function.is_maker:
        if not _is_straight(names, loading, guard):
            return None
        guard = _guard_inside(names, load, function.node)
    if not isinstance(guard, ast.If | ast.Try) and (function is None or function.is_maker):
        return None  # it needs the file
    inside = ast.walk(function.node) if function is not None else ()
    if not isinstance(guard, ast.If | ast.Try) and not any(isinstance(node, ast.If | ast.Try) for node in inside):
        return None
    before = [node for node in names.nodes(ast.Call) if _trains(node)]
    if any(node.lineno < loading.lineno and names.scope_of(node) is names.scope_of(loading) for node in before):
        return None  # loaded between two trainings: a selection of the first one's best
    first = fit.arguments.get("initial_epoch")
    if first is not None and isinstance(literal(first), int) and literal(first) != 0:
        return None  # the second stage of a training in two stages
    resume = Resume(fit, saver, load, guard, function)
    dissolve(module, resume)
    return resume


def _loads_for(names: Names, fit: Fit, load: ast.Call) -> LoadingFunction | None:
    """The function around a load, if its one call makes the model that ``fit`` trains, or is given it."""
    node = names.scope_of(load).node
    if not isinstance(node, ast.FunctionDef) or node.decorator_list:
        return None
    call = only_call(names, node)
    if call is None or names.scope_of(call) is not names.scope_of(fit.call):
        return None
    own, target = key(names, fit.receiver), names.parent(call)
    is_load = name_of(load.func) == "load_model"
    held = load.func.value if isinstance(load.func, ast.Attribute) and not is_load else None
    makes = isinstance(target, ast.Assign) and len(target.targets) == 1 and key(names, target.targets[0]) == own
    if makes and _is_returned(names, node, load, held):
        return LoadingFunction(node, call, is_maker=True)
    given = only_given(names, held) if isinstance(held, ast.Name) else None
    is_given = given is not None and key(names, given) == own
    is_same = held is not None and key(names, held) == own
    return LoadingFunction(node, call, is_maker=False) if is_given or is_same else None


def _is_returned(names: Names, function: ast.FunctionDef, load: ast.Call, held: ast.expr | None) -> bool:
    """Whether a function returns the model that ``load`` gives, or into which it loads weights."""
    above = names.parent(load)
    if held is None and isinstance(above, ast.Return):
        return True
    if held is None and isinstance(above, ast.Assign) and len(above.targets) == 1:
        held = above.targets[0]
    if not isinstance(held, ast.Name):
        return False
    returned = [one.value for one in names.returns(function)]
    return bool(returned) and all(isinstance(value, ast.Name) and value.id == held.id for value in returned)


def _trains(call: ast.Call) -> bool:
    return is_training(call) or name_of(call.func) == "train_on_batch"


def _into_model(names: Names, fit: Fit, load: ast.Call) -> bool:
    own = key(names, fit.receiver)
    if name_of(load.func) == "load_weights":
        return isinstance(load.func, ast.Attribute) and key(names, load.func.value) == own
    statement = names.parent(load)
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return False
    return key(names, statement.targets[0]) == own


def _guard(names: Names, load: ast.Call, training: ast.stmt) -> ast.stmt | None:
    """The statement around ``load`` that stands in one block with the one around ``training``, before it."""
    around = [names.statement_of(load), *(n for n in names.ancestors(load) if isinstance(n, ast.stmt))]
    beside = {training, *(node for node in names.ancestors(training) if isinstance(node, ast.stmt))}
    for node in around:
        if node in beside:
            return None
        for block in _blocks(names.parent(node)):
            if node in block and any(other in beside for other in block[block.index(node) + 1 :]):
                return node
    return None


def _guard_inside(names: Names, load: ast.Call, function: ast.FunctionDef) -> ast.stmt | None:
    """The outermost statement around ``load`` in a function, where no ``with`` is counted."""
    around = [
        node for node in names.ancestors(load) if isinstance(node, ast.stmt) and names.scope_of(node).node is function
    ]
    while around and isinstance(around[-1], ast.With):
        around.pop()
    return around[-1] if around else None


def _is_straight(names: Names, call: ast.Call, guard: ast.stmt) -> bool:
    """Whether a call runs whenever the statement around it does."""
    if not isinstance(guard, ast.Assign | ast.With):
        return False
    around = [node for node in names.ancestors(call) if isinstance(node, ast.stmt)]
    return all(isinstance(node, ast.Assign | ast.With) for node in around[: around.index(guard) + 1])


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for _, value in ast.iter_fields(node):
        if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
            yield value
