"""Finds the loads that a program makes before it trains, in all of its files."""

import ast
import re
from collections.abc import Iterator
from itertools import takewhile

from migrate.analysis.calls.branches import (
    is_unreachable,
    leaves_block,
    need_different_constants,
    strip_not,
    tests_around,
)
from migrate.analysis.calls.reach import LOADS, MAX_DEPTH, FunctionNode, Reach, is_load
from migrate.analysis.keras.trainings import TRAINING_METHODS, is_model_fit
from migrate.analysis.source.arguments import literal
from migrate.analysis.source.module import Module
from migrate.analysis.source.nodes import walk
from migrate.analysis.source.path_searches import name_of
from migrate.files.run_cache import tree_cache
from migrate.records import dataclass

TrainingNode = ast.Call | ast.For | ast.While
_PREDICTION_TEST = re.compile(
    r"(not (.*_)?train(ing)?(_mode)?|run|play|(.*_)?(test|predict|infer|eval)\w*)$", re.IGNORECASE
)
_MOST_FRAMES = 24


@dataclass(frozen=True)
class Load:
    """One call that loads.

    Attributes:
      chain: the calls that lead to it from a function that starts the training; the last is the load.
      is_apart: whether no call of its method is known, so that it only shares a class with the training.
    """

    module: Module
    call: ast.Call
    chain: tuple[tuple[Module, ast.Call], ...]
    is_apart: bool = False

    def is_for_use(self, training: list[tuple[ast.expr, bool]]) -> bool:
        """Whether it runs only when the program predicts or does not train; not by a test around the training too."""
        tests = [each for each in self._tests() if each not in training]
        modes = [*map(_mode, _parts(tests))]
        known = {subject for subject, _, is_it in modes if subject and is_it}  # Others say what it is not.
        return any(_means_prediction(mode) for mode in modes if mode[2] or mode[0] not in known)

    def is_off(self) -> bool:
        """Whether a constant keeps it from running: ``if False and os.path.exists(path)``."""
        parts = (strip_not(*each) for each in _parts(self._tests()))
        return any(isinstance(part, ast.Constant) and bool(part.value) is not holds for part, holds in parts)

    def _tests(self) -> list[tuple[ast.expr, bool]]:
        return [each for where, call in self.chain for each in tests_around(where.names, call)]


