"""Code that runs only where the TensorFlow that it finds has a name, or in Colab; the imports that names begin with."""

import ast
from collections.abc import Collection, Iterator

from migrate.analysis.source.names import FARTHEST, Names, is_own_v1
from migrate.analysis.source.nodes import bound_name, root_of, walk
from migrate.analysis.source.scopes import Binding
from migrate.analysis.source.tensorflow_version import answer, is_tensorflow, is_version, may_ask_version
from migrate.files.run_cache import tree_cache
from migrate.tensorflow.known_names import NEW, OLD, lines_without

_CAUGHT = {"ImportError", "ModuleNotFoundError", "AttributeError"}
_CAUGHT_WITH_IMPORTS = {"Exception", "BaseException"}
_V1 = "tensorflow.compat.v1"
_ENDS = (ast.Return, ast.Raise)


def is_guarded(names: Names, node: ast.AST) -> bool:
    """Whether a name of TensorFlow is tried only, or asked for before it is used.

    So it stands under ``try`` with an ``except ImportError`` or ``AttributeError``, or a condition asks ``hasattr`` of
    TensorFlow or for its version. It may come from an import that does, of what a TensorFlow lacks; under ``try`` the
    program must then do without it: something else has its name, or a condition asks what the import gave.
    """
    lacked = [one.node for one in _bindings_of(names, node) if _is_lacked(one)]
    return _guard(names, node) is not None or any(_does_without(names, node, one) for one in lacked)


def resolves_to_v1(names: Names, node: ast.expr) -> bool:
    """Whether a name of TensorFlow 1 is read off ``compat.v1``, which its variable stands for on TensorFlow 2.

    So it does after ``tf = tf.compat.v1`` by itself, or under a condition that asks for the version.
    """
    dotted = names.qualified(node) or ""
    if not dotted.startswith("tensorflow.") or lines_without(f"tensorflow.compat.v1{dotted[10:]}", (OLD, NEW)):
        return False
    switches = [one.node for one in _bindings_of(names, node) if is_own_v1(one) or one.imported == _V1]
    conditions = [names.parent(one) for one in switches]
    return any(not isinstance(one, ast.If) or _asks(names, one.test) for one in conditions)


def _is_lacked(binding: Binding) -> bool:
    return binding.imported is not None and bool(lines_without(binding.imported, (OLD, NEW)))


def _bindings_of(names: Names, node: ast.AST) -> list[Binding]:
    return names.bound(root_of(node))


