"""Finds the programs that resume by themselves: they load, before they train, what they save."""

import ast
import re
from collections.abc import Hashable, Iterator

from migrate.analysis.calls.branches import are_alternatives, strip_not, tests_around
from migrate.analysis.calls.given import given_to
from migrate.analysis.calls.reach import CHECKPOINT, FunctionNode, Reach
from migrate.analysis.resume.loads_before import Load, LoadsBefore, TrainingNode, decides_about_training
from migrate.analysis.resume.model_saves import METHODS, ModelSaves, path_argument
from migrate.analysis.resume.resume_keywords import is_of_parts, is_pretrained, mention, resume_words, resumes_by_name
from migrate.analysis.resume.trained_loops import TrainedLoop, Trainings
from migrate.analysis.source.arguments import defaults, literal
from migrate.analysis.source.module import Module
from migrate.analysis.source.path_searches import name_of
from migrate.analysis.values.origins import Origins, bindings_before
from migrate.analysis.values.path_parts import PathParts, have_like_names, is_same
from migrate.records import dataclass

_FIRST = re.compile(r"(init|start|begin|first|last|resum)\w*epoch|epoch_?(start|begin)", re.IGNORECASE)
"""Names of settings for the first epoch of a training."""


@dataclass
class Resumption:
    """The load that shows that a program resumes, and the reason, as part of a sentence."""

    load: Load
    why: str


def resumptions(reach: Reach) -> dict[TrainingNode, Resumption]:
    """Returns the trainings of a file that its program resumes, each with the load that shows it."""
    return dict(_Search(reach).all(reach.search(Trainings)))


