"""What a loop trains, itself or by functions that it calls: models and optimizers, as the loop's place knows them."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from migrate.analysis.module import Module
from migrate.analysis.path_searches import name_of, path_of
from migrate.analysis.resume.known_at_loop import Given, KnownAtLoop
from migrate.analysis.resume.loads_before import TRAINS
from migrate.analysis.resume.reach import FunctionNode, Reach
from migrate.analysis.resume.saves_in_training import MODEL_SAVES

_STEPS = {"apply_gradients", "minimize"}
_VARIABLES = {"trainable_variables", "trainable_weights", "variables"}
_OF_OTHERS = re.compile(r"(np|numpy|plt|pd|image|img|fig|joblib|torch|wb|workbook)\b")
_DATA = re.compile(
    r"\.(jpe?g|png|gif|bmp|tiff?|webp|pdf|svg|mp4|avi|wav|csv|tsv|txt|json|xlsx?|np[yz])$", re.IGNORECASE
)
_DEEPEST = 4
"""How many functions stand between a loop and what trains or saves."""


@dataclass(frozen=True)
class Saved:
    """A call that saves.

    Attributes:
      module: its file.
      call: the call.
      begin: what the path of its file begins with, as the loop's place knows it: literal text, or source in a tuple.
    """

    module: Module
    call: ast.Call
    begin: tuple[str | tuple[str], ...]


@dataclass
class TrainedInLoop:
    """What a loop trains and saves.

    Attributes:
      models: the models, as source at the loop's place.
      optimizers: the optimizers, as source there.
      trains: the calls in the loop itself that train, or that lead to it.
      saves: the calls in the loop itself that save, or that lead to it, each with what those save as.
      unseen: what is trained that the loop's place does not know: a call's line, or 0.
      made: what is trained that the turns of the loop make: a statement's line, or 0.
      has_turns: whether a function that it calls trains in a loop of its own.
      runs: the functions that it calls, and that these call.
    """

    models: dict[str, None] = field(default_factory=dict)
    optimizers: dict[str, None] = field(default_factory=dict)
    trains: list[ast.Call] = field(default_factory=list)
    saves: dict[ast.Call, list[Saved]] = field(default_factory=dict)
    unseen: int = 0
    made: int = 0
    has_turns: bool = False
    runs: dict[FunctionNode, None] = field(default_factory=dict)


def trained_in_loop(reach: Reach, loop: ast.For | ast.While) -> TrainedInLoop:
    """Reads one loop of the program's file."""
    return _Reader(reach, loop).read()


