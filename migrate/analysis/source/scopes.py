"""The scopes of a module, and what each of them binds."""

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from migrate.analysis.source.nodes import CHILDREN, children

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
# The node types that may bind a name; most nodes are of other types.
_VARIABLES = frozenset({ast.Name, ast.Attribute, ast.Subscript})
_BINDING = _VARIABLES | {
    ast.Import, ast.ImportFrom, ast.arg, ast.ExceptHandler, ast.MatchAs, ast.MatchStar, ast.MatchMapping,
    ast.Global, ast.Nonlocal, ast.Lambda, *_DEFINITIONS, *_COMPREHENSIONS,
}  # fmt: skip


class Binding(NamedTuple):
    """One place that binds a name.

    Attributes:
      node: the statement, parameter or expression that binds it.
      imported: the dotted name, if it is an import; else None.
      value: the expression that is assigned, if this is the only target or the value is a name or attribute; else None.
    """

    node: ast.AST
    imported: str | None = None
    value: ast.expr | None = None


class Scope:
    """A module, class, function, lambda or comprehension and the names bound in it."""

    def __init__(self, node: ast.AST, parent: "Scope | None") -> None:
        self.node, self.parent = node, parent
        self.bindings: dict[str, list[Binding]] = {}
        self.elsewhere: dict[str, Scope] = {}  # global and nonlocal names

    def bind(self, name: str, binding: Binding) -> None:
        self.elsewhere.get(name, self).bindings.setdefault(name, []).append(binding)

    def lookup(self, name: str) -> "tuple[Scope, list[Binding]] | None":
        """Returns the scope that binds ``name`` for code in this one, and the bindings; None for an unbound name."""
        scope: Scope | None = self
        while scope is not None:
            # A class body is seen from itself only, not from its methods.
            if scope is self or not isinstance(scope.node, ast.ClassDef):
                owner = scope.elsewhere.get(name, scope)
                if name in owner.bindings:
                    return owner, owner.bindings[name]
            scope = scope.parent
        return None


