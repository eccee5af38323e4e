"""What a loop trains, itself or by functions that it calls: models and optimizers, as the loop's place knows them."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from migrate.analysis.arguments import Unbindable, bind
from migrate.analysis.module import Module
from migrate.analysis.names import Names
from migrate.analysis.path_searches import name_of, path_of
from migrate.analysis.paths import template
from migrate.analysis.resume.loads_before import TRAINS
from migrate.analysis.resume.reach import FunctionNode, Reach
from migrate.analysis.resume.saves_in_training import MODEL_SAVES

_STEPS = {"apply_gradients", "minimize"}
_VARIABLES = {"trainable_variables", "trainable_weights", "variables"}
_OF_OTHERS = re.compile(r"(np|numpy|plt|pd|image|img|fig|joblib|torch|wb|workbook)\b")
_FILLED = re.compile(r"\{[^}]*\}")
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
class _Given:
    """What a function's parameters are given, as the loop's place knows it.

    Attributes:
      texts: variables and attributes, as source there.
      begins: what paths begin with that are put together at the call.
    """

    texts: dict[str, str] = field(default_factory=dict)
    begins: dict[str, list[str | tuple[str]]] = field(default_factory=dict)


@dataclass
class TrainedInLoop:
    """What a loop trains and saves.

    Attributes:
      models: the models, as source at the loop's place.
      optimizers: the optimizers, as source there.
      trains: the calls in the loop itself that train, or that lead to it.
      saves: the calls in the loop itself that save, or that lead to it, each with what those save as.
      unseen: what is trained that the loop's place does not know: a call's line, or 0.
    """

    models: dict[str, None] = field(default_factory=dict)
    optimizers: dict[str, None] = field(default_factory=dict)
    trains: list[ast.Call] = field(default_factory=list)
    saves: dict[ast.Call, list[Saved]] = field(default_factory=dict)
    unseen: int = 0


def trained_in_loop(reach: Reach, loop: ast.For | ast.While) -> TrainedInLoop:
    """Reads one loop of the program's file."""
    return _Reader(reach, loop).read()


class _Reader:
    def __init__(self, reach: Reach, loop: ast.For | ast.While) -> None:
        self.reach, self.loop, self.module = reach, loop, reach.module
        self.place = reach.module.names.scope_of(loop)
        self.found = TrainedInLoop()

    def read(self) -> TrainedInLoop:
        names = self.module.names
        own = _Given({"self": "self"} if self.place.lookup("self") is not None else {})
        for call in sorted(self._calls(self.module, self.loop.body), key=lambda one: (one.lineno, one.col_offset)):
            if self._is_training(self.module, call, [self.loop], own, 0):
                self.found.trains.append(call)
            saved = list(self._saved(self.module, call, own, {names.scope_of(self.loop).node}))
            if saved:
                self.found.saves[call] = saved
        return self.found

    def _is_training(self, module: Module, call: ast.Call, around: list[ast.stmt], given: _Given, depth: int) -> bool:
        """Whether a call trains, itself or in what it calls; what it trains is kept."""
        name, functions = name_of(call.func), self._functions(module, call)
        if isinstance(call.func, ast.Attribute) and name in TRAINS and not functions:
            text = self._text(module, call.func.value, given)
            self._keep(call, text, f"{text}.optimizer")
            return True
        if isinstance(call.func, ast.Attribute) and name in _STEPS and not functions:
            self._keep(call, None, self._text(module, call.func.value, given))
            for node in (node for statement in around for node in ast.walk(statement)):
                if isinstance(node, ast.Attribute) and node.attr in _VARIABLES:
                    self._keep(call, self._text(module, node.value, given), None)
            return True
        if depth >= _DEEPEST:
            return False
        trains = False
        for function in functions:
            where = self.reach.module_of(function)
            inner = self._given(module, call, where, function, given)
            for one in self._calls(where, function.body):
                trains |= self._is_training(where, one, function.body, inner, depth + 1)
        return trains

    def _keep(self, call: ast.Call, model: str | None, optimizer: str | None) -> None:
        for text, kept in ((model, self.found.models), (optimizer, self.found.optimizers)):
            if text is not None and text.partition(".")[0]:
                kept[text] = None
            elif text is not None:
                self.found.unseen = call.lineno

    def _given(self, module: Module, call: ast.Call, where: Module, function: FunctionNode, given: _Given) -> _Given:
        """What a function's parameters are given, as the loop's place knows it."""
        expected = [one.arg for one in [*function.args.posonlyargs, *function.args.args]]
        found = _Given()
        is_method = isinstance(where.names.parents.get(function), ast.ClassDef)
        if is_method and expected and isinstance(call.func, ast.Attribute):
            found.texts[expected[0]] = self._text(module, call.func.value, given)
            expected = expected[1:]
        try:
            arguments = bind(call, expected)
        except Unbindable:
            return found
        for name, value in arguments.items():
            text = self._text(module, value, given)
            if text:
                found.texts[name] = text
            elif isinstance(value, ast.BinOp | ast.JoinedStr | ast.Call | ast.Constant):
                found.begins[name] = self._begin(module, value, given)
        return found

    def _text(self, module: Module, value: ast.expr, given: _Given, depth: int = 0) -> str:
        """A variable or attribute as the loop's place knows it, as source; "" where that does not."""
        root, text = value, ast.unparse(value)
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name) or depth > _DEEPEST:
            return ""
        names = module.names
        bound = names.scope_of(root).lookup(root.id)
        is_given = bound is None or all(isinstance(one.node, ast.arg) for one in bound[1])
        if root.id in given.texts and is_given:
            return given.texts[root.id] + text[len(root.id) :]
        if bound is None:
            return ""
        if module is self.module and self.place.lookup(root.id) == bound and not self._is_of_loop(root):
            return text
        only = names.only_value(root)
        inner = self._text(module, only, given, depth + 1) if isinstance(only, ast.Name | ast.Attribute) else ""
        return inner + text[len(root.id) :] if inner else ""

    def _is_of_loop(self, root: ast.Name) -> bool:
        """Whether the loop itself binds a variable, anew in each turn."""
        bindings = self.module.names.bound(root)
        return any(self.loop in (one.node, *self.module.names.ancestors(one.node)) for one in bindings)

    def _saved(self, module: Module, call: ast.Call, given: _Given, inside: set[ast.AST]) -> Iterator[Saved]:
        """The calls that save a model which a call makes, itself or in what it calls."""
        functions = self._functions(module, call)
        if not functions and name_of(call.func) in MODEL_SAVES and isinstance(call.func, ast.Attribute):
            if _OF_OTHERS.match(ast.unparse(call.func.value)) is None:
                path = path_saved(call)
                begin = self._begin(module, path, given) if path is not None else []
                yield Saved(module, call, tuple(begin))
            return
        for function in functions if len(inside) <= _DEEPEST else ():
            if function not in inside:
                where = self.reach.module_of(function)
                inner = self._given(module, call, where, function, given)
                for one in self._calls(where, function.body):
                    yield from self._saved(where, one, inner, inside | {function})

    def _functions(self, module: Module, call: ast.Call) -> list[FunctionNode]:
        """The program's own functions that a call runs; a method that calls one of its own name does so of another."""
        functions = self.reach.functions(call)
        return [] if set(functions) & set(module.names.ancestors(call)) else functions

    def _begin(self, module: Module, path: ast.expr, given: _Given) -> list[str | tuple[str]]:
        """What a path begins with, up to the first part that the loop's place does not know."""
        found: list[str | tuple[str]] = []
        for part in _parts(module.names, path):
            is_made = isinstance(part, ast.Call) and name_of(part.func) == "str" and bool(part.args)
            part = part.args[0] if is_made and isinstance(part, ast.Call) else part
            known = part if isinstance(part, str) else template(module.names, part, into_parameters=False)
            if known is not None and "⟨" not in known:
                begin = _FILLED.split(known)[0]
                found.append(begin)
                if begin != known:
                    return found
                continue
            assert not isinstance(part, str)
            text = self._text(module, part, given)
            if not text:
                bound = module.names.bound(part)
                is_given = isinstance(part, ast.Name) and bool(bound) and isinstance(bound[0].node, ast.arg)
                return [*found, *(given.begins.get(part.id, []) if is_given and isinstance(part, ast.Name) else [])]
            found.append((f"str({text})" if is_made else text,))
        return found

    def _calls(self, module: Module, body: list[ast.stmt]) -> list[ast.Call]:
        self.reach.calls(module)  # so that it knows their file
        return [node for statement in body for node in ast.walk(statement) if isinstance(node, ast.Call)]


