"""What a program loads before it trains, of what it saves while it trains, wherever in its files the two stand."""

import ast
import re
from collections.abc import Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass, field

from migrate.analysis.checkpoints import target_of
from migrate.analysis.module import Module
from migrate.analysis.path_searches import calls_by_name, name_of, path_of
from migrate.analysis.resume.loads_before import TRAINS, Found, Link, LoadsBefore
from migrate.analysis.resume.once import are_alternatives, runs_again
from migrate.analysis.resume.origins import Argument, Origins
from migrate.analysis.resume.path_parts import PathParts, is_one_file, is_one_of, may_be_of
from migrate.analysis.resume.reach import LOADS, FunctionNode, Reach
from migrate.analysis.resume.savers import savers
from migrate.analysis.resume.saves_in_training import MODEL_SAVES, PATHS, SAVES, SavesInTraining
from migrate.analysis.resume.signs import fills, flags_in, is_changed, is_of_parts, is_very_file
from migrate.analysis.trainings import training_of

_SAVES_MODEL = re.compile(r"_?save_?(\w+_?)?(weights|models?|checkpoints?|ckpt)$", re.IGNORECASE)
_OF_KERAS = {
    "epochs",
    "nb_epoch",
    "callbacks",
    "initial_epoch",
    "steps_per_epoch",
    "samples_per_epoch",
    "validation_data",
}


@dataclass
class OwnLoad:
    """A training that goes on from what the program saved.

    Attributes:
      training: the call that trains; of a loop the first one in it.
      loop: the loop around it that saves; None where a callback does.
      module: the file that loads.
      load: the call there that loads, or that makes a callback which does.
      saves: the calls that save.
      is_named: whether the user may name another file at the start.
      is_sure: whether the file is the program's own, as far as its parts are seen.
      links: the calls that lead to the load, from the function that starts the training on.
    """

    training: ast.Call
    loop: ast.For | ast.While | None
    module: Module
    load: ast.Call
    saves: list[ast.Call] = field(default_factory=list)
    is_named: bool = False
    is_sure: bool = False
    links: list[Link] = field(default_factory=list)


def own_loads(reach: Reach) -> Iterator[OwnLoad]:
    """Every training of a file before which what its program saves is loaded, where there is something to load."""
    module = reach.module
    trainings = [call for call in keras_trainings(module) if isinstance(call.func, ast.Attribute)]
    loops = reach.one(saving_loops)
    if not trainings and not loops:
        return
    if not reach.holds(*LOADS, "restore"):
        return
    search = _Search(reach)
    alone = (one for one in loops if not any(training in ast.walk(one) for training in trainings))
    by_hand = {one: found for one in alone if (found := search.before_loop(one)) is not None}
    yield from by_hand.values()
    calls = (call for one in by_hand for call in ast.walk(one) if isinstance(call, ast.Call))
    turned = {function for call in calls for function in reach.functions(call)}  # of which the loops' turns are made
    is_saved = any(one.is_checkpoint for one in savers(module))
    known = set[ast.AST]()
    told: dict[tuple[ast.AST, ast.AST], ast.AST] = {}
    for fit in sorted(trainings, key=lambda call: (call.lineno, call.col_offset)):
        model = fit.func
        assert isinstance(model, ast.Attribute)
        training, around = turn_of(reach, fit, is_led=model.attr == "train_on_batch")
        if any(is_recovered(module, one) for one in around):
            continue
        loop = next((one for one in around if one in loops), None)
        place = loop if loop is not None else training
        scope = module.names.scope_of(training).node
        is_turn = module.names.scope_of(fit).node in turned and not is_saved
        if place in known or is_turn or is_own_method(search.origins, module, model):
            continue
        found = search.before(training, model.value, loop)
        before = told.get((scope, found.load)) if found is not None else None
        if found is not None and (before is None or are_alternatives(module.names, before, training)):
            known.add(place)
            told[scope, found.load] = training
            yield found


