"""The trainings of a file: its calls of ``fit``, and its custom training loops."""

import ast
import re
from collections.abc import Mapping
from functools import cached_property
from typing import TypeGuard

from migrate.analysis.calls.branches import tries_again
from migrate.analysis.calls.given import given_to
from migrate.analysis.calls.objects import classes_of, is_of_self
from migrate.analysis.calls.reach import MAX_DEPTH, FunctionNode, Reach
from migrate.analysis.keras.trainings import FIT, TRAINING_METHODS, is_model_fit
from migrate.analysis.resume.carried_values import Block, CarriedValues, carried_values
from migrate.analysis.resume.loads_before import TrainingNode
from migrate.analysis.resume.model_saves import METHODS, ModelSaves, model_of_save
from migrate.analysis.source.arguments import literal
from migrate.analysis.source.module import Module
from migrate.analysis.source.nodes import walk
from migrate.analysis.source.path_searches import name_of
from migrate.analysis.values.origins import Origins
from migrate.records import dataclass, field

LoopNode = ast.For | ast.While
FIT_METHODS = {"fit", "fit_generator"}
_STEPS = {"apply_gradients", "minimize"}
_LEADING = {*TRAINING_METHODS, *_STEPS, "run", "experimental_run_v2"}
_VARIABLES = {"trainable_variables", "trainable_weights", "variables", "weights"}
_TRAINING_STEP_NAME = re.compile(r"_?train(_(one_)?(step|batch|epoch|iteration|model))?$")
"""Names of functions outside the program that train a batch."""
_MODEL = re.compile(r"(model|net|gan|generator|discriminator|encoder|decoder|actor|critic)\w?$", re.IGNORECASE)
_OF_KERAS = {"load_model", "Model", "Sequential", "model_from_json", "clone_model"}
_PROGRESS_BARS = {"tqdm", "track", "tqdm_notebook"}
_FEW_EPOCHS = 3
"""A loop turn of more epochs than these needs checkpoints of its own."""


@dataclass
class TrainedLoop:
    """A loop that trains.

    Attributes:
      module: its file.
      loop: the loop.
      models: the models that it trains or saves, as source that is valid at the loop.
      optimizers: the optimizers that apply its gradients, as source that is valid at the loop.
      receivers: the expressions of what it trains, each with its file.
      steps: the calls that train, also in called functions.
      saves: the calls that save, also in called functions.
      unseen: the line that trains something that has no name at the loop; 0 for none.
      made: the line at which its turns create what they train; 0 for none.
      carried: what else a turn leaves to the next one.
    """

    module: Module
    loop: LoopNode
    models: dict[str, None] = field(default_factory=dict)
    optimizers: dict[str, None] = field(default_factory=dict)
    receivers: list[tuple[Module, ast.expr]] = field(default_factory=list)
    steps: list[ast.Call] = field(default_factory=list)
    saves: list[ast.Call] = field(default_factory=list)
    unseen: int = 0
    made: int = 0
    carried: CarriedValues = field(default_factory=CarriedValues)

    @property
    def turns(self) -> ast.Call | None:
        """The ``range`` or ``count`` of its turns, also in a progress bar; None for any other iterable."""
        if not isinstance(self.loop, ast.For) or not isinstance(self.loop.target, ast.Name):
            return None
        inner = self.loop.iter
        while isinstance(inner, ast.Call) and name_of(inner.func) in _PROGRESS_BARS and inner.args:
            inner = inner.args[0]
        return inner if isinstance(inner, ast.Call) and name_of(inner.func) in ("range", "count") else None

    @property
    def is_of_fits(self) -> bool:
        """Whether each turn calls ``fit`` for more than a few epochs, and saves only by callbacks."""
        is_long = bool(self.steps) and all(name_of(one.func) in FIT_METHODS and _is_long(one) for one in self.steps)
        saves = any(name_of(one.func) in ("save", "save_weights") for one in self.saves)
        return is_long and not saves and isinstance(self.loop, ast.For)


