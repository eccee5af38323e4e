"""Names that a program uses only if the installed TensorFlow has them, and the imports that names come from."""

import ast
from collections.abc import Collection, Iterator

from migrate.analysis.source.names import MAX_STEPS, Names, is_v1_reassignment
from migrate.analysis.source.nodes import bound_name, root_of, walk
from migrate.analysis.source.scopes import Binding
from migrate.analysis.source.tensorflow_version import is_tensorflow, is_version, may_read_version, result_on_tf2
from migrate.files.run_cache import tree_cache
from migrate.tensorflow.known_names import NEW, OLD, lines_without

_ERRORS_OF_NAMES = {"ImportError", "ModuleNotFoundError", "AttributeError"}
_BROAD_ERRORS = {"Exception", "BaseException"}
_V1 = "tensorflow.compat.v1"
_EXITS = (ast.Return, ast.Raise)


def is_guarded(names: Names, node: ast.AST) -> bool:
    """Whether the program also runs with a TensorFlow that lacks the name at ``node``.

    The name is in a ``try`` with ``except ImportError`` or ``AttributeError``, or under a condition on
    ``hasattr(tf, …)`` or TensorFlow's version. Or its import is guarded so; after a ``try``, the program must then
    bind the name to something else, or test what the import gave.
    """
    lacked = [one.node for one in _root_bindings(names, node) if _is_missing_in_tf2(one)]
    return _guard(names, node) is not None or any(_is_optional(names, node, one) for one in lacked)


def resolves_to_v1(names: Names, node: ast.expr) -> bool:
    """Whether a name that only TensorFlow 1 has is read from ``compat.v1`` when the program runs on TensorFlow 2.

    That is so after ``tf = tf.compat.v1``, whether unconditional or under a condition on TensorFlow's version.
    """
    dotted = names.qualified(node) or ""
    if not dotted.startswith("tensorflow.") or lines_without(f"tensorflow.compat.v1{dotted[10:]}", (OLD, NEW)):
        return False
    switches = [one.node for one in _root_bindings(names, node) if is_v1_reassignment(one) or one.imported == _V1]
    conditions = [names.parent(one) for one in switches]
    return any(not isinstance(one, ast.If) or _tests_tensorflow(names, one.test) for one in conditions)


def _is_missing_in_tf2(binding: Binding) -> bool:
    return binding.imported is not None and bool(lines_without(binding.imported, (OLD, NEW)))


def _root_bindings(names: Names, node: ast.AST) -> list[Binding]:
    return names.bindings(root_of(node))


