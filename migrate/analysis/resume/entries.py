"""Which calls before a training load into its model, themselves or in a function that they call."""

import ast
import re
from collections.abc import Iterator

from migrate.analysis.checkpoints import key
from migrate.analysis.names import Names
from migrate.analysis.nodes import walk
from migrate.analysis.path_searches import name_of
from migrate.analysis.paths import only_call, only_given
from migrate.analysis.resume.conditions import FunctionNode, called_here
from migrate.analysis.resume.once import are_alternatives
from migrate.analysis.trainings import Fit, is_model_fit

LOADS = {"load_weights", "load_model"}
_RESTORES = re.compile(r"restore|resume|load_?(the_|last_|latest_|best_)?(model|weights|checkpoint|ckpt)")
MOST_CALLS = 3
"""How many functions stand between a training function and the call that loads."""


class Entries:
    """The loads that a training comes after, in its file.

    Args:
      names: the names of the file.
      fit: the training.
    """

    def __init__(self, names: Names, fit: Fit) -> None:
        self.names, self.fit = names, fit

    def all(self) -> Iterator[ast.Call]:
        """The calls before ``fit`` that load into its model, themselves or in a function that they call."""
        names, fit = self.names, self.fit
        frames, inside = list(self.frames()), set(names.ancestors(fit.call))
        for node in names.calls_in(*(frame for frame, _, _ in frames)):
            if node is fit.call or self.function(node) in inside:
                continue
            scope = names.scope_of(node).node
            for frame, before, model in frames:
                is_before = before is None or node.lineno < before.lineno
                if scope is frame and is_before and self._loads_into(node, model):
                    if before is not None and (
                        self._is_after_training(node, before) or are_alternatives(names, node, before)
                    ):
                        continue
                    yield node
                    break

    def frames(self) -> Iterator[tuple[ast.AST, ast.Call | None, ast.expr]]:
        """The functions that run before ``fit`` does: each with the call to stand before, and the model there."""
        names, fit = self.names, self.fit
        node: ast.Call = fit.call
        model: ast.expr = fit.receiver
        for _ in range(MOST_CALLS):
            function = names.scope_of(node).node
            yield function, node, model
            if not isinstance(function, FunctionNode):
                return
            yield names.module, None, model
            owner = names.parent(function)
            if isinstance(owner, ast.ClassDef):
                yield from self._methods(owner, function, node, model)
                return
            call = only_call(names, function) if isinstance(function, ast.FunctionDef) else None
            if call is None:
                return
            root = model
            while isinstance(root, ast.Attribute):
                root = root.value
            given = only_given(names, root) if isinstance(root, ast.Name) else None
            if given is not None:
                model = given if root is model else model
            node = call

    def _methods(
        self, owner: ast.ClassDef, training: FunctionNode, node: ast.Call, model: ast.expr
    ) -> Iterator[tuple[ast.AST, ast.Call | None, ast.expr]]:
        """The methods of an object that run before the one that trains: those that it or ``__init__`` calls."""
        methods = {one.name: one for one in owner.body if isinstance(one, FunctionNode)}
        ran = [methods["__init__"]] if "__init__" in methods else []
        for caller in [*ran, training]:
            for call in ast.walk(caller):
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
                    is_own = isinstance(call.func.value, ast.Name) and call.func.value.id == "self"
                    is_before = caller is not training or call.lineno < node.lineno
                    if is_own and is_before and call.func.attr in methods:
                        ran.append(methods[call.func.attr])
        calls = self.names.nodes(ast.Call)
        trained = [call for call in calls if is_method(call, training.name)]
        for call in calls:
            if isinstance(call.func, ast.Attribute) and call.func.attr in methods:
                for other in trained:
                    if self.names.scope_of(call) is self.names.scope_of(other) and call.lineno < other.lineno:
                        ran.append(methods[call.func.attr])
        for method in dict.fromkeys(ran):
            if method is not training:
                yield method, None, model

    def _loads_into(self, call: ast.Call, model: ast.expr) -> bool:
        """Whether a call loads into a model, or gives a loaded one to its variable."""
        names, own = self.names, key(self.names, model)
        name = name_of(call.func)
        places = {own, *self._aliases(model)} if own is not None else set()
        is_model = any(place in places for place in self.assigned(call))
        if name == "load_weights" and isinstance(call.func, ast.Attribute):
            held = key(names, call.func.value)
            return held in places or ast.unparse(call.func.value) == ast.unparse(model)
        if name == "load_model" and self.function(call) is None:
            return is_model
        function = self.function(call)
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        is_given = any(key(names, value) == own for value in given if own is not None)
        if function is None:
            restores = _RESTORES.search(name.lower()) is not None and bool(given)
            return restores and (is_model or is_given)
        is_own = isinstance(call.func, ast.Attribute) and isinstance(model, ast.Attribute)
        is_own = is_own or any(_model_of(names, load) == own for load in self.loads_in(function, 0) if own is not None)
        if not (is_model or is_given or is_own):
            return False
        return any(True for _ in self.loads_in(function, 0))

    def _aliases(self, model: ast.expr) -> list[object]:
        """Other variables that a model's variable is given: ``trained = model``."""
        values = [binding.value for binding in self.names.bound(model)]
        return [place for value in values if isinstance(value, ast.Name) and (place := key(self.names, value))]

    def assigned(self, call: ast.Call) -> Iterator[object]:
        statement = self.names.parents.get(call)
        while isinstance(statement, ast.IfExp):
            statement = self.names.parents.get(statement)
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                for part in target.elts if isinstance(target, ast.Tuple | ast.List) else [target]:
                    place = key(self.names, part)
                    if place is not None:
                        yield place

    def function(self, call: ast.Call) -> FunctionNode | None:
        return called_here(self.names, call)

    def loads_in(self, function: FunctionNode, depth: int) -> Iterator[ast.Call]:
        for node in walk(function):
            if isinstance(node, ast.Call):
                inner = self.function(node) if depth < MOST_CALLS else None
                if inner is not None and inner is not function:
                    yield from self.loads_in(inner, depth + 1)
                elif name_of(node.func) in LOADS:
                    yield node

    def _is_after_training(self, load: ast.Call, before: ast.Call) -> bool:
        """Whether another training stands between the beginning and a load: it selects the first one's best then."""
        return any(
            (is_model_fit(node) or name_of(node.func) == "train_on_batch")
            and node is not before
            and node.lineno < load.lineno
            for node in self.names.calls_in(self.names.scope_of(load).node)
        )

    def is_load(self, call: ast.Call) -> bool:
        function = self.function(call)
        if function is not None:
            return any(True for _ in self.loads_in(function, 0))
        return name_of(call.func) in LOADS or _RESTORES.search(name_of(call.func).lower()) is not None


def is_method(node: ast.AST, name: str) -> bool:
    """Whether a node calls a method by a name."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == name


def _model_of(names: Names, load: ast.Call) -> object:
    return key(names, load.func.value) if isinstance(load.func, ast.Attribute) else None