class _Reader:
    def __init__(self, reach: Reach, loop: ast.For | ast.While) -> None:
        self.reach, self.loop, self.module = reach, loop, reach.module
        self.known = KnownAtLoop(reach, loop)
        self.found = TrainedInLoop()

    def read(self) -> TrainedInLoop:
        names = self.module.names
        own = Given({"self": "self"} if self.known.place.lookup("self") is not None else {})
        for call in sorted(self._calls(self.module, self.loop.body), key=lambda one: (one.lineno, one.col_offset)):
            if self._is_training(self.module, call, [self.loop], own, 0):
                self.found.trains.append(call)
            saved = list(self._saved(self.module, call, own, {names.scope_of(self.loop).node}))
            if saved:
                self.found.saves[call] = saved
        own_stores = [one for one in names.stores if self.loop in names.ancestors(one)]
        made = (one.lineno for one in own_stores if ast.unparse(one) in {*self.found.models, *self.found.optimizers})
        self.found.made = next(made, 0)
        attributes = {text.rpartition(".")[2] for text in (*self.found.models, *self.found.optimizers) if "." in text}
        for function in self.found.runs:
            stores = self.reach.module_of(function).names.stores
            inside = [one for one in stores if getattr(one, "attr", "") in attributes - {"optimizer"}]
            made = (one.lineno for one in inside if function in self.reach.module_of(function).names.ancestors(one))
            self.found.made = self.found.made or next(made, 0)
        return self.found

    def _is_training(self, module: Module, call: ast.Call, around: list[ast.stmt], given: Given, depth: int) -> bool:
        """Whether a call trains, itself or in what it calls; what it trains is kept."""
        name, functions = name_of(call.func), self._functions(module, call)
        if isinstance(call.func, ast.Attribute) and name in TRAINS and not functions:
            text = self.known.text(module, call.func.value, given)
            self._keep(call, text, f"{text}.optimizer")
            return True
        if isinstance(call.func, ast.Attribute) and name in _STEPS and not functions:
            self._keep(call, None, self.known.text(module, call.func.value, given))
            for node in (node for statement in around for node in ast.walk(statement)):
                if isinstance(node, ast.Attribute) and node.attr in _VARIABLES:
                    self._keep(call, self.known.text(module, node.value, given), None)
            return True
        if depth >= _DEEPEST:
            return False
        trains = False
        for function in functions:
            where = self.reach.module_of(function)
            inner = self.known.given(module, call, where, function, given)
            self.found.runs[function] = None
            for one in self._calls(where, function.body):
                if self._is_training(where, one, function.body, inner, depth + 1):
                    trains = True
                    self.found.has_turns |= any(isinstance(n, ast.For | ast.While) for n in where.names.ancestors(one))
        return trains

    def _keep(self, call: ast.Call, model: str | None, optimizer: str | None) -> None:
        for text, kept in ((model, self.found.models), (optimizer, self.found.optimizers)):
            if text is not None and text.partition(".")[0]:
                kept[text] = None
            elif text is not None:
                self.found.unseen = call.lineno

    def _saved(self, module: Module, call: ast.Call, given: Given, inside: set[ast.AST]) -> Iterator[Saved]:
        """The calls that save a model which a call makes, itself or in what it calls."""
        functions = self._functions(module, call)
        if not functions and name_of(call.func) in MODEL_SAVES and isinstance(call.func, ast.Attribute):
            path = path_saved(call)
            if _OF_OTHERS.match(ast.unparse(call.func.value)) is None and not _is_of_data(module, path):
                begin = self.known.begin(module, path, given)[0] if path is not None else []
                yield Saved(module, call, tuple(begin))
            return
        for function in functions if len(inside) <= _DEEPEST else ():
            if function not in inside:
                where = self.reach.module_of(function)
                inner = self.known.given(module, call, where, function, given)
                for one in self._calls(where, function.body):
                    yield from self._saved(where, one, inner, inside | {function})

    def _functions(self, module: Module, call: ast.Call) -> list[FunctionNode]:
        """The program's own functions that a call runs; a method that calls one of its own name does so of another."""
        functions = self.reach.run_by(call)[0] or self.reach.functions(call)
        return [] if set(functions) & set(module.names.ancestors(call)) else functions

    def _calls(self, module: Module, body: list[ast.stmt]) -> list[ast.Call]:
        """The calls of some statements, without those of a function inside that one of them calls: it is read there."""
        self.reach.calls(module)  # so that it knows their file
        nodes = [node for statement in body for node in ast.walk(statement)]
        calls = [node for node in nodes if isinstance(node, ast.Call)]
        called = {one for call in calls for one in self._functions(module, call)}
        inside = {part for node in nodes if node in called for part in ast.walk(node)}
        return [call for call in calls if call not in inside]


def _is_of_data(module: Module, path: ast.expr | None) -> bool:
    """Whether a path names a picture, a table or the like, which is no model."""
    parts = ast.walk(module.names.value(path)) if path is not None else ()
    return any(isinstance(one, ast.Constant) and _DATA.search(str(one.value)) for one in parts)


def path_saved(call: ast.Call) -> ast.expr | None:
    """What a call that saves is given as the file."""
    return path_of(call) or next((one.value for one in call.keywords if one.arg in ("file_prefix", "path")), None)
