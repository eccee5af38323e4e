"""Loops over epochs that train, save by themselves or by callbacks, and begin where an earlier start ended."""

import ast
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from migrate.analysis.checkpoints import key
from migrate.analysis.module import Module
from migrate.analysis.path_searches import name_of
from migrate.analysis.resume.old_way_in import OldWayIn, asked_loads, old_way_in
from migrate.analysis.resume.once import runs_again
from migrate.analysis.resume.own_loads import OwnLoad
from migrate.analysis.trainings import Fit, Saver, training_of

_TRAINS = {"fit", "fit_generator", "train_on_batch"}
_SAVES = {"save_weights", "save"}


@dataclass
class EpochLoop:
    """One loop.

    Attributes:
      loop: ``for epoch in range(first, epochs)``.
      first: what the range begins with; None for ``range(epochs)``.
      end: what it ends before.
      save: the call that saves the model; None where a callback of ``fit`` does.
      way: the training in it, and what is loaded before.
    """

    loop: ast.For
    first: ast.expr | None
    end: ast.expr
    save: ast.Call | None
    way: OldWayIn


def epoch_loops(module: Module, owned: Collection[ast.AST]) -> Iterator[EpochLoop]:
    """Every loop over epochs of a file that resumes by what it saves itself.

    Args:
      module: the file.
      owned: the loops that are known to do so: else one begins at an epoch that is no given number.
    """
    names = module.names
    for loop in names.nodes(ast.For):
        if not isinstance(loop.target, ast.Name) or loop.orelse:
            continue
        begun = _range(loop)
        is_given = begun is not None and (len(begun.args) == 1 or isinstance(begun.args[0], ast.Constant))
        if begun is None or (is_given and loop not in owned):
            continue
        calls = [node for node in ast.walk(loop) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
        trained = [call for call in calls if name_of(call.func) in _TRAINS and _model(module, call) is not None]
        saves = [
            call for call in calls if name_of(call.func) in _SAVES and _model(module, call) is not None and call.args
        ]
        if not trained or not saves:
            continue
        fit = Fit(trained[0], trained[0].func.value, loop, {})  # type: ignore[attr-defined]
        if not any(True for _ in asked_loads(module, fit)):
            continue
        save = saves[0]
        way = old_way_in(module, fit, trained[0], saver=Saver(save, {"filepath": save.args[0]}, "", None, save))
        models = {_model(module, call) for call in [*trained, *saves]}
        statement = names.parent(save)
        around = next(one for one in names.ancestors(save) if isinstance(one, ast.For | ast.While))
        if len(models) > 1 and not way.problem:
            way.problem = "it trains or saves several models"
        elif not isinstance(statement, ast.Expr) and not way.problem:
            way.problem = f"line {save.lineno} does more than save"
        elif around is not loop and not way.problem:
            way.problem = f"line {save.lineno} saves within an epoch"
        way.problem = way.problem or runs_again(module, loop).replace("fit is", "the loop is")
        yield EpochLoop(loop, epoch_begun(loop), begun.args[-1], save, way)


def loops_of_fits(module: Module, owned: Mapping[ast.Call, OwnLoad]) -> Iterator[EpochLoop]:
    """Every loop over epochs whose ``fit`` trains one epoch, and saves it by its callbacks.

    Args:
      module: the file.
      owned: by training, what is loaded before it of what the program saves.
    """
    for call, own in owned.items():
        loop = next((one for one in module.names.ancestors(call) if isinstance(one, ast.For | ast.While)), None)
        fit = training_of(module, call)
        if not isinstance(loop, ast.For) or not isinstance(loop.target, ast.Name) or loop.orelse or fit is None:
            continue
        first, epoch, begun = epoch_begun(loop), loop.target.id, _range(loop)
        given = {
            name: ast.unparse(fit.arguments[name]) for name in ("initial_epoch", "epochs") if name in fit.arguments
        }
        if first is None or begun is None or given != {"initial_epoch": epoch, "epochs": f"{epoch} + 1"}:
            continue
        callbacks = fit.arguments.get("callbacks")
        stored = {one.id for one in module.names.stores if isinstance(one, ast.Name) and one.lineno > loop.lineno}
        if not isinstance(callbacks, ast.Name) or callbacks.id in stored:
            continue
        fit.statement = loop
        way = old_way_in(module, fit, call, links=own.links, saves=own.saves, is_own=own.is_sure)
        yield EpochLoop(loop, first, begun.args[-1], None, way)


def _model(module: Module, call: ast.Call) -> object:
    return key(module.names, call.func.value) if isinstance(call.func, ast.Attribute) else None


def epoch_begun(loop: ast.For) -> ast.expr | None:
    """What ``range(first, epochs)`` begins with; None where it is ``range(epochs)``, or a recovery knows it."""
    return begun.args[0] if (begun := _range(loop)) is not None and len(begun.args) == 2 else None


def _range(loop: ast.For) -> ast.Call | None:
    """The ``range`` of a loop that no recovery gives its first number."""
    call = loop.iter
    if not isinstance(call, ast.Call) or name_of(call.func) not in ("range", "trange") or len(call.args) not in (1, 2):
        return None
    begins = [node for node in ast.walk(call) if isinstance(node, ast.Call)]
    return None if any(name_of(node.func) == "restore" for node in begins) else call
