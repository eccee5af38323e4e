"""Recovery by hand around ``fit``: weights or a model loaded before it from where its ``ModelCheckpoint`` writes."""

import ast
from collections.abc import Iterator

from migrate.analysis.arguments import literal
from migrate.analysis.checkpoints import key
from migrate.analysis.dissolve import Resume, dissolve
from migrate.analysis.module import Module
from migrate.analysis.names import Names
from migrate.analysis.searches import is_own_file, name_of
from migrate.analysis.trainings import Fit, Saver, fits, is_on_workers, is_training

_LOADS = {"load_weights", "load_model"}


def resumptions(module: Module) -> Iterator[Resume]:
    """Every resumption by hand of a module, whether it can be rewritten or not."""
    names = module.names
    all_fits = list(fits(module))
    loads = [
        node
        for node in names.parents
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute | ast.Name)
        and name_of(node.func) in _LOADS
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
        for load in sorted(loads, key=lambda call: call.lineno):
            resume = _resume(module, fit, load)
            if resume is None or load in known:
                continue
            known.add(load)
            shared = [other for other in all_fits if other is not fit and _same_model(names, other, fit)]
            if shared and not resume.problem:
                resume.problem = "the model is trained by more than one call of fit"
            yield resume


def _loads_itself(module: Module, saver: Saver) -> bool:
    """Whether a callback is asked to load what it saved, as TensorFlow 2.0 could."""
    asked = saver.arguments.get("load_weights_on_restart")
    return asked is not None and literal(asked) is not False and not is_on_workers(module)


def _same_model(names: Names, one: Fit, other: Fit) -> bool:
    return key(names, one.receiver) == key(names, other.receiver)


def _resume(module: Module, fit: Fit, load: ast.Call) -> Resume | None:
    """What ``load`` resumes before ``fit``; None where it is something else: a selection, weights from elsewhere."""
    names = module.names
    if load.lineno >= fit.call.lineno or names.scope_of(load) is not names.scope_of(fit.call) or not load.args:
        return None
    if not _into_model(names, fit, load):
        return None
    saver = next((saver for saver in fit.savers if is_own_file(module, load.args[0], saver.path)), None)
    guard = _guard(names, load, fit.statement)
    if saver is None or guard is None or not isinstance(guard, ast.If | ast.Try):
        return None
    before = [node for node in names.parents if isinstance(node, ast.Call) and _trains(node)]
    if any(node.lineno < load.lineno and names.scope_of(node) is names.scope_of(load) for node in before):
        return None  # loaded between two trainings: a selection of the first one's best
    first = fit.arguments.get("initial_epoch")
    if first is not None and isinstance(literal(first), int) and literal(first) != 0:
        return None  # the second stage of a training in two stages
    resume = Resume(fit, saver, load, guard)
    dissolve(module, resume)
    return resume


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


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for _, value in ast.iter_fields(node):
        if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
            yield value