class _Search:
    def __init__(self, reach: Reach) -> None:
        self.reach, self.module = reach, reach.module
        self.before, self.origins = reach.search(LoadsBefore), reach.search(Origins)
        self.saves = reach.search(ModelSaves)

    def all(self, trainings: Trainings) -> Iterator[tuple[TrainingNode, Resumption]]:
        """Yields the first load that resumes each training; the trainings are searched only if anything is loaded."""
        for one in trainings.all if any(self.reach.loads()) else ():
            training, saves = (one.loop, one.saves) if isinstance(one, TrainedLoop) else (one, [])
            calls = [(self.reach.module_of(call), call.func) for call in ([one] if one is training else saves)]
            held = [(where, func.value) for where, func in calls if isinstance(func, ast.Attribute)]
            receivers = one.receivers if isinstance(one, TrainedLoop) else held
            held = [*held, *((where, root) for where, each in receivers if (root := _holder(each)) is not None)]
            trained = {place for where, each in [*receivers, *held] for place in self.origins.of_model(where, each)}
            for load in self.before.loads(training):
                why = self._reason(load, training, trained, _first_epoch(training))
                if why and not self._is_rebound(load, receivers):
                    yield training, Resumption(load, why)
                    break

    def _reason(self, load: Load, training: TrainingNode, trained: set[Hashable], first: ast.expr | None) -> str:
        """Returns why a load continues an earlier training; "" if it may be any other load."""
        call, files = load.call, self.saves.paths(load.call)
        if name_of(call.func) in ("restore", "read") and any(self.reach.calls_of("CheckpointManager")):
            return ""  # the program uses a manager for it
        fills = self._loads_into_model(load, trained)
        is_here = load.module.names.scope_of(call) is self.module.names.scope_of(training)
        is_made = name_of(call.func) == "load_model"
        around = tests_around(self.module.names, training)
        trains = is_here and isinstance(training, ast.Call) and not decides_about_training([one for one, _ in around])
        is_for_use = load.is_off() or (not trains and load.is_for_use(around))
        if (is_made and is_here and not fills) or self._gets_no_file(load, training) or is_for_use:
            return ""  # another model, or one that another load has replaced
        is_asked, is_searched = self.before.is_asked(load, training), any(one.is_searched for one in files)
        if words := resume_words(self.origins.flags, load):
            return f"says `{words}`"
        if self._is_numbered(load, first, fills):
            return "begins at an epoch that belongs to the file"
        own = self.saves.of(files)
        beside = [one for one in own if self.reach.module_of(one) in (load.module, self.module)]
        same = [one for one in beside if is_same(files, self.saves.paths(one))]
        is_called = any(resumes_by_name(one) and not _removes_layers(one) for one in (load.module, self.module))
        if is_called and fills and not (is_of_parts(call) or load.is_apart):
            return "is called so"
        if self._is_in_turns(load, training) and not (is_made or is_searched or is_asked):
            return ""
        if not same and (is_of_parts(call) or is_pretrained(self.origins.flags, load, is_own=bool(own))):
            return ""
        if not fills or load.is_apart or self._is_saved_above(load, own) or self._is_of_earlier_stage(training, own):
            return ""
        if same or (own and (is_asked or is_searched)):
            return f"saves it in line {(same or own)[0].lineno}"
        is_open = any(one.unknown or not one.names for one in files or [PathParts()])
        if is_asked and self.saves.calls and (is_open or (words := mention(CHECKPOINT, self.origins.flags, load))):
            return "searches for it, or gets it from the user" if is_open else f"says `{words}`"
        for save in self.saves.calls if is_asked or not is_made else ():
            is_near = self.reach.module_of(save) in (load.module, self.module)
            if is_near and have_like_names(files, self.saves.paths(save), by_words=is_asked):
                return f"saves one of a similar name in line {save.lineno}"
        return ""

    def _is_saved_above(self, load: Load, own: list[ast.Call]) -> bool:
        """Whether the same run has saved the file before, so that it only resets the weights."""
        names, scope = load.module.names, load.module.names.scope_of(load.call)
        here = [one for one in own if self.reach.module_of(one) is load.module and names.scope_of(one) is scope]
        above = [one for one in here if name_of(one.func) in METHODS and one.lineno < load.call.lineno]
        around = {test for test, _ in tests_around(names, load.call)}
        return any(around.issuperset(test for test, _ in tests_around(names, one)) for one in above)

    def _is_of_earlier_stage(self, training: TrainingNode, own: list[ast.Call]) -> bool:
        """Whether a function that the same run calls before, an earlier stage, has saved the file."""
        frames = self.before.frames(training)
        places = ((one, self.reach.module_of(one)) for one in own if name_of(one.func) in METHODS)
        around = {where.names.scope_of(one).node: where for one, where in places}
        inside = {scope for _, scope, _ in frames}
        stages = [(one, where) for one, where in around.items() if isinstance(one, FunctionNode) and one not in inside]
        calls = [call for one, where in stages for call in self.reach.callers(one, where)]
        above = [(call, *each) for call in calls for each in frames if self.reach.module_of(call) is each[0]]
        beside = [(where, call, node) for call, where, scope, node in above if where.names.scope_of(call).node is scope]
        return any(c.lineno < n.lineno and not are_alternatives(m.names, c, n) for m, c, n in beside)

    def _gets_no_file(self, load: Load, training: TrainingNode) -> bool:
        """Whether every call of a function that loads its argument passes no file, or asks for no load."""
        led = [(where, one.func) for where, _, one in self.before.frames(training) if isinstance(one, ast.Call)]
        held = [(where, one.value) for where, one in led if isinstance(one, ast.Attribute)]
        makers = {place for where, one in held for place in self.origins.of_model(where, one)}
        for place, (module, call) in enumerate(load.chain):
            function = module.names.scope_of(call).node
            if not isinstance(function, FunctionNode):
                continue
            tests = [strip_not(*one) for one in tests_around(module.names, call)]
            read = [path_argument(call), *(test for test, _ in tests)]
            named = {one.id for each in read if each is not None for one in ast.walk(each) if isinstance(one, ast.Name)}
            refusing = {one.id for one, holds in tests if isinstance(one, ast.Name) and not holds}  # if not fresh
            callers = self.reach.callers(function, module)
            calls = [load.chain[place - 1][1]] if place else [one for one in callers if one in makers] or callers
            bound = module.names.scope_of(call).bindings  # a parameter that is set there may be given nothing
            for name in (one.arg for one in [*function.args.args, *function.args.kwonlyargs] if one.arg in named):
                asks = name not in refusing
                given = {one: self._values(one, function, name) for one in [*calls, *callers] if len(bound[name]) == 1}
                nothing = ([None] if asks else []) + ([not asks] if [asks] in given.values() else [])
                is_nothing = all(value in nothing for one in calls for value in given.get(one, [...]))
                if calls and is_nothing and not any(map(_has_hidden_arguments, calls)):
                    return True
        return False

    def _values(self, call: ast.Call, function: FunctionNode, name: str) -> list[object]:
        """Returns the literal values that a call may pass for a parameter; ``...`` for an unknown one."""
        value = given_to(call, function, name) or defaults(function).get(name)
        module = self.reach.module_of(call)
        bound = bindings_before(module, module.names.bindings(value), value) if isinstance(value, ast.Name) else []
        return [literal(one.value) for one in bound] or [literal(value)]

    def _loads_into_model(self, load: Load, trained: set[Hashable]) -> bool:
        if name_of(load.call.func) == "load_model":
            return load.call in trained or self._is_set(load, trained) or self._is_copied(load, trained)
        methods = [(load.module, load.call.func), *((where, one.func) for where, one in load.chain)]
        held = [(where, one.value) for where, one in methods if isinstance(one, ast.Attribute)]
        if name_of(load.call.func) in ("restore", "read"):
            return any(self._is_checkpoint_of(where, one, trained) for where, one in held[:1])
        held += [(where, whole) for where, one in held[:1] if (whole := _holder(one)) is not None]  # model.encoder
        return any(not trained.isdisjoint(self.origins.of_model(where, one)) for where, one in held)

    def _is_set(self, load: Load, trained: set[Hashable]) -> bool:
        """Whether a loaded model becomes that of another object: ``self.net.model = load_model(path)``."""
        statement = load.module.names.statement_of(load.call)
        targets = statement.targets if isinstance(statement, ast.Assign) and statement.value is load.call else []
        held = (one for one in targets if isinstance(one, ast.Attribute))
        return any(not trained.isdisjoint(self.origins.of_model(load.module, one)) for one in held)

    def _is_copied(self, load: Load, trained: set[Hashable]) -> bool:
        """Whether what is trained gets the weights of a loaded model: ``net.set_weights(loaded.get_weights())``."""
        for copy in self.reach.calls(load.module).get("set_weights", ()):
            given = copy.args[0].func if copy.args and isinstance(copy.args[0], ast.Call) else None
            if not (isinstance(copy.func, ast.Attribute) and isinstance(given, ast.Attribute)):
                continue
            is_loaded = load.call in self.origins.of_model(load.module, given.value)
            if is_loaded and not trained.isdisjoint(self.origins.of_model(load.module, copy.func.value)):
                return True
        return False

    def _is_rebound(self, load: Load, receivers: list[tuple[Module, ast.expr]]) -> bool:
        """Whether the variable of the loaded model has another model when that is trained."""
        names, loaded = load.module.names, getattr(load.call.func, "value", None)
        bound = names.bindings(loaded)
        if not bound or not isinstance(loaded, ast.Name):
            return False
        before = bindings_before(load.module, bound, loaded)
        models = [one for where, one in receivers if where is load.module and isinstance(one, ast.Name)]
        reached = [one for m in models if names.bindings(m) is bound for one in bindings_before(load.module, bound, m)]
        others = [one.value for one in reached if one not in before and one.value is not None]
        made = [one for one in others if loaded.id not in {getattr(part, "id", "") for part in ast.walk(one)}]
        return bool(reached) and len(made) == len(reached)

    def _is_checkpoint_of(self, module: Module, held: ast.expr, trained: set[Hashable]) -> bool:
        """Whether a ``tf.train.Checkpoint`` tracks what is trained; an object of the program itself may do so too."""
        places = self.origins.of_model(module, held)
        made = [one for one in places if isinstance(one, ast.Call) and name_of(one.func) == "Checkpoint"]
        given = [(one, value) for one in made for value in [*one.args, *(keyword.value for keyword in one.keywords)]]
        holds = {place for one, value in given for place in self.origins.of_model(self.reach.module_of(one), value)}
        return not trained.isdisjoint(holds if made else places)

    def _is_in_turns(self, load: Load, training: TrainingNode) -> bool:
        """Whether a loop around a training also loads, in every turn."""
        around = {one for one in self.module.names.ancestors(training) if isinstance(one, ast.For | ast.While)}
        return any(not around.isdisjoint(where.names.ancestors(one)) for where, one in load.chain)

    def _is_numbered(self, load: Load, first: ast.expr | None, fills: bool) -> bool:
        """Whether a training starts at an epoch that the user, the program or the file name sets."""
        files = self.saves.paths(load.call)
        if fills and self._has_number(load):
            return True
        is_other = bool(files) and all(one.names for one in files) and is_of_parts(load.call)
        begins = self.origins.of_paths(self.module, first) if first is not None else []
        is_told = any(_FIRST.search(str(name)) for one in begins for name in one.unknown)
        if not is_told and is_pretrained(self.origins.flags, load, is_own=False):
            is_other |= is_of_parts(load.call) or not any(one.unknown or one.is_searched for one in files)
        is_other &= not self.saves.of(files)
        if is_other or any(one.arg == "skip_mismatch" and literal(one.value) for one in load.call.keywords):
            return False  # weights of another model or of one with another head
        values = [one for _, one in self.origins.values(self.module, first)] if first is not None else []
        return fills and first is not None and not all(isinstance(one, ast.Constant) for one in values or [first])

    def _has_number(self, load: Load) -> bool:
        """Whether the program reads a number from the name of the loaded file."""
        path = path_argument(load.call)
        text = ast.unparse(path) if path is not None and not isinstance(path, ast.Constant) else ""
        numbers = self.reach.calls_named(load.module, load.module.names.scope_of(load.call).node, "int") if text else []
        made_of = (each for one in numbers for _, each in self.origins.follow(load.module, one))
        return any(ast.unparse(part) == text for each in made_of for part in ast.walk(each))


