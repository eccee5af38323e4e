"""A file that the user names, from which a training goes on: a flag, a setting or a constant that a load is given."""

import ast
import os
import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from migrate.analysis.arguments import is_none, literal
from migrate.analysis.checkpoints import key, target_of
from migrate.analysis.module import Module
from migrate.analysis.path_searches import SEARCHES, name_of, path_of, searches
from migrate.analysis.resume.conditions import Conditions
from migrate.analysis.resume.flags import Flags
from migrate.analysis.resume.loads_before import Found, Link, LoadsBefore
from migrate.analysis.resume.origins import Origins
from migrate.analysis.resume.path_parts import PathParts, is_same
from migrate.analysis.resume.reach import LOADS, FunctionNode, Reach
from migrate.analysis.resume.saves_in_training import MODEL_SAVES, SavesInTraining
from migrate.analysis.resume.signs import is_very_file
from migrate.analysis.resume.trained_in_loop import path_saved
from migrate.analysis.resume.words import Words
from migrate.analysis.trainings import Fit
from migrate.analysis.values.values import End, Values

BEGINS = re.compile(r"(init|initial|start|begin|resume|last|current)_?epoch", re.IGNORECASE)
"""What a variable is called whose epoch a training begins at."""

_EQUALS = (ast.Eq, ast.NotEq, ast.In, ast.NotIn)


@dataclass
class NamedFile:
    """A training that goes on from a file that the user names.

    Attributes:
      fit: the training.
      module: the file that loads.
      load: the call there.
      name: what gives the file's name at the training's place, as source; "" where nothing does.
      noted: the paths that are noted where they are loaded, each with its file, where nothing gives the name.
      given: what names the file where it is loaded, if it is known in the training's file.
    """

    fit: Fit
    module: Module
    load: ast.Call
    name: str = ""
    noted: list[tuple[Module, ast.expr]] = field(default_factory=list)
    given: ast.expr | None = None

    @property
    def is_known(self) -> bool:
        """Whether the recovery can be told what the file is."""
        return bool(self.name or self.noted)


def named_file(
    reach: Reach, fit: Fit, where: Module, load: ast.Call, links: Sequence[Link] = (), *, in_folder: bool = False
) -> NamedFile:
    """Reads how the user names the file of a load.

    Args:
      reach: the calls of the program, from the training's file.
      fit: the training.
      where: the file that loads.
      load: the call there.
      links: the calls that lead to it.
      in_folder: whether it is a folder that the user names, in which the file is searched for.
    """
    module, named = reach.module, NamedFile(fit, where, load)
    path = _folder_of(load) if in_folder else path_of(load)
    if path is None or isinstance(path, ast.Starred):
        return named
    levels = list(given_through(links, where, load, path))
    if is_none(levels[-1][2]):
        return named  # it is never loaded on this way
    here = [one for there, _, one in levels if there is module]
    is_given = len(levels) > 1 and levels[-1][0] is module
    found = here[-1:] if is_given else [_here(module, end) for end in Values(reach.tree).ends(where, path)]
    given = {ast.dump(one): one for one in found if one is not None and not is_none(one)}
    named.given = next(iter(given.values())) if len(given) == 1 else None  # of several nobody knows which it was
    is_tried = any(isinstance(one, ast.Try) for one in where.names.ancestors(load))  # it may be no item of the settings
    kinds = (ast.Name,) if is_tried else (ast.Name, ast.Attribute, ast.Subscript)
    places = [one for one in (*here[::-1], named.given) if isinstance(one, kinds)]
    parts = {ast.dump(one) for *_, one in levels} | {ast.dump(one) for one in places}
    around = set(module.names.ancestors(fit.call))
    flags = Flags(module, around)

    def is_asked(calls: Iterable[tuple[Module, ast.Call]]) -> bool:
        """Whether anything but the file itself decides that it is loaded."""
        for there, call in calls:
            own, beside = (flags, around) if there is module else (Flags(there), set[ast.AST]())
            tests = [*own.around(call), *(test.test for test, _ in Conditions(there, beside).tests(call))]
            if any(not parts & _parts(test) or _has_word_for_none(test, parts) for test in tests):
                return True
        return False

    noted = list(_noted(reach, fit, Found(where, load, tuple((one.module, one.call) for one in links)), path))
    are_several = len({ast.dump(one) for _, one in noted}) > 1  # of two flags, or of the models of a loop
    if not are_several and not is_asked([(where, load), *((link.module, link.call) for link in links)]):
        known = (one for one in places if flags.is_users(one) and flags.is_known_at(one, fit.call))
        named.name = next(map(ast.unparse, known), "")
    named.noted = [] if named.name else noted
    return named


