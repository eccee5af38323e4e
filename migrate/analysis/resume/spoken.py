"""Trainings that a program says to go on from a file, whatever it trains and saves by: the widest way to find one."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from migrate.analysis.path_searches import name_of
from migrate.analysis.resume.epoch_loops import epoch_begun
from migrate.analysis.resume.flags import Flags
from migrate.analysis.resume.loads_before import Found, LoadsBefore
from migrate.analysis.resume.named import BEGINS, is_users_epoch
from migrate.analysis.resume.origins import Origins
from migrate.analysis.resume.own_loads import (
    is_keras_training,
    is_own_method,
    is_recovered,
    keras_trainings,
    saving_loops,
)
from migrate.analysis.resume.reach import LOADS, Reach
from migrate.analysis.resume.saves_in_training import SavesInTraining
from migrate.analysis.resume.signs import is_changed
from migrate.analysis.resume.words import SPEAKS, Words, goes_on_by_name


@dataclass
class Spoken:
    """A training that goes on from a file, as the program says.

    Attributes:
      training: the call that trains, or that saves in a loop.
      loop: the outermost loop over epochs around it, in which the program saves; None for ``fit`` alone.
      found: what is loaded, and how; None where only the loop's beginning says it.
    """

    training: ast.Call
    loop: ast.For | ast.While | None
    found: Found | None


def spoken(reach: Reach) -> Iterator[Spoken]:
    """Every training of a file that the program says to go on from a file that it loads."""
    module = reach.module
    loops, trainings = reach.one(saving_loops), keras_trainings(module)
    if not trainings and not loops:
        return
    search, known = _Search(reach), set[ast.AST]()
    alone = {loop: save for loop, save in loops.items() if not any(call in ast.walk(loop) for call in trainings)}
    saves = [save for loop, save in alone.items() if search.saves.trains_by_hand(loop)]
    for call in sorted([*trainings, *saves], key=lambda one: (one.lineno, one.col_offset)):
        around = [one for one in module.names.ancestors(call) if isinstance(one, ast.For | ast.While)]
        scope = module.names.scope_of(call).node
        inside = [one for one in around if module.names.scope_of(one).node is scope]
        if scope in known or any(is_recovered(module, one) for one in around):
            continue
        one = search.of(call, inside[-1] if inside else None)
        if one is not None or name_of(call.func) not in ("fit", "fit_generator"):
            known.add(scope)
        if one is not None:
            yield one


def _is_of_session(load: ast.Call) -> bool:
    return name_of(load.func) == "restore" and len(load.args) > 1


class _Search:
    def __init__(self, reach: Reach) -> None:
        self.reach, self.module = reach, reach.module
        self.before, self.origins, self.words = reach.one(LoadsBefore), reach.one(Origins), reach.one(Words)
        self.saves = reach.one(SavesInTraining)

    def of(self, call: ast.Call, loop: ast.For | ast.While | None) -> Spoken | None:
        """The training of a call, where the program says that it goes on from a file."""
        first = self._begun(call, loop)
        method = call.func if is_keras_training(call) else None
        if isinstance(method, ast.Attribute) and is_own_method(self.origins, self.module, method):
            return None
        if isinstance(first, ast.Constant) and first.value not in (0, None):
            return None  # the second stage of a training in two stages
        for found in self.before.loads(call):
            if name_of(found.load.func) not in {*LOADS, "restore"} or _is_of_session(found.load):
                continue  # restore(session, path) is that of a Saver
            is_said = self.words.say_of(found.module, found.load, found.links) or self._is_numbered(found, first)
            if is_said or (goes_on_by_name(found.module) and not is_changed(found.module)):
                return Spoken(call, loop, found)
        is_told = first is not None and any(SPEAKS.search(ast.unparse(one)) for one in self._values(first))
        return Spoken(call, loop, None) if is_told and self._is_of_keras() else None

    def _is_of_keras(self) -> bool:
        return "keras" in self.module.text and "Session(" not in self.module.text

    def _begun(self, call: ast.Call, loop: ast.For | ast.While | None) -> ast.expr | None:
        given = next((k.value for k in call.keywords if k.arg == "initial_epoch"), None)
        return given if given is not None or not isinstance(loop, ast.For) else epoch_begun(loop)

    def _values(self, first: ast.expr) -> list[ast.expr]:
        bound = self.module.names.bound(first) if isinstance(first, ast.Name) else []
        return [first, *(one.value for one in bound if one.value is not None)]

    def _is_numbered(self, found: Found, first: ast.expr | None) -> bool:
        """Whether the epoch that a training begins at goes with the file: the user says it, or it names the file."""
        if first is None:
            return False
        if BEGINS.search(ast.unparse(first)) and is_users_epoch(Flags(self.module), first):
            return True
        path = found.load.args[0] if found.load.args else None
        named = {one for each in self.origins.of_paths(found.module, path) for one in each.unknown} if path else set()
        return any(not named.isdisjoint(each.unknown) for each in self.origins.of_paths(self.module, first))
