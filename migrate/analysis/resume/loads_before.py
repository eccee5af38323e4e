"""The loads that a program makes before it trains, wherever in its files they stand."""

import ast
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from migrate.analysis.arguments import literal
from migrate.analysis.module import Module
from migrate.analysis.path_searches import name_of
from migrate.analysis.resume.called_names import exits
from migrate.analysis.resume.conditions import Conditions
from migrate.analysis.resume.once import are_asked_apart
from migrate.analysis.resume.origins import Origins
from migrate.analysis.resume.reach import DEEPEST, LOADS, FunctionNode, Reach, is_load
from migrate.analysis.trainings import is_model_fit

Training = ast.Call | ast.For | ast.While
TRAINS = {"fit", "fit_generator", "train_on_batch"}
_AT_START = {"on_train_begin", "set_model"}
_MOST_FRAMES = 24


@dataclass(frozen=True)
class Link:
    """A call that leads to a load.

    Attributes:
      module: its file.
      call: the call.
      around_training: what stands around the training too.
    """

    module: Module
    call: ast.Call
    around_training: frozenset[ast.AST] | set[ast.AST] = frozenset()


@dataclass(frozen=True)
class Found:
    """One call that loads, and the calls that lead to it from where the training is started."""

    module: Module
    load: ast.Call
    chain: tuple[tuple[Module, ast.Call], ...]
    started: tuple[Module, Training] | None = None

    @property
    def links(self) -> list[Link]:
        where, started = self.started if self.started is not None else (None, None)
        around = {started, *where.names.ancestors(started)} if where is not None and started is not None else set()
        return [Link(module, call, around if module is where else set()) for module, call in self.chain]