def is_found(reach: Reach, where: Module, load: ast.Call) -> bool:
    """Whether the file of a load is searched for at each start, or read of, and so no user names it."""
    path = path_of(load)
    return path is not None and all(one.is_searched for one in reach.one(Origins).of_paths(where, path))


def is_of_named_folder(reach: Reach, where: Module, load: ast.Call, saves: Sequence[tuple[Module, ast.Call]]) -> bool:
    """Whether the file of a load is searched for in a folder that the user names, and none of some calls saves to."""
    path, origins = path_of(load), reach.one(Origins)
    paths = [(module, written) for module, save in saves if (written := path_saved(save)) is not None]
    saved = [one.unknown for module, written in paths for one in origins.of_paths(module, written)]
    loaded = origins.of_paths(where, path) if path is not None and saved else []
    return any(one.is_searched and not any(one.unknown <= known for known in saved) for one in loaded)


def _folder_of(load: ast.Call) -> ast.expr | None:
    """The folder in which the file of a load is searched for: ``latest_checkpoint(folder)``; None for another load."""
    path = path_of(load)
    is_search = isinstance(path, ast.Call) and name_of(path.func) in SEARCHES
    return path.args[0] if isinstance(path, ast.Call) and is_search and path.args else None


_Level = tuple[Module, ast.Call, ast.expr]


def given_through(links: Sequence[Link], where: Module, load: ast.Call, path: ast.expr) -> Iterator[_Level]:
    """A load, and those of the calls that lead to it which give it its path, each with what that is there."""
    yield where, load, path
    for link in reversed(links[:-1]):
        function = where.names.scope_of(path).node
        if not isinstance(function, FunctionNode) or not isinstance(path, ast.Name):
            return
        expected = [one.arg for one in [*function.args.posonlyargs, *function.args.args] if one.arg != "self"]
        by_name = next((k.value for k in link.call.keywords if k.arg == path.id), None)
        place = expected.index(path.id) if path.id in expected else len(link.call.args)
        given = by_name if by_name is not None else link.call.args[place] if place < len(link.call.args) else None
        others = [one.value for one in where.names.bound(path) if not isinstance(one.node, ast.arg)]
        if None in others or not all(map(is_none, others)) or given is None or isinstance(given, ast.Starred):
            return
        where, path = link.module, given
        yield where, link.call, path


def _noted(reach: Reach, fit: Fit, found: Found, given: ast.expr) -> Iterator[tuple[Module, ast.expr]]:
    """The path of a load, and those of the others of its function that the user names too; none that is searched for.

    Of ``fit`` the others fill the model that it trains, or what the load fills. A path that comes from the training's
    own file, whatever is asked on its way, is noted there.
    """
    scope, origins = found.module.names.scope_of(found.load), reach.one(Origins)
    # Of one load also the other calls that lead to it: one builder is called in several branches.
    others = [one for one in reach.one(LoadsBefore).loads(fit.call) if one.chain != found.chain]
    same = [one for one in others if _is_same_flag(origins, found, given, one)]  # in whichever file and function
    beside = [one for one in others if one.module.names.scope_of(one.load) is scope]
    if fit.statement is reach.module.names.statement_of(fit.call):  # and no loop trains, of several models
        trained = {_filled(found.module, found.load), key(reach.module.names, fit.receiver), None}
        beside = [one for one in beside if _filled(one.module, one.load) in trained]
    known = [one for one in [found, *beside, *same] if name_of(one.load.func) in {*LOADS, "restore"}]
    yielded = set[ast.AST]()
    for one in known if found in known else ():
        load = one.load
        path = given if load is found.load else path_of(load)
        if path is None or isinstance(path, ast.Starred):
            continue
        is_own = is_very_file(reach, one.module, path) or _is_saved(reach, origins.of_paths(one.module, path))
        is_other = load is not found.load and one not in same
        if is_other and (is_own or reach.one(Words).is_of_another(one.module, load, one.links)):
            continue
        levels = list(given_through(one.links, one.module, load, path))
        last = next((n for n, (there, *_) in reversed([*enumerate(levels)]) if there is reach.module), 0)
        parts = {ast.dump(each) for *_, each in levels}
        tests = (test for there, call, _ in levels[:last] for test in Flags(there).around(call))
        there, _, path = levels[last if all(parts & _parts(test) for test in tests) else 0]
        made = origins.of_paths(there, path)
        may_be_own = len(made) > 1 and any(_is_saved(reach, [each]) for each in made)
        if may_be_own or _is_found_by_program(reach, there, path):
            if load is found.load:
                return
        elif path not in yielded:
            yielded.add(path)
            yield there, path


