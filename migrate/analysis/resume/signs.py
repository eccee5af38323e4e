"""The signs that a load before a training is one that its job goes on from, and no beginning with another's weights."""

import ast
import re
from collections.abc import Iterator
from functools import lru_cache

from migrate.analysis.arguments import literal
from migrate.analysis.checkpoints import key
from migrate.analysis.defined_flags import DEFINING, Flag, flag_defined
from migrate.analysis.module import Module
from migrate.analysis.path_searches import calls_by_name, name_of, path_of
from migrate.analysis.paths import template
from migrate.analysis.resume.once import trains_again
from migrate.analysis.resume.reach import Reach
from migrate.analysis.resume.savers import savers
from migrate.analysis.trainings import Fit
from migrate.files.parse import KEPT

_WRITES = ("save", "save_weights", "ModelCheckpoint")
_TOLD = re.compile("⟨[^⟩]*⟩")
"""A part of a path that only the program knows."""
_FIELD = re.compile(r"\{[^}]*\}")
_OF_PARTS = ("by_name", "skip_mismatch")
"""Arguments of ``load_weights`` for the weights of a model that is like this one in parts."""


def is_of_parts(load: ast.Call) -> bool:
    """Whether a load takes what it finds of another model's weights."""
    return any(keyword.arg in _OF_PARTS and literal(keyword.value) is not False for keyword in load.keywords)


def is_of_another_job(module: Module, load: ast.Call) -> bool:
    """Whether each start loads a file that no start writes: it has another name than all that the file saves.

    Args:
      module: the file.
      load: the call.
    """
    inside = [one for one in module.names.ancestors(load) if isinstance(one, ast.If | ast.IfExp | ast.Try | ast.For)]
    path = path_of(load)
    known = template(module.names, path, into_parameters=False) if path is not None else None
    if inside or known is None or "{" in known or "⟨" in known.rpartition("/")[2]:  # the user may name any file
        return False
    calls = [call for name in _WRITES for call in calls_by_name(module.names).get(name, ())]
    saved = [template(module.names, one, into_parameters=False) for call in calls if (one := path_of(call)) is not None]
    own = {*_TOLD.findall(known)}
    if (
        not saved
        or len(saved) < len(calls)
        or any(one is None or not own.issuperset(_TOLD.findall(one)) for one in saved)
    ):
        return False
    forms = ("(.*)".join(map(re.escape, _FIELD.split(one))) for one in saved if one is not None)
    return not any(re.fullmatch(form, known) for form in forms)


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


@lru_cache(maxsize=KEPT)
def _files_saved(module: Module) -> dict[str, list[ast.expr]]:
    """What the ``ModelCheckpoint`` of a file are given that write one file, by what it stands for."""
    found: dict[str, list[ast.expr]] = {}
    for one in savers(module):
        if one.is_checkpoint and "{" not in one.path:
            saved = one.arguments["filepath"]
            found.setdefault(ast.dump(module.names.value(saved)), []).append(saved)
    return found


def is_very_file(module: Module, path: ast.expr) -> bool:
    """Whether a load is of the one file that a ``ModelCheckpoint`` of the same file of the program writes.

    Args:
      module: the file.
      path: what the load is given.
    """
    names = module.names
    for saved in _files_saved(module).get(ast.dump(names.value(path)), ()):
        places = {ast.dump(node): node for node in ast.walk(path) if isinstance(node, ast.Name)}
        known = {ast.dump(node): key(names, node) for node in ast.walk(saved) if isinstance(node, ast.Name)}
        if all(known.get(text, key(names, node)) == key(names, node) for text, node in places.items()):
            return True
    return False