def turn_of(reach: Reach, training: ast.Call, *, is_led: bool) -> tuple[ast.Call, list[ast.For | ast.While]]:
    """The call in a loop that trains, also by functions of the file where it saves too, and the loops around it."""
    module, loops = reach.module, reach.one(saving_loops)
    frames = reach.one(LoadsBefore).frames(training) if is_led else []
    calls = [call for where, _, call in frames if where is module and isinstance(call, ast.Call)] or [training]
    found = [(one, [n for n in module.names.ancestors(one) if isinstance(n, ast.For | ast.While)]) for one in calls]
    return next((one for one in found if any(n in loops or is_recovered(module, n) for n in one[1])), found[0])


def keras_trainings(module: Module) -> list[ast.Call]:
    """The calls of a file that train by Keras."""
    calls = calls_by_name(module.names)
    return [call for name in TRAINS for call in calls.get(name, ()) if is_keras_training(call)]


def is_keras_training(call: ast.Call) -> bool:
    """Whether a call trains by Keras: ``fit(x, y)`` alone is of any library, and saves nothing."""
    if name_of(call.func) == "train_on_batch":
        return True
    given = {keyword.arg for keyword in call.keywords}
    return name_of(call.func) in TRAINS and bool(given & _OF_KERAS or None in given or len(call.args) > 2)


def saving_loops(reach: Reach) -> dict[ast.For | ast.While, ast.Call]:
    """The innermost loops of a file in which a checkpoint or a model is saved, each with the first call that does."""
    found: dict[ast.For | ast.While, ast.Call] = {}
    module, names = reach.module, calls_by_name(reach.module.names)
    functions = {name for name in names if name in reach.saving or _SAVES_MODEL.match(name)}
    saving = functions | (names.keys() & {*SAVES})
    for node in module.names.nodes(ast.Call) if saving else ():
        name = name_of(node.func)
        if name in functions or (name in saving and isinstance(node.func, ast.Attribute)):
            loops = [one for one in module.names.ancestors(node) if isinstance(one, ast.For | ast.While)]
            if loops and not any(is_recovered(module, one) for one in loops):
                found.setdefault(loops[0], node)
    return found


def is_recovered(module: Module, loop: ast.AST) -> bool:
    """Whether a recovery gives a loop its first epoch, or saves in it: ``range(recovery.restore(first), epochs)``."""
    if not isinstance(loop, ast.For | ast.While):
        return False
    given = ast.walk(loop.iter) if isinstance(loop, ast.For) else ()
    begun = [node for node in given if isinstance(node, ast.Call)]
    if any(name_of(call.func) == "restore" for call in begun):
        return True
    saves = (node.func for node in ast.walk(loop) if isinstance(node, ast.Call) and name_of(node.func) == "save")
    made = (module.names.only_value(one.value) for one in saves if isinstance(one, ast.Attribute))
    calls = (one.func for one in made if isinstance(one, ast.Call))
    return any((module.names.qualified(one) or name_of(one)).endswith("LoopRecovery") for one in calls)


def is_own_method(origins: Origins, module: Module, method: ast.Attribute) -> bool:
    """Whether what trains is a method of the program's own, which trains in turn."""
    made = origins.of_model(module, method.value)
    classes = [one for call in made if isinstance(call, ast.Call) for one in origins.reach.classes(name_of(call.func))]
    if isinstance(method.value, ast.Name) and method.value.id == "self":
        around = (node for node in module.names.ancestors(method) if isinstance(node, ast.ClassDef))
        classes += [origins.reach.know(node, module) for node in around]
    family = [one for each in classes for one in origins.reach.bases(each)]
    return any(isinstance(n, FunctionNode) and n.name == method.attr for one in family for n in one.body)


