"""The trainings of a model that recover together: one in another branch of a test, or a later stage."""

import ast
from dataclasses import dataclass

from migrate.analysis.checkpoints import key
from migrate.analysis.module import Module
from migrate.analysis.resume.once import are_alternatives
from migrate.analysis.resume.signs import is_changed
from migrate.analysis.trainings import Fit, trained, training_of


@dataclass(frozen=True)
class Beside:
    """Another training of a model.

    Attributes:
      fit: the training.
      is_stage: whether it trains further what the one before it has trained: ``fit``, unfreeze, ``fit`` again.
    """

    fit: Fit
    is_stage: bool


def trained_beside(module: Module, fit: Fit) -> list[Beside]:
    """The other trainings of a model, where the given one is the first of them and each runs once.

    Args:
      module: the file.
      fit: the first training.

    Returns:
      The others in their order; none where they are of no such kind, or of both kinds.
    """
    own, scope = key(module.names, fit.receiver), module.names.scope_of(fit.call)
    found: list[Beside] = []
    for call in trained(module.names).get(own, ()) if own is not None else ():
        if call is fit.call:
            continue
        other = training_of(module, call)
        is_stage = not are_alternatives(module.names, call, fit.call)
        if other is None or module.names.scope_of(call) is not scope or _is_repeated(module, call, scope.node):
            return []
        if is_stage and (call.lineno < fit.call.lineno or _is_repeated(module, fit.call, scope.node)):
            return []
        if not is_stage and not _is_alike(module, fit, other):
            return []
        found.append(Beside(other, is_stage))
    found.sort(key=lambda one: one.fit.call.lineno)
    return found if len({one.is_stage for one in found}) == 1 else []


def branch_of(module: Module, fit: Fit) -> int:
    """The number, from 1, of a training among those in other branches of a test that train the model otherwise."""
    own = key(module.names, fit.receiver)
    above = [call for call in trained(module.names).get(own, ()) if call.lineno < fit.call.lineno] if own else []
    others = [training_of(module, call) for call in above if are_alternatives(module.names, call, fit.call)]
    return 1 + sum(one is not None and not _is_alike(module, fit, one) for one in others)


def _is_alike(module: Module, fit: Fit, other: Fit) -> bool:
    """Whether two trainings go to the same end from the same epoch, with the same layers frozen."""
    return not is_changed(module) and all(
        _text(other, name) == _text(fit, name) for name in ("epochs", "initial_epoch")
    )


def _text(fit: Fit, name: str) -> str:
    return ast.unparse(fit.arguments[name]) if name in fit.arguments else ""


def _is_repeated(module: Module, call: ast.Call, scope: ast.AST) -> bool:
    """Whether a loop of its function stands around a call."""
    for node in module.names.ancestors(call):
        if node is scope:
            return False
        if isinstance(node, ast.For | ast.While):
            return True
    return False
