"""The signs that a load before a training is one that its job goes on from, and no beginning with another's weights."""

import ast
from collections.abc import Iterator
from functools import lru_cache

from migrate.analysis.arguments import literal
from migrate.analysis.checkpoints import key
from migrate.analysis.defined_flags import DEFINING, Flag, flag_defined
from migrate.analysis.module import Module
from migrate.analysis.path_searches import calls_by_name, name_of, path_of
from migrate.analysis.resume.once import trains_again
from migrate.analysis.resume.origins import Origins
from migrate.analysis.resume.path_parts import is_same, is_written_as
from migrate.analysis.resume.reach import Reach
from migrate.analysis.resume.saves_in_training import SavesInTraining
from migrate.analysis.trainings import Fit
from migrate.files.parse import KEPT

_WRITES = ("save", "save_weights", "ModelCheckpoint")
_OF_PARTS = ("by_name", "skip_mismatch")
"""Arguments of ``load_weights`` for the weights of a model that is like this one in parts."""


def is_of_parts(load: ast.Call) -> bool:
    """Whether a load takes what it finds of another model's weights."""
    return any(keyword.arg in _OF_PARTS and literal(keyword.value) is not False for keyword in load.keywords)


def is_of_another_job(reach: Reach, load: ast.Call) -> bool:
    """Whether each start loads a file that no start writes: it has another name than all that its file saves.

    Args:
      reach: the calls of the program, from the file of the load.
      load: the call.
    """
    module, origins = reach.module, reach.one(Origins)
    inside = [one for one in module.names.ancestors(load) if isinstance(one, ast.If | ast.IfExp | ast.Try | ast.For)]
    path = path_of(load)
    loaded = origins.of_paths(module, path) if path is not None and not inside else []
    calls = [call for name in _WRITES for call in calls_by_name(module.names).get(name, ())]
    saved = [origins.of_paths(module, one) if (one := path_of(call)) is not None else [] for call in calls]
    if not loaded or any(not one.files for one in loaded) or not all(saved) or not saved:
        return False  # the user may name any file
    known = {part for one in loaded for part in one.unknown}
    paths = [one for each in saved for one in each]
    return not any(one.unknown - known or is_written_as(one, other) for one in paths for other in loaded)


def fills(module: Module, fit: Fit, load: ast.Call) -> bool:
    """Whether a load fills the very model that is trained, which is trained in one stage and as a whole.

    Weights of another job are loaded by name, into a part of the model, into one that gets another head or whose layers
    are frozen at first.

    Args:
      module: the file of the training and of the load.
      fit: the training.
      load: the call.
    """
    if is_of_parts(load):
        return False
    names, model = module.names, key(module.names, fit.receiver)
    if model is None or trains_again(module, fit, is_one_way=True) or is_changed(module):
        return False
    if name_of(load.func) == "load_model":
        return any(load is node for one in names.bound(fit.receiver) if one.value for node in ast.walk(one.value))
    held = load.func.value if isinstance(load.func, ast.Attribute) else None
    made = [getattr(one.node, "lineno", 0) for one in names.bound(fit.receiver)]
    is_made_after = any(load.lineno < line < fit.call.lineno for line in made)
    return held is not None and key(names, held) == model and not is_made_after


@lru_cache(maxsize=KEPT)
def is_changed(module: Module) -> bool:
    """Whether a file freezes layers, or takes some away."""
    for one in module.names.stores:
        statement = module.names.parents.get(one)
        is_frozen = isinstance(statement, ast.Assign) and literal(statement.value) is False
        if isinstance(one, ast.Attribute) and one.attr == "trainable" and is_frozen:
            return True
    taken = (call for call in module.names.nodes(ast.Call) if name_of(call.func) == "pop" and not call.args)
    held = (call.func.value for call in taken if isinstance(call.func, ast.Attribute))
    return any(ast.unparse(one).rpartition(".")[2] in ("layers", "model", "classifier", "base_model") for one in held)


def has_default(reach: Reach, named: ast.expr) -> bool:
    """Whether a flag of the program names a file also where the user says nothing: each start begins with that.

    Args:
      reach: the calls of the program.
      named: ``args.weights``, ``args["weights"]`` or ``FLAGS.weights``.
    """
    word = named.attr if isinstance(named, ast.Attribute) else literal(getattr(named, "slice", None))
    flags = (one for one in flags_in(reach) if word == one.name)
    return any(isinstance(one.default, ast.Constant) and bool(one.default.value) for one in flags)


def flags_in(reach: Reach) -> Iterator[Flag]:
    """The flags that the files of a program define."""
    for module in reach.holding(*DEFINING):
        for name in DEFINING:
            defined = (flag_defined(call) for call in reach.calls(module).get(name, []))
            yield from (one for one in defined if one is not None)


def is_very_file(reach: Reach, module: Module, path: ast.expr) -> bool:
    """Whether a load is of the one file that a ``ModelCheckpoint`` of the program writes, or searches among its files.

    Args:
      reach: the calls of the program.
      module: the file of the load.
      path: what the load is given.
    """
    saves, loaded = reach.one(SavesInTraining), reach.one(Origins).of_paths(module, path)
    saved = [one for call in reach.called("ModelCheckpoint") for one in saves.with_path(call)[1]]
    found = ((one, other) for one in saved for other in loaded if other.is_searched and other.unknown <= one.unknown)
    is_found = any(is_written_as(one, other) for one, other in found)
    return is_found or is_same(loaded, [one for one in saved if not one.is_numbered])
