"""Trainings that a later run skips, which a recovery cannot support: it identifies trainings by their order."""

import ast
from collections.abc import Iterator

from migrate.analysis.calls.branches import strip_not, tests_around, tries_again
from migrate.analysis.calls.reach import FunctionNode, Reach
from migrate.analysis.resume.loads_before import LoadsBefore, TrainingNode
from migrate.analysis.resume.trained_loops import LoopNode, TrainedLoop
from migrate.analysis.source.arguments import literal
from migrate.analysis.source.module import Module
from migrate.analysis.source.nodes import blocks
from migrate.analysis.source.path_searches import EXISTENCE_CHECKS, SEARCHES, name_of
from migrate.analysis.values.origins import Origins, additions_to_list

_READING_FUNCTIONS = {"load", "loads", "open", "read", "read_csv", "read_text", "readlines"}
_ITERATING_FUNCTIONS = {"difference", "enumerate", "filter", "list", "reversed", "set", "sorted", "tqdm", "zip"}
"""Functions that iterate over their argument."""
_MOST_VALUES = 60


def work_left_out(reach: Reach, training: TrainingNode) -> tuple[Module, int, str] | None:
    """Returns the loop or test that skips what earlier runs finished, as file, line and reason; None for none."""
    frames = reach.search(LoadsBefore).frames(training)
    found = _FinishedWork(reach)
    is_repeated = any(len(reach.callers(one, at)) > 1 for at, one, _ in frames if isinstance(one, FunctionNode))
    for module, scope, node in frames:
        around = [one for one in module.names.ancestors(node) if isinstance(one, LoopNode)]
        loops = [one for one in around if module.names.scope_of(one).node is scope and not tries_again(one)]
        for loop in loops:
            turns = TrainedLoop(module, loop).turns
            continues_count = turns is not None and turns.args[1:] and not isinstance(literal(turns.args[0]), int)
            if isinstance(loop, ast.While) or continues_count:
                return module, loop.lineno, "the loop in {} calls it again, and continues the count of earlier starts"
            if turns is None and found.skips_finished_work(module, loop.iter):
                return module, loop.lineno, "{} skips what earlier starts have finished"
        is_repeated |= bool(loops)
    for module, _, node in frames if is_repeated else ():
        for test, holds in _tests(module, node):
            if found.leaves_out(module, test, holds):
                return module, test.lineno, "{} skips what earlier starts have finished"
    return None


def _tests(module: Module, node: ast.AST) -> Iterator[tuple[ast.expr, bool]]:
    """Yields the tests that decide whether a node is reached, each with the result that the node needs."""
    yield from tests_around(module.names, node)
    around = [node, *module.names.ancestors(node)]
    own = module.names.scope_of(node).node
    for one, block in blocks(around[: around.index(own) + 1]):
        for part in block[: block.index(one)]:
            for holds in (False, True) if isinstance(part, ast.If) else ():
                assert isinstance(part, ast.If)
                ends = (part.orelse if holds else part.body)[-1:]
                if ends and isinstance(ends[0], ast.Continue | ast.Return | ast.Break):
                    yield part.test, holds


class _FinishedWork:
    def __init__(self, reach: Reach) -> None:
        self.origins = reach.search(Origins)

    def skips_finished_work(self, module: Module, value: ast.expr) -> bool:
        """Whether a loop iterates over the work that earlier runs did not finish."""
        waiting = [(module, value)]
        for where, one in waiting:  # The list grows.
            called = name_of(one.func) if isinstance(one, ast.Call) else ""
            tests, less, parts = list[tuple[ast.expr, bool]](), list[ast.expr](), self.origins.values(where, one)
            if isinstance(one, ast.ListComp | ast.SetComp | ast.GeneratorExp):
                tests = [(test, True) for each in one.generators for test in each.ifs]
                parts = [(where, each.iter) for each in one.generators]
            elif isinstance(one, ast.Call) and called in _ITERATING_FUNCTIONS:
                held = [one.func.value] if isinstance(one.func, ast.Attribute) else []
                parts, less = [(where, each) for each in [*held, *one.args]], one.args if called == "difference" else []
            elif isinstance(one, ast.BinOp) and isinstance(one.op, ast.Sub):
                less = [one.right]
            elif isinstance(one, ast.Name):
                tests = [test for each in additions_to_list(where, one) for test in tests_around(where.names, each)]
            is_left_out = any(self.leaves_out(where, *test) for test in tests)
            if is_left_out or any(self.is_from_files(where, each) for each in less):
                return True
            waiting += parts if len(waiting) < _MOST_VALUES else []
        return False

    def leaves_out(self, module: Module, test: ast.expr, holds: bool) -> bool:
        """Whether a result of a test says that a file is missing, or that what is read from files lacks something."""
        test, holds = strip_not(test, holds)
        if holds and isinstance(test, ast.Call) and name_of(test.func) in EXISTENCE_CHECKS:
            return False
        for one in ast.walk(test):
            if isinstance(one, ast.Call) and name_of(one.func) in EXISTENCE_CHECKS:
                return True
            is_among = isinstance(one, ast.Compare) and any(isinstance(op, ast.In | ast.NotIn) for op in one.ops)
            if is_among and any(self.is_from_files(module, each) for each in one.comparators):  # type: ignore[attr-defined]
                return True
        bound = module.names.bindings(test) if isinstance(test, ast.Name) else []
        return any(one.value is not None and self.leaves_out(module, one.value, holds) for one in bound)

    def is_from_files(self, module: Module, value: ast.expr) -> bool:
        """Whether a value is read from a file or from the listing of a directory."""
        waiting = [(module, value)]
        for where, one in waiting:  # The list grows.
            for there, part in self.origins.follow(where, one):
                if isinstance(part, ast.Call) and name_of(part.func) in SEARCHES | _READING_FUNCTIONS:
                    return True
                if isinstance(part, ast.Subscript) and len(waiting) < _MOST_VALUES:  # a part of what is read
                    waiting.append((there, part.value))
        return False