class _Search:
    def __init__(self, reach: Reach) -> None:
        self.reach, self.module = reach, reach.module
        self.origins = reach.one(Origins)
        self.before_it = reach.one(LoadsBefore)
        self.saves = reach.one(SavesInTraining)

    def before(self, training: ast.Call, model: ast.expr, loop: ast.AST | None) -> OwnLoad | None:
        """The load before one training that is of its own files."""
        trained = self.origins.of_model(self.module, model)
        for found in self.before_it.loads(training):
            is_very = self._is_very_file(found, training, trained) or self._is_saved_again(found, loop)
            if self._is_second_stage(training) and not is_very:
                continue
            is_asked = self.before_it.is_asked(found, training) or self._is_newest(found, training)
            if not is_asked and not is_very:
                continue
            is_callback = name_of(found.load.func) not in LOADS  # which loads and saves
            saves = [found.load] if is_callback else self._saved_as(found, trained, training)
            if saves:
                around = loop if isinstance(loop, ast.For | ast.While) else None
                is_named = self._may_be_named(found, saves)
                is_sure = self._is_sure(found, saves)
                return OwnLoad(training, around, found.module, found.load, saves, is_named, is_sure, found.links)
        return None

    def before_loop(self, loop: ast.For | ast.While) -> OwnLoad | None:
        """What a loop that applies gradients, and saves, loads before it begins."""
        for save in ast.walk(loop) if self.saves.trains_by_hand(loop) else ():
            inner = self.saves.within(save) if isinstance(save, ast.Call) else []
            is_method = isinstance(save, ast.Call) and isinstance(save.func, ast.Attribute) and save.func.attr in SAVES
            name = name_of(save.func) if isinstance(save, ast.Call) else ""
            is_own = bool(inner) and (name in self.reach.saving or _SAVES_MODEL.match(name) is not None)
            if isinstance(save, ast.Call) and (is_method or is_own):
                saved = {place for one in ([save] if is_method else inner) for place in self._saved_model(one)}
                for found in self.before_it.loads(save):
                    if self._is_of_loop(found, save, saved, inner):
                        return OwnLoad(save, loop, found.module, found.load, inner or [save], links=found.links)
        return None

    def _saved_model(self, save: ast.Call) -> set[Hashable]:
        held = self._held(save)
        return self.origins.of_model(self.reach.module_of(save), held) if held is not None else set()

    def _is_of_loop(self, found: Found, save: ast.Call, saved: set[Hashable], inner: list[ast.Call]) -> bool:
        """Whether a load is of what a call in a loop saves: a checkpoint, weights, or what its own method saves."""
        if name_of(found.load.func) in LOADS:
            return self.before_it.is_asked(found, save) and bool(self._saved_as(found, saved, save, inner))
        is_checkpoint = any(isinstance(one, ast.Call) and name_of(one.func) == "Checkpoint" for one in saved)
        held = self._held(found.load) if name_of(found.load.func) == "restore" else None
        return is_checkpoint and held is not None and bool(self.origins.of_model(found.module, held) & saved)

    def _held(self, load: ast.Call) -> ast.expr | None:
        return load.func.value if isinstance(load.func, ast.Attribute) else None

    def _is_very_file(self, found: Found, training: ast.Call, trained: set[Hashable]) -> bool:
        """Whether a load fills the model of the one training with the file that the training saves it as."""
        fit, path = training_of(self.module, training), path_of(found.load)
        if fit is None or path is None or runs_again(self.module, training):
            return False
        if not is_very_file(self.reach, found.module, path):
            return False
        if found.module is self.module:
            return fills(self.module, fit, found.load)
        is_whole = not is_of_parts(found.load) and not any(map(is_changed, (self.module, found.module)))
        return is_whole and self.origins.fills(found.module, found.load, trained)

    def _is_saved_again(self, found: Found, loop: ast.AST | None) -> bool:
        """Whether a loop saves the very model that is loaded before it, to the same file or one by a number."""
        path = path_of(found.load) if loop is not None and found.module is self.module else None
        makes = path is not None and name_of(found.load.func) == "load_model"
        held = target_of(self.module.names, found.load) if makes else self._held(found.load)
        if loop is None or path is None or held is None:
            return False
        saves = (one for one in ast.walk(loop) if isinstance(one, ast.Call) and name_of(one.func) in MODEL_SAVES)
        loaded = self.origins.of_paths(self.module, path) if isinstance(path, ast.Constant) else []
        same = (one for one in saves if one.args and self._is_name_of(one.args[0], path, loaded))
        return any(ast.unparse(saved) == ast.unparse(held) for one in same if (saved := self._held(one)) is not None)

    def _is_name_of(self, saved: ast.expr, path: ast.expr, loaded: list[PathParts]) -> bool:
        if ast.dump(saved) == ast.dump(path):
            return True
        return any(is_one_of(one, other) for one in self.origins.of_paths(self.module, saved) for other in loaded)

    def _is_second_stage(self, training: ast.Call) -> bool:
        first = next((k.value for k in training.keywords if k.arg == "initial_epoch"), None)
        return isinstance(first, ast.Constant) and first.value not in (0, None)

    def _saved_as(
        self, found: Found, trained: set[Hashable], training: ast.Call, within: Sequence[ast.Call] = ()
    ) -> list[ast.Call]:
        """The calls that save what a load loads, where it is the trained model or the one that is saved."""
        load = found.load
        path = load.args[0] if load.args else next((k.value for k in load.keywords if k.arg in PATHS), None)
        if path is None:
            return []
        if self._is_newest(found, training):
            return [load]
        loaded = self.origins.of_paths(found.module, path)
        own = [one for one in map(self.saves.with_path, within) if may_be_of(one[1], loaded)]
        saves = own if within else self.saves.of(loaded)
        if is_of_parts(load) and all(one.names for one in loaded):  # a file that the text names, of another model
            names = {name for one in loaded for name in one.names}
            saves = [one for one in saves if any(names & each.names for each in one[1])]
        if not saves:
            return []
        held = self._held(load) if name_of(load.func) == "load_weights" else None
        model = self.origins.of_model(found.module, held) if held is not None else {load}
        if model & trained:
            return [call for call, _ in saves]
        return [
            call
            for call, _ in saves
            if name_of(call.func) in ("save", "save_weights")
            and isinstance(call.func, ast.Attribute)
            and (within or self._is_beside(call, training))
            and model & self.origins.of_model(self.reach.module_of(call), call.func.value)
        ]

    def _is_sure(self, found: Found, saves: list[ast.Call]) -> bool:
        """Whether what only the user knows of a path that is loaded is what is known of one that is saved."""
        _, loaded = self.saves.with_path(found.load)
        saved = self._paths_of(saves)
        return bool(loaded) and all(
            one.is_searched or any(one.unknown <= other.unknown for other in saved) for one in loaded
        )

    def _paths_of(self, saves: Collection[ast.Call]) -> list[PathParts]:
        """The paths that some calls save."""
        known = {*saves}
        return [one for call, paths in self.saves.all() if call in known for one in paths]

    def _may_be_named(self, found: Found, saves: list[ast.Call]) -> bool:
        """Whether a load may be of another file than the program's own: one that a flag or a setting names."""
        _, loaded = self.saves.with_path(found.load)
        saved = self._paths_of(saves)
        given = {one.name for one in flags_in(self.reach)}
        for one in loaded if saved else ():
            said = {part for part in one.unknown if isinstance(part, Argument) or part in given}
            # In another folder a file of the same name is another.
            is_elsewhere = bool(said) and not any(said <= each.unknown for each in saved)
            if not one.is_searched and one.unknown and (is_elsewhere or not any(is_one_file(e, one) for e in saved)):
                return True
        return False

    def _is_newest(self, found: Found, training: ast.Call) -> bool:
        """Whether a load is of a file that is searched for, and the training begins at an epoch that is worked out."""
        first = next((k.value for k in training.keywords if k.arg == "initial_epoch"), None)
        goes_on = first is not None and not isinstance(first, ast.Constant)
        return goes_on and any(one.is_searched for one in self.saves.with_path(found.load)[1])

    def _is_beside(self, save: ast.Call, training: ast.Call) -> bool:
        """Whether a training's own function saves, itself or by a class or function inside it."""
        if self.reach.module_of(save) is not self.module:
            return False
        scope = self.module.names.scope_of(training).node
        return scope in self.module.names.ancestors(save)