def _is_optional(names: Names, node: ast.AST, imported: ast.AST) -> bool:
    """Whether the code at a name is skipped, or uses a substitute, if the import that binds the name fails."""
    guard = _guard(names, imported)
    bindings = _root_bindings(names, node)
    lacked = [one for one in bindings if _is_missing_in_tf2(one)]
    others = [one for one in bindings if one not in lacked]
    if any(names.is_equivalent(other, str(one.imported)) for other in others for one in lacked):
        return False
    if not isinstance(guard, ast.Try):
        return guard is not None
    if any(not (isinstance(one.value, ast.Constant) and one.value.value is None) for one in others):
        return True
    given = {part.id for part in ast.walk(guard) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    given |= {bound_name(part) for part in ast.walk(guard) if isinstance(part, ast.alias)}
    return any(_tests_variable(names, test, given) for test in _conditions_of(names, node))


def _conditions_of(names: Names, node: ast.AST) -> Iterator[ast.expr]:
    """Yields the conditions that decide whether a node runs: those around it, and earlier ones that may return."""
    below = node
    for around in names.ancestors(node):
        if isinstance(around, ast.If | ast.IfExp | ast.While):
            yield around.test
        elif isinstance(around, ast.BoolOp):
            place = next(index for index, value in enumerate(around.values) if value is below)
            yield from around.values[: place + isinstance(below, ast.Name)]
        elif isinstance(around, ast.FunctionDef | ast.AsyncFunctionDef) and isinstance(below, ast.stmt):
            ending = [one for one in around.body if isinstance(one, ast.If) and isinstance(one.body[-1], _EXITS)]
            yield from (one.test for one in ending if one.lineno < below.lineno)
        below = around


def _tests_variable(names: Names, test: ast.expr, given: Collection[str]) -> bool:
    """Whether a condition tests one of some variables itself, not an attribute of it."""
    asked = (part for part in walk(test) if isinstance(part, ast.Name) and part.id in given)
    return any(not isinstance(names.parent(part), ast.Attribute) for part in asked)


def _guard(names: Names, node: ast.AST) -> ast.AST | None:
    """Returns the ``try`` or condition that guards a node, or None."""
    if not _has_guards(names):
        return None
    below = node
    for around in names.ancestors(node):
        if isinstance(around, ast.Try) and any(_catches_missing_name(around, handler) for handler in around.handlers):
            is_instead = isinstance(below, ast.ExceptHandler)
            if not is_instead or _tries_tensorflow(names, around):
                return around
        if isinstance(around, ast.If | ast.IfExp) and _tests_tensorflow(names, around.test):
            others = around.orelse if isinstance(around.orelse, list) else [around.orelse]
            if result_on_tf2(names, around.test) != (below not in others):
                return around
        if isinstance(around, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            return _early_exit(names, around, below)
        below = around
    return None


def _early_exit(names: Names, function: ast.AST, below: ast.AST) -> ast.If | None:
    """Returns an earlier ``if`` on TensorFlow that ends the function before a statement of it runs; None for none."""
    body = function.body if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) else []
    ending = [one for one in body if isinstance(one, ast.If) and isinstance(one.body[-1], _EXITS) and not one.orelse]
    above = [one for one in ending if one.lineno < getattr(below, "lineno", 0) and _tests_tensorflow(names, one.test)]
    return next((one for one in above if result_on_tf2(names, one.test) is not False), None)


def catches_error(names: Names, call: ast.Call) -> bool:
    """Whether the program catches the error that a call raises where TensorFlow rejects its arguments."""
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
    return handler.type is None or not known.isdisjoint({"TypeError", *_BROAD_ERRORS})


@tree_cache
def _has_guards(names: Names) -> bool:
    """Whether a file may guard names at all: most files do not, and have hundreds of names."""
    return bool(names.nodes(ast.Try)) or _may_test_tensorflow(names)


def _catches_missing_name(statement: ast.Try, handler: ast.ExceptHandler) -> bool:
    if isinstance(handler.body[-1], ast.Raise):
        return False
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    known = {getattr(kind, "id", "") for kind in kinds}
    # Imports, and assignments of dotted names, can only fail for a missing name.
    tried = [one.value if isinstance(one, ast.Assign) else one for one in statement.body]
    only_imports = all(isinstance(one, ast.Import | ast.ImportFrom | ast.Attribute) for one in tried)
    catches_all = handler.type is None or not known.isdisjoint(_BROAD_ERRORS)
    return not known.isdisjoint(_ERRORS_OF_NAMES) or (catches_all and only_imports)


def _tries_tensorflow(names: Names, statement: ast.Try) -> bool:
    """Whether a ``try`` imports or names TensorFlow or Keras, so that its handler is for another release of them."""
    parts = [part for one in statement.body for part in walk(one)]
    imports = [part for part in parts if isinstance(part, ast.Import | ast.ImportFrom)]
    dotted = [getattr(one, "module", None) or one.names[0].name for one in imports]
    dotted += [names.qualified(part) or "" for part in parts if isinstance(part, ast.Name)]
    return any(one.startswith(("tensorflow", "tf_", "keras")) for one in dotted)


def _tests_tensorflow(names: Names, test: ast.expr) -> bool:
    """Whether a condition depends on the installed TensorFlow."""
    if not _may_test_tensorflow(names):
        return False
    values = [names.only_value(part) for part in walk(test) if isinstance(part, ast.Name)]
    parts = [part for one in [test, *values] if one is not None for part in walk(one)]
    return any(is_version(names, part) or _is_hasattr(names, part) for part in parts)


def _may_test_tensorflow(names: Names) -> bool:
    return "hasattr" in names.variables or may_read_version(names)


def _is_hasattr(names: Names, node: ast.AST) -> bool:
    is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "hasattr"
    return is_call and isinstance(node, ast.Call) and bool(node.args) and is_tensorflow(names, node.args[0])


_COLAB = "google.colab"


def is_in_colab(names: Names, node: ast.AST) -> bool:
    """Whether a node runs only in Colab: it is under ``if "google.colab" in sys.modules`` or a similar condition."""
    below = node
    for around in names.ancestors(node):
        if isinstance(around, ast.If | ast.IfExp) and below is not around.test:
            others = around.orelse if isinstance(around.orelse, list) else [around.orelse]
            if _asks_for_colab(names, around.test, below not in others):
                return True
        below = around
    return False


def _asks_for_colab(names: Names, test: ast.expr, holds: bool) -> bool:
    """Whether the result ``holds`` of a condition shows that the program runs in Colab."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _asks_for_colab(names, test.operand, not holds)
    if isinstance(test, ast.Compare) and isinstance(test.left, ast.Constant) and test.left.value == _COLAB:
        return isinstance(test.ops[0], ast.In if holds else ast.NotIn)
    values = [one for one in names.bindings(test) if one.value is not None]
    if len(values) == 1 and values[0].value is not None:
        return _asks_for_colab(names, values[0].value, holds)
    is_true = [one.node for one in values if isinstance(one.value, ast.Constant) and one.value.value is True]
    return holds and any(_imports_colab(names.parent(one)) for one in is_true)


def _imports_colab(statement: ast.AST) -> bool:
    """Whether this is ``try: import google.colab``."""
    body = statement.body if isinstance(statement, ast.Try) else []
    return any(isinstance(one, ast.Import | ast.ImportFrom) and _COLAB in ast.unparse(one) for one in body)


def root_import(names: Names, node: ast.expr) -> ast.Import | ast.ImportFrom | None:
    """Returns the first of ``root_imports``, or None."""
    return next(iter(root_imports(names, node)), None)


def root_imports(names: Names, node: ast.expr) -> tuple[ast.Import | ast.ImportFrom, ...]:
    """Returns the imports of a dotted name's first part, through aliases (``layers = tf.layers``); () for none."""
    for _ in range(MAX_STEPS):
        root = root_of(node)
        seen = names.scope_of(root).lookup(root.id) if isinstance(root, ast.Name) else None
        if seen is None:
            return ()
        bindings = [one for one in seen[1] if not is_v1_reassignment(one)] or seen[1]
        binding = bindings[0]
        if isinstance(binding.node, ast.Import | ast.ImportFrom):
            # A second, guarded import may bind the same name to compat.v1 on TensorFlow 2.
            others = {"tensorflow.compat.v1"} if isinstance(binding.node, ast.Import) else set()
            if not {one.imported for one in bindings} <= {binding.imported, *others}:
                return ()
            same = (one.node for one in bindings if one.imported == binding.imported)
            return tuple(one for one in same if isinstance(one, ast.Import | ast.ImportFrom))
        if len(bindings) != 1 or binding.value is None:
            return ()
        node = binding.value
    return ()
