"""Trainings that a program says to go on from a file, whatever it trains and saves by: the widest way to find one."""

import ast
import re
from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from migrate.analysis.arguments import literal
from migrate.analysis.module import Module
from migrate.analysis.path_searches import name_of
from migrate.analysis.resume.conditions import Conditions
from migrate.analysis.resume.epochs import epoch_begun
from migrate.analysis.resume.flags import Flags
from migrate.analysis.resume.loads_before import Found, LoadsBefore
from migrate.analysis.resume.named import BEGINS, is_in_one_loop, is_users_epoch
from migrate.analysis.resume.once import are_alternatives, trains_again
from migrate.analysis.resume.origins import Origins
from migrate.analysis.resume.own_loads import (
    is_keras_training,
    is_own_method,
    is_recovered,
    keras_trainings,
    saving_loops,
    turn_of,
)
from migrate.analysis.resume.path_parts import PathParts, is_one_of, is_same, may_be_of
from migrate.analysis.resume.reach import Reach, is_load
from migrate.analysis.resume.savers import given_files, savers
from migrate.analysis.resume.saves_in_training import MODEL_SAVES, SavesInTraining, path_given
from migrate.analysis.resume.signs import has_default, is_changed, is_of_another_job, is_of_parts
from migrate.analysis.resume.words import SPEAKS, Words, goes_on_by_name
from migrate.analysis.trainings import training_of

_PLACES = (ast.Name, ast.Attribute, ast.Subscript)
_RESTORES = re.compile(r"restore\w*\(\w|load_?\w*(model|weights?|checkpoint|ckpt)s?\(\w", re.IGNORECASE)
"""Calls that load, of a model or a path, and give the epoch to begin at."""


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
    search, known = _Search(reach), dict[ast.AST, list[ast.Call]]()
    alone = {loop: save for loop, save in loops.items() if not any(call in ast.walk(loop) for call in trainings)}
    saves = [save for loop, save in alone.items() if search.saves.trains_by_hand(loop)]
    for call in sorted([*trainings, *saves], key=lambda one: (one.lineno, one.col_offset)):
        turn, around = turn_of(reach, call, is_led=name_of(call.func) == "train_on_batch")
        if turn is not call and any(alone.get(one) in saves for one in around):
            continue  # what its loop saves tells it
        scope = module.names.scope_of(call).node
        inside = [one for one in around if module.names.scope_of(one).node is scope]
        is_known = not all(are_alternatives(module.names, one, call) for one in known.get(scope, ()))
        if is_known or any(is_recovered(module, one) for one in around):
            continue
        one = search.of(call, inside[-1] if inside else None)
        if one is not None or name_of(call.func) not in ("fit", "fit_generator"):
            known.setdefault(scope, []).append(call)
        if one is not None:
            yield one


def said_before(reach: Reach, training: ast.Call) -> Found | None:
    """The load that a program says one training to go on from; None for none."""
    one = _Search(reach).of(training, None)
    return one.found if one is not None else None