class Trainings:
    def __init__(self, reach: Reach) -> None:
        self.reach, self.module = reach, reach.module
        self._read: dict[ast.AST, TrainedLoop] = {}
        self._distances: dict[str, int] = {}  # by call name, the least number of functions above a training

    @cached_property
    def loops(self) -> list[TrainedLoop]:
        """The outermost loops that train what was created before them."""
        found: list[TrainedLoop] = []
        names = self.module.names
        loops: list[LoopNode] = [*names.nodes(ast.For), *names.nodes(ast.While)]
        for loop in sorted(loops, key=lambda one: one.lineno):
            taken = {one.loop for one in found}
            if taken.isdisjoint(names.ancestors(loop)) and self._is_trained(self.module, loop):
                found += [] if self._is_in_turns(loop) else [self.read_loop(self.module, loop)]
        return found

    @cached_property
    def fits(self) -> list[ast.Call]:
        """The calls of ``fit`` outside these loops."""
        turns = {step for one in self.loops for step in one.steps}
        calls = (one for one in self.module.names.nodes(ast.Call) if name_of(one.func) in FIT_METHODS)
        found = [one for one in calls if isinstance(one.func, ast.Attribute) and is_keras_fit(one)]
        own = [one for one in found if one not in turns and not self._is_own_method(one)]
        return sorted((one for one in own if not self._is_in_turns(one)), key=lambda one: (one.lineno, one.col_offset))

    @property
    def all(self) -> list["ast.Call | TrainedLoop"]:
        """The calls of ``fit`` and the loops, in the order of the file."""
        found: list[ast.Call | TrainedLoop] = [*self.fits, *self.loops]
        return sorted(found, key=lambda one: one.loop.lineno if isinstance(one, TrainedLoop) else one.lineno)

    def read_loop(self, module: Module, loop: LoopNode) -> TrainedLoop:
        if loop not in self._read:
            self._read[loop] = _Reader(self.reach, module, loop).read()
        return self._read[loop]

    def _is_trained(self, module: Module, loop: LoopNode) -> bool:
        calls = [] if tries_again(loop) else [one for one in walk(loop) if isinstance(one, ast.Call)]
        names = {name_of(one.func) for one in calls}
        if not any(map(_TRAINING_STEP_NAME.match, names)) and not self._lead_to_training(names):
            return False
        found = self.read_loop(module, loop)
        return bool(found.steps) and not found.made and not found.is_of_fits

    def _is_in_turns(self, training: TrainingNode) -> bool:
        """Whether each call of a training's function is in a loop that trains what was created before it."""
        function = self.module.names.scope_of(training).node
        if not isinstance(function, FunctionNode):
            return False
        calls = self.reach.callers(function, self.module)
        return bool(calls) and all(self._is_turn(self.reach.module_of(one), one) for one in calls)

    def _is_turn(self, module: Module, call: ast.Call) -> bool:
        scope = module.names.scope_of(call)
        around = [one for one in module.names.ancestors(call) if isinstance(one, LoopNode)]
        return any(module.names.scope_of(one) is scope and self._is_trained(module, one) for one in around)

    def _is_own_method(self, fit: ast.Call) -> bool:
        """Whether ``fit`` is a method of the program itself."""
        held = fit.func.value if isinstance(fit.func, ast.Attribute) else None
        made = (one.value for one in self.module.names.bindings(held)) if isinstance(held, ast.Name) else ()
        is_keras = any(isinstance(one, ast.Call) and name_of(one.func) in _OF_KERAS for one in made)
        return not is_keras and bool(self.reach.functions(fit))

    def _lead_to_training(self, names: set[str]) -> bool:
        """Whether a call of one of some names trains, directly or in the functions that it calls."""
        layers = [names]
        while layers[-1].isdisjoint(_LEADING):
            left = MAX_DEPTH - len(layers) + 1  # the functions that may still be between
            new = {name for name in layers[-1] if self._distances.get(name, 0) <= left} if left else ()
            found = set[str]().union(*map(self.reach.names_called_in, new)).difference(*layers)
            if not found:
                for left, layer in zip(range(MAX_DEPTH, -1, -1), layers, strict=False):
                    self._distances |= {name: left + 1 for name in layer if self._distances.get(name, 0) <= left}
                return False
            layers.append(found)
        return True


