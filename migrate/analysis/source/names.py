"""What each name of a module refers to, and where it is read."""

import ast
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from operator import itemgetter
from typing import TypeVar

from migrate.analysis.source.arguments import end_place
from migrate.analysis.source.nodes import blocks, root_of
from migrate.analysis.source.scopes import Binding, FunctionNode, Scope, Scopes

_REEXPORTED_NAMES = {"keras", "tensorflow", "tf", "tf1"}
"""Names under which other files may re-export TensorFlow; to look at every imported name would take too long."""
_StarNames = Callable[[str], Mapping[str, str | None]]
_Node = TypeVar("_Node", bound=ast.AST)
MAX_STEPS = 20
"""The most steps in which a value is followed; names may be assigned to each other in a circle."""


class Names:
    """Scopes, parents and qualified names of one module.

    Args:
      star_names: returns the names that a star import of a module binds, with their dotted names.

    Attributes:
      stars: the modules of ``from … import *``.
    """

    def __init__(self, module: ast.Module, star_names: _StarNames | None = None) -> None:
        scopes = Scopes(module)
        self.module, self.top = module, scopes.top
        self.parents, self.classes = scopes.parents, scopes.classes
        self.stars = [dotted for _, dotted in scopes.stars]
        self.stores = scopes.stores
        self.scope_of, self._all_scopes, self._of_kind = scopes.scope_of, scopes.every, scopes.of_kind
        self._packages: dict[tuple[str, ...], list[tuple[ast.Name | ast.Attribute, str]]] = {}
        self._loads: dict[str, dict[Scope, list[ast.Name]]] = {}
        if star_names is not None:
            self._bind_stars(scopes.stars_at_top, star_names)
            self._bind_reexported_tensorflow(star_names)

    @cached_property
    def variables(self) -> dict[str, list[ast.Name]]:
        """Every ``ast.Name`` that reads or binds a variable, in any scope, by its name."""
        spelled: dict[str, list[ast.Name]] = {}
        for node in self.nodes(ast.Name):
            spelled.setdefault(node.id, []).append(node)
        return spelled

    def nodes(self, kind: type[_Node]) -> list[_Node]:
        """Returns the nodes of a type, such as ``ast.Call``, in the order of the tree."""
        return self._of_kind.get(kind, [])  # type: ignore[return-value]

    @cached_property
    def _calls_in(self) -> dict[ast.AST, list[ast.Call]]:
        found: dict[ast.AST, list[ast.Call]] = {}
        for call in self.nodes(ast.Call):
            found.setdefault(self.function_around(call), []).append(call)
        return found

    def calls_in(self, function: ast.AST) -> list[ast.Call]:
        """Returns the calls in a function or module, without those in inner functions, in the order of the tree."""
        return self._calls_in.get(function, [])

    @cached_property
    def attributes(self) -> dict[str, list[ast.Attribute]]:
        """The attribute accesses by attribute name, in the order of the tree."""
        found: dict[str, list[ast.Attribute]] = {}
        for node in self.nodes(ast.Attribute):
            found.setdefault(node.attr, []).append(node)
        return found

    @cached_property
    def strings(self) -> frozenset[str]:
        return frozenset(node.value for node in self.nodes(ast.Constant) if isinstance(node.value, str))

    @cached_property
    def import_aliases(self) -> dict[str, set[str]]:
        """The variables that ``from … import`` binds anywhere in the module, by the imported name."""
        found: dict[str, set[str]] = {}
        for alias in (alias for node in self.nodes(ast.ImportFrom) for alias in node.names):
            found.setdefault(alias.name, set()).add(alias.asname or alias.name)
        return found

    def package_uses(self, roots: tuple[str, ...]) -> list[tuple[ast.Name | ast.Attribute, str]]:
        """Returns the uses of some packages: whole expressions (``tf.train.Saver``), each with its dotted name."""
        known = next(
            (found for over, found in self._packages.items() if all(one.startswith(over) for one in roots)), None
        )
        if known is None:
            known = self._packages[roots] = [*self._package_uses(roots)]
        return [one for one in known if one[1].startswith(roots)]

    def _package_uses(self, roots: tuple[str, ...]) -> Iterator[tuple[ast.Name | ast.Attribute, str]]:
        known = self._variables_for(roots)
        bases: dict[tuple[Scope, str], str | None] = {}
        for name in self.nodes(ast.Name) if known is None else [one for one in self.nodes(ast.Name) if one.id in known]:
            place = self.scope_of(name), name.id
            if place not in bases:
                bases[place] = self.qualified(name)
            dotted = bases[place]
            if dotted is not None:
                whole: ast.Name | ast.Attribute = name
                while type(around := self.parents[whole]) is ast.Attribute:
                    whole, dotted = around, f"{dotted}.{around.attr}"
                if type(whole.ctx) is ast.Load and dotted.startswith(roots):
                    yield whole, dotted

    def _variables_for(self, roots: tuple[str, ...]) -> set[str] | None:
        """Returns the variables that may refer to these packages; None if a star import may bind any name to them."""
        if any(star.startswith(roots) for star in self.stars):
            return None
        imported, aliases = self._origins
        waiting = [name for name, dotted in imported if dotted.startswith(roots)]
        held = set[str]()
        while waiting:
            name = waiting.pop()
            if name not in held:
                held.add(name)
                waiting += aliases.get(name, [])
        return held

    @cached_property
    def _origins(self) -> tuple[list[tuple[str, str]], dict[str, list[str]]]:
        """The imported variables with their dotted names, and the variables assigned from another one, by that one."""
        imported: list[tuple[str, str]] = []
        aliases: dict[str, list[str]] = {}
        for scope in self._all_scopes:
            for name, bindings in scope.bindings.items():
                for binding in bindings:
                    if binding.imported is not None:
                        imported.append((name, binding.imported))
                        continue
                    value = root_of(binding.value)
                    if isinstance(value, ast.Name):
                        aliases.setdefault(value.id, []).append(name)
        return imported, aliases

    def _bind_stars(self, stars: list[tuple[ast.ImportFrom, str]], star_names: _StarNames) -> None:
        """Binds the names of star imports, the last import first, except names that the file binds itself."""
        own, is_unknown = set(self.top.bindings), False
        for node, dotted in reversed(stars):
            given = {name: imported for name, imported in star_names(dotted).items() if name != "*"}
            for name, imported in given.items():
                may_be_other = is_unknown and name.islower() and "keras." in (imported or "")  # numpy's ``add``
                if name not in own and imported is not None and not may_be_other:
                    self.top.bind(name, Binding(node, imported))
                own.add(name)
            is_unknown |= not given

    def _bind_reexported_tensorflow(self, star_names: _StarNames) -> None:
        """Binds ``tf`` to TensorFlow if another file re-exports it: ``from base import tf``, ``import base as tf``."""
        for name, bindings in self.top.bindings.items():
            binding, dotted = bindings[0], bindings[0].imported or ""
            if len(bindings) != 1 or not dotted or dotted.startswith(("tensorflow", "keras", "tf_keras")):
                continue
            base, _, own = dotted.rpartition(".")
            whole = star_names(base).get(own) if base and own in _REEXPORTED_NAMES else None
            if whole is None and name in _REEXPORTED_NAMES and isinstance(binding.node, ast.Import):
                whole = star_names(dotted).get("*")
            if whole is not None:
                self.top.bindings[name] = [Binding(binding.node, whole)]

    def parent(self, node: ast.AST) -> ast.AST:
        return self.parents[node]

    @cached_property
    def imports(self) -> list[ast.Import | ast.ImportFrom]:
        """The import statements, in the order of the file."""
        found: list[ast.Import | ast.ImportFrom] = [*self.nodes(ast.Import), *self.nodes(ast.ImportFrom)]
        return sorted(found, key=lambda one: one.lineno)

    def statement_of(self, node: ast.AST) -> ast.stmt:
        """Returns the innermost statement that contains ``node``."""
        while not isinstance(node, ast.stmt):
            node = self.parents[node]
        return node

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        while node in self.parents:
            node = self.parents[node]
            yield node

    def function_around(self, node: ast.AST) -> ast.AST:
        """Returns the innermost function or lambda that evaluates a node; the module for code at its top level."""
        scope = self.scope_of(node)
        while scope.parent is not None and not isinstance(scope.node, FunctionNode):
            scope = scope.parent
        return scope.node

    def class_around(self, node: ast.AST) -> ast.ClassDef | None:
        return next((one for one in self.ancestors(node) if isinstance(one, ast.ClassDef)), None)

    def returns(self, function: ast.AST) -> list[ast.Return]:
        """Returns the ``return`` statements of a function, without those of inner functions."""
        return self._returns_by_function.get(function, [])

    @cached_property
    def _returns_by_function(self) -> dict[ast.AST, list[ast.Return]]:
        found: dict[ast.AST, list[ast.Return]] = {}
        for node in self.nodes(ast.Return):
            found.setdefault(self.scope_of(node).node, []).append(node)
        return found

    @cached_property
    def generators(self) -> set[ast.AST]:
        """Every node with a ``yield`` inside it, even in an inner function."""
        return {one for kind in (ast.Yield, ast.YieldFrom) for node in self.nodes(kind) for one in self.ancestors(node)}

    def bindings(self, node: ast.AST | None) -> list[Binding]:
        """Returns every binding of a variable; [] for any expression but a variable."""
        found = self.scope_of(node).lookup(node.id) if isinstance(node, ast.Name) else None
        return [] if found is None else found[1]

    def reads_of(self, node: ast.AST | None) -> list[ast.Name]:
        """Returns every place that reads a variable; [] for any expression but a variable."""
        found = self.scope_of(node).lookup(node.id) if isinstance(node, ast.Name) else None
        return [] if found is None or not isinstance(node, ast.Name) else self.uses(node.id, found[0])

    def uses(self, name: str, scope: Scope) -> list[ast.Name]:
        """Returns every place that reads the variable ``name`` of ``scope``, in inner scopes too."""
        if name not in self._loads:
            loads = self._loads[name] = {}
            for node in self.variables.get(name, ()):
                found = self.scope_of(node).lookup(name) if isinstance(node.ctx, ast.Load) else None
                if found is not None:
                    loads.setdefault(found[0], []).append(node)
        return self._loads[name].get(scope, [])

    def only_value(self, node: ast.AST | None) -> ast.expr | None:
        """Returns the value of a variable that is bound exactly once, by a plain assignment; None for all else."""
        bindings = self.bindings(node)
        return bindings[0].value if len(bindings) == 1 else None

    def bindings_at(self, name: ast.Name) -> list[Binding]:
        """Returns the bindings that a read of a variable may see; all of them if some are no plain assignments."""
        bindings, scope = self.bindings(name), self.scope_of(name)
        if len(bindings) < 2 or not all(one.value and self.scope_of(one.node) is scope for one in bindings):
            return bindings
        by_node = {one.node: one for one in bindings}
        return [by_node[node] for node in self.assignments_at(name, by_node)]

    def assignments_at(self, use: ast.expr, nodes: Collection[_Node]) -> list[_Node]:
        """Returns the assignments of a variable whose value a use of it may see.

        A node that is overwritten or below the use is dropped, but not if a loop around the use contains a later one.
        """
        around, place = [use, *self.ancestors(use)], (use.lineno, use.col_offset)
        own = (node for node in nodes if self.scope_of(node) is self.scope_of(use))
        ends = sorted([(self._end_of_binding(node), node) for node in own], key=itemgetter(0))
        loops = [node for node in around if isinstance(node, ast.For | ast.While | ast.AsyncFor)]
        is_again = any(end > place and loop in self.ancestors(node) for end, node in ends for loop in loops)
        before = [node for end, node in ends if end <= place and not is_again]
        in_way = [id(block) for _, block in blocks(around)]
        last = [at for at, node in enumerate(before) if id(self._overwriting_block(node)) in in_way][-1:]
        return before[last[0] if last else 0 :] or [*nodes]

    def _end_of_binding(self, node: ast.AST) -> tuple[int, int]:
        """Returns the position at which a name is bound: the end of a statement, or the start of one with a body."""
        statement = self.statement_of(node)
        is_head = hasattr(statement, "body")
        return (statement.lineno, statement.col_offset) if is_head else end_place(statement)

    def _overwriting_block(self, node: ast.AST) -> list[ast.AST] | None:
        """Returns the block in which an assignment overwrites the value; None for ``+=``, which reads it first."""
        statement = self.statement_of(node)
        while isinstance(self.parent(statement), ast.With):
            statement = self.statement_of(self.parent(statement))
        return None if isinstance(statement, ast.AugAssign) else self.block_of(statement)

    def block_of(self, node: ast.AST) -> list[ast.AST] | None:
        """Returns the block that contains the statement of a node; None for none."""
        statement = self.statement_of(node)
        return next((block for _, block in blocks([statement, self.parent(statement)])), None)

    def value_at_use(self, name: ast.Name) -> ast.expr | None:
        """Returns the value of a variable where it is read; None if it may be one of several."""
        bindings = self.bindings_at(name)
        return bindings[0].value if len(bindings) == 1 else None

    def value(self, expression: ast.expr) -> ast.expr:
        """Returns the value of an expression, followed through variables that are assigned exactly once.

        An expression that is no such variable is returned itself.
        """
        for _ in range(MAX_STEPS):
            held = self.only_value(expression)
            if held is None:
                break
            expression = held
        return expression

    def definition(self, name: ast.Name) -> ast.AST | None:
        """Returns the function, class or lambda of a name that is bound exactly once, followed through assignments."""
        return self._definition(name, 0)

    def _definition(self, name: ast.Name, depth: int) -> ast.AST | None:
        bindings = self.bindings(name)
        if len(bindings) != 1 or depth > MAX_STEPS:
            return None
        binding = bindings[0]
        if isinstance(binding.value, ast.Name):
            return self._definition(binding.value, depth + 1)
        if isinstance(binding.value, ast.Lambda):
            return binding.value
        is_definition = isinstance(binding.node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        return binding.node if is_definition else None

    def definitions(self, name: ast.Name) -> list[FunctionNode]:
        """Returns the functions that a name may refer to, if all of its bindings are functions; else []."""
        nodes = [binding.node for binding in self.bindings(name)]
        functions = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        return list(functions) if len(functions) == len(nodes) else []

    def qualified(self, expression: ast.expr) -> str | None:
        """Returns the dotted import path that an expression refers to, or None.

        A parameter or local that shadows a module is not the module. A name with several imports (``try``/``except``)
        refers to the first, even if an ``except`` sets it to None; of two in one block of imports, the last counts.
        """
        return self._qualified(expression, 0)

    def _qualified(self, expression: ast.expr, depth: int) -> str | None:
        if depth > MAX_STEPS:
            return None
        if isinstance(expression, ast.Attribute):
            below: list[str] = []
            while isinstance(expression, ast.Attribute):
                below.append(expression.attr)
                expression = expression.value
            base = self._qualified(expression, depth + len(below))
            return None if base is None else ".".join([base, *reversed(below)])
        if not isinstance(expression, ast.Name) or expression not in self.parents:
            return None
        found = self.scope_of(expression).lookup(expression.id)
        if found is None:
            tensorflow = [star for star in self.stars if star.split(".")[0].startswith("tensorflow")]
            return f"{tensorflow[0]}.{expression.id}" if len(tensorflow) == 1 else None
        imports = [binding.imported for binding in found[1] if binding.imported is not None]
        if imports:
            others = (binding for binding in found[1] if binding.imported is None)
            same = (self._is_none_after_failure(one) or self.is_equivalent(one, imports[0], depth) for one in others)
            return imports[0] if all(same) else None
        value = found[1][0].value
        if len(found[1]) != 1 or not isinstance(value, ast.Name | ast.Attribute):
            return None
        return self._qualified(value, depth + 1)

    def _is_none_after_failure(self, binding: Binding) -> bool:
        is_none = isinstance(binding.value, ast.Constant) and binding.value.value is None
        return is_none and isinstance(self.parent(binding.node), ast.ExceptHandler)

    def is_equivalent(self, binding: Binding, imported: str, depth: int = 0) -> bool:
        """Whether a binding has the names of ``imported``: TensorFlow those of tensorflow_estimator, for example."""
        if imported == "tensorflow":
            return is_v1_reassignment(binding)
        if imported != "tensorflow_estimator" or not isinstance(binding.value, ast.Name):
            return False
        return self._qualified(binding.value, depth + 1) in {"tensorflow", "tensorflow.compat.v1"}

    def is_visible_in(self, scope: Scope, name: str) -> bool:
        """Whether ``name`` is visible in ``scope``, so that a new binding there could change the meaning of code."""
        if scope.lookup(name) is not None:
            return True
        # An inner function may read a name that only a star import or a later exec binds.
        return any(self.scope_of(node).lookup(name) is None for node in self.variables.get(name, ()))

    @cached_property
    def _bindings(self) -> dict[str, list[Binding]]:
        found: dict[str, list[Binding]] = {}
        for name, bindings in (one for scope in self._all_scopes for one in scope.bindings.items()):
            found.setdefault(name, []).extend(bindings)
        return found

    def bindings_of(self, name: str) -> list[Binding]:
        """Returns the bindings of ``name`` in all scopes of the module."""
        return self._bindings.get(name, [])

    def is_bound_anywhere(self, name: str) -> bool:
        """Whether any scope of the module binds or reads ``name``, so that a new variable must have another name."""
        return name in self.variables or name in self._bindings

    def is_only_import_of(self, name: str, module: str) -> bool:
        """Whether ``name`` is bound, and in every scope only by imports of ``module``."""
        owners = [scope for scope in self._all_scopes if name in scope.bindings]
        return bool(owners) and all(b.imported == module for scope in owners for b in scope.bindings[name])


def is_v1_reassignment(binding: Binding) -> bool:
    """Whether a binding is ``tf = tf.compat.v1``, with any name."""
    node, value = binding.node, binding.value
    if not (isinstance(node, ast.Assign) and isinstance(value, ast.Attribute) and len(node.targets) == 1):
        return False
    return value.attr == "v1" and ast.unparse(value) == f"{ast.unparse(node.targets[0])}.compat.v1"
