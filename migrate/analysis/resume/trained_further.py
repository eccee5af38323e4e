"""Programs of which each start trains a file further: it is loaded before ``fit``, and saved when ``fit`` has ended."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from migrate.analysis.arguments import literal
from migrate.analysis.checkpoints import key
from migrate.analysis.module import Module
from migrate.analysis.path_searches import name_of
from migrate.analysis.resume.known_at_loop import only_reads
from migrate.analysis.resume.loads_before import LoadsBefore
from migrate.analysis.resume.origins import Origins
from migrate.analysis.resume.own_loads import is_own_method, is_recovered
from migrate.analysis.resume.path_parts import is_same
from migrate.analysis.resume.reach import LOADS, Reach
from migrate.analysis.resume.saves_in_training import path_given
from migrate.analysis.trainings import Fit, all_trainings


@dataclass
class Further:
    """A training whose model is loaded from the very file that it is saved to after it.

    Attributes:
      fit: the training.
      load: the call that loads.
      save: the call that saves.
      path: what that is given.
    """

    fit: Fit
    load: ast.Call
    save: ast.Call
    path: ast.expr


def trained_further(reach: Reach) -> Iterator[Further]:
    """Every training of a file whose model is loaded from the very file that it is saved to after it."""
    module = reach.module
    found = [(fit, saves) for fit in all_trainings(module) if (saves := list(_saves_after(module, fit)))]
    if not found:
        return
    origins, before = reach.one(Origins), reach.one(LoadsBefore)
    for fit, saves in found:
        first = literal(fit.arguments.get("initial_epoch"))
        if isinstance(first, int) and first != 0:
            continue  # the second stage of a training in two stages
        method, around = fit.call.func, module.names.ancestors(fit.call)
        is_own = isinstance(method, ast.Attribute) and is_own_method(origins, module, method)
        if is_own or any(is_recovered(module, one) for one in around):
            continue
        held = [fit.receiver, *(one.func.value for one, _ in saves if isinstance(one.func, ast.Attribute))]  # or a part
        trained = {place for one in held for place in origins.of_model(module, one)}
        for load in before.loads(fit.call):
            here = [call for where, call in load.chain if where is module]
            # A method or a class of the program's own may load for it, in another file.
            call = next((call for call in here if name_of(call.func) in LOADS), here[0] if here else None)
            path = path_given(load.load)
            if call is None or path is None or not origins.fills(load.module, load.load, trained):
                continue
            loaded = origins.of_paths(load.module, path)
            is_argument = any("sys.argv" in one.unknown for one in loaded)  # each may be another one
            is_here = load.module is module
            same = (
                Further(fit, call, save, written)
                for save, written in saves
                if (
                    is_same(loaded, origins.of_paths(module, written))
                    or (is_here and _is_same_text(module, path, written))
                )
                and (not is_argument or ast.unparse(written) == ast.unparse(path))
            )
            further = next(same, None)
            if further is not None:
                yield further
                break


def _is_same_text(module: Module, loaded: ast.expr, saved: ast.expr) -> bool:
    """Whether a function spells a path alike at two places, of variables that nothing between the two assigns."""
    names = module.names
    read = [one for one in ast.walk(saved) if isinstance(one, ast.Name) and names.qualified(one) is None]
    given = [one.node for name in read for one in names.bound(name)]
    is_held = any(isinstance(names.parents[one], ast.Attribute) for one in read)  # whose attributes methods change
    is_alike = ast.dump(loaded) == ast.dump(saved) and names.scope_of(loaded) is names.scope_of(saved) and not is_held
    is_alike &= all(only_reads(names, one) for one in ast.walk(saved))
    return is_alike and not any(loaded.lineno <= getattr(one, "lineno", 0) <= saved.lineno for one in given)


def _saves_after(module: Module, fit: Fit) -> Iterator[tuple[ast.Call, ast.expr]]:
    """The calls below a training, in its function, that save its model or a part of that, each with its path."""
    names = module.names
    scope, model, text = names.scope_of(fit.call).node, key(names, fit.receiver), ast.unparse(fit.receiver)
    for call in names.calls_in(scope):
        if (
            call.lineno > fit.call.lineno
            and isinstance(call.func, ast.Attribute)
            and call.func.attr in ("save", "save_weights")
        ):
            path = path_given(call)
            is_model = model is not None and key(names, call.func.value) == model
            if path is not None and (is_model or ast.unparse(call.func.value).startswith(f"{text}.")):
                yield call, path