def _is_same_flag(origins: Origins, found: Found, given: ast.expr, other: Found) -> bool:
    """Whether what the user names for one load is what another is given, in another branch."""
    path = path_of(other.load)
    if path is None or isinstance(path, ast.Starred):
        return False
    if found.module.names.scope_of(found.load) is other.module.names.scope_of(other.load):
        return ast.dump(path) == ast.dump(given)
    named, said = origins.of_paths(found.module, given), origins.of_paths(other.module, path)
    return any(one.unknown for one in named) and named == said


def _is_found_by_program(reach: Reach, module: Module, path: ast.expr) -> bool:
    """Whether code of the program searches for a file, wherever it does so, or fetches it: no user names it."""
    origins = reach.one(Origins)
    if any(one.is_searched or one.is_downloaded for one in origins.of_paths(module, path)):
        return True
    made = origins.calls(module, path, is_path=True)
    return any(searches(function) for _, call in made for function in reach.functions(call))


def _filled(module: Module, load: ast.Call) -> Hashable | None:
    """The variable or attribute that holds the model that a load makes or fills; None where it is not seen."""
    makes = name_of(load.func) == "load_model"
    held = target_of(module.names, load) if makes else getattr(load.func, "value", None)
    return key(module.names, held)


def _is_saved(reach: Reach, loaded: list[PathParts]) -> bool:
    """Whether the program saves to a file that has no number, whatever it is started with."""
    saves = reach.one(SavesInTraining)
    is_made = any(not isinstance(part, str) for one in loaded for part in one.unknown)  # of more than flags and text
    if is_made or any(one.is_searched or (one.is_numbered and not one.unknown) for one in loaded):
        return False
    calls = (call for name in (*MODEL_SAVES, "ModelCheckpoint") for call in reach.called(name))
    return any(is_same(loaded, saves.with_path(call)[1]) for call in calls)


def _here(module: Module, end: End) -> ast.expr | None:
    """What an expression of a file may be, in that file's own tree: the tree of files may have read it anew."""
    node = end.node
    if not isinstance(node, ast.expr) or os.path.abspath(end.module.path) != os.path.abspath(module.path):
        return None
    place = (node.lineno, node.col_offset)
    places = (one for one in module.names.nodes(type(node)) if (one.lineno, one.col_offset) == place)
    return node if end.module is module else next((one for one in places if ast.dump(one) == ast.dump(node)), None)


def _parts(value: ast.expr) -> set[str]:
    return {ast.dump(part) for part in ast.walk(value)}


def _has_word_for_none(test: ast.expr, parts: set[str]) -> bool:
    """Whether a test compares a name with a word that may stand for no file: ``if args.weights != "none":``."""
    for one in ast.walk(test):
        if isinstance(one, ast.Compare) and len(one.ops) == 1 and isinstance(one.ops[0], _EQUALS):
            sides = (one.left, one.comparators[0])
            named = [side for side in sides if parts & _parts(side)]
            if named and any(_is_word(side) for side in sides if side not in named):
                return True
    return False


def _is_word(value: ast.expr) -> bool:
    """Whether a value is no literal, or one that counts as true by itself: not None, "" or 0, and no test's True."""
    known = literal(value)
    return any(known) if isinstance(known, tuple | list) else bool(known) and known is not True


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