def path_saved(call: ast.Call) -> ast.expr | None:
    """What a call that saves is given as the file."""
    return path_of(call) or next((one.value for one in call.keywords if one.arg in ("file_prefix", "path")), None)


def _parts(names: Names, path: ast.expr) -> Iterator[ast.expr | str]:
    """The parts that a path is made of, in their order; one that may be no text as ``str(part)``."""
    only = names.only_value(path) if isinstance(path, ast.Name) else None
    if only is not None:
        yield from _parts(names, only)
    elif isinstance(path, ast.BinOp) and isinstance(path.op, ast.Add):
        yield from _parts(names, path.left)
        yield from _parts(names, path.right)
    elif isinstance(path, ast.BinOp) and isinstance(path.op, ast.Div):
        yield from _texts(names, path.left)
        yield "/"
        yield from _texts(names, path.right)
    elif isinstance(path, ast.BinOp) and isinstance(path.op, ast.Mod):
        given = path.right.elts if isinstance(path.right, ast.Tuple) else [path.right]
        yield from _filled(names, path.left, given, re.compile(r"%[-\d.]*[a-z]"))
    elif isinstance(path, ast.JoinedStr):
        for value in path.values:
            yield from _texts(names, value.value) if isinstance(value, ast.FormattedValue) else _parts(names, value)
    elif isinstance(path, ast.Call) and name_of(path.func) == "join" and path.args:
        for number, argument in enumerate(path.args):
            if number:
                yield "/"
            yield from _texts(names, argument)
    elif isinstance(path, ast.Call) and name_of(path.func) == "format" and isinstance(path.func, ast.Attribute):
        yield from _filled(names, path.func.value, path.args, _FILLED)
    elif isinstance(path, ast.Call) and name_of(path.func) == "str" and path.args:
        yield from _texts(names, path.args[0])
    else:
        yield path


def _texts(names: Names, path: ast.expr) -> Iterator[ast.expr | str]:
    """The parts of a value that is made a text: one that is a variable or an attribute may be none."""
    for part in _parts(names, path):
        if isinstance(part, ast.Name | ast.Attribute | ast.Subscript):
            yield ast.Call(ast.Name("str", ast.Load()), [part], [])
        else:
            yield part


def _filled(names: Names, text: ast.expr, given: list[ast.expr], field: re.Pattern[str]) -> Iterator[ast.expr | str]:
    """The parts of a text with fields, whose values stand in their order."""
    known = names.value(text)
    if not isinstance(known, ast.Constant) or not isinstance(known.value, str):
        yield text
        return
    literal = field.split(known.value)
    values = iter(given)
    for number, part in enumerate(literal):
        if part:
            yield part
        value = next(values, None) if number < len(literal) - 1 else None
        if value is not None:
            yield from _texts(names, value)
        elif number < len(literal) - 1:
            yield ast.Constant(None)
