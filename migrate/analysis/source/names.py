"""Which name of a module means what, and where it is read."""

import ast
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from operator import itemgetter
from typing import TypeVar

from migrate.analysis.source.arguments import end_place
from migrate.analysis.source.nodes import blocks, root_of
from migrate.analysis.source.scopes import Binding, FunctionNode, Scope, Scopes

_HANDED_ON = {"keras", "tensorflow", "tf", "tf1"}
"""What of another file's is asked for by these names, and may be TensorFlow: all names would cost a look at each."""
_GivenByStar = Callable[[str], Mapping[str, str | None]]
_Node = TypeVar("_Node", bound=ast.AST)
FARTHEST = 20
"""How many steps a value is followed, by whatever asks: names that stand for one another may do so in a circle."""


class Names:
    """Scopes, parents and qualified names of one module.

    Args:
      given_by_star: the names that a star import of a module gives, with the dotted names that they stand for.

    Attributes:
      stars: the modules of ``from … import *``.
    """

    def __init__(self, module: ast.Module, given_by_star: _GivenByStar | None = None) -> None:
        scopes = Scopes(module)
        self.module, self.top = module, scopes.top
        self.parents, self.classes = scopes.parents, scopes.classes
        self.stars = [dotted for _, dotted in scopes.stars]
        self.stores = scopes.stores
        self._scopes, self._all_scopes, self._of_kind = scopes.of_node, scopes.every, scopes.of_kind
        self._packages: dict[tuple[str, ...], list[tuple[ast.Name | ast.Attribute, str]]] = {}
        self._loads: dict[str, dict[Scope, list[ast.Name]]] = {}
        if given_by_star is not None:
            self._bind_stars(scopes.stars_at_top, given_by_star)
            self._bind_handed_on(given_by_star)

    @cached_property
    def variables(self) -> dict[str, list[ast.Name]]:
        """Every place that reads or binds a variable, in any scope, by its name."""
        spelled: dict[str, list[ast.Name]] = {}
        for node in self.nodes(ast.Name):
            spelled.setdefault(node.id, []).append(node)
        return spelled

    def nodes(self, kind: type[_Node]) -> list[_Node]:
        """The nodes of a kind, such as ``ast.Call``, in the order of the tree; one look through a file serves all."""
        return self._of_kind.get(kind, [])  # type: ignore[return-value]

    @cached_property
    def _calls_in(self) -> dict[ast.AST, list[tuple[int, ast.Call]]]:
        found: dict[ast.AST, list[tuple[int, ast.Call]]] = {}
        for place, node in enumerate(self.nodes(ast.Call)):
            found.setdefault(self._scopes[node].node, []).append((place, node))
        return found

    def calls_in(self, *scopes: ast.AST) -> list[ast.Call]:
        """The calls that are evaluated in some scopes, and in none inside them, in the order of the tree."""
        found = [one for scope in dict.fromkeys(scopes) for one in self._calls_in.get(scope, ())]
        return [call for _, call in sorted(found, key=itemgetter(0))]

    @cached_property
    def attributes(self) -> dict[str, list[ast.Attribute]]:
        """The attributes by their own names, in the order of the tree."""
        found: dict[str, list[ast.Attribute]] = {}
        for node in self.nodes(ast.Attribute):
            found.setdefault(node.attr, []).append(node)
        return found

    @cached_property
    def strings(self) -> frozenset[str]:
        return frozenset(node.value for node in self.nodes(ast.Constant) if isinstance(node.value, str))

    @cached_property
    def imported_as(self) -> dict[str, set[str]]:
        """The variables that ``from … import`` binds to a name, wherever it stands, by that name."""
        found: dict[str, set[str]] = {}
        for alias in (alias for node in self.nodes(ast.ImportFrom) for alias in node.names):
            found.setdefault(alias.name, set()).add(alias.asname or alias.name)
        return found

    def of_packages(self, roots: tuple[str, ...]) -> list[tuple[ast.Name | ast.Attribute, str]]:
        """What is read of packages whose names begin so, each whole (``tf.train.Saver``), with its dotted name."""
        known = next(
            (found for over, found in self._packages.items() if all(one.startswith(over) for one in roots)), None
        )
        if known is None:
            known = self._packages[roots] = [*self._of_packages(roots)]
        return [one for one in known if one[1].startswith(roots)]

    def _of_packages(self, roots: tuple[str, ...]) -> Iterator[tuple[ast.Name | ast.Attribute, str]]:
        known = self._variables_for(roots)
        for name in self.nodes(ast.Name):
            if known is None or name.id in known:
                whole: ast.Name | ast.Attribute = name
                while type(around := self.parents[whole]) is ast.Attribute:
                    whole = around
                dotted = self.qualified(whole) if type(whole.ctx) is ast.Load else None
                if dotted is not None and dotted.startswith(roots):
                    yield whole, dotted

    def _variables_for(self, roots: tuple[str, ...]) -> set[str] | None:
        """The variables that may stand for something of these packages; None where a star import may give any."""
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
        """What is imported by which name, and the names that are given something of a variable, by the variable."""
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

    def _bind_stars(self, stars: list[tuple[ast.ImportFrom, str]], given_by_star: _GivenByStar) -> None:
        """Binds what star imports give, the last of them first, and nothing that the file binds itself."""
        own, is_unseen = set(self.top.bindings), False
        for node, dotted in reversed(stars):
            given = {name: imported for name, imported in given_by_star(dotted).items() if name != "*"}
            for name, imported in given.items():
                may_be_others = is_unseen and name.islower() and "keras." in (imported or "")  # numpy's ``add``
                if name not in own and imported is not None and not may_be_others:
                    self.top.bind(name, Binding(node, imported))
                own.add(name)
            is_unseen |= not given

    def _bind_handed_on(self, given_by_star: _GivenByStar) -> None:
        """Binds TensorFlow to ``tf`` where the file has it by ``from base import tf``, or by ``import base as tf``."""
        for name, bindings in self.top.bindings.items():
            binding, dotted = bindings[0], bindings[0].imported or ""
            if len(bindings) != 1 or not dotted or dotted.startswith(("tensorflow", "keras", "tf_keras")):
                continue
            base, _, own = dotted.rpartition(".")
            whole = given_by_star(base).get(own) if base and own in _HANDED_ON else None
            if whole is None and name in _HANDED_ON and isinstance(binding.node, ast.Import):
                whole = given_by_star(dotted).get("*")
            if whole is not None:
                self.top.bindings[name] = [Binding(binding.node, whole)]

    def scope_of(self, node: ast.AST) -> Scope:
        return self._scopes[node]

    def parent(self, node: ast.AST) -> ast.AST:
        return self.parents[node]

    @cached_property
    def imports(self) -> list[ast.Import | ast.ImportFrom]:
        """The import statements, in the order of the file."""
        found: list[ast.Import | ast.ImportFrom] = [*self.nodes(ast.Import), *self.nodes(ast.ImportFrom)]
        return sorted(found, key=lambda one: one.lineno)

    def statement_of(self, node: ast.AST) -> ast.stmt:
        """The innermost statement that holds ``node``."""
        while not isinstance(node, ast.stmt):
            node = self.parents[node]
        return node

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        while node in self.parents:
            node = self.parents[node]
            yield node

    def returns(self, function: ast.AST) -> list[ast.Return]:
        """The ``return`` statements of a function, those of functions inside it aside."""
        return self._returns.get(function, [])

    @cached_property
    def _returns(self) -> dict[ast.AST, list[ast.Return]]:
        found: dict[ast.AST, list[ast.Return]] = {}
        for node in self.nodes(ast.Return):
            found.setdefault(self._scopes[node].node, []).append(node)
        return found

    @cached_property
    def yielding(self) -> set[ast.AST]:
        """What holds a ``yield``, in itself or in a function inside it."""
        return {one for kind in (ast.Yield, ast.YieldFrom) for node in self.nodes(kind) for one in self.ancestors(node)}

    def bound(self, node: ast.AST | None) -> list[Binding]:
        """All that binds the variable that an expression is; nothing for any other expression."""
        found = self._scopes[node].lookup(node.id) if isinstance(node, ast.Name) else None
        return [] if found is None else found[1]

    def reads_of(self, node: ast.AST | None) -> list[ast.Name]:
        """Every place that reads the variable that an expression is; nothing for any other expression."""
        found = self._scopes[node].lookup(node.id) if isinstance(node, ast.Name) else None
        return [] if found is None or not isinstance(node, ast.Name) else self.uses(node.id, found[0])

    def uses(self, name: str, scope: Scope) -> list[ast.Name]:
        """Every place that reads the variable ``name`` which ``scope`` binds, in any inner scope too."""
        if name not in self._loads:
            loads = self._loads[name] = {}
            for node in self.variables.get(name, ()):
                found = self._scopes[node].lookup(name) if isinstance(node.ctx, ast.Load) else None
                if found is not None:
                    loads.setdefault(found[0], []).append(node)
        return self._loads[name].get(scope, [])

    def only_value(self, node: ast.AST | None) -> ast.expr | None:
        """The expression behind a variable that is bound exactly once, by a plain assignment; None for all else."""
        bindings = self.bound(node)
        return bindings[0].value if len(bindings) == 1 else None

    def bindings_at(self, name: ast.Name) -> list[Binding]:
        """What may have bound a variable when it is read; all that binds it, where not only plain assignments do."""
        bindings, scope = self.bound(name), self.scope_of(name)
        if len(bindings) < 2 or not all(one.value and self.scope_of(one.node) is scope for one in bindings):
            return bindings
        by_node = {one.node: one for one in bindings}
        return [by_node[node] for node in self.assigned_at(name, by_node)]

    def assigned_at(self, use: ast.expr, nodes: Collection[_Node]) -> list[_Node]:
        """Which of the nodes that assign what a use reads may have done so: none below, and none that is overwritten.

        All of them, where a loop may come back to the use from one below.
        """
        around, place = [use, *self.ancestors(use)], (use.lineno, use.col_offset)
        own = (node for node in nodes if self.scope_of(node) is self.scope_of(use))
        ends = sorted([(self._end_of_binding(node), node) for node in own], key=itemgetter(0))
        loops = [node for node in around if isinstance(node, ast.For | ast.While | ast.AsyncFor)]
        is_again = any(end > place and loop in self.ancestors(node) for end, node in ends for loop in loops)
        before = [node for end, node in ends if end <= place and not is_again]
        in_way = [id(block) for _, block in blocks(around)]
        last = [at for at, node in enumerate(before) if id(self._block_behind(node)) in in_way][-1:]
        return before[last[0] if last else 0 :] or [*nodes]

    def _end_of_binding(self, node: ast.AST) -> tuple[int, int]:
        """Where a name is bound: at the end of a statement, or at the head of one with a body."""
        statement = self.statement_of(node)
        is_head = hasattr(statement, "body")
        return (statement.lineno, statement.col_offset) if is_head else end_place(statement)

    def _block_behind(self, node: ast.AST) -> list[ast.AST] | None:
        """The block in which what a node assigns is overwritten for all that follows; None where it is added to."""
        statement = self.statement_of(node)
        while isinstance(self.parent(statement), ast.With):
            statement = self.statement_of(self.parent(statement))
        return None if isinstance(statement, ast.AugAssign) else self.block_of(statement)

    def block_of(self, node: ast.AST) -> list[ast.AST] | None:
        """The block that the statement around a node stands in."""
        statement = self.statement_of(node)
        return next((block for _, block in blocks([statement, self.parent(statement)])), None)

    def value_there(self, name: ast.Name) -> ast.expr | None:
        """The expression that a variable holds where it is read; None where that may be one of several."""
        bindings = self.bindings_at(name)
        return bindings[0].value if len(bindings) == 1 else None

    def value(self, expression: ast.expr) -> ast.expr:
        """What an expression stands for, followed through variables that are bound exactly once, by plain assignments.

        One that leads no further stands for itself.
        """
        for _ in range(FARTHEST):
            held = self.only_value(expression)
            if held is None:
                break
            expression = held
        return expression

    def definition(self, name: ast.Name) -> ast.AST | None:
        """The function or class that a name bound exactly once stands for, followed through plain assignments."""
        return self._definition(name, 0)

    def _definition(self, name: ast.Name, depth: int) -> ast.AST | None:
        bindings = self.bound(name)
        if len(bindings) != 1 or depth > FARTHEST:
            return None
        binding = bindings[0]
        if isinstance(binding.value, ast.Name):
            return self._definition(binding.value, depth + 1)
        if isinstance(binding.value, ast.Lambda):
            return binding.value
        is_definition = isinstance(binding.node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        return binding.node if is_definition else None

    def definitions(self, name: ast.Name) -> list[FunctionNode]:
        """The functions that a name may stand for, if every statement that binds it defines one; else none."""
        nodes = [binding.node for binding in self.bound(name)]
        functions = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        return list(functions) if len(functions) == len(nodes) else []

    def qualified(self, expression: ast.expr) -> str | None:
        """The dotted import path that an expression stands for, or None.

        A parameter or local that shadows a module is not the module; a name with several imports (``try``/``except``)
        stands for the first, also where an ``except`` makes it None; of two in one block of imports for the last.
        """
        return self._qualified(expression, 0)

    def _qualified(self, expression: ast.expr, depth: int) -> str | None:
        if depth > FARTHEST:
            return None
        if isinstance(expression, ast.Attribute):
            below: list[str] = []
            while isinstance(expression, ast.Attribute):
                below.append(expression.attr)
                expression = expression.value
            base = self._qualified(expression, depth + len(below))
            return None if base is None else ".".join([base, *reversed(below)])
        if not isinstance(expression, ast.Name) or expression not in self._scopes:
            return None
        found = self._scopes[expression].lookup(expression.id)
        if found is None:
            return self._from_star(expression.id)
        imports = [binding.imported for binding in found[1] if binding.imported is not None]
        if imports:
            others = (binding for binding in found[1] if binding.imported is None)
            same = (self._is_none_after_failure(one) or self.is_alike(one, imports[0], depth) for one in others)
            return imports[0] if all(same) else None
        value = found[1][0].value
        if len(found[1]) != 1 or not isinstance(value, ast.Name | ast.Attribute):
            return None
        return self._qualified(value, depth + 1)

    def _is_none_after_failure(self, binding: Binding) -> bool:
        is_none = isinstance(binding.value, ast.Constant) and binding.value.value is None
        return is_none and isinstance(self.parent(binding.node), ast.ExceptHandler)

    def is_alike(self, binding: Binding, imported: str, depth: int = 0) -> bool:
        """Whether TensorFlow stands for its Estimators' package, or its ``compat.v1`` for TensorFlow."""
        if imported == "tensorflow":
            return is_own_v1(binding)
        if imported != "tensorflow_estimator" or not isinstance(binding.value, ast.Name):
            return False
        return self._qualified(binding.value, depth + 1) in {"tensorflow", "tensorflow.compat.v1"}

    def _from_star(self, name: str) -> str | None:
        tensorflow = [star for star in self.stars if star.split(".")[0].startswith("tensorflow")]
        return f"{tensorflow[0]}.{name}" if len(tensorflow) == 1 else None

    def is_seen_from(self, scope: Scope, name: str) -> bool:
        """Whether ``name`` means something to code in ``scope``, so that binding it there would change that code."""
        if scope.lookup(name) is not None:
            return True
        # A function inside may read a name of that spelling that only a star import or a later exec would bind.
        return any(self._scopes[node].lookup(name) is None for node in self.variables.get(name, ()))

    @cached_property
    def _bindings(self) -> dict[str, list[Binding]]:
        found: dict[str, list[Binding]] = {}
        for name, bindings in (one for scope in self._all_scopes for one in scope.bindings.items()):
            found.setdefault(name, []).extend(bindings)
        return found

    def bindings_of(self, name: str) -> list[Binding]:
        """All that binds ``name`` in any scope of the module."""
        return self._bindings.get(name, [])

    def is_bound_anywhere(self, name: str) -> bool:
        """Whether any scope of the module binds or reads ``name``, so that a new variable must not be called so."""
        return name in self.variables or name in self._bindings

    def is_always_import(self, name: str, module: str) -> bool:
        """Whether some scope binds ``name``, and every one that does imports ``module`` by it."""
        owners = [scope for scope in self._all_scopes if name in scope.bindings]
        return bool(owners) and all(b.imported == module for scope in owners for b in scope.bindings[name])


def is_own_v1(binding: Binding) -> bool:
    """Whether a statement is ``tf = tf.compat.v1``, whatever the name."""
    node, value = binding.node, binding.value
    if not (isinstance(node, ast.Assign) and isinstance(value, ast.Attribute) and len(node.targets) == 1):
        return False
    return ast.unparse(value) == f"{ast.unparse(node.targets[0])}.compat.v1"
