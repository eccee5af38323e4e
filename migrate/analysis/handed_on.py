"""Where an estimator goes that is handed on: through variables, attributes, parameters and returns of one file."""

import ast
import os
from collections.abc import Callable, Iterator

from migrate.analysis.arguments import Unbindable, bind
from migrate.analysis.module import Module
from migrate.analysis.symbols import estimator_kind, symbol_of
from migrate.analysis.tree import Tree

ATTRIBUTES = frozenset({"config", "model_dir", "params"})
"""What code may read off an estimator, and off what stands for it."""


class HandedOn:
    """Follows an estimator from where it is made to every place that uses it.

    Args:
      module: the file.
      tree: the files around it.
      read_use: reads a method call, or a use by ``train_and_evaluate``, of an expression; False if it is neither.

    Attributes:
      problems: the places that hide what happens to it, with the reasons.
    """

    def __init__(self, module: Module, tree: Tree, read_use: Callable[[ast.expr], bool]) -> None:
        self.module = module
        self.names = module.names
        self.tree = tree
        self.problems: list[tuple[ast.expr | ast.stmt, str]] = []
        self._read_use = read_use
        self._values: set[ast.expr] = set()
        self._sources: list[tuple[ast.expr, str]] = []
        self._waiting: list[ast.expr] = []
        self._exported: dict[str, ast.expr | ast.stmt] = {}

    def follow(self, made: ast.expr) -> None:
        """Follows the value of an expression; what cannot be followed is added to the problems."""
        self._value(made)
        while self._waiting:
            self._one(self._waiting.pop())
        for value, name in self._sources:
            if not self._is_one(value):
                reason = f"`{name}` may be something else than this estimator: it is set at line {value.lineno} too"
                self.problems.append((value, reason))
        self.problems += self._used_elsewhere()

    def _value(self, value: ast.expr) -> None:
        if value not in self._values:
            self._values.add(value)
            self._waiting.append(value)

    def _is_one(self, value: ast.expr) -> bool:
        if value in self._values or (isinstance(value, ast.Constant) and value.value is None):
            return True
        found = symbol_of(self.names, value.func) if isinstance(value, ast.Call) else None
        return found is not None and estimator_kind(found) == "custom"

    def _one(self, value: ast.expr) -> None:
        parent = self.names.parent(value)
        if isinstance(parent, ast.Attribute) and parent.attr in ATTRIBUTES and isinstance(parent.ctx, ast.Load):
            return
        if isinstance(parent, ast.Expr) or self._read_use(value) or self._is_asked_for(parent):
            return
        if isinstance(parent, ast.Assign) and len(parent.targets) == 1:
            self._assigned(parent.targets[0], value)
        elif isinstance(parent, ast.Return):
            self._returned(parent)
        elif isinstance(parent, ast.Call | ast.keyword):
            self._given(parent, value)
        else:
            self._lost(value)

    def _is_asked_for(self, parent: ast.AST) -> bool:
        """Whether a value is only compared with None, or asked whether it is there."""
        is_none = isinstance(parent, ast.Compare) and all(isinstance(op, ast.Is | ast.IsNot) for op in parent.ops)
        return is_none or isinstance(parent, ast.If)

    def _lost(self, value: ast.expr) -> None:
        shown = ast.unparse(value)[:60]
        self.problems.append((value, f"`{shown}` is handed on here, so its training cannot be followed"))

    def _assigned(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self._variable(target.id, target)
        elif isinstance(target, ast.Attribute):
            self._exported[f".{target.attr}"] = value
            for node in self._attributes(target.attr):
                parent = self.names.parent(node)
                if isinstance(node.ctx, ast.Load):
                    self._value(node)
                elif isinstance(parent, ast.Assign):
                    self._sources.append((parent.value, ast.unparse(node)))
                else:
                    self._lost(node)
        else:
            self._lost(value)

    def _attributes(self, name: str) -> list[ast.Attribute]:
        """Every attribute of that name, of whatever object of the file; ``tf.estimator`` is none."""
        nodes = [node for node in self.names.parents if isinstance(node, ast.Attribute) and node.attr == name]
        return [node for node in nodes if self.names.qualified(node) is None]

    def _variable(self, name: str, place: ast.expr) -> None:
        found = self.names.scope_of(place).lookup(name)
        if found is None:
            return self._lost(place)
        scope, bindings = found
        if isinstance(scope.node, ast.Module):
            self._exported[name] = place
        for binding in bindings:
            if binding.value is not None:
                self._sources.append((binding.value, name))
            elif not isinstance(binding.node, ast.arg):
                self._lost(place)
        for use in self.names.uses(name, scope):
            self._value(use)
        return None

    def _returned(self, statement: ast.Return) -> None:
        function = self.names.scope_of(statement).node
        if not isinstance(function, ast.FunctionDef) or function.decorator_list:
            self.problems.append((statement, "the estimator is returned from a place that cannot be followed"))
            return
        own = [n for n in ast.walk(function) if isinstance(n, ast.Return) and self.names.scope_of(n).node is function]
        self._sources += [(one.value, function.name) for one in own if one.value is not None]
        for call in self._calls(function):
            self._value(call)

    def _calls(self, function: ast.FunctionDef) -> Iterator[ast.Call]:
        """Every call of a function or method of the file; another use of it is a problem."""
        owner = self.names.scope_of(function)
        uses: list[ast.expr] = list(self.names.uses(function.name, owner))
        if isinstance(owner.node, ast.ClassDef):
            uses = [*self._attributes(function.name)]
        if not isinstance(owner.node, ast.FunctionDef):
            self._exported[f".{function.name}" if isinstance(owner.node, ast.ClassDef) else function.name] = function
        for use in uses:
            call = self.names.parent(use)
            if isinstance(call, ast.Call) and call.func is use:
                yield call
            else:
                self.problems.append((use, f"`{function.name}` is handed on here, so its calls cannot be followed"))

    def _given(self, parent: ast.Call | ast.keyword, value: ast.expr) -> None:
        """An argument of a function of the file: every caller must give such an estimator."""
        call = self.names.parent(parent) if isinstance(parent, ast.keyword) else parent
        function = None
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
            function = self.names.definition(call.func)
        elif isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            function = self._method(call.func.attr)
        if not isinstance(call, ast.Call) or not isinstance(function, ast.FunctionDef) or function.decorator_list:
            return self._lost(value)
        try:
            name = next(name for name, given in self._bound(function, call).items() if given is value)
            for other in self._calls(function):
                given = self._bound(function, other).get(name)
                if given is not None:
                    self._sources.append((given, name))
        except (Unbindable, StopIteration):
            return self._lost(value)
        parameter = next((a for a in [*function.args.args, *function.args.kwonlyargs] if a.arg == name), None)
        found = self.names.scope_of(parameter).lookup(name) if parameter is not None else None
        if found is None or len(found[1]) != 1:
            return self._lost(value)
        for use in self.names.uses(name, found[0]):
            self._value(use)
        return None

    def _method(self, name: str) -> ast.AST | None:
        """The one method of that name in the file."""
        found = [n for n in self.names.parents if isinstance(n, ast.FunctionDef) and n.name == name]
        is_method = len(found) == 1 and isinstance(self.names.scope_of(found[0]).node, ast.ClassDef)
        return found[0] if is_method else None

    def _bound(self, function: ast.FunctionDef, call: ast.Call) -> dict[str, ast.expr]:
        names = [argument.arg for argument in function.args.posonlyargs + function.args.args]
        is_method = isinstance(self.names.scope_of(function).node, ast.ClassDef)
        return bind(call, names[1:] if is_method else names)

    def _used_elsewhere(self) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
        """Uses in other files of what the estimator is reached by."""
        if not self._exported or not os.path.exists(self.module.path):
            return
        for importer in self.tree.importers(self.module):
            text = self.tree.source(importer).text
            for name, node in self._exported.items():
                if name in text:
                    reason = f"`{name.lstrip('.')}` may be used in {self.tree.name(importer)}, which imports this file"
                    yield node, f"{reason}, so the estimator's training cannot be followed"
                    return
