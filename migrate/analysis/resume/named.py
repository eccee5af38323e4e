"""A file that the user names, from which a training goes on: a flag, a setting or a constant that a load is given."""

import ast
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from migrate.analysis.arguments import Unbindable, bind, is_none, literal
from migrate.analysis.checkpoints import key
from migrate.analysis.module import Module
from migrate.analysis.path_searches import SEARCHES, name_of, path_of
from migrate.analysis.paths import only_call, only_given
from migrate.analysis.resume.flags import Flags
from migrate.analysis.resume.loads_before import LoadsBefore
from migrate.analysis.resume.old_way_in import Link
from migrate.analysis.resume.own_loads import is_keras_training, is_recovered
from migrate.analysis.resume.reach import LOADS, FunctionNode, Reach
from migrate.analysis.resume.savers import savers
from migrate.analysis.resume.saves_in_training import SavesInTraining
from migrate.analysis.resume.words import SPEAKS, Words
from migrate.analysis.trainings import Fit, all_trainings
from migrate.analysis.values.values import End, Values

BEGINS = re.compile(r"(init|initial|start|begin|resume|last|current)_?epoch", re.IGNORECASE)
"""What a variable is called whose epoch a training begins at."""


@dataclass
class NamedFile:
    """A training that goes on from a file that the user names.

    Attributes:
      fit: the training.
      module: the file that loads.
      load: the call there.
      name: what gives the file's name at the training's place, as source; "" where nothing does.
      flag: the epoch that the user says there, where nothing but that tells whether a file is loaded.
      given: what names the file where it is loaded, if it is known in the training's file.
    """

    fit: Fit
    module: Module
    load: ast.Call
    name: str = ""
    flag: ast.expr | None = None
    given: ast.expr | None = None


def named_file(
    module: Module, values: Values, fit: Fit, where: Module, load: ast.Call, links: Sequence[Link] = ()
) -> NamedFile:
    """Reads how the user names the file of a load.

    Args:
      module: the training's file.
      values: what expressions may be.
      fit: the training.
      where: the file that loads.
      load: the call there.
      links: the calls that lead to it.
    """
    found = NamedFile(fit, where, load)
    path = path_of(load)
    while isinstance(path, ast.Call) and path.args and name_of(path.func) not in SEARCHES:
        path = path.args[-1]  # os.path.join, str
    if path is None or isinstance(path, ast.Call):
        return found
    flags = Flags(module)
    if isinstance(path, ast.Subscript) and any(isinstance(one, ast.Try) for one in where.names.ancestors(load)):
        return _by_epoch(flags, found, fit, links)  # which may have no such item
    there, outer = _given_through(links, where, path)
    ends = (
        [outer] if there is module and outer is not path else [_here(module, end) for end in values.ends(where, path)]
    )
    given = {ast.dump(one): one for one in ends if one is not None and not is_none(one)}
    one = next(iter(given.values())) if len(given) == 1 else None  # of several nobody knows which it was
    found.given = one
    asked = [flag for flag in flags.around(load) if where is module]
    is_place = isinstance(path, ast.Name | ast.Attribute) and where is module and flags.is_users(path)
    if is_place and flags.is_known_at(path, fit.call):
        asked = [flag for flag in asked if ast.dump(path) not in _parts(flag)]
        asked = [flag for flag in asked if one is None or ast.dump(one) not in _parts(flag)]
        found.name = _if_asked(flags, ast.unparse(path), asked, fit)
    is_text = isinstance(one, ast.Constant) and isinstance(one.value, str)
    is_users = is_text or isinstance(one, ast.Name | ast.Attribute | ast.Subscript)
    if not found.name and one is not None and is_users and flags.is_users(one):
        asked = [flag for flag in asked if ast.dump(one) not in _parts(flag)]
        found.name = _if_asked(flags, _spelled(flags, one, fit), asked, fit)
    return found if found.name else _by_epoch(flags, found, fit, links)


def _given_through(links: Sequence[Link], where: Module, path: ast.expr) -> tuple[Module, ast.expr]:
    """What a load's path is in the outermost of the calls that lead to it, through the parameters that it is given as.

    Args:
      links: the calls, the load last.
      where: the file of the load.
      path: what it is given.
    """
    for link in reversed(links[:-1]):
        function = where.names.scope_of(path).node
        bindings = where.names.bound(path) if isinstance(path, ast.Name) else []
        if not isinstance(function, FunctionNode) or not any(isinstance(one.node, ast.arg) for one in bindings):
            break
        expected = [one.arg for one in [*function.args.posonlyargs, *function.args.args] if one.arg != "self"]
        assert isinstance(path, ast.Name)
        by_name = next((k.value for k in link.call.keywords if k.arg == path.id), None)
        place = expected.index(path.id) if path.id in expected else len(link.call.args)
        given = by_name if by_name is not None else link.call.args[place] if place < len(link.call.args) else None
        if given is None or isinstance(given, ast.Starred):
            break
        where, path = link.module, given
    return where, path


def _by_epoch(flags: Flags, found: NamedFile, fit: Fit, links: Sequence[Link]) -> NamedFile:
    """Takes the epoch that the user says for the name of the file that goes with it."""
    first = fit.arguments.get("initial_epoch")
    if first is not None and is_users_epoch(flags, first):
        calls = [(found.module, found.load), *((link.module, link.call) for link in links)]
        if any(True for where, call in calls for _ in Flags(where).around(call)):
            found.flag = first
        else:
            found.name = ast.unparse(first)
    return found


