"""What keeps a recovery from being asked before a program's own resumption."""

import ast
from collections.abc import Iterator, Sequence, Set

from migrate.analysis.built_models import cannot_be_built, is_unbuilt
from migrate.analysis.module import Module
from migrate.analysis.names import Names
from migrate.analysis.path_searches import name_of, path_of
from migrate.analysis.paths import directory, normal, template
from migrate.analysis.resume.called_names import EXISTS
from migrate.analysis.resume.conditions import Conditions
from migrate.analysis.resume.graphs import is_of_graph
from migrate.analysis.resume.listings import LISTS
from migrate.analysis.resume.loads_before import Link, LoadsBefore
from migrate.analysis.resume.old_way_in import OldWayIn
from migrate.analysis.resume.once import trains_again
from migrate.analysis.resume.origins import Origins
from migrate.analysis.resume.own_loads import is_own_method
from migrate.analysis.resume.reach import LOADS, Reach
from migrate.analysis.trainings import Fit, is_on_workers, library_of_ranks
from migrate.analysis.whole_models import hdf5_loads, is_compiled
from migrate.settings import Settings

_IN_SAMPLES = {"samples_per_epoch", "nb_val_samples", "val_samples"}
"""Numbers of samples, where Keras counts batches since."""

_REMOVES = {"rmtree", "DeleteRecursively", "delete_recursively"}


def blocked(
    reach: Reach,
    settings: Settings,
    fit: Fit,
    gone: Set[ast.AST] = frozenset(),
    *,
    is_one_way: bool = False,
    beside: Set[ast.AST] = frozenset(),
) -> str:
    """Why no recovery can stand before a training.

    Args:
      reach: the calls of the program, from the training's file.
      settings: the user's choices.
      fit: the training.
      gone: code that a start with a checkpoint does not run.
      is_one_way: whether another training may stand in another branch.
      beside: the trainings that recover together with it.
    """
    module, method = reach.module, fit.call.func
    if isinstance(method, ast.Attribute) and is_own_method(reach.one(Origins), module, method):
        return f"`{method.attr}` is a method of the program's own there, which may take no initial_epoch"
    if is_on_workers(module):
        return "fit runs on several workers"
    if is_of_graph(reach, fit.call):
        return "it is written for TensorFlow 1"
    library = library_of_ranks(module)
    if library:
        return f"{library.capitalize()} runs it in several processes, of which one alone saves"
    if settings.recovery == "backup-and-restore" and settings.target != "keras2":
        if is_unbuilt(module, fit.receiver, gone):
            return "BackupAndRestore raises on Keras 3 without a tf.keras.Input(shape) first among the model's layers"
        unbuilt = cannot_be_built(module, fit.receiver)
        if unbuilt:
            return f"BackupAndRestore raises on Keras 3, which never builds `{unbuilt}`, for it has no call"
    if not isinstance(fit.statement, ast.Expr | ast.Assign | ast.Return | ast.AnnAssign):
        return "fit does not stand in a statement of its own"
    if "callbacks" not in fit.arguments and any(keyword.arg is None for keyword in fit.call.keywords):
        return "its callbacks may be given by **"
    old = in_samples(fit.call)
    if old:
        return old
    if fit.call.args and len(fit.call.args) > 5 and fit.call.func.attr == "fit":  # type: ignore[attr-defined]
        return "fit gets its callbacks by position"
    is_again = trains_again(module, fit, is_one_way=is_one_way, beside=beside)
    return "the model is trained by more than one call of fit" if is_again else ""


def in_samples(call: ast.Call) -> str:
    """Why a call of Keras 1 that counts samples trains otherwise since, as a sentence's part; "" for another."""
    old = next((one.arg for one in call.keywords if one.arg in _IN_SAMPLES), "")
    return f"`{old}` is an argument of Keras 1, which no Keras of TensorFlow 2 takes" if old else ""


def not_over(module: Module, settings: Settings, way: OldWayIn) -> str:
    """Why the old file must not be loaded at a start that goes on from a checkpoint."""
    path = way.saver.path if way.saver is not None else ""
    is_whole = not path or "{" in path or path.endswith((".h5", ".hdf5", ".keras", "⟩")) or _is_of_keras_1(way)
    if settings.recovery == "backup-and-restore":
        return way.over  # its file may be one that a kill cut short
    if not is_whole:
        return f"{way.over}, and a kill while it is saved can cut it short"
    loads = [link for link in way.links if name_of(link.call.func) == "load_model" and is_compiled(link.call)]
    # What is loaded here from HDF5 is written for Keras 3.
    is_read = all(link.module is module and link.call in hdf5_loads(module) for link in loads)
    if not is_read and not path.endswith(".keras") and settings.target != "keras2":
        return f"{way.over}, and Keras 3 may not load the whole model that the program saves"
    return ""


