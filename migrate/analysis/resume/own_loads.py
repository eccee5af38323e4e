"""What a program loads before it trains, of what it saves while it trains, wherever in its files the two stand."""

import ast
import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from migrate.analysis.module import Module
from migrate.analysis.resume.old_way_in import Link
from migrate.analysis.resume.origins import Origins, PathParts, is_one_file
from migrate.analysis.resume.reach import FunctionNode, Reach
from migrate.analysis.searches import name_of

TRAINS = {"fit", "fit_generator", "train_on_batch"}
_LOADS = {"load_weights", "load_model"}
_SAVES = ("save_weights", "save", "write")
_SAVES_MODEL = re.compile(r"_?save_(\w+_)?(weights|model|models|checkpoint|ckpt)$")
_DEEPEST = 4
"""How many functions stand between a training and what starts it, and between that and a load."""
_MOST_FRAMES = 24


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


@dataclass(frozen=True)
class _Found:
    """One call that loads, and the calls that lead to it from where the training is started."""

    module: Module
    load: ast.Call
    chain: tuple[tuple[Module, ast.Call], ...]
    started: tuple[Module, ast.Call] | None = None

    @property
    def links(self) -> list[Link]:
        where, started = self.started if self.started is not None else (None, None)
        around = {started, *where.names.ancestors(started)} if where is not None and started is not None else set()
        return [Link(module, call, around if module is where else set()) for module, call in self.chain]


def own_loads(module: Module) -> Iterator[OwnLoad]:
    """Every training of a file before which what its program saves is loaded, where there is something to load."""
    trainings = [
        node
        for node in module.names.parents
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _is_training(node)
    ]
    loops = _saving_loops(module)
    if not trainings and not loops:
        return
    reach = Reach(module)
    if not reach.holding(*_LOADS, "restore"):
        return
    search = _Search(reach)
    known = set[ast.AST]()
    told = set[tuple[ast.AST, ast.AST]]()
    for training in sorted(trainings, key=lambda call: (call.lineno, call.col_offset)):
        around = [one for one in module.names.ancestors(training) if isinstance(one, ast.For | ast.While)]
        if any(_is_recovered(one) for one in around):
            continue
        loop = next((one for one in around if one in loops), None)
        place = loop if loop is not None else training
        assert isinstance(training.func, ast.Attribute)
        if place in known or search.is_own(training.func):
            continue
        found = search.before(training, training.func.value, loop)
        scope = module.names.scope_of(training).node
        if found is not None and (scope, found.load) not in told:
            known.add(place)
            told.add((scope, found.load))
            yield found
    for one in loops:
        if one not in known and not any(training in ast.walk(one) for training in trainings):
            found = search.before_loop(one)
            if found is not None:
                yield found


def _is_training(call: ast.Call) -> bool:
    """Whether a call trains by Keras: ``fit(x, y)`` alone is of any library, and saves nothing."""
    if name_of(call.func) == "train_on_batch":
        return True
    given = {keyword.arg for keyword in call.keywords}
    return name_of(call.func) in TRAINS and bool(given & _OF_KERAS or None in given or len(call.args) > 2)


def _saving_loops(module: Module) -> list[ast.For | ast.While]:
    """The innermost loops in which a checkpoint or a model is saved, by itself or by a function called so."""
    found: dict[ast.For | ast.While, None] = {}
    for node in module.names.parents:
        is_method = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _SAVES
        if is_method or (isinstance(node, ast.Call) and _SAVES_MODEL.match(name_of(node.func))):
            loop = next((one for one in module.names.ancestors(node) if isinstance(one, ast.For | ast.While)), None)
            if loop is not None and not _is_recovered(loop):
                found[loop] = None
    return list(found)


def _is_recovered(loop: ast.For | ast.While) -> bool:
    """Whether a recovery gives the loop its first epoch: ``range(recovery.restore(first), epochs)``."""
    begun = [node for node in ast.walk(loop.iter) if isinstance(node, ast.Call)] if isinstance(loop, ast.For) else []
    return any(name_of(call.func) == "restore" for call in begun)