def _does_without(names: Names, node: ast.AST, imported: ast.AST) -> bool:
    """Whether a name is not asked for, or is another thing, where the import that gives it fails."""
    guard = _guard(names, imported)
    bindings = _bindings_of(names, node)
    lacked = [one for one in bindings if _is_lacked(one)]
    others = [one for one in bindings if one not in lacked]
    if any(names.is_alike(other, str(one.imported)) for other in others for one in lacked):
        return False
    if not isinstance(guard, ast.Try):
        return guard is not None
    if any(not (isinstance(one.value, ast.Constant) and one.value.value is None) for one in others):
        return True
    given = {part.id for part in ast.walk(guard) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    given |= {bound_name(part) for part in ast.walk(guard) if isinstance(part, ast.alias)}
    return any(_asks_for(names, test, given) for test in _conditions_of(names, node))


def _conditions_of(names: Names, node: ast.AST) -> Iterator[ast.expr]:
    """The conditions under which a node is come to: those around it, and those before it that end a function."""
    below = node
    for around in names.ancestors(node):
        if isinstance(around, ast.If | ast.IfExp | ast.While):
            yield around.test
        elif isinstance(around, ast.BoolOp):
            place = next(index for index, value in enumerate(around.values) if value is below)
            yield from around.values[: place + isinstance(below, ast.Name)]
        elif isinstance(around, ast.FunctionDef | ast.AsyncFunctionDef) and isinstance(below, ast.stmt):
            ending = [one for one in around.body if isinstance(one, ast.If) and isinstance(one.body[-1], _ENDS)]
            yield from (one.test for one in ending if one.lineno < below.lineno)
        below = around


def _asks_for(names: Names, test: ast.expr, given: Collection[str]) -> bool:
    """Whether a condition tests one of some variables itself, not what it holds."""
    asked = (part for part in walk(test) if isinstance(part, ast.Name) and part.id in given)
    return any(not isinstance(names.parent(part), ast.Attribute) for part in asked)


def _guard(names: Names, node: ast.AST) -> ast.AST | None:
    """The ``try`` or the condition that a node stands under."""
    if not _has_guards(names):
        return None
    below = node
    for around in names.ancestors(node):
        if isinstance(around, ast.Try) and any(_catches(around, handler) for handler in around.handlers):
            is_instead = isinstance(below, ast.ExceptHandler)
            if not is_instead or _tries_tensorflow(names, around):
                return around
        if isinstance(around, ast.If | ast.IfExp) and _asks(names, around.test):
            others = around.orelse if isinstance(around.orelse, list) else [around.orelse]
            if answer(names, around.test) != (below not in others):
                return around
        if isinstance(around, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            return _ending_before(names, around, below)
        below = around
    return None


def _ending_before(names: Names, function: ast.AST, below: ast.AST) -> ast.If | None:
    """A condition on TensorFlow that ends a function above a statement of its, where it holds."""
    body = function.body if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) else []
    ending = [one for one in body if isinstance(one, ast.If) and isinstance(one.body[-1], _ENDS) and not one.orelse]
    above = [one for one in ending if one.lineno < getattr(below, "lineno", 0) and _asks(names, one.test)]
    return next((one for one in above if answer(names, one.test) is not False), None)


def is_tried(names: Names, call: ast.Call) -> bool:
    """Whether a program does without a call whose arguments a TensorFlow does not take."""
    below: ast.AST = call
    for around in names.ancestors(call):
        if isinstance(around, ast.Try) and below in around.body:
            return any(_catches_arguments(handler) for handler in around.handlers)
        if isinstance(around, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            return False
        below = around
    return False


def _catches_arguments(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    known = {getattr(kind, "id", "") for kind in kinds}
    return handler.type is None or not known.isdisjoint({"TypeError", *_CAUGHT_WITH_IMPORTS})


@tree_cache
def _has_guards(names: Names) -> bool:
    """Whether a file has any: most have none, and hundreds of names."""
    return bool(names.nodes(ast.Try)) or _may_ask(names)


def _catches(statement: ast.Try, handler: ast.ExceptHandler) -> bool:
    if isinstance(handler.body[-1], ast.Raise):
        return False
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    known = {getattr(kind, "id", "") for kind in kinds}
    only_imports = all(map(_is_lookup, statement.body))
    catches_all = handler.type is None or not known.isdisjoint(_CAUGHT_WITH_IMPORTS)
    return not known.isdisjoint(_CAUGHT) or (catches_all and only_imports)


def _tries_tensorflow(names: Names, statement: ast.Try) -> bool:
    """Whether what ``try`` tries is of TensorFlow or a package of its, so that the handler is for an older one."""
    parts = [part for one in statement.body for part in walk(one)]
    imports = [part for part in parts if isinstance(part, ast.Import | ast.ImportFrom)]
    dotted = [getattr(one, "module", None) or one.names[0].name for one in imports]
    dotted += [names.qualified(part) or "" for part in parts if isinstance(part, ast.Name)]
    return any(one.startswith(("tensorflow", "tf_", "keras")) for one in dotted)


def _is_lookup(statement: ast.stmt) -> bool:
    """Whether a statement imports, or gives a variable what a dotted name stands for: it fails for no other reason."""
    is_name = isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Attribute)
    return is_name or isinstance(statement, ast.Import | ast.ImportFrom)


def _asks(names: Names, test: ast.expr) -> bool:
    """Whether a condition depends on what TensorFlow is there."""
    if not _may_ask(names):
        return False
    values = [names.only_value(part) for part in walk(test) if isinstance(part, ast.Name)]
    parts = [part for one in [test, *values] if one is not None for part in walk(one)]
    return any(is_version(names, part) or _is_hasattr(names, part) for part in parts)


def _may_ask(names: Names) -> bool:
    return "hasattr" in names.variables or may_ask_version(names)


def _is_hasattr(names: Names, node: ast.AST) -> bool:
    is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "hasattr"
    return is_call and isinstance(node, ast.Call) and bool(node.args) and is_tensorflow(names, node.args[0])


_COLAB = "google.colab"


def is_in_colab(names: Names, node: ast.AST) -> bool:
    """Whether a node stands under ``if "google.colab" in sys.modules``, or another condition that asks for Colab."""
    below = node
    for around in names.ancestors(node):
        if isinstance(around, ast.If | ast.IfExp) and below is not around.test:
            others = around.orelse if isinstance(around.orelse, list) else [around.orelse]
            if _asks_for_colab(names, around.test, below not in others):
                return True
        below = around
    return False


def _asks_for_colab(names: Names, test: ast.expr, holds: bool) -> bool:
    """Whether a condition that holds, or does not, is met in Colab alone."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _asks_for_colab(names, test.operand, not holds)
    if isinstance(test, ast.Compare) and isinstance(test.left, ast.Constant) and test.left.value == _COLAB:
        return isinstance(test.ops[0], ast.In if holds else ast.NotIn)
    values = [one for one in names.bound(test) if one.value is not None]
    if len(values) == 1 and values[0].value is not None:
        return _asks_for_colab(names, values[0].value, holds)
    is_true = [one.node for one in values if isinstance(one.value, ast.Constant) and one.value.value is True]
    return holds and any(_imports_colab(names.parent(one)) for one in is_true)


def _imports_colab(statement: ast.AST) -> bool:
    """Whether this is ``try: import google.colab``."""
    body = statement.body if isinstance(statement, ast.Try) else []
    return any(isinstance(one, ast.Import | ast.ImportFrom) and _COLAB in ast.unparse(one) for one in body)


def import_of(names: Names, node: ast.expr) -> ast.Import | ast.ImportFrom | None:
    """The import that a dotted name begins with, also by another (``layers = tf.layers``); the first of several."""
    return next(iter(imports_of(names, node)), None)


def imports_of(names: Names, node: ast.expr) -> tuple[ast.Import | ast.ImportFrom, ...]:
    """The imports that a dotted name begins with: several, where a notebook's cells import the same again."""
    for _ in range(FARTHEST):
        root = root_of(node)
        seen = names.scope_of(root).lookup(root.id) if isinstance(root, ast.Name) else None
        if seen is None:
            return ()
        bindings = [one for one in seen[1] if not is_own_v1(one)] or seen[1]
        binding = bindings[0]
        if isinstance(binding.node, ast.Import | ast.ImportFrom):
            # A second import, guarded, may give the same name compat.v1 where there is TensorFlow 2.
            others = {"tensorflow.compat.v1"} if isinstance(binding.node, ast.Import) else set()
            if not {one.imported for one in bindings} <= {binding.imported, *others}:
                return ()
            same = (one.node for one in bindings if one.imported == binding.imported)
            return tuple(one for one in same if isinstance(one, ast.Import | ast.ImportFrom))
        if len(bindings) != 1 or binding.value is None:
            return ()
        node = binding.value
    return ()