def _holder(model: ast.expr) -> ast.expr | None:
    """Returns the object that has a model as its attribute, other than ``self``; None for any other model."""
    held = model.value if isinstance(model, ast.Attribute) else None
    return held if isinstance(held, ast.Name) and held.id not in ("self", "cls") else None


def _first_epoch(training: TrainingNode) -> ast.expr | None:
    """Returns the first epoch of a training: ``initial_epoch``, or the start of its range; None for none."""
    if isinstance(training, ast.Call):
        return next((one.value for one in training.keywords if one.arg == "initial_epoch"), None)
    call = training.iter if isinstance(training, ast.For) else None
    is_range = isinstance(call, ast.Call) and name_of(call.func) in ("range", "trange") and len(call.args) == 2
    return call.args[0] if isinstance(call, ast.Call) and is_range else None


def _has_hidden_arguments(call: ast.Call) -> bool:
    """Whether a call has ``*`` or ``**`` arguments: ``build(**settings)``."""
    return any(one.arg is None for one in call.keywords) or any(isinstance(one, ast.Starred) for one in call.args)


def _removes_layers(module: Module) -> bool:
    """Whether a file removes layers of a model."""
    taken = (one for one in module.names.nodes(ast.Call) if name_of(one.func) == "pop" and not one.args)
    held = (one.func.value for one in taken if isinstance(one.func, ast.Attribute))
    return any(ast.unparse(one).rpartition(".")[2] in ("layers", "model", "classifier", "base_model") for one in held)