class LoadsBefore:
    """Finds what is loaded before a training.

    Args:
      reach: the calls of the program.
    """

    def __init__(self, reach: Reach) -> None:
        self.reach, self.module = reach, reach.module
        self._loads: dict[ast.Call, list[Found]] = {}

    def loads(self, training: ast.Call) -> Iterator[Found]:
        """The loads that are made before a training, by the functions that start it or what they call."""
        if training not in self._loads:
            self._loads[training] = list(self._found(training))
        return iter(self._loads[training])

    def _found(self, training: ast.Call) -> Iterator[Found]:
        if self._is_of_turn(training):
            return
        frames = self.frames(training)
        inside = {scope for _, scope, _ in frames}
        for module, scope, node in frames:
            trainings = [one for _, own, one in frames if own is scope]
            trainings += [one for one in self.reach.calls_in(module, scope) if is_model_fit(one)]
            for call in self._before(module, scope, node, trainings):
                needed = _needed_of(module, call, node)
                for found in self._within(module, call, inside, ((module, call),)):
                    if needed is None or _told_behind(found) in (None, needed):
                        yield replace(found, started=(module, node))
            yield from self._when_made(module, scope, inside)

    def _is_of_turn(self, training: ast.Call) -> bool:
        """Whether a function trains an epoch and saves, in each turn of the loop that calls it: that goes on."""
        function = self.module.names.scope_of(training).node
        name = function.name if isinstance(function, FunctionNode) and name_of(training.func) in TRAINS else ""
        is_epoch = name in self.reach.saving and name not in self.reach.leading_to_loads
        return is_epoch and self.reach.runs_in_turns(self.module, training)

    def into(self, training: ast.Call, *models: ast.expr) -> Iterator[Found]:
        """Those loads of the training's own file that make or fill one of some models."""
        origins = self.reach.one(Origins)
        filled = {one for model in models for one in origins.of_model(self.module, model)}
        for found in self.loads(training):
            is_here = all(where is self.module for where, _ in found.chain) and name_of(found.load.func) in LOADS
            if is_here and origins.fills(self.module, found.load, filled):
                yield found

    def asked(self, training: ast.Call, *models: ast.expr) -> Iterator[ast.Call]:
        """These loads, where they are made only where there is something to load, or where it is asked for."""
        return (found.load for found in self.into(training, *models) if self.is_asked(found, training))

    def is_asked(self, found: Found, training: ast.Call) -> bool:
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

    def frames(self, training: Training) -> list[tuple[Module, ast.AST, Training]]:
        """The functions that run before a training does, or a loop, each with the call in it that leads there."""
        frames: list[tuple[Module, ast.AST, Training]] = []
        seen = set[tuple[ast.AST, ast.AST]]()
        waiting = [(self.module, training, 0)]
        while waiting and len(frames) < _MOST_FRAMES:
            module, node, depth = waiting.pop(0)
            scope = module.names.scope_of(node).node
            if (scope, node) in seen:
                continue
            seen.add((scope, node))
            frames.append((module, scope, node))
            if isinstance(scope, FunctionNode) and depth < DEEPEST:
                self.reach.know(scope, module)
                waiting += [(self.reach.module_of(call), call, depth + 1) for call in self.reach.callers(scope)]
        return frames

    def other_program(self, training: ast.Call, loads: Collection[ast.Call]) -> Module | None:
        """Another file of the program that leads to a training without one of some loads; None for none.

        A start of that file trains from scratch, or from what it loads itself.
        """
        frames = self.frames(training)
        leads = {one.started for one in self.loads(training) if one.load in loads and one.started is not None}
        led = {self.module, *(module for module, _ in leads)}
        waiting, seen = [frames[0]], set[ast.AST]()
        while waiting:
            module, scope, node = waiting.pop()
            if (module, node) in leads or node in seen:
                continue
            seen.add(node)
            if isinstance(scope, ast.Module) and module not in led:
                return module
            callers = {*self.reach.callers(scope)} if isinstance(scope, FunctionNode) else set()
            waiting += [one for one in frames if one[2] in callers]
        return None

    def _when_made(self, module: Module, scope: ast.AST, inside: set[ast.AST]) -> Iterator[Found]:
        """What the object whose method trains loads when it is made."""
        owner = module.names.parents.get(scope)
        if not isinstance(owner, ast.ClassDef) or getattr(scope, "name", "") == "__init__":
            return
        self.reach.know(owner, module)
        for one in [*self.reach.bases(owner), *self.reach.derived(owner)]:
            where = self.reach.module_of(one)
            for made in one.body:
                if isinstance(made, FunctionNode) and made.name == "__init__":
                    for call in self.reach.calls_in(where, made):
                        yield from self._within(where, call, inside, ((where, call),))

    def _before(self, module: Module, scope: ast.AST, node: Training, trainings: list[Training]) -> Iterator[ast.Call]:
        """The calls of a function that may run before one of its calls does, and after none of some trainings."""
        names = module.names
        above = [node, *names.ancestors(node)]
        for call in self.reach.calls_in(module, scope):
            if call is node or call in above:
                continue
            is_argument = node in names.ancestors(call)
            if not is_argument and (call.lineno, call.col_offset) > (node.lineno, node.col_offset):
                continue
            is_passed_by = self._is_passed_by(module, call, above) or self._is_after(module, call, node, trainings)
            if is_argument or not (is_passed_by or are_asked_apart(names, call, node)):
                yield call

    def _is_passed_by(self, module: Module, call: ast.AST, above: list[ast.AST]) -> bool:
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
                is_end = bool(block) and isinstance(block[-1], ast.Return | ast.Raise | ast.Continue)
                if is_end or (block and exits(block[-1])) or _trains_never(module, block, above):
                    return True
            child = node
        return False

    def _is_after(self, module: Module, call: ast.Call, training: Training, trainings: list[Training]) -> bool:
        """Whether another training stands before a call: it selects the first one's best then."""
        above = [training, *module.names.ancestors(training)]
        for other in trainings:
            is_above = other is not training and other.lineno < call.lineno
            is_above &= not are_asked_apart(module.names, other, call)
            if is_above and not self._is_passed_by(module, other, above):
                return True
        return False

    def _within(
        self, module: Module, call: ast.Call, inside: set[ast.AST], chain: tuple[tuple[Module, ast.Call], ...]
    ) -> Iterator[Found]:
        """The loads that a call makes, itself or in what it calls."""
        name = name_of(call.func)
        if is_load(call):
            around = set(module.names.ancestors(call))
            if around & set(self.reach.functions(call)) or not self.reach.functions(call):
                yield Found(module, call, chain)
                return
        if name not in self.reach.leading_to_loads and name not in {*LOADS, "__init__"}:
            return
        if self._loads_itself(call):
            yield Found(module, call, chain)
            return
        if len(chain) > DEEPEST:
            return
        for function in [*self.reach.functions(call), *self._at_start(call)]:
            if function in inside or any(one is function for _, c in chain[:-1] for one in self.reach.functions(c)):
                continue
            where = self.reach.module_of(function)
            calls = self.reach.calls_in(where, function)
            trained = min((c.lineno for c in calls if name_of(c.func) in TRAINS), default=None)
            for inner in calls:
                if trained is None or inner.lineno < trained:
                    yield from self._within(where, inner, inside, (*chain, (where, inner)))

    def is_of_callback(self, found: Found) -> bool:
        """Whether a callback loads into the model that it is given, when training begins."""
        around = (one for one in found.module.names.ancestors(found.load) if isinstance(one, ast.ClassDef))
        held = found.load.func.value if isinstance(found.load.func, ast.Attribute) else None
        return held is not None and ast.unparse(held) == "self.model" and any(map(self._is_callback, around))

    def _is_callback(self, owner: ast.ClassDef) -> bool:
        bases = (name_of(base) for one in self.reach.bases(owner) for base in one.bases)
        return any(base.endswith(("Callback", "ModelCheckpoint")) for base in bases)

    def _at_start(self, call: ast.Call) -> list[FunctionNode]:
        """What runs when a training begins of a callback of the program that a call makes."""
        name = name_of(call.func)
        owners = [one for one in self.reach.classes(name) if self._is_callback(one)] if name[:1].isupper() else []
        methods = ((owner, one) for owner in owners for one in owner.body if isinstance(one, FunctionNode))
        return [self.reach.know(one, self.reach.module_of(owner)) for owner, one in methods if one.name in _AT_START]

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
            if not self._is_callback(owner):
                continue
            methods = {node.name: node for one in family for node in one.body if isinstance(node, FunctionNode)}
            called = {
                name: {name_of(n.func) for n in ast.walk(m) if isinstance(n, ast.Call)} for name, m in methods.items()
            }
            saves = any({"save_weights", "save"} & names for names in called.values())
            at_start = set(_AT_START)
            for _ in range(DEEPEST):
                at_start |= {name for begun in at_start for name in called.get(begun, ())}
            loads = any("load_weights" in called.get(name, ()) for name in at_start)
            if loads and (saves or any(base.endswith("ModelCheckpoint") for base in bases)):
                return True
        return False

    def _trains_otherwise(self, test: ast.If, way: ast.AST, training: ast.Call) -> bool:
        """Whether the other way of a test trains the same model, without a load."""
        held = ast.unparse(training.func.value) if isinstance(training.func, ast.Attribute) else ""
        other = test.orelse if way in test.body else test.body if way in test.orelse else []
        calls = [node for one in other for node in ast.walk(one) if isinstance(node, ast.Call)]
        methods = [call.func for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr in TRAINS]
        return any(ast.unparse(method.value) == held for method in methods) and not any(map(is_load, calls))