class LoadsBefore:
    """Finds the calls that load weights or a model before a training."""

    def __init__(self, reach: Reach) -> None:
        self.reach, self.module = reach, reach.module

    def loads(self, training: TrainingNode) -> Iterator[Load]:
        """Yields the loads that run before a training, in the functions that lead to it and those that these call."""
        frames = self.frames(training)
        inside = {scope for _, scope, _ in frames}
        for module, scope, node in frames:
            trainings = [one for _, own, one in frames if own is scope]
            trainings += self._calls(module, scope)[1]
            for call in self._calls_before(module, scope, node, trainings):
                yield from self._loads_within(module, call, inside, ((module, call),))
            yield from self._loads_of_object(module, scope, inside)

    def frames(self, training: TrainingNode) -> list[tuple[Module, ast.AST, TrainingNode]]:
        """Returns the functions that lead to a training, each with its file and its call that leads there."""
        frames: list[tuple[Module, ast.AST, TrainingNode]] = []
        seen = set[tuple[ast.AST, ast.AST]]()
        waiting = [(self.module, training, 0)]
        while waiting and len(frames) < _MOST_FRAMES:
            module, node, depth = waiting.pop(0)
            scope = module.names.scope_of(node).node
            if (scope, node) in seen:
                continue
            seen.add((scope, node))
            frames.append((module, scope, node))
            if isinstance(scope, FunctionNode) and depth < MAX_DEPTH:
                calls = self.reach.callers(scope, module) or self.reach.calls_given(scope, module)
                waiting += [(self.reach.module_of(call), call, depth + 1) for call in calls]
        return frames

    def is_asked(self, load: Load, training: TrainingNode) -> bool:
        """Whether a load is conditional: it runs only if there is a file, or if the user asks for it."""
        around = {training, *self.module.names.ancestors(training)}
        for module, call in load.chain:
            child: ast.AST = call
            for node in module.names.ancestors(call):
                if node in around or isinstance(node, FunctionNode | ast.Lambda | ast.ClassDef):
                    if node not in around and isinstance(node, FunctionNode) and _may_return_before(node, child):
                        return True
                    break
                if isinstance(node, ast.If | ast.IfExp) and child is not node.test:
                    return not _is_alternative_load(node, child)
                if isinstance(node, ast.BoolOp) or (isinstance(node, ast.Try) and child in node.body and node.handlers):
                    return True
                child = node
        return False

    def _loads_of_object(self, module: Module, scope: ast.AST, inside: set[ast.AST]) -> Iterator[Load]:
        """Yields the loads in ``__init__``, or in methods without known calls, of the object whose method trains."""
        owner = module.names.parents.get(scope)
        if not isinstance(owner, ast.ClassDef) or getattr(scope, "name", "") == "__init__":
            return
        for one in [*self.reach.bases(self.reach.note(owner, module)), *self.reach.subclasses(owner)]:
            where = self.reach.module_of(one)
            for method in (made for made in one.body if isinstance(made, FunctionNode) and made not in inside):
                is_made = method.name == "__init__"
                if is_made or not self.reach.callers(method, where):
                    for call in self.reach.calls_in(where, method):
                        for found in self._loads_within(where, call, inside, ((where, call),)):
                            yield Load(found.module, found.call, found.chain, is_apart=not is_made)

    def _calls_before(
        self, module: Module, scope: ast.AST, node: TrainingNode, trainings: list[TrainingNode]
    ) -> Iterator[ast.Call]:
        """Yields the calls of a function that may load before one of its nodes runs, but not after another training."""
        above = [node, *module.names.ancestors(node)]
        for call in self._calls(module, scope)[0]:
            if isinstance(node, ast.Call) and node in module.names.ancestors(call):
                yield call
            elif call not in above and (call.lineno, call.col_offset) <= (node.lineno, node.col_offset):
                is_skipped = self._is_skipped(module, call, above) or self._is_after(module, call, node, trainings)
                if not (is_skipped or need_different_constants(module.names, call, node)):
                    yield call

    @tree_cache
    def _calls(self, module: Module, scope: ast.AST) -> tuple[list[ast.Call], list[ast.Call]]:
        """Returns two lists of the calls inside a function: those that may load a model, and those that train."""
        calls, leading = self.reach.calls_in(module, scope), {*self.reach.names_leading_to_loads, *LOADS, "__init__"}
        loading = [one for one in calls if name_of(one.func) in leading or is_load(one)]
        return loading, [*filter(is_model_fit, calls)]

    def _is_skipped(self, module: Module, call: ast.AST, above: list[ast.AST]) -> bool:
        """Whether a call is in another branch than the training, or in one that ends before it."""
        child: ast.AST = call
        for node in module.names.ancestors(call):
            if node in above:
                other = above[above.index(node) - 1]
                if isinstance(node, ast.If) and child is node.test and isinstance(child, ast.UnaryOp):
                    return True  # if not load(model): train(model)
                if isinstance(node, ast.Try) and child in node.body and other in node.handlers:
                    return True  # try: load(model), except OSError: train(model)
                if not isinstance(node, ast.If | ast.IfExp) or node.test in (child, other):
                    return False
                body = node.body if isinstance(node.body, list) else [node.body]
                return (child in body) != (other in body)
            if isinstance(node, ast.If) and child is not node.test:
                block = node.body if child in node.body else node.orelse
                if block and leaves_block(block[-1]) and not isinstance(block[-1], ast.Break):
                    return True
            child = node
        return False

    def _is_after(self, module: Module, call: ast.Call, training: TrainingNode, trainings: list[TrainingNode]) -> bool:
        """Whether another training precedes a call, which then loads the best model of that training."""
        above = [training, *module.names.ancestors(training)]
        others = (one for one in trainings if one is not training and one.lineno < call.lineno)
        beside = (one for one in others if not need_different_constants(module.names, one, call))
        return any(not self._is_skipped(module, one, above) for one in beside)

    def _loads_within(
        self, module: Module, call: ast.Call, inside: set[ast.AST], chain: tuple[tuple[Module, ast.Call], ...]
    ) -> Iterator[Load]:
        """Yields the loads that a call makes, directly or in the functions that it calls."""
        if is_unreachable(module.names, call):
            return
        if is_load(call) and not self.reach.functions(call):
            yield Load(module, call, chain)
            return
        if len(chain) > MAX_DEPTH or name_of(call.func) not in {*self.reach.names_leading_to_loads, *LOADS, "__init__"}:
            return
        for function in self.reach.functions(call):
            if function in inside or any(one is function for _, c in chain[:-1] for one in self.reach.functions(c)):
                continue
            where = self.reach.module_of(function)
            calls = self.reach.calls_in(where, function)
            trained = min((c.lineno for c in calls if name_of(c.func) in TRAINING_METHODS), default=None)
            for inner in calls:
                if trained is None or inner.lineno < trained:
                    yield from self._loads_within(where, inner, inside, (*chain, (where, inner)))


def _may_return_before(function: FunctionNode, child: ast.AST) -> bool:
    """Whether a function may end above one of its statements: ``if not os.path.exists(path): return``."""
    above = takewhile(lambda one: one is not child, function.body)
    return any(isinstance(one, ast.Return) for each in above for one in walk(each))


def _is_alternative_load(branch: ast.If | ast.IfExp, child: ast.AST) -> bool:
    """Whether a load is the alternative to another load, so that the program never starts without a file."""
    body, orelse = (one if isinstance(one, list) else [one] for one in (branch.body, branch.orelse))
    test, holds = strip_not(branch.test, child in body)
    is_none = isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Is)
    others = (call for one in (orelse if child in body else body) for call in walk(one) if isinstance(call, ast.Call))
    return holds is is_none and any(map(is_load, others))


def _parts(tests: list[tuple[ast.expr, bool]]) -> Iterator[tuple[ast.expr, bool]]:
    """Yields what the results of tests say of their parts: where ``a and b`` holds, both do."""
    for test, holds in tests:
        parts = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) is holds else [test]
        yield from ((part, holds) for part in parts)


def _mode(part: tuple[ast.expr, bool]) -> tuple[str, str, bool]:
    """Returns what a test compares, or "", what it asks for, and whether it is that: ``args.mode == "train"``."""
    test, holds = strip_not(*part)
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Eq | ast.NotEq):
        return ast.unparse(test.left), str(literal(test.comparators[0])), holds is isinstance(test.ops[0], ast.Eq)
    return "", name_of(test), holds


def _means_prediction(mode: tuple[str, str, bool]) -> bool:
    """Whether a mode is to predict or not to train."""
    _, asked, is_it = mode
    return _PREDICTION_TEST.match(asked if is_it else f"not {asked}") is not None


def decides_about_training(tests: list[ast.expr]) -> bool:
    """Whether one of some tests asks whether to train or to predict."""
    parts = _parts([(test, holds) for test in tests for holds in (True, False)])
    return any(map(_means_prediction, map(_mode, parts)))