def is_keras_fit(call: ast.Call) -> bool:
    """Whether a call of ``fit`` is Keras's; ``fit(x, y)`` without more arguments may be any library's."""
    known = {"epochs", "nb_epoch", "callbacks", "initial_epoch", "steps_per_epoch", "samples_per_epoch"}
    given = {one.arg for one in call.keywords}
    is_sure = bool(given & {*known, "validation_data", "batch_size"}) or None in given or len(call.args) > 2
    is_other = name_of(call.func) == "fit" and not given <= {None, *FIT, "nb_epoch", "show_accuracy"}
    return is_model_fit(call) and is_sure and not is_other


def _is_long(fit: ast.Call) -> bool:
    given = next((one.value for one in fit.keywords if one.arg in ("epochs", "nb_epoch")), None)
    begins = any(one.arg == "initial_epoch" for one in fit.keywords)
    epochs = literal(given) if given is not None else 1
    return not begins and not (isinstance(epochs, int) and epochs <= _FEW_EPOCHS)


def _is_of_model(node: ast.AST) -> TypeGuard[ast.Attribute]:
    """Whether an expression is the variables of a model."""
    return isinstance(node, ast.Attribute) and node.attr in _VARIABLES and not isinstance(node.value, ast.Call)


class _Reader:
    def __init__(self, reach: Reach, module: Module, loop: LoopNode) -> None:
        self.reach, self.module, self.loop = reach, module, loop
        self.place = module.names.scope_of(loop)
        self.found = TrainedLoop(module, loop)
        self.saving = set(reach.search(ModelSaves).calls)
        self.runs: set[ast.AST] = set()
        self.blocks: list[Block] = []

    def read(self) -> TrainedLoop:
        self._block(self.module, self.loop.body, {}, 0)
        names = self.module.names
        stores: list[tuple[str, ast.AST]] = [(ast.unparse(one), one) for one in names.stores]
        trained = {**self.found.models, **self.found.optimizers}
        for text in trained:
            root = text.split(".")[0].split("[")[0]
            found = self.place.lookup(root)
            stores += [(root, one.node) for one in found[1]] if found is not None else []
        for text, store in stores:
            is_inside = store is self.loop or self.loop in names.ancestors(store)
            if is_inside and any(one == text or one.startswith(f"{text}.") for one in trained):
                self.found.made = self.found.made or getattr(store, "lineno", self.loop.lineno)
        self.found.carried = carried_values(self.module, self.loop, self.blocks, {*trained})
        return self.found

    def _block(self, module: Module, body: list[ast.stmt], sources: Mapping[str, str], depth: int) -> None:
        """Adds the trainings and saves in some statements, and in the functions that they call."""
        self.reach.calls(module)
        self.blocks.append(Block(module, body))
        calls = [node for statement in body for node in walk(statement) if isinstance(node, ast.Call)]
        for call in calls:
            functions, made = self.reach.functions_run_by_strategy(call)
            own = functions or self.reach.functions(call)
            name = name_of(call.func)
            if isinstance(call.func, ast.Attribute) and not own:
                if name in TRAINING_METHODS and (name not in FIT_METHODS or is_model_fit(call)):
                    self._train(module, call, call.func.value, sources)
                elif name in _STEPS:
                    self._step(module, call, body, sources)
                elif call in self.saving:
                    self._save(module, call, sources)
            elif call in self.saving and not own:
                self.found.saves.append(call)
            if not own and _TRAINING_STEP_NAME.match(name) and name not in TRAINING_METHODS:
                self.found.steps.append(call)
                self.found.unseen = self.found.unseen or call.lineno
            for function in own if depth < MAX_DEPTH else ():
                if function not in self.runs:
                    self.runs.add(function)
                    where = self.reach.module_of(function)
                    inner = self._parameter_sources(module, made, function, sources)
                    self._block(where, function.body, inner, depth + 1)

    def _train(self, module: Module, call: ast.Call, model: ast.expr, sources: Mapping[str, str]) -> None:
        self.found.steps.append(call)
        self.found.receivers.append((module, model))
        self._record(module, call, model, sources, self.found.models)

    def _step(self, module: Module, call: ast.Call, body: list[ast.stmt], sources: Mapping[str, str]) -> None:
        assert isinstance(call.func, ast.Attribute)
        self.found.steps.append(call)
        self._record(module, call, call.func.value, sources, self.found.optimizers)
        here = [(module, node, sources) for part in body for node in walk(part) if _is_of_model(node)]
        given = [one for arg in call.args for one in (arg.args if isinstance(arg, ast.Call) else [arg])]  # of zip
        follow = self.reach.search(Origins).follow
        behind = ((*found, dict[str, str]()) for one in given for found in follow(module, one, is_path=False))
        for where, node, known in here or behind:
            if _is_of_model(node):
                self.found.receivers.append((where, node.value))
                self._record(where, call, node.value, known, self.found.models)

    def _save(self, module: Module, call: ast.Call, sources: Mapping[str, str]) -> None:
        self.found.saves.append(call)
        model = model_of_save(call)
        if model is None:
            return
        is_model = name_of(call.func) in ("save_weights", "save_model") or _MODEL.search(ast.unparse(model)) is not None
        if is_model and (text := self._source_at_loop(module, model, sources)):
            self.found.models[text] = None

    def _record(
        self, module: Module, call: ast.Call, value: ast.expr, sources: Mapping[str, str], kept: dict[str, None]
    ) -> None:
        if text := self._source_at_loop(module, value, sources):
            kept[text] = None
        else:
            self.found.unseen = self.found.unseen or call.lineno
            bound = module.names.bindings(value) if isinstance(value, ast.Name) else []
            if any(isinstance(one.value, ast.Call) for one in bound) and module.names.scope_of(value).parent:
                self.found.made = self.found.made or call.lineno

    def _source_at_loop(self, module: Module, value: ast.expr, sources: Mapping[str, str]) -> str:
        """Returns the source of an expression that is valid at the loop; "" if nothing there names it."""
        if isinstance(value, ast.Attribute):
            held = self._source_at_loop(module, value.value, sources)
            return f"{held}.{value.attr}" if held else ""
        if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Constant):
            held = self._source_at_loop(module, value.value, sources)
            return f"{held}[{value.slice.value!r}]" if held else ""
        found = module.names.scope_of(value).lookup(value.id) if isinstance(value, ast.Name) else None
        if not isinstance(value, ast.Name) or found is None:
            return ""
        here = self.place.lookup(value.id)
        if module is self.module and here is not None and here[0] is found[0]:
            return value.id
        if any(isinstance(one.node, ast.arg) for one in found[1]):
            return sources.get(value.id, "")
        only = module.names.only_value(value)
        return self._source_at_loop(module, only, sources) if isinstance(only, ast.Name | ast.Attribute) else ""

    def _is_sure(self, module: Module, call: ast.Call) -> bool:
        """Whether the class of a method's object is known, or only one class has such a method."""
        assert isinstance(call.func, ast.Attribute)
        is_only = len(self.reach.functions(call)) == 1 and name_of(call.func) not in METHODS  # a picture has save, too
        return is_of_self(call.func) or is_only or classes_of(self.reach, module, call.func.value) is not None

    def _parameter_sources(
        self, module: Module, call: ast.Call, function: FunctionNode, sources: Mapping[str, str]
    ) -> dict[str, str]:
        """Returns the sources, valid at the loop, of a call's arguments by parameter."""
        where = self.reach.module_of(function)
        expected = [one.arg for one in [*function.args.posonlyargs, *function.args.args]]
        found: dict[str, str] = {}
        if isinstance(where.names.parents.get(function), ast.ClassDef) and expected:
            own, expected = expected[0], expected[1:]
            held = call.func.value if isinstance(call.func, ast.Attribute) and self._is_sure(module, call) else None
            found[own] = self._source_at_loop(module, held, sources) if held is not None else ""
        values = ((name, given_to(call, function, name)) for name in expected)
        return found | {name: self._source_at_loop(module, one, sources) for name, one in values if one is not None}