def _needed_of(module: Module, call: ast.Call, training: Training) -> bool | None:
    """What a call must give so that a training runs, which is behind a test of it: ``if not loaded(): fit()``."""
    for one, must_hold in Conditions(module).tests(training):
        is_not = isinstance(one.test, ast.UnaryOp) and isinstance(one.test.op, ast.Not)
        test = one.test.operand if isinstance(one.test, ast.UnaryOp) and is_not else one.test
        if module.names.value(test) is call:
            return must_hold is not is_not
    return None


def _told_behind(found: Found) -> bool | None:
    """Whether the function that a load is reached by says that it has loaded; None where it says neither."""
    where, call = found.chain[min(1, len(found.chain) - 1)]
    statement = where.names.statement_of(call)
    block = getattr(where.names.parents.get(statement), "body", [])
    last = block[-1] if statement in block else None
    told = literal(last.value) if isinstance(last, ast.Return) and last.value is not None else None
    return told if isinstance(told, bool) else None


def _branch(node: ast.If | ast.IfExp, child: ast.AST) -> bool:
    return child in node.body if isinstance(node, ast.If) else child is node.body


def _trains_never(module: Module, block: Sequence[ast.stmt], around: Sequence[ast.AST]) -> bool:
    """Whether some statements give a value by which the tests around a training never hold: ``observe = 999999999``."""
    turns = [one for one in around if isinstance(one, ast.For | ast.While)]
    given: dict[str, object] = {}
    for name, value in ((one.targets[0], one.value) for one in block if isinstance(one, ast.Assign)):
        is_new = any(turn in module.names.ancestors(one.node) for one in module.names.bound(name) for turn in turns)
        given |= {ast.unparse(name): value.value} if isinstance(value, ast.Constant) and not is_new else {}
    tests = [one.test for inner, one in pairwise(around) if isinstance(one, ast.If) and inner in one.body]
    both = [one for one in tests if isinstance(one, ast.BoolOp) and isinstance(one.op, ast.And)]
    parts = [*tests, *(part for one in both for part in one.values)]
    after = [one for one in parts if isinstance(one, ast.Compare) and isinstance(one.ops[0], ast.Gt | ast.GtE)]
    last = [given.get(ast.unparse(one.comparators[0])) for one in after]
    return any(isinstance(one, int) and one >= 10**8 for one in last) or any(
        not given.get(ast.unparse(one), True) for one in parts
    )