def _if_asked(flags: Flags, name: str, asked: list[ast.expr], fit: Fit) -> str:
    """A name that counts only where the user asks for it, as the training's place knows that; else as it is."""
    spelled = [_spelled(flags, flag, fit) for flag in asked]
    return f"{name} if {' and '.join(spelled)} else None" if name and spelled and all(spelled) else name


def _here(module: Module, end: End) -> ast.expr | None:
    """What an expression of a file may be, in that file's own tree: the tree of files may have read it anew."""
    node = end.node
    if not isinstance(node, ast.expr) or os.path.abspath(end.module.path) != os.path.abspath(module.path):
        return None
    place = (node.lineno, node.col_offset)
    places = (one for one in module.names.nodes(type(node)) if (one.lineno, one.col_offset) == place)
    return node if end.module is module else next((one for one in places if ast.dump(one) == ast.dump(node)), None)


def _spelled(flags: Flags, value: ast.expr, fit: Fit) -> str:
    """A value of the user's as the training's place knows it, as source; "" where it knows none."""
    spelled = flags.spelled_at(value, fit.call)
    if flags.is_known_at(spelled, fit.call):
        return ast.unparse(spelled)
    names, function = flags.names, flags.names.scope_of(fit.call).node
    inner: ast.expr = value.operand if isinstance(value, ast.UnaryOp) else value
    root = inner
    while isinstance(root, ast.Attribute | ast.Subscript):
        root = root.value
    outer = only_given(names, root) if isinstance(root, ast.Name) and inner is value else None
    if isinstance(outer, ast.Name) and isinstance(root, ast.Name) and flags.is_known_at(outer, fit.call):
        return outer.id + ast.unparse(value)[len(root.id) :]
    call = only_call(names, function) if isinstance(function, ast.FunctionDef) else None
    if call is None or not isinstance(root, ast.Name) or not isinstance(function, ast.FunctionDef):
        return ""
    try:
        given = bind(call, [argument.arg for argument in function.args.args])
    except Unbindable:
        return ""
    own = key(names, root)
    parameter = next((name for name, one in given.items() if own is not None and key(names, one) == own), "")
    text = ast.unparse(value)
    return re.sub(rf"(?<![\w.]){re.escape(root.id)}\b", parameter, text, count=1) if parameter else ""


def _parts(value: ast.expr) -> set[str]:
    return {ast.dump(part) for part in ast.walk(value)}


def named_files(reach: Reach) -> Iterator[NamedFile]:
    """The trainings of a file that save by ``ModelCheckpoint`` and say that they go on from a file the user names."""
    module = reach.module
    trained = list(all_trainings(module))
    is_saved = any(one.is_checkpoint for one in savers(module))
    found = [fit for fit in trained if fit.savers or "callbacks" in fit.arguments]
    found += [fit for fit in trained if is_saved and fit not in found and is_keras_training(fit.call)]
    if not found:
        return
    if not reach.holds(*LOADS):
        return
    if not is_saved and not reach.one(SavesInTraining).all():
        return
    values, before, words = Values(reach.tree), reach.one(LoadsBefore), reach.one(Words)
    ends = {ast.unparse(fit.arguments["epochs"]) for fit in trained if "epochs" in fit.arguments}
    for fit in found:
        first = fit.arguments.get("initial_epoch")
        if any(is_recovered(module, one) for one in module.names.ancestors(fit.call)):
            continue
        if first is not None and ast.unparse(first) in ends:
            continue  # the second stage of a training in two stages
        if isinstance(literal(first), int) and literal(first) != 0:
            continue  # the second stage of a training in two stages
        is_counted = first is not None and is_users_epoch(Flags(module), first)
        is_counted &= any(True for name in LOADS for _ in reach.called(name))
        is_begun = first is not None and BEGINS.search(ast.unparse(first)) is not None
        spoken = [(False, False, NamedFile(fit, module, fit.call))] if is_counted else []
        for load in before.loads(fit.call):
            if name_of(load.load.func) not in LOADS or is_in_one_loop(load.module, load.load, fit.call):
                continue
            one = named_file(module, values, fit, load.module, load.load, load.links)
            is_said = words.speak_of(load.module, load.load, load.links)
            is_said = is_said or (one.given is not None and SPEAKS.search(ast.unparse(one.given)) is not None)
            if not is_said and any(k.arg == "skip_mismatch" and literal(k.value) for k in load.load.keywords):
                continue  # weights of a model with another head
            if is_counted or is_begun or is_said:
                spoken.append((bool(one.name), is_said and one.flag is not None, one))
        if spoken:
            yield max(spoken, key=lambda each: each[:2])[2]


def is_in_one_loop(module: Module, load: ast.Call, training: ast.Call) -> bool:
    """Whether each turn of the loop that trains loads anew what the turn before it saved."""
    around = {one for one in module.names.ancestors(training) if isinstance(one, ast.For | ast.While)}
    return not around.isdisjoint(module.names.ancestors(load))


def is_users_epoch(flags: Flags, first: ast.expr) -> bool:
    """Whether the user says the epoch to begin at: a flag, or a variable that has nothing but what the user says."""
    if isinstance(first, ast.Constant):
        return False
    given = [binding.value for binding in flags.names.bound(first)] if isinstance(first, ast.Name) else []
    if len(given) == 1 and literal(given[0]) == 0:
        return False  # of the first stage of two
    return flags.is_users(first) or (bool(given) and all(one is not None and flags.is_users(one) for one in given))
