"""Where an estimator goes that is handed on: through variables, attributes, parameters and returns, over the files."""

import ast
from collections.abc import Callable

from migrate.analysis.arguments import Unbindable, bind, defaults
from migrate.analysis.module import Module
from migrate.analysis.names import Binding, Scope
from migrate.analysis.symbols import EXTENDERS, Symbol, symbol_of
from migrate.analysis.tree import Tree
from migrate.analysis.uses import Hidden, importers, uses

ATTRIBUTES = frozenset({"config", "model_dir", "params"})
"""What code may read off an estimator, and off what stands for it."""


class HandedOn:
    """Follows an estimator from where it is made to every place that uses it.

    Args:
      module: the file.
      tree: the files around it.
      read_use: reads a method call, or a use by ``train_and_evaluate``, of an expression; False if it is neither.
      is_such: whether a name, given with its module, makes estimators that it may meet on its way.

    Attributes:
      problems: the places that hide what happens to it, with the reasons and the files.
      modules: the files that it comes through, by path; its own too.
    """

    def __init__(
        self,
        module: Module,
        tree: Tree,
        read_use: Callable[[Module, ast.expr], bool],
        is_such: Callable[[Module, Symbol], bool],
    ) -> None:
        self.module = module
        self.tree = tree
        self.problems: list[tuple[Module, ast.expr | ast.stmt, str]] = []
        self.modules: dict[str, Module] = {}
        self._read_use = read_use
        self._is_such = is_such
        self._values: set[ast.expr] = set()
        self._sources: list[tuple[Module, ast.expr, str]] = []
        self._waiting: list[tuple[Module, ast.expr]] = []
        self._known: set[tuple[int, str]] = set()

    def follow(self, made: ast.expr) -> None:
        """Follows the value of an expression; what cannot be followed is added to the problems."""
        self._value(self.module, made)
        while self._waiting or self._sources:
            if self._waiting:
                self._one(*self._waiting.pop())
            else:
                self._source(*self._sources.pop())

    def _value(self, module: Module, value: ast.expr) -> None:
        if value not in self._values:
            self.modules[module.path] = module
            self._values.add(value)
            self._waiting.append((module, value))

    def _problem(self, module: Module, node: ast.expr | ast.stmt, reason: str) -> None:
        if not any(node is known and reason == said for _, known, said in self.problems):
            self.problems.append((module, node, reason))

    def _lost(self, module: Module, value: ast.expr) -> None:
        shown = ast.unparse(value)[:60]
        self._problem(module, value, f"`{shown}` is handed on here, so its training cannot be followed")

    def _source(self, module: Module, value: ast.expr, name: str) -> None:
        """Sees to it that what meets the estimator is one too, by following it back to where it is made."""
        if value in self._values or (isinstance(value, ast.Constant) and value.value is None):
            return
        found = symbol_of(module.names, value.func) if isinstance(value, ast.Call) else None
        if found is not None and self._is_such(module, found):
            self.modules[module.path] = module
            return
        if isinstance(value, ast.Call) and value.args and _extends(module, value, value.args[0]):
            self._sources.append((module, value.args[0], name))
            return
        if isinstance(value, ast.IfExp):
            self._sources += [(module, one, name) for one in (value.body, value.orelse)]
            return
        if isinstance(value, ast.Name):
            self._name(module, value.id, module.names.scope_of(value), value)
        elif isinstance(value, ast.Call):
            where, function = self._called(module, value)
            if isinstance(function, ast.FunctionDef) and function.name != "__init__":
                self._returns(where, function)
        if value not in self._values:
            reason = f"`{name}` may be something else than this estimator: it is set at line {value.lineno} too"
            self._problem(module, value, reason)

    def _one(self, module: Module, value: ast.expr) -> None:
        parent = module.names.parent(value)
        if isinstance(parent, ast.Attribute) and parent.attr in ATTRIBUTES and isinstance(parent.ctx, ast.Load):
            return
        if isinstance(parent, ast.Expr) or self._read_use(module, value) or _is_asked_for(parent):
            return
        if isinstance(parent, ast.Assign) and len(parent.targets) == 1:
            self._assigned(module, parent.targets[0], value)
        elif isinstance(parent, ast.Return):
            self._returned(module, parent)
        elif isinstance(parent, ast.Call | ast.keyword):
            self._given(module, parent, value)
        else:
            self._lost(module, value)

    def _assigned(self, module: Module, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self._name(module, target.id, module.names.scope_of(target), target)
        elif isinstance(target, ast.Attribute):
            self._stays_here(module, target.attr, value)
            for node in _attributes(module, target.attr):
                parent = module.names.parent(node)
                if isinstance(node.ctx, ast.Load):
                    self._value(module, node)
                elif isinstance(parent, ast.Assign):
                    self._sources.append((module, parent.value, ast.unparse(node)))
                else:
                    self._lost(module, node)
        else:
            self._lost(module, value)

    def _stays_here(self, module: Module, attribute: str, node: ast.expr | ast.stmt) -> None:
        """Sees to it that no other file may read an attribute, or call a method, of that name."""
        try:
            for importer in importers(self.tree, module, attribute):
                if _attributes(importer, attribute):
                    raise Hidden(f"`{attribute}` may be used in {importer.path}, which imports this file")
        except Hidden as reason:
            self._problem(module, node, f"{reason}, so the estimator's training cannot be followed")

    def _name(self, module: Module, name: str, scope: Scope, place: ast.expr | ast.stmt) -> None:
        """A variable: whatever is assigned to it is such an estimator, and so are all its uses."""
        found = scope.lookup(name)
        if found is None:
            self._problem(module, place, f"`{name}` is not bound in this file")
            return
        scope, bindings = found
        if (id(scope), name) in self._known:
            return
        self._known.add((id(scope), name))
        for binding in bindings:
            self._binding(module, name, scope, place, binding)
        for where, use in self._uses(module, name, scope):
            self._value(where, use)

    def _binding(self, module: Module, name: str, scope: Scope, place: ast.expr | ast.stmt, binding: Binding) -> None:
        if isinstance(binding.node, ast.arg):
            self._parameter(module, name, scope.node, place)
        elif binding.imported is not None and isinstance(scope.node, ast.Module):
            self._imported(module, name, place, binding.imported)
        elif binding.value is not None:
            self._sources.append((module, binding.value, name))
        else:
            self._problem(module, place, f"`{name}` may be something else than this estimator")

    def _imported(self, module: Module, name: str, place: ast.expr | ast.stmt, dotted: str) -> None:
        """A variable of another file: its uses there and in all files that import it are this one's."""
        owner, own = self.tree.owner(module, dotted)
        if owner is None:
            self._problem(module, place, f"`{name}` comes from `{dotted}`, which is in no file of the tree")
        elif own in owner.names.top.bindings:
            self._name(owner, own, owner.names.top, place)
        else:
            self._problem(module, place, f"`{dotted}` is no variable of {owner.path}")

    def _uses(self, module: Module, name: str, scope: Scope) -> list[tuple[Module, ast.expr]]:
        if scope is not module.names.top:
            return [(module, use) for use in module.names.uses(name, scope)]
        try:
            return uses(self.tree, module, name)
        except Hidden as reason:
            node = scope.bindings[name][0].node if name in scope.bindings else module.tree
            shown = node if isinstance(node, ast.expr | ast.stmt) else module.tree.body[0]
            self._problem(module, shown, f"{reason}, so the estimator's training cannot be followed")
            return []

    def _parameter(self, module: Module, name: str, function: ast.AST, place: ast.expr | ast.stmt) -> None:
        """A parameter: what every caller gives is such an estimator."""
        if not isinstance(function, ast.FunctionDef) or name not in {one.arg for one in _parameters(function)}:
            self._problem(module, place, f"`{name}` is a parameter whose callers cannot be followed")
            return
        calls = self._calls(module, function)
        if not calls:
            reason = f"`{name}` may be something else than this estimator: nothing in the tree calls `{function.name}`"
            self._problem(module, place, reason)
        default = defaults(function).get(name)
        for where, call in calls:
            try:
                given = _bound(module, function, call).get(name)
            except Unbindable:
                self._lost(where, call)
                continue
            if given is not None:
                self._sources.append((where, given, name))
            elif default is not None:
                self._sources.append((module, default, name))

    def _returned(self, module: Module, statement: ast.Return) -> None:
        function = module.names.scope_of(statement).node
        if isinstance(function, ast.FunctionDef):
            self._returns(module, function)
        if not isinstance(function, ast.FunctionDef) or function.decorator_list:
            reason = "the estimator is returned from a place that cannot be followed"
            self._problem(module, statement, reason)

    def _returns(self, module: Module, function: ast.FunctionDef) -> None:
        """A function that returns such an estimator: each call of it is one."""
        if (id(function), "") in self._known or function.decorator_list:
            return
        self._known.add((id(function), ""))
        own = module.names.returns(function)
        self._sources += [(module, one.value, function.name) for one in own if one.value is not None]
        for where, call in self._calls(module, function):
            self._value(where, call)

    def _calls(self, module: Module, function: ast.FunctionDef) -> list[tuple[Module, ast.Call]]:
        """Every call of a function, a method or, for its ``__init__``, a class; another use of it is a problem."""
        names, named = module.names, function.name
        owner = names.scope_of(function)
        if not isinstance(owner.node, ast.ClassDef):
            found = self._uses(module, named, owner)
        elif named == "__init__":
            named = owner.node.name
            found = self._uses(module, named, names.scope_of(owner.node))
        else:
            self._stays_here(module, named, function)
            found = [(module, node) for node in _attributes(module, named)]
        calls = []
        for where, use in found:
            call = where.names.parent(use)
            if isinstance(call, ast.Call) and call.func is use:
                calls.append((where, call))
            elif not isinstance(owner.node, ast.ClassDef) or named != owner.node.name or not _is_super(use, call):
                self._problem(where, use, f"`{named}` is handed on here, so its calls cannot be followed")
        return calls

    def _given(self, module: Module, parent: ast.Call | ast.keyword, value: ast.expr) -> None:
        """An argument of a function of the tree: it is a variable there."""
        call = module.names.parent(parent) if isinstance(parent, ast.keyword) else parent
        if isinstance(call, ast.Call) and _extends(module, call, value):
            return self._value(module, call)
        where, function = self._called(module, call) if isinstance(call, ast.Call) else (module, None)
        if not isinstance(call, ast.Call) or not isinstance(function, ast.FunctionDef) or function.decorator_list:
            return self._lost(module, value)
        try:
            name = next(name for name, given in _bound(where, function, call).items() if given is value)
        except (Unbindable, StopIteration):
            return self._lost(module, value)
        parameter = next((one for one in _parameters(function) if one.arg == name), None)
        if parameter is None:
            return self._lost(module, value)
        self._name(where, name, where.names.scope_of(parameter), function)
        return None

    def _called(self, module: Module, call: ast.Call) -> tuple[Module, ast.AST | None]:
        """The function that a call runs, with its module; of a class its ``__init__``."""
        names, called = module.names, call.func
        where, found = module, names.definition(called) if isinstance(called, ast.Name) else None
        dotted = names.qualified(called)
        if found is None and dotted is not None:
            owner, name = self.tree.owner(module, dotted)
            bindings = owner.names.top.bindings.get(name, []) if owner is not None else []
            if owner is not None and len(bindings) == 1:
                where, found = owner, bindings[0].node
        elif found is None and isinstance(called, ast.Attribute):
            found = _method(module, called.attr)
        if isinstance(found, ast.ClassDef):
            own = [one for one in found.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"]
            found = own[0] if len(own) == 1 and not found.decorator_list and not found.keywords else None
        return where, found


def _extends(module: Module, call: ast.Call, value: ast.expr) -> bool:
    """Whether a call makes of an estimator one with more metrics."""
    found = symbol_of(module.names, call.func)
    is_given = value in call.args[:1] or any(k.arg == "estimator" and k.value is value for k in call.keywords)
    return found is not None and found.tail in EXTENDERS and is_given


def _is_asked_for(parent: ast.AST) -> bool:
    """Whether a value is only compared with None, or asked whether it is there."""
    is_none = isinstance(parent, ast.Compare) and all(isinstance(op, ast.Is | ast.IsNot) for op in parent.ops)
    return is_none or isinstance(parent, ast.If)


def _is_super(use: ast.expr, call: ast.AST) -> bool:
    """Whether a class names itself in ``super(X, self)``."""
    is_super = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "super"
    return is_super and isinstance(call, ast.Call) and use in call.args[:1]


def _attributes(module: Module, name: str) -> list[ast.Attribute]:
    """Every attribute of that name, of whatever object of the file; ``tf.estimator`` is none."""
    nodes = [node for node in module.names.parents if isinstance(node, ast.Attribute) and node.attr == name]
    return [node for node in nodes if module.names.qualified(node) is None]


def _method(module: Module, name: str) -> ast.AST | None:
    """The one method of that name in the file."""
    found = [n for n in module.names.parents if isinstance(n, ast.FunctionDef) and n.name == name]
    is_method = len(found) == 1 and isinstance(module.names.scope_of(found[0]).node, ast.ClassDef)
    return found[0] if is_method else None


def _bound(module: Module, function: ast.FunctionDef, call: ast.Call) -> dict[str, ast.expr]:
    """The arguments of a call of a function by its parameters, a method's own first one aside."""
    names = [argument.arg for argument in function.args.posonlyargs + function.args.args]
    is_method = isinstance(module.names.scope_of(function).node, ast.ClassDef)
    return bind(call, names[1:] if is_method else names)


def _parameters(function: ast.FunctionDef) -> list[ast.arg]:
    return [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