def _is_of_head(load: ast.Call) -> bool:
    """Whether a load is of the weights of a model with another head."""
    return any(one.arg == "skip_mismatch" and literal(one.value) for one in load.keywords)


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
        is_later = isinstance(first, ast.Constant) and first.value not in (0, 1, None)
        if is_later and loop is None and self._is_second_stage(call):
            return None
        spoken, trained = list[tuple[tuple[bool, bool, bool], Found]](), self._trained(call)
        for found in self.before.loads(call):
            if not is_load(found.load) or _is_of_session(found.load):
                continue  # restore(session, path) is that of a Saver
            if found.module is self.module and is_in_one_loop(self.module, found.load, call):
                continue
            if self._is_downloaded(found):
                continue
            place = (found.module, found.load, found.links)
            is_here = found.module.names.scope_of(found.load) is self.module.names.scope_of(call)
            if is_here and name_of(found.load.func) == "load_model" and found.load not in trained:
                continue  # another model's, or one that another load has replaced
            signs = (self.words.say_of(*place), self._fills(found, call, trained), self.words.speak_of(*place))
            is_said, fills, is_spoken = signs
            is_numbered = self._is_numbered(found, call, first, fills)
            if not is_later and not is_numbered and self._is_of_another_job(found):
                continue
            is_due = is_said or is_numbered
            if not is_due and fills and not is_of_parts(found.load):
                is_due = is_later or self._is_awaited(found, call) or self._is_saved_back(found)
                is_due = is_due or self._is_earlier(found, call)
            is_due |= fills and is_spoken and not _is_of_head(found.load) and self._is_whole_fit(call)
            if is_due or (goes_on_by_name(found.module) and not is_changed(found.module)):
                spoken.append((signs, found))
        if spoken:
            # Of two the one that the user names, and the nearest to the training: the others fill what is made for it.
            found = max(spoken, key=lambda one: (one[0], self._is_flag(one[1]), -len(one[1].chain)))[1]
            return Spoken(call, loop, found)
        given = [ast.unparse(one) for one in self._values(first)] if first is not None else []
        is_told = any(SPEAKS.search(one) or _RESTORES.search(one) for one in given)
        return Spoken(call, loop, None) if is_told and (is_keras_training(call) or self._is_of_keras()) else None

    def _is_of_another_job(self, found: Found) -> bool:
        """Whether a load is of a file that no start writes, and the program does not say that training goes on."""
        is_direct = found.module is self.module and all(call is found.load for _, call in found.chain)
        is_told = goes_on_by_name(found.module) or self.words.tell_of(found.module, found.load, found.links)
        return is_direct and not is_told and is_of_another_job(self.reach, found.load)

    def _files(self, found: Found) -> list[PathParts]:
        """What each path is made of that a load may be given."""
        return self.saves.with_path(found.load)[1]

    def _is_flag(self, found: Found) -> bool:
        files = self._files(found)
        return bool(files) and all(one.unknown and not one.is_searched for one in files)

    def _is_downloaded(self, found: Found) -> bool:
        files = self._files(found)
        return bool(files) and all(one.is_downloaded for one in files)

    def _is_whole_fit(self, call: ast.Call) -> bool:
        """Whether a training that ``ModelCheckpoint`` saves trains all of its model."""
        is_fit = name_of(call.func) in ("fit", "fit_generator") and not is_changed(self.module)
        return is_fit and any(one.is_checkpoint for one in savers(self.module))

    def _is_second_stage(self, call: ast.Call) -> bool:
        fit = training_of(self.module, call)
        return fit is None or trains_again(self.module, fit)

    def _fills(self, found: Found, call: ast.Call, trained: set[Hashable]) -> bool:
        """Whether a load fills the model that a call trains, or saves in a loop."""
        load = found.load
        if name_of(load.func) == "load_model":
            return load in trained
        if self.before.is_of_callback(found):
            return is_keras_training(call)
        methods = ((where, one.func) for where, one in [(found.module, load), *found.chain])
        held = ((where, one.value) for where, one in methods if isinstance(one, ast.Attribute))
        return any(not trained.isdisjoint(self.origins.of_model(where, one)) for where, one in held)

    def _trained(self, call: ast.Call) -> set[Hashable]:
        """What the model is that a call trains, or saves in a loop, itself or in a function that it calls."""
        saves = [] if is_keras_training(call) else self.saves.within(call)
        found = [(self.reach.module_of(each), each) for each in saves or [call]]
        trained = {one for where, each in found for one in self._model(where, each)}
        for one in [one for one in trained if isinstance(one, ast.Call) and name_of(one.func) == "Checkpoint"]:
            where = self.reach.module_of(one)
            held = [*one.args, *(k.value for k in one.keywords)]
            trained |= {place for value in held for place in self.origins.of_model(where, value)}
        return trained

    def _is_awaited(self, found: Found, call: ast.Call) -> bool:
        """Whether a load is made only where there is a file, or where it is asked for, of what a start names or saves.

        A file that the text names and no start saves, or that the program calls another job's, is none of this job.
        """
        is_whole = name_of(call.func) not in ("fit", "fit_generator") or not is_changed(self.module)
        if not is_whole or self.words.is_of_another(found.module, found.load, found.links):
            return False
        path, files = path_given(found.load), self._files(found)
        is_searched = any(one.is_searched for one in files)
        if not is_searched and not self.before.is_asked(found, call):
            return False
        is_begun_with = isinstance(path, _PLACES) and has_default(self.reach, path)
        is_setting = isinstance(path, ast.Attribute | ast.Subscript) and self._left_out(found) is not None
        is_named = not is_begun_with and (is_setting or any(one.unknown for one in files))
        return is_searched or is_named or self._is_saved(files)

    def _is_saved(self, files: list[PathParts]) -> bool:
        """Whether the program saves to one of some paths, in training or after it."""
        saves = (call for name in MODEL_SAVES for call in self.reach.called(name))
        return bool(self.saves.of(files)) or any(may_be_of(self.saves.with_path(call)[1], files) for call in saves)

    def _left_out(self, found: Found) -> ast.expr | None:
        """What names the file of a load that is made where it names one: ``if args.weights: load(args.weights)``."""
        path = path_given(found.load)
        tests = [test.test for test, must_hold in Conditions(found.module).tests(found.load) if must_hold]
        parts = (ast.dump(part) for test in tests for part in ast.walk(test))
        return path if isinstance(path, _PLACES) and ast.dump(path) in parts else None

    def _is_saved_back(self, found: Found) -> bool:
        """Whether the program saves the loaded model to the file that each start loads, or to one of another number."""
        loaded = [one for one in self._files(found) if one.files and not one.is_searched]
        model = self._model(found.module, found.load)
        for save in [call for name in MODEL_SAVES for call in self.reach.called(name)] if loaded else ():
            where, written = self.reach.module_of(save), path_given(save)
            saved = self._model(where, save)
            is_one = found.load in saved or not model.isdisjoint(saved)
            paths = self.origins.of_paths(where, written) if is_one and written is not None else []
            if is_same(loaded, paths) or any(is_one_of(one, other) for one in paths for other in loaded):
                return True
        return False

    def _is_earlier(self, found: Found, call: ast.Call) -> bool:
        """Whether a load is of a file with a number where the callbacks of a training fill in theirs."""
        fit = training_of(self.module, call) if is_keras_training(call) else None
        if fit is None or is_changed(self.module) or self.words.is_of_another(found.module, found.load, found.links):
            return False
        paths = (self.origins.of_paths(where, one) for where, one in given_files(self.reach, fit))
        return any(is_one_of(one, other) for some in paths for one in some for other in self._files(found))

    def _model(self, module: Module, call: ast.Call) -> set[Hashable]:
        """What the model of a call that loads or saves is."""
        held = call.func.value if isinstance(call.func, ast.Attribute) else None
        return self.origins.of_model(module, held) if held is not None else set()

    def _is_of_keras(self) -> bool:
        return "keras" in self.module.text and "Session(" not in self.module.text

    def _begun(self, call: ast.Call, loop: ast.For | ast.While | None) -> ast.expr | None:
        given = next((k.value for k in call.keywords if k.arg == "initial_epoch"), None)
        return given if given is not None or not isinstance(loop, ast.For) else epoch_begun(loop)

    def _values(self, first: ast.expr) -> list[ast.expr]:
        bound = self.module.names.bound(first) if isinstance(first, ast.Name) else []
        statements = (self.module.names.statement_of(one.node) for one in bound if one.value is None)
        given = [one.value for one in statements if isinstance(one, ast.Assign)]  # of several that a call gives
        return [first, *(one.value for one in bound if one.value is not None), *given]

    def _is_numbered(self, found: Found, call: ast.Call, first: ast.expr | None, fills: bool) -> bool:
        """Whether the epoch that a training begins at goes with the file: the user says it, or it names the file."""
        if first is not None and not _is_of_head(found.load):
            is_called = BEGINS.search(ast.unparse(first)) is not None
            is_fit = name_of(call.func) in ("fit", "fit_generator")
            is_users = is_users_epoch(Flags(self.module), first)
            is_open = is_fit and not any(isinstance(one, ast.Constant) for one in self._values(first))
            if (is_called and (is_users or is_open)) or (is_users and is_fit and fills):
                return True
        path, files = path_given(found.load), self._files(found)
        named, is_searched = {one for each in files for one in each.unknown}, any(each.is_searched for each in files)
        named -= {"sys.argv"}  # each argument may be another one
        counts = [(self.module, first)] if first is not None else []
        counts += [(found.module, one) for one in self._read_of(found)] if isinstance(path, _PLACES) else []
        begun = [one for where, each in counts for one in self.origins.of_paths(where, each)]
        return any(not named.isdisjoint(each.unknown) or (is_searched and each.is_searched) for each in begun)

    def _read_of(self, found: Found) -> Iterator[ast.expr]:
        """The numbers that the function of a load reads out of texts: ``step = int(path.split("step")[1])``."""
        scope = found.module.names.scope_of(found.load).node
        for call in self.reach.calls_in(found.module, scope):
            pieces = (node for given in call.args for node in ast.walk(given))
            if name_of(call.func) == "int" and any(isinstance(node, ast.Subscript | ast.Call) for node in pieces):
                yield call