class Scopes:
    """The scopes of a module and their bindings, found in one walk.

    Attributes:
      top: the module's own scope.
      every: all scopes.
      of_part: the scopes of top-level statements and of the parts of functions, classes and comprehensions.
      of_kind: the nodes of each type, in the order of the tree.
      parents: the parent of each node.
      stores: the attributes and items that are assigned or deleted.
      stars: each ``from … import *``, with the imported module.
      stars_at_top: the star imports outside functions and classes.
    """

    def __init__(self, module: ast.Module) -> None:
        self.top = Scope(module, None)
        self.every = [self.top]
        self.of_part: dict[ast.AST, Scope] = {}
        self.parents: dict[ast.AST, ast.AST] = {}
        self.of_kind: defaultdict[type[ast.AST], list[ast.AST]] = defaultdict(list)
        self.classes: list[ast.ClassDef] = []
        self.stores: list[ast.Attribute | ast.Subscript] = []
        self.stars: list[tuple[ast.ImportFrom, str]] = []
        self.stars_at_top: list[tuple[ast.ImportFrom, str]] = []
        self._nonlocals: list[tuple[Scope, str]] = []
        for statement in module.body:
            self._enter(statement, module, self.top)
        self._resolve_nonlocals()

    def _resolve_nonlocals(self) -> None:
        """Moves the bindings of ``nonlocal`` names to the enclosing function that binds them, maybe further down."""
        declared = {(id(scope), name) for scope, name in self._nonlocals}
        for scope, name in self._nonlocals:
            owner = scope.parent
            while owner is not None and (
                name not in owner.bindings or isinstance(owner.node, ast.ClassDef) or (id(owner), name) in declared
            ):
                owner = owner.parent
            if owner is not None:
                owner.bindings[name] += scope.bindings.pop(name, [])
                scope.elsewhere[name] = owner

    def _enter(self, node: ast.AST, parent: ast.AST, scope: Scope) -> None:
        # An explicit stack: source nests deeper than Python's recursion limit allows.
        parents, of_kind = self.parents, self.of_kind
        parents[node], self.of_part[node] = parent, scope
        stack = [node]
        while stack:
            node = stack.pop()
            kind = type(node)
            of_kind[kind].append(node)
            if kind in _BINDING and (kind not in _VARIABLES or type(node.ctx) is not ast.Load):  # type: ignore[attr-defined]
                scope = self.scope_of(node)
                inner = self._bind(node, scope)
                if inner is not scope:
                    self.every.append(inner)
                    stack += self._parts(node, scope, inner)
                    continue
            if kind in CHILDREN:
                parts = CHILDREN[kind](node)
                for part in parts:
                    parents[part] = node
                parts.reverse()
                stack += parts

    def scope_of(self, node: ast.AST) -> Scope:
        """Returns the scope that a node is evaluated in: its parent's, if it has none of its own."""
        of_part, parents = self.of_part, self.parents
        while node not in of_part:
            node = parents[node]
        return of_part[node]

    def _parts(self, node: Any, scope: Scope, inner: Scope) -> Iterator[ast.AST]:
        """Returns the parts of a function, class or comprehension, last first; some are evaluated outside its scope."""
        kind, outside = type(node), list[ast.AST]()
        if kind is ast.ClassDef:
            outside = [*node.decorator_list, *node.bases, *node.keywords]
        elif kind in _COMPREHENSIONS:
            outside = [node.generators[0].iter]
        else:
            outside = [*node.args.defaults, *node.args.kw_defaults]
            if kind is not ast.Lambda:
                outside += [*node.decorator_list, node.returns]
        parts = children(node)
        if kind is not ast.ClassDef:
            parts = [inside for part in parts for inside in self._unfold(part, node)]
        for part in parts:
            self.parents[part], self.of_part[part] = node, scope if part in outside else inner
        return reversed(parts)

    def _unfold(self, child: ast.AST, owner: ast.AST) -> list[ast.AST]:
        """Returns the parts of ``arguments`` or a ``comprehension``, which have no scope; any other child itself."""
        kind = type(child)
        if kind is ast.arguments or kind is ast.comprehension:
            self.parents[child] = owner
            self.of_kind[kind].append(child)
            return children(child)
        return [child]

    def _bind(self, node: Any, scope: Scope) -> Scope:
        """Adds the bindings of ``node`` and returns the scope of its children."""
        kind = type(node)
        if kind is ast.Name:
            self._owner(node, scope).bind(node.id, self._assignment(node))
        elif kind is ast.arg:
            scope.bind(node.arg, Binding(node))
        elif kind in _VARIABLES:
            self.stores.append(node)
        elif kind in _DEFINITIONS:
            scope.bind(node.name, Binding(node))
            if kind is ast.ClassDef:
                self.classes.append(node)
            return Scope(node, scope)
        elif kind is ast.Lambda or kind in _COMPREHENSIONS:
            return Scope(node, scope)
        elif kind is ast.Import:
            for alias in node.names:
                root = alias.name.split(".")[0]
                imported = alias.name if alias.asname else root
                self._import(scope, alias.asname or root, Binding(node, imported))
        elif kind is ast.ImportFrom:
            base = "." * node.level + (node.module or "")
            for alias in node.names:
                if alias.name == "*":
                    self.stars.append((node, base))
                    if scope is self.top:
                        self.stars_at_top.append((node, base))
                else:
                    dot = "" if base.endswith(".") else "."
                    self._import(scope, alias.asname or alias.name, Binding(node, f"{base}{dot}{alias.name}"))
        elif kind is ast.Global and scope is not self.top:
            scope.elsewhere.update(dict.fromkeys(node.names, self.top))
        elif kind is ast.Nonlocal:
            self._nonlocals += [(scope, name) for name in node.names]
        elif name := getattr(node, "rest" if kind is ast.MatchMapping else "name", None):
            scope.bind(name, Binding(node))
        return scope

    def _import(self, scope: Scope, name: str, binding: Binding) -> None:
        """Adds the binding of an import, which replaces that of an earlier import in the same block of imports."""
        before = scope.bindings.get(name, [])
        if before and before[-1].imported != binding.imported and self._are_in_one_block(before[-1].node, binding.node):
            before.pop()
        scope.bind(name, binding)

    def _are_in_one_block(self, first: ast.AST, last: ast.AST) -> bool:
        """Whether two statements are in one body with only imports between them."""
        body = getattr(self.parents[first], "body", None)
        if not isinstance(body, list) or first not in body or last not in body:
            return False
        between = body[body.index(first) : body.index(last)]
        return all(isinstance(one, ast.Import | ast.ImportFrom) for one in between)

    def _owner(self, name: ast.Name, scope: Scope) -> Scope:
        """Returns the scope that an assigned name belongs to: ``:=`` in a comprehension binds outside it."""
        if isinstance(self.parents[name], ast.NamedExpr):
            while isinstance(scope.node, _COMPREHENSIONS) and scope.parent is not None:
                scope = scope.parent
        return scope

    def _assignment(self, name: ast.Name) -> Binding:
        statement = self.parents[name]
        if isinstance(statement, ast.Assign) and name in statement.targets:
            is_only_value = len(statement.targets) == 1 or isinstance(statement.value, ast.Name | ast.Attribute)
            return Binding(statement, value=statement.value if is_only_value else None)
        if isinstance(statement, ast.AnnAssign) and statement.target is name and statement.value is not None:
            return Binding(statement, value=statement.value)
        return Binding(statement, value=unpacked_value(self.parents, name))


def unpacked_value(parents: Mapping[ast.AST, ast.AST], target: ast.expr) -> ast.expr | None:
    """Returns the value that ``a, b = x, y`` assigns to one of its targets; None for any other assignment."""
    targets = parents[target]
    statement = parents[targets] if isinstance(targets, ast.Tuple | ast.List) else None
    if not isinstance(statement, ast.Assign) or statement.targets != [targets]:
        return None
    assert isinstance(targets, ast.Tuple | ast.List)
    values = statement.value.elts if isinstance(statement.value, ast.Tuple | ast.List) else []
    is_pairwise = len(values) == len(targets.elts) and not any(
        isinstance(one, ast.Starred) for one in [*values, *targets.elts]
    )
    return values[targets.elts.index(target)] if is_pairwise else None