class _Search:
    def __init__(self, reach: Reach) -> None:
        self.reach, self.module = reach, reach.module
        self.origins = Origins(reach)
        self._saves: list[tuple[ast.Call, list[PathParts]]] | None = None
        self._leading = self._leading_names()

    def _leading_names(self) -> set[str]:
        """The names of the functions and classes that lead to a load."""
        found: set[str] = set()
        new = {"load_weights", "load_model", "restore"}
        for _ in range(_DEEPEST + 1):
            calls = [call for name in new for call in self.reach.called(name)]
            above = [node for call in calls for node in self.reach.module_of(call).names.ancestors(call)]
            named = {n.name for n in above if isinstance(n, FunctionNode | ast.ClassDef)}
            # A class is called by its own name where it loads when it is made, and by those derived from it.
            owners = [n for n in above if isinstance(n, ast.ClassDef)]
            named |= {one.name for owner in owners for one in self.reach.derived(owner)}
            new = named - found - _LOADS - {"__init__", "main"}
            found |= new
        return found

    def is_own(self, method: ast.Attribute) -> bool:
        """Whether what trains is a method of the program's own, which trains in turn."""
        made = self.origins.of_model(self.module, method.value)
        classes = [one for call in made if isinstance(call, ast.Call) for one in self.reach.classes(name_of(call.func))]
        family = [one for each in classes for one in self.reach.bases(each)]
        return any(isinstance(n, FunctionNode) and n.name == method.attr for one in family for n in one.body)

    def before(self, training: ast.Call, model: ast.expr, loop: ast.AST | None) -> OwnLoad | None:
        """The load before one training that is of its own files."""
        trained = self.origins.of_model(self.module, model)
        for found in self._loads(training):
            if not self._is_asked(found, training) or self._is_second_stage(training):
                continue
            is_callback = name_of(found.load.func) not in _LOADS  # which loads and saves
            saves = [found.load] if is_callback else self._saved_as(found, trained, training)
            if saves:
                around = loop if isinstance(loop, ast.For | ast.While) else None
                is_named = self._may_be_named(found, saves)
                is_sure = self._is_sure(found, saves)
                return OwnLoad(training, around, found.module, found.load, saves, is_named, is_sure, found.links)
        return None

    def before_loop(self, loop: ast.For | ast.While) -> OwnLoad | None:
        """What a loop that applies gradients, and saves, loads before it begins."""
        for save in ast.walk(loop) if self._trains_by_hand(loop) else ():
            if isinstance(save, ast.Call) and isinstance(save.func, ast.Attribute) and save.func.attr in _SAVES:
                inner = self._saves_within(save)
                saved = self.origins.of_model(self.module, save.func.value)
                for found in self._loads(save):
                    if self._is_of_loop(found, save, saved, inner):
                        return OwnLoad(save, loop, found.module, found.load, inner or [save])
        return None

    def _is_of_loop(self, found: _Found, save: ast.Call, saved: set[Hashable], inner: list[ast.Call]) -> bool:
        """Whether a load is of what a call in a loop saves: a checkpoint, weights, or what its own method saves."""
        if name_of(found.load.func) in _LOADS:
            return self._is_asked(found, save) and bool(self._saved_as(found, saved, save, inner))
        is_checkpoint = any(isinstance(one, ast.Call) and name_of(one.func) == "Checkpoint" for one in saved)
        held = self._held(found.load) if name_of(found.load.func) == "restore" else None
        return is_checkpoint and held is not None and bool(self.origins.of_model(found.module, held) & saved)

    def _saves_within(self, save: ast.Call) -> list[ast.Call]:
        """The calls that save in a method of the program's own that saves."""
        found = []
        for function in self.reach.functions(save):
            where = self.reach.module_of(function)
            found += [
                call for call in self._calls_in(where, function) if name_of(call.func) in ("save", "save_weights")
            ]
        return found

    def _trains_by_hand(self, loop: ast.For | ast.While) -> bool:
        """Whether a loop applies gradients, itself or in a function that it calls."""
        calls = [node for node in ast.walk(loop) if isinstance(node, ast.Call)]
        functions = [function for call in calls for function in self.reach.functions(call)]
        inside = [node for function in functions for node in ast.walk(function)]
        steps = ("apply_gradients", "minimize", "train_on_batch", "train_step", "run")
        return any(
            isinstance(n, ast.Call) and (name_of(n.func) in steps or _TRAINS_ONE.match(name_of(n.func)))
            for n in [*calls, *inside]
        )

    def _held(self, load: ast.Call) -> ast.expr | None:
        return load.func.value if isinstance(load.func, ast.Attribute) else None

    def _frames(self, training: ast.Call) -> list[tuple[Module, ast.AST, ast.Call]]:
        """The functions that run before a training does, each with the call in it that leads there."""
        frames: list[tuple[Module, ast.AST, ast.Call]] = []
        seen = set[tuple[ast.AST, ast.AST]]()
        waiting = [(self.module, training, 0)]
        while waiting and len(frames) < _MOST_FRAMES:
            module, node, depth = waiting.pop(0)
            scope = module.names.scope_of(node).node
            if (scope, node) in seen:
                continue
            seen.add((scope, node))
            frames.append((module, scope, node))
            if isinstance(scope, FunctionNode) and depth < _DEEPEST:
                self.reach.know(scope, module)
                waiting += [(self.reach.module_of(call), call, depth + 1) for call in self.reach.callers(scope)]
        return frames

    def _loads(self, training: ast.Call) -> Iterator[_Found]:
        frames = self._frames(training)
        inside = {scope for _, scope, _ in frames}
        for module, scope, node in frames:
            for call in self._before(module, scope, node):
                for found in self._within(module, call, inside, ((module, call),)):
                    yield replace(found, started=(module, node))
            yield from self._when_made(module, scope, inside)

    def _when_made(self, module: Module, scope: ast.AST, inside: set[ast.AST]) -> Iterator[_Found]:
        """What the object whose method trains loads when it is made."""
        owner = module.names.parents.get(scope)
        if not isinstance(owner, ast.ClassDef) or getattr(scope, "name", "") == "__init__":
            return
        self.reach.know(owner, module)
        for one in [*self.reach.bases(owner), *self.reach.derived(owner)]:
            where = self.reach.module_of(one)
            for made in one.body:
                if isinstance(made, FunctionNode) and made.name == "__init__":
                    for call in self._calls_in(where, made):
                        yield from self._within(where, call, inside, ((where, call),))

    def _before(self, module: Module, scope: ast.AST, node: ast.Call) -> Iterator[ast.Call]:
        """The calls of a function that may run before one of its calls does, and lead to it."""
        names = module.names
        above = [node, *names.ancestors(node)]
        for call in self._calls_in(module, scope):
            if call is node or call in above:
                continue
            is_argument = node in names.ancestors(call)
            if not is_argument and (call.lineno, call.col_offset) > (node.lineno, node.col_offset):
                continue
            if not is_argument and (
                self._is_passed_by(module, call, above) or self._is_after(module, scope, call, node)
            ):
                continue
            yield call

    def _calls_in(self, module: Module, scope: ast.AST) -> list[ast.Call]:
        return [call for some in self.reach.calls(module).values() for call in some if _is_in(module, call, scope)]

    def _is_passed_by(self, module: Module, call: ast.Call, above: list[ast.AST]) -> bool:
        """Whether a call stands in another branch than the training, or in one that ends before it."""
        child: ast.AST = call
        for node in module.names.ancestors(call):
            if node in above:
                if isinstance(node, ast.If | ast.IfExp):
                    other = above[above.index(node) - 1]
                    return (
                        _branch(node, child) != _branch(node, other)
                        and other is not node.test
                        and child is not node.test
                    )
                return False
            if isinstance(node, ast.If) and child is not node.test:
                block = node.body if child in node.body else node.orelse
                if block and (isinstance(block[-1], ast.Return | ast.Raise | ast.Continue) or _exits(block[-1])):
                    return True
            child = node
        return False

    def _is_after(self, module: Module, scope: ast.AST, call: ast.Call, training: ast.Call) -> bool:
        """Whether another training stands before a call: it selects the first one's best then."""
        above = [training, *module.names.ancestors(training)]
        for name in ("fit", "fit_generator"):
            for other in self.reach.calls(module).get(name, []):
                is_above = other is not training and other.lineno < call.lineno and _is_in(module, other, scope)
                if is_above and not self._is_passed_by(module, other, above):
                    return True
        return False

    def _within(
        self, module: Module, call: ast.Call, inside: set[ast.AST], chain: tuple[tuple[Module, ast.Call], ...]
    ) -> Iterator[_Found]:
        """The loads that a call makes, itself or in what it calls."""
        name = name_of(call.func)
        if name in _LOADS or (name == "restore" and isinstance(call.func, ast.Attribute)):
            around = set(module.names.ancestors(call))
            if around & set(self.reach.functions(call)) or not self.reach.functions(call):
                yield _Found(module, call, chain)
                return
        if name not in self._leading and name not in _LOADS:
            return
        if self._loads_itself(call):
            yield _Found(module, call, chain)
            return
        if len(chain) > _DEEPEST:
            return
        for function in self.reach.functions(call):
            if function in inside or any(one is function for _, c in chain[:-1] for one in self.reach.functions(c)):
                continue
            where = self.reach.module_of(function)
            calls = self._calls_in(where, function)
            trained = min((c.lineno for c in calls if name_of(c.func) in TRAINS), default=None)
            for inner in calls:
                if trained is None or inner.lineno < trained:
                    yield from self._within(where, inner, inside, (*chain, (where, inner)))

    def _loads_itself(self, call: ast.Call) -> bool:
        """Whether a call makes a callback of the program that loads when training begins, and saves."""
        if not isinstance(call.func, ast.Name | ast.Attribute):
            return False
        name = name_of(call.func)
        if not name[:1].isupper():
            return False
        for owner in self.reach.classes(name):
            family = self.reach.bases(owner)
            bases = {name_of(base) for one in family for base in one.bases}
            if not any(base.endswith(("Callback", "ModelCheckpoint")) for base in bases):
                continue
            methods = {node.name: node for one in family for node in one.body if isinstance(node, FunctionNode)}
            called = {
                name: {name_of(n.func) for n in ast.walk(m) if isinstance(n, ast.Call)} for name, m in methods.items()
            }
            saves = any({"save_weights", "save"} & names for names in called.values())
            at_start = set(_AT_START)
            for _ in range(_DEEPEST):
                at_start |= {name for begun in at_start for name in called.get(begun, ())}
            loads = any("load_weights" in called.get(name, ()) for name in at_start)
            if loads and (saves or any(base.endswith("ModelCheckpoint") for base in bases)):
                return True
        return False

    def _is_asked(self, found: _Found, training: ast.Call) -> bool:
        """Whether a load is made only where there is something to load, or where it is asked for."""
        if self._loads_itself(found.load):
            return True
        around = {training, *self.module.names.ancestors(training)}
        for module, call in found.chain:
            child: ast.AST = call
            for node in module.names.ancestors(call):
                if isinstance(node, FunctionNode | ast.Lambda | ast.ClassDef):
                    break
                if node in around:
                    if isinstance(node, ast.If) and self._trains_otherwise(node, child, training):
                        return True
                    break
                if isinstance(node, ast.If | ast.IfExp) and child is not node.test:
                    return True
                if isinstance(node, ast.Try) and child in node.body and node.handlers:
                    return True
                if isinstance(node, ast.BoolOp):
                    return True
                child = node
            statement = module.names.statement_of(call)
            block = getattr(module.names.parents.get(statement), "body", [])
            above = block[: block.index(statement)] if statement in block else []
            is_function = isinstance(module.names.parents.get(statement), FunctionNode)
            if is_function and any(isinstance(one, ast.If) and isinstance(one.body[-1], ast.Return) for one in above):
                return True
        return False

    def _trains_otherwise(self, test: ast.If, way: ast.AST, training: ast.Call) -> bool:
        """Whether the other way of a test trains the same model, without a load."""
        assert isinstance(training.func, ast.Attribute)
        other = test.orelse if way in test.body else test.body if way in test.orelse else []
        calls = [node for one in other for node in ast.walk(one) if isinstance(node, ast.Call)]
        methods = [call.func for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr in TRAINS]
        return any(ast.unparse(method.value) == ast.unparse(training.func.value) for method in methods)

    def _is_second_stage(self, training: ast.Call) -> bool:
        first = next((k.value for k in training.keywords if k.arg == "initial_epoch"), None)
        return isinstance(first, ast.Constant) and first.value not in (0, None)

    def _saved_as(
        self, found: _Found, trained: set[Hashable], training: ast.Call, within: Sequence[ast.Call] = ()
    ) -> list[ast.Call]:
        """The calls that save what a load loads, where it is the trained model or the one that is saved."""
        load = found.load
        path = load.args[0] if load.args else next((k.value for k in load.keywords if k.arg in _PATHS), None)
        if path is None:
            return []
        loaded = self.origins.of_paths(found.module, path)
        if self._goes_on(training) and any(one.is_searched for one in loaded):
            return [load]  # the newest file, and its epoch
        saves = [
            (call, saved)
            for call, saved in (self._all_saves() if not within else map(self._with_path, within))
            if any(is_one_file(one, other) for one in saved for other in loaded)
        ]
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

    def _is_sure(self, found: _Found, saves: list[ast.Call]) -> bool:
        """Whether what only the user knows of a path that is loaded is what is known of one that is saved."""
        _, loaded = self._with_path(found.load)
        saved = [one for call, paths in self._all_saves() if call in saves for one in paths]
        return bool(loaded) and all(
            one.is_searched or any(one.unknown <= other.unknown for other in saved) for one in loaded
        )

    def _may_be_named(self, found: _Found, saves: list[ast.Call]) -> bool:
        """Whether a load may be of another file than the program's own: one that a flag or a setting names."""
        _, loaded = self._with_path(found.load)
        saved = [one for call, paths in self._all_saves() if call in saves for one in paths]
        others = [one for one in loaded if not one.is_searched and not any(is_one_file(each, one) for each in saved)]
        return bool(saved) and any(one.unknown for one in others)

    def _goes_on(self, training: ast.Call) -> bool:
        """Whether a training begins at an epoch that is worked out."""
        first = next((k.value for k in training.keywords if k.arg == "initial_epoch"), None)
        return first is not None and not isinstance(first, ast.Constant)

    def _is_beside(self, save: ast.Call, training: ast.Call) -> bool:
        """Whether a training's own function saves, itself or by a class or function inside it."""
        if self.reach.module_of(save) is not self.module:
            return False
        scope = self.module.names.scope_of(training).node
        return scope in self.module.names.ancestors(save)

    def _with_path(self, call: ast.Call) -> tuple[ast.Call, list[PathParts]]:
        path = next((k.value for k in call.keywords if k.arg in _PATHS), call.args[0] if call.args else None)
        return call, self.origins.of_paths(self.reach.module_of(call), path) if path is not None else []

    def _all_saves(self) -> list[tuple[ast.Call, list[PathParts]]]:
        if self._saves is None:
            self._saves = []
            for module in self.reach.holding(*_SAVES, "ModelCheckpoint"):
                for name, calls in self.reach.calls(module).items():
                    for call in calls:
                        path = self._path_saved(module, name, call)
                        if path is not None:
                            self._saves.append((call, self.origins.of_paths(module, path)))
        return self._saves

    def _path_saved(self, module: Module, name: str, call: ast.Call) -> ast.expr | None:
        """The path that a call saves to while a model is trained."""
        path = next((k.value for k in call.keywords if k.arg in _PATHS), call.args[0] if call.args else None)
        if name.endswith("Checkpoint") and name != "Checkpoint":
            return path
        if name not in ("save", "save_weights") or not isinstance(call.func, ast.Attribute):
            return None
        for node in module.names.ancestors(call):
            if isinstance(node, FunctionNode) and node.name.endswith(("_epoch_end", "_batch_end")):
                return path
            if isinstance(node, ast.Lambda) or (isinstance(node, ast.For | ast.While) and self._trains_in(node)):
                return path
            if isinstance(node, FunctionNode):
                return path if self._is_called_in_training(node, 0) else None
        return None

    def _trains_in(self, loop: ast.For | ast.While) -> bool:
        trains = any(self._trains(node) for node in ast.walk(loop) if isinstance(node, ast.Call))
        return trains or self._trains_by_hand(loop)

    def _is_called_in_training(self, function: FunctionNode, depth: int) -> bool:
        """Whether a loop that trains calls a function, or a callback is given it."""
        for call in self.reach.callers(function):
            names = self.reach.module_of(call).names
            for node in names.ancestors(call):
                if isinstance(node, FunctionNode):
                    if node.name.endswith(("_epoch_end", "_batch_end")):
                        return True
                    if depth < _DEEPEST and node is not function and self._is_called_in_training(node, depth + 1):
                        return True
                    break
                if isinstance(node, ast.For | ast.While) and self._trains_in(node):
                    return True
        for module in self.reach.holding(function.name):
            for some in self.reach.calls(module).values():
                for call in some:
                    if name_of(call.func).endswith("Callback") and any(
                        name_of(one) == function.name for one in call.args
                    ):
                        return True
        return False

    def _trains(self, call: ast.Call) -> bool:
        if name_of(call.func) in TRAINS or _TRAINS_ONE.match(name_of(call.func)):
            return True
        inside = [node for function in self.reach.functions(call) for node in ast.walk(function)]
        return any(isinstance(node, ast.Call) and name_of(node.func) in TRAINS for node in inside)


_TRAINS_ONE = re.compile(r"_?train(_|$)")
_OF_KERAS = {
    "epochs",
    "nb_epoch",
    "callbacks",
    "initial_epoch",
    "steps_per_epoch",
    "samples_per_epoch",
    "validation_data",
}
_AT_START = {"on_train_begin", "set_model"}
_PATHS = ("filepath", "path", "filename", "model_path", "checkpoint_path", "directory", "weights_path", "file_path")


def _is_in(module: Module, call: ast.Call, scope: ast.AST) -> bool:
    """Whether a call stands in a function itself, and in none inside it; comprehensions are parts of it."""
    own = module.names.scope_of(call)
    while own.parent is not None and isinstance(own.node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        own = own.parent
    return own.node is scope


def _branch(node: ast.If | ast.IfExp, child: ast.AST) -> bool:
    return child in node.body if isinstance(node, ast.If) else child is node.body


def _exits(statement: ast.stmt) -> bool:
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and name_of(call.func) in ("exit", "_exit", "quit")