def folder_asked(reach: Reach, way: OldWayIn) -> str:
    """Why a load would find no file, as a sentence's part: its test asks for the folder, which the recovery makes."""
    saved = directory(way.saver.path) + "/" if way.saver is not None and way.saver.path else ""
    for found in reach.one(LoadsBefore).loads(way.fit.call):
        names, load = found.module.names, found.load
        around = [names.scope_of(load).node, *names.ancestors(load)]
        if name_of(load.func) not in LOADS or any(isinstance(one, ast.Try) and one.handlers for one in around):
            continue
        asked = [one.test for one in ast.walk(around[0]) if isinstance(one, ast.If | ast.IfExp)]
        known = {name for test in asked for name in _variables(names, test)} & _variables(names, path_of(load))
        for module, call in ((link.module, call) for link in found.links for call in _asked(link, way.guards)):
            path = call.args[0] if call.args else call.func.value  # type: ignore[attr-defined]
            folder = normal(template(module.names, path) or "")
            is_made = folder not in ("", ".") and saved.startswith(folder + "/")
            if is_made and known <= _variables(module.names, path):  # no test asks for what is found in it
                where = "" if module is reach.module else f" of {module.path}"
                return f"line {path.lineno}{where} asks for a folder, which the recovery makes before a file is in it"
    return ""


def folder_removed(reach: Reach, way: OldWayIn) -> str:
    """Why no start would find a checkpoint, as a sentence's part: each removes the folder that the recovery is in."""
    saved = directory(way.saver.path) + "/" if way.saver is not None and way.saver.path else ""
    for module, scope, node in reach.one(LoadsBefore).frames(way.fit.call):
        for call in reach.calls_in(module, scope):
            if name_of(call.func) not in _REMOVES or not call.args or call.lineno > node.lineno:
                continue
            folder = normal(template(module.names, call.args[0]) or "")
            tests = [one.test for one, _ in Conditions(module, {*module.names.ancestors(node)}).tests(call)]
            tests = [one.operand if isinstance(one, ast.UnaryOp) else one for one in tests]
            is_each = all(isinstance(one, ast.Call) and name_of(one.func) in EXISTS for one in tests)
            if is_each and folder not in ("", ".") and saved.startswith(folder + "/"):
                where = "" if module is reach.module else f" of {module.path}"
                return f"each start removes the folder where the recovery would be, by line {call.lineno}{where}"
    return ""


def _asked(link: Link, guards: Sequence[ast.expr]) -> Iterator[ast.Call]:
    """The calls that ask for the files and folders which must be there for a load to be made."""
    for one, must_hold in Conditions(link.module, link.around_training).tests(link.call):
        is_not = isinstance(one.test, ast.UnaryOp) and isinstance(one.test.op, ast.Not)
        test = one.test.operand if isinstance(one.test, ast.UnaryOp) else one.test
        parts = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]
        is_listed = any(isinstance(part, ast.Call) and name_of(part.func) in LISTS for part in parts)
        if must_hold != is_not and one.test not in guards and not is_listed:
            yield from (part for part in parts if isinstance(part, ast.Call) and name_of(part.func) in EXISTS)


def _variables(names: Names, node: ast.AST | None) -> set[str]:
    parts = [one for one in ast.walk(node) if isinstance(one, ast.Name | ast.Attribute)] if node is not None else []
    return {ast.unparse(one) for one in parts if names.qualified(one) is None}


def _is_of_keras_1(way: OldWayIn) -> bool:
    """Whether what is loaded is a file whose name no Keras of TensorFlow 2 writes, where such a one is asked for.

    Keras 1 wrote HDF5 to ``weights``. TensorFlow 2 writes ``weights.index`` or a directory there, Keras 3 refuses.
    """
    saves = way.saver.call if way.saver is not None else None
    loads = [link for link in way.links if name_of(link.call.func) in LOADS]
    if saves is None or not loads or any(keyword.arg == "save_format" for keyword in saves.keywords):
        return False
    asking = ("isfile", "exists") if name_of(saves.func) == "save_weights" else ("isfile",)
    for link in loads:
        asked = [one.args for one in _asked(link, way.guards) if name_of(one.func) in asking]
        path = ast.dump(path_of(link.call) or link.call)
        if not any([ast.dump(one) for one in given] == [path] for given in asked):
            return False
    return True
